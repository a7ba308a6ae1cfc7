"""Ports and built-in zones through the API."""

import pytest
from shapely.geometry import Point, shape

from app.zones.catalogue import load_zones
from tests.integration.client import ApiClient


def test_ports_are_found_by_name_and_code(viewer: ApiClient) -> None:
    found = viewer.get("/ports?search=rotterdam").get_json()
    port = found["items"][0]
    assert found["total"] == len(found["items"])
    assert (port["name"], port["locode"], port["country"]) == ("Rotterdam", "NLRTM", "Netherlands")
    assert (round(port["lat"]), round(port["lng"])) == (52, 4)
    assert viewer.get("/ports?search=NLRTM").get_json()["items"] == [port]
    assert viewer.get("/ports?search=san&limit=3").get_json()["total"] == 3
    assert viewer.get("/ports?search=qqqq").get_json() == {"items": [], "total": 0}


@pytest.mark.parametrize("typed", ["Genoa", "Gênes", "IT GOA", "genova"])
def test_a_port_is_found_by_names_of_other_languages(viewer: ApiClient, typed: str) -> None:
    port = viewer.get("/ports", query_string={"search": typed}).get_json()["items"][0]
    assert port["locode"] == "ITGOA"
    assert "Genoa" in port["alternateNames"]


def test_a_search_for_ports_that_cannot_be_is_refused(viewer: ApiClient) -> None:
    for query in ("", "?search=", "?search=a&limit=0", "?search=a&limit=101", "?name=rotterdam"):
        assert viewer.get(f"/ports{query}").status_code == 422, query


def test_zones_are_shown_with_their_days_and_sources(viewer: ApiClient) -> None:
    response = viewer.get("/zones")
    found = response.get_json()
    catalogue = load_zones()
    assert found["version"] == catalogue.version
    assert [zone["id"] for zone in found["items"]] == [zone.id for zone in catalogue.zones]
    baltic = next(zone for zone in found["items"] if zone["id"] == "eca-baltic")
    assert (baltic["kind"], baltic["inForceFrom"]) == ("ECA", "2006-05-19")
    assert shape(baltic["geometry"]).contains(Point(19, 57))
    assert all(zone["boundaries"] for zone in found["items"])
    assert all(part["source"] for zone in found["items"] for part in zone["boundaries"])
    seen = {"If-None-Match": response.headers["ETag"]}
    assert viewer.get("/zones", headers=seen).status_code == 304


def test_zones_of_one_kind(viewer: ApiClient) -> None:
    found = viewer.get("/zones?kind=war_risk").get_json()
    assert {zone["kind"] for zone in found["items"]} == {"WAR_RISK"}
    assert found["total"] == len(found["items"]) > 0
    assert viewer.get("/zones?kind=CONSTRAINT").status_code == 422
