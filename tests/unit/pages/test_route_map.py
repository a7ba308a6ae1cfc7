"""Charts by folium."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.geodesy.leg import LegGeometry, leg_distance_nm
from app.engine.request import Position
from app.pages.charts import route_map

Waypoint = dict[str, Any]


Place = tuple[float, float]


def build_legs(*places: Place, geometry: LegGeometry = LegGeometry.GREAT_CIRCLE) -> list[Waypoint]:
    legs_nm = [leg_distance_nm(Position(*a), Position(*b), geometry) for a, b in pairwise(places)]
    return [
        {"lat": lat, "lng": lng, "legGeometry": geometry, "legDistanceNm": leg_nm}
        for (lat, lng), leg_nm in zip(places, [0.0, *legs_nm], strict=True)
    ]


PACIFIC = [
    *build_legs((35.0, 140.0), (48.0, 175.0)),
    *build_legs((48.0, 175.0), (37.8, -122.5), geometry=LegGeometry.RHUMB)[1:],
]


def test_no_part_of_a_chart_names_another_host() -> None:
    chart = route_map.lay_out_chart()
    route_map.draw_alternative(chart, PACIFIC, 0)
    route_map.draw_route(chart, PACIFIC)
    document = chart.get_root().render()
    assert not re.search(r"""(src|href)=["'](https?:)?//""", document)


def test_the_links_are_of_our_own_static_files() -> None:
    links = route_map.ChartLinks()
    assert links.js
    assert all(name.startswith("vendor/") for name in (*links.js, *links.css))


def test_nothing_in_the_element_needs_inline_style_or_handlers() -> None:
    html = route_map.render(route_map.lay_out_chart()).html
    assert not re.search(r"\s(style|on\w+)=", html)
    assert "<script" not in html


def test_the_script_has_no_markup_that_could_end_it() -> None:
    chart = route_map.lay_out_chart()
    route_map.draw_route(chart, PACIFIC)
    assert "</" not in route_map.render(chart).script


def test_a_line_is_continuous_across_the_antimeridian() -> None:
    lngs = [lng for _, lng in route_map.trace_legs(PACIFIC)]
    assert max(abs(b - a) for a, b in pairwise(lngs)) < 5
    assert lngs[-1] == pytest.approx(237.5)


@pytest.mark.parametrize("ship", [(20.0, 170.0), (20.0, -160.0)])
def test_a_ship_off_its_track_is_in_view_on_the_copy_of_the_world_of_its_route(
    ship: Place,
) -> None:
    chart = route_map.lay_out_chart()
    route_map.draw_route(chart, PACIFIC, ship)
    corners = json.loads(
        re.search(r"fitBounds\(\s*(\[\[.*?\]\])", route_map.render(chart).script)[1]
    )
    assert corners == [[20.0, 140.0], [48.0, 237.5]]


def test_a_great_circle_bends_towards_the_pole_and_a_rhumb_line_does_not() -> None:
    ends = (45.0, -60.0), (45.0, -10.0)
    circle = route_map.trace_legs(build_legs(*ends))
    rhumb = route_map.trace_legs(build_legs(*ends, geometry=LegGeometry.RHUMB))
    assert max(lat for lat, _ in circle) > 47
    assert max(lat for lat, _ in rhumb) == pytest.approx(45.0, abs=1e-3)


place = st.tuples(st.floats(-70, 70), st.floats(-180, 179.9))


@given(st.lists(place, min_size=2, max_size=5, unique=True))
def test_a_line_begins_and_ends_at_its_waypoints(places: list[Place]) -> None:
    line = route_map.trace_legs(build_legs(*places))
    for drawn, given_place in ((line[0], places[0]), (line[-1], places[-1])):
        assert drawn[0] == pytest.approx(given_place[0], abs=1e-5)
        assert (drawn[1] - given_place[1] + 180) % 360 == pytest.approx(180, abs=1e-5)


def test_short_legs_are_drawn_by_their_ends_alone() -> None:
    places = [(50.0, 0.1 * n) for n in range(400)]
    line = route_map.trace_legs(build_legs(*places))
    assert line == [(lat, round(lng, 6)) for lat, lng in places]
