"""GPX 1.1: order of elements, ranges, times."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from lxml import etree

from app.engine.voyage import RoutePlan
from app.exports.gpx import NAMESPACE, render_gpx
from tests.builders import north_pacific_plan, three_plans
from tests.unit.exports.plans import plans

NS = {"g": NAMESPACE}
#: Order of a point's children in the schema, as far as they are written.
POINT_ORDER = ["time", "name", "cmt", "desc"]
PLANS = three_plans()


def render(plan: RoutePlan) -> etree._Element:
    return etree.fromstring(render_gpx(plan, route_name="A-B", revision=2))


def assert_it_is_gpx(gpx: etree._Element) -> None:
    assert gpx.tag == f"{{{NAMESPACE}}}gpx"
    assert gpx.get("version") == "1.1"
    order = [etree.QName(child).localname for child in gpx]
    assert order in (["metadata", "rte"], ["metadata", "rte", "trk"])
    for point in gpx.iter(f"{{{NAMESPACE}}}rtept", f"{{{NAMESPACE}}}trkpt"):
        names = [etree.QName(child).localname for child in point]
        assert names == [name for name in POINT_ORDER if name in names]
        assert -90.0 <= float(point.get("lat")) <= 90.0
        assert -180.0 <= float(point.get("lon")) < 180.0


@pytest.mark.parametrize("name", PLANS)
def test_each_voyage_is_gpx(name: str) -> None:
    assert_it_is_gpx(render(PLANS[name]))


@settings(max_examples=40)
@given(plans())
def test_every_plan_is_gpx(plan: RoutePlan) -> None:
    assert_it_is_gpx(render(plan))


def test_the_track_holds_the_profile_in_the_order_of_time() -> None:
    plan = north_pacific_plan()
    times = [datetime.fromisoformat(t.text) for t in render(plan).findall(".//g:trkpt/g:time", NS)]
    assert len(times) == len(plan.profile)
    assert times == sorted(times)


def test_waypoints_are_numbered_from_1() -> None:
    plan = north_pacific_plan()
    names = [name.text for name in render(plan).findall(".//g:rtept/g:name", NS)]
    assert names == [f"WP {i + 1:03d}" for i in range(len(plan.waypoints))]
