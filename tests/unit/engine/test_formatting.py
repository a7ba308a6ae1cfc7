"""Positions, winds and times in the engine's texts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from shapely import MultiPolygon

from app.engine import formatting
from app.engine.area import Area, AreaKind, AreaRule
from app.engine.formatting import (
    format_day,
    format_miles,
    format_position,
    format_wind,
    name_area,
    name_in_sentence,
    name_wind,
)


@pytest.mark.parametrize(
    ("lat", "lng", "expected"),
    [
        (51.981667, 4.035, "51°58.900'N 004°02.100'E"),
        (-33.999999, -179.999999, "34°00.000'S 180°00.000'W"),
        (-0.000001, 0.0, "00°00.000'N 000°00.000'E"),
    ],
)
def test_positions_are_shown_in_degrees_and_minutes(lat: float, lng: float, expected: str) -> None:
    assert format_position(lat, lng) == expected


@pytest.mark.parametrize(
    ("distance_nm", "expected"),
    [(0.03, "less than 0.1 nm"), (0.06, "0.1 nm"), (12.34, "12.3 nm"), (6.2496, "6.3 nm")],
)
def test_miles_that_round_to_none_are_less_than_a_tenth(distance_nm: float, expected: str) -> None:
    assert format_miles(distance_nm) == expected


def test_wind_is_reported_in_knots_and_in_metres_per_second() -> None:
    assert format_wind(13.5) == "26 kn (13.5 m/s)"


@pytest.mark.parametrize(
    ("speed_ms", "term"),
    [(0.0, "calm"), (13.84, "strong breeze"), (13.86, "near gale"), (60.0, "hurricane")],
)
def test_a_wind_has_beauforts_term(speed_ms: float, term: str) -> None:
    assert name_wind(speed_ms) == term


def test_every_kind_of_area_has_a_name() -> None:
    for kind in AreaKind:
        area = Area("a", "Skagerrak", kind, AreaRule.REPORTED, MultiPolygon())
        assert name_area(area).endswith(" “Skagerrak”")


def test_every_date_in_the_engine_s_texts_is_formatted_by_this_module() -> None:
    engine = Path(formatting.__file__).parent
    others = [path for path in engine.rglob("*.py") if path != Path(formatting.__file__)]
    assert [path.name for path in others if "%b" in path.read_text()] == []


def test_a_day_has_no_leading_zero() -> None:
    assert format_day(datetime(2026, 3, 1, 21, 51, tzinfo=UTC)) == "1 Mar 2026"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Off Ushant, north-east lane", "the north-east lane off Ushant"),
        ("Dover Strait, south-west lane", "the south-west lane of Dover Strait"),
        ("Approach to Boston, northbound lane", "the northbound lane of the approach to Boston"),
        (
            "Off New York, eastern approach, off Nantucket, westbound lane",
            "the westbound lane off New York, eastern approach, off Nantucket",
        ),
        ("Approach to Piraeus", "the approach to Piraeus"),
        ("Kiel Canal", "Kiel Canal"),
    ],
)
def test_lanes_and_approaches_are_named_as_part_of_a_sentence(name: str, expected: str) -> None:
    assert name_in_sentence(name) == expected
