"""Noon reports with a position in several columns."""

import pytest

from app.datasources.noon_reports.mapping import Choice
from app.datasources.noon_reports.reading import NoonTable
from tests.unit.datasources.test_noon_reports import a_row, faults_of, read


def read_position(headers: str, *cells: str, **options: dict[str, Choice]) -> NoonTable:
    """Read rows that have these cells between the date and the hours."""
    header = f"Date (UTC),{headers},Steaming hours,Speed (kn),ME FO Cons (mt)"
    rows = [
        ",".join([a_row(day).partition(",")[0], each, "24,14.0,28.5"])
        for day, each in enumerate(cells)
    ]
    return read(*rows, header=header, **options)


@pytest.mark.parametrize(
    ("headers", "cells"),
    [
        ("Lat Deg,Lat Min,N/S,Lon Deg,Lon Min,E/W", "33,51.5,S,17,59.9,W"),
        (
            "Latitude_Degree,Latitude_Minutes,Latitude_North_South,Longitude_Degree,"
            "Longitude_Minutes,Longitude_East_West",
            "33,51.5,S,17,59.9,W",
        ),
        ("ShipLatitude,N/S,ShipLongitude,E/W", "33 51.5,S,17 59.9,W"),
        ("Noon Lat,,Noon Long,", "33-51.5,S,17-59.9,W"),
        ("Lat Min,Lat Deg,Lat Dir,Longitude", "51.5,33,S,17-59.9W"),
    ],
)
def test_degrees_minutes_and_hemispheres_of_a_report_are_joined(headers: str, cells: str) -> None:
    table = read_position(headers, cells)
    assert table.faults == []
    assert table.values["latitude"].tolist() == pytest.approx([-33.8583333])
    assert table.values["longitude"].tolist() == pytest.approx([-17.9983333])


def test_parts_that_are_no_position_are_a_fault_of_their_row() -> None:
    headers = "Lat Deg,Lat Min,N/S,Lon Deg,Lon Min,E/W"
    table = read_position(headers, "33,51.5,,17,59.9,W", ",,,,,", "33,51.5,S,17,59.9,W")
    assert [*faults_of(table)] == [(2, "Lat Deg")]
    assert "“Lat Min”, “N/S” hold '33 51.5 '" in faults_of(table)[2, "Lat Deg"]
    assert table.values["latitude"][2] == pytest.approx(-33.8583333)


def test_columns_of_a_position_that_cannot_be_joined_are_a_fault_until_they_are_mapped() -> None:
    headers, cells = "Lat,Berth,N/S,Long,E/W", "33.5,7,N,18.5,E"
    faults = [column.fault for column in read_position(headers, cells).columns if column.fault]
    assert len(faults) == 1
    assert "“Lat”, “N/S” do not follow each other" in faults[0]
    chosen = {"Lat": Choice("latitude"), "Long": Choice("longitude")}
    mapped = read_position(headers, cells, chosen=chosen)
    assert mapped.faults == []
    assert mapped.values["latitude"].tolist() == [33.5]


def test_columns_that_cannot_be_joined_are_a_fault_under_headers_without_spaces_too() -> None:
    columns = read_position("LATDEG,LATSEC,NS,Longitude", "33,30,N,18.5").columns
    assert "each once" in (columns[1].fault or "")


def test_minutes_without_degrees_are_no_latitude() -> None:
    table = read_position("Lat Min,Longitude", "51.5,17-59.9W")
    assert [column.field for column in table.columns[1:3]] == [None, "longitude"]
