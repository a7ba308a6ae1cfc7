"""Reference routes from files."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.plan import RoutePlan
from app.exports.csv import render_csv
from app.exports.rtz import render_rtz
from app.services.chartings.reference_routes import read_route
from app.services.errors import Invalid
from tests.unit.exports.plans import plans

#: What JSON of routes is made of.
KEYS = st.sampled_from(["type", "features", "geometry", "coordinates", "properties", "name"])
JSON_LEAVES = st.sampled_from(
    [None, True, 5, -200.5, 10**400, "", "x", "Feature", "FeatureCollection", "LineString"]
)

CHANNEL = ((51.98, 4.0), (50.0, -3.0), (48.5, -6.2))


def read_places(content: bytes, name: str = "file") -> tuple[tuple[float, float], ...]:
    return tuple((at["lat"], at["lng"]) for at in read_route(content, name)["waypoints"])


def refusal(content: bytes | str) -> str:
    with pytest.raises(Invalid) as refused:
        read_route(content.encode() if isinstance(content, str) else content, "route")
    (fault,) = refused.value.faults
    assert fault.pointer == "/importedData"
    return fault.detail


def rtz(inside: str, head: str = "") -> str:
    return f'<?xml version="1.0"?>{head}<route xmlns="http://www.cirm.org/RTZ/1/0">{inside}</route>'


@settings(max_examples=25)
@given(plans())
def test_what_is_exported_is_read_back(plan: RoutePlan) -> None:
    read = read_route(render_rtz(plan, route_name="Westward", revision=1), "file")
    assert read["name"] == "Westward"
    planned = [waypoint.leg_geometry for waypoint in plan.waypoints[1:]]
    assert [waypoint["legGeometry"] for waypoint in read["waypoints"][1:]] == planned
    assert_same_places(read_places(render_rtz(plan, route_name="Westward", revision=1)), plan)
    assert_same_places(read_places(render_csv(plan)), plan)


def assert_same_places(places: Any, plan: RoutePlan) -> None:
    assert len(places) == len(plan.waypoints)
    for (lat, lng), waypoint in zip(places, plan.waypoints, strict=True):
        assert lat == pytest.approx(waypoint.position.lat, abs=1e-5)
        apart = (lng - waypoint.position.lng + 180.0) % 360.0 - 180.0
        assert apart == pytest.approx(0.0, abs=1e-5)


def test_a_gpx_track_is_read_where_there_is_no_route() -> None:
    points = "".join(f'<trkpt lat="{lat}" lon="{lng}"/>' for lat, lng in CHANNEL)
    gpx = f"<gpx><trk><name>Logged</name><trkseg>{points}</trkseg></trk></gpx>"
    assert read_route(gpx.encode(), "file")["name"] == "Logged"
    assert read_places(gpx.encode()) == CHANNEL


def test_a_line_without_points_is_a_route() -> None:
    line = {"type": "LineString", "coordinates": [[lng, lat] for lat, lng in CHANNEL]}
    assert read_places(json.dumps(line).encode()) == CHANNEL
    assert read_route(json.dumps(line).encode(), "my.geojson")["name"] == "my.geojson"


def test_the_lines_of_legs_are_kept_where_the_file_states_them() -> None:
    legs = ("", '<leg geometryType="Loxodrome"/>', '<leg geometryType="Orthodrome"/>')
    waypoints = "".join(
        f'<waypoint id="{number}"><position lat="{lat}" lon="{lng}"/>{leg}</waypoint>'
        for number, ((lat, lng), leg) in enumerate(zip(CHANNEL, legs, strict=True))
    )
    inside = f'<routeInfo routeName="Own"/><waypoints>{waypoints}</waypoints>'
    read = read_route(rtz(inside).encode(), "file")["waypoints"]
    assert [waypoint.get("legGeometry") for waypoint in read] == [None, "RHUMB", "GREAT_CIRCLE"]
    assert "legGeometry" not in read[0]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_is_read_by_the_names_of_its_columns(separator: str) -> None:
    rows = [["WP", "Longitude", "Latitude"], ["1", "4.0", "51.98"], ["2", "003 00.0 W", "50°00'N"]]
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows) + "\r\n\r\n"
    assert read_places(text.encode()) == ((51.98, 4.0), (50.0, -3.0))


def test_longitudes_up_to_360_come_back_within_180() -> None:
    assert read_places(b"lat,lon\n0,179\n0,181\n") == ((0.0, 179.0), (0.0, -179.0))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("\x00\xff\xfe", "no text file"),
        (b"\xff\xfe\x80", "lat and lng"),
        ("<route", "Line 1: The XML is broken"),
        ("<svg/>", "neither RTZ nor GPX nor KML"),
        ("<kml/>", "neither a line nor points"),
        ("<gpx/>", "neither a route nor a track"),
        ("{", "Line 1: The JSON is broken"),
        ("[1, 2]", "The JSON is a list"),
        ('{"type": "Point", "coordinates": [1, 2]}', "no route of two or more"),
        ('{"type": "LineString", "coordinates": [[1, 2], ["x"]]}', "Waypoint 2"),
        ("a,b\n1,2\n", "lat and lng"),
        ("lat,lng\n51.98,4\n50 70 N,3\n", "Line 3"),
        ("lat,lng\n51.98\n", "Line 2: Waypoint 1 has no longitude"),
        ("lat,lng\n51.98,4\n91,4\n", "Waypoint 2 lies at 91, 4"),
        ("lat,lng\n51.98,4\nnan,4\n", "Waypoint 2"),
        ("lat,lng\n51.98,4\n", "two or more"),
        ("lat,lng\n" + "1,2\n" * 5001, "up to 5000"),
        (f"lat,lng\n{'9' * 400},4\n51,3\n", "Line 2: Waypoint 1 lies at inf"),
        (f"lat,lng,name\n51,4,{'x' * 140_000}\n", "is not CSV"),
        ("[" * 100_000, "broken"),
        ('{"type": "FeatureCollection", "features": 5}', "not a list"),
        (f'{{"type": "LineString", "coordinates": [[{"9" * 400}, 5], [4, 5]]}}', "Waypoint 1"),
    ],
)
def test_a_file_that_is_no_route_says_why_and_where(content: bytes | str, words: str) -> None:
    assert words in refusal(content)


def test_a_waypoint_without_position_is_named() -> None:
    good = '<waypoint><position lat="1" lon="2"/></waypoint>'
    assert "Waypoint 2 has no position" in refusal(rtz(f"<waypoints>{good}<waypoint/></waypoints>"))
    broken = '<waypoint><position lat="north" lon="2"/></waypoint>'
    assert "Waypoint 1" in refusal(rtz(f"<waypoints>{broken}</waypoints>"))


def test_no_entity_of_xml_is_ever_resolved(tmp_path: Any) -> None:
    secret = tmp_path / "secret"
    secret.write_text("51")
    head = f'<!DOCTYPE route [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    assert "document type" in refusal(rtz("&e;", head))
    bomb = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "x"}">' for i in range(9))
    told = refusal(rtz("&a8;", f"<!DOCTYPE route [{bomb}]>"))
    assert "document type" in told or "broken" in told


def test_a_name_loses_the_characters_that_cannot_be_stored() -> None:
    line = '"type": "LineString", "coordinates": [[4, 51], [3, 51]]'
    named = '{"type": "Feature", "properties": {"name": "%s"}, "geometry": {%s}}'
    assert read_route((named % ("\\ud800 North\\u0001", line)).encode(), "f")["name"] == "North"
    assert read_route((named % ("\\u0000", line)).encode(), "file")["name"] == "file"


@given(st.recursive(JSON_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_any_json_is_read_or_refused_in_words(root: Any) -> None:
    try:
        read_route(json.dumps(root).encode(), "file")
    except Invalid:
        return


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_words(content: bytes) -> None:
    try:
        places = read_places(content)
    except Invalid:
        return
    assert all(math.isfinite(lat + lng) for lat, lng in places)
