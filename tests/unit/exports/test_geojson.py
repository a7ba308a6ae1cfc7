"""GeoJSON by RFC 7946."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, shape

from app.engine.voyage import RoutePlan
from app.exports.geojson import LngLat, render_geojson, split_at_antimeridian
from tests.builders import north_atlantic_plan, north_pacific_plan, panama_plan
from tests.unit.exports.plans import plans

points = st.tuples(
    st.floats(-180.0, 180.0, exclude_max=True) | st.sampled_from([-180.0, 179.5, -179.5]),
    st.floats(-80.0, 80.0),
)


def render(plan: RoutePlan) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render_geojson(plan, route_name="A-B", revision=2))
    return document


def test_a_voyage_over_the_antimeridian_is_two_lines_that_meet_there() -> None:
    track = render(north_pacific_plan())["features"][0]["geometry"]
    assert track["type"] == "MultiLineString"
    west, east = track["coordinates"]
    assert west[-1][0] == 180.0
    assert east[0][0] == -180.0
    assert west[-1][1] == east[0][1]


def test_a_voyage_elsewhere_is_one_line() -> None:
    assert render(panama_plan())["features"][0]["geometry"]["type"] == "LineString"


def test_a_great_circle_is_drawn_as_a_curve() -> None:
    plan = north_atlantic_plan()
    track = LineString(render(plan)["features"][0]["geometry"]["coordinates"])
    corners = LineString([(w.position.lng, w.position.lat) for w in plan.waypoints])
    assert track.hausdorff_distance(corners) > 0.3


def test_points_carry_their_index_and_time() -> None:
    document = render(panama_plan())
    stops = [f["properties"] for f in document["features"][1:]]
    assert [s["index"] for s in stops] == list(range(7))
    assert [s["name"] for s in stops] == [f"WP {i + 1:03d}" for i in range(7)]
    assert stops[0]["eta"] == "2026-01-14T18:00:00Z"
    assert stops[4]["note"] == "Panama Canal; Balboa sea buoy"
    assert document["features"][0]["properties"]["revision"] == 2


@settings(max_examples=40)
@given(plans())
def test_every_plan_is_valid_geojson_inside_the_world(plan: RoutePlan) -> None:
    for feature in render(plan)["features"]:
        geometry = shape(feature["geometry"])
        if not geometry.is_empty:
            west, south, east, north = geometry.bounds
            assert -180.0 <= west <= east <= 180.0
            assert -90.0 <= south <= north <= 90.0


@given(st.lists(points, min_size=2, max_size=8))
def test_no_part_of_a_split_line_jumps_across_the_map(line: list[LngLat]) -> None:
    for part in split_at_antimeridian(line):
        assert len(part) > 1
        assert all(abs(b[0] - a[0]) <= 180.0 for a, b in pairwise(part))


@given(st.lists(points, min_size=2, max_size=8))
def test_splitting_keeps_the_length_in_degrees(line: list[LngLat]) -> None:
    def length(points: list[LngLat]) -> float:
        pairs = pairwise(points)
        return sum(
            (((b[0] - a[0] + 180) % 360 - 180) ** 2 + (b[1] - a[1]) ** 2) ** 0.5 for a, b in pairs
        )

    parts = split_at_antimeridian(line)
    assert abs(sum(map(length, parts)) - length(line)) < 1e-6


def test_a_line_that_touches_the_meridian_has_no_stray_part() -> None:
    assert split_at_antimeridian([(-180.0, 0.0), (179.0, 1.0)]) == [[(180.0, 0.0), (179.0, 1.0)]]
