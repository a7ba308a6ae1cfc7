"""RTZ against CIRM's schema, and against rules beyond the schema."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from lxml import etree

from app.engine.plan import RoutePlan
from app.engine.weather.records import WeatherSource
from app.exports.rtz import RtzVersion, render_rtz
from tests.builders import (
    Turn,
    make_plan,
    make_weather,
    north_atlantic_plan,
    panama_plan,
    three_plans,
    wait_before_canal,
)
from tests.unit.exports.plans import plans

DATA = Path(__file__).parents[2] / "data" / "rtz"
SAMPLE = DATA / "RTZ1.1AllOptionalElementsAndAttributes.rtz"
SCHEMA_1_1 = DATA / "RTZ_Schema_version_1_1.xsd"
NS = {"r": RtzVersion.V1_1.namespace}
XSD = "http://www.w3.org/2001/XMLSchema"
PLANS = three_plans()


def read_schema(version: RtzVersion) -> etree.XMLSchema:
    """Version 1.1 as published; 1.2 differs by its namespace and by the extensions of legs."""
    text = SCHEMA_1_1.read_bytes()
    if version is RtzVersion.V1_2:
        text = text.replace(b"/RTZ/1/1", b"/RTZ/1/2").replace(b'fixed="1.1"', b'fixed="1.2"')
    schema = etree.fromstring(text)
    if version is RtzVersion.V1_2:
        leg = schema.find(f"{{{XSD}}}complexType[@name='Leg']")
        extensions = etree.Element(f"{{{XSD}}}sequence")
        etree.SubElement(
            extensions, f"{{{XSD}}}element", name="extensions", type="Extensions", minOccurs="0"
        )
        leg.insert(0, extensions)
    return etree.XMLSchema(schema)


SCHEMAS = {version: read_schema(version) for version in RtzVersion}
SCHEMA = SCHEMAS[RtzVersion.V1_1]

PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?")
TEXTS = {
    *("name", "legInfo", "legNote2", "Note", "routeName", "routeAuthor", "routeStatus"),
    *("vesselName", "routeChangesHistory", "geometryType", "version", "eta", "etd"),
}


def render(plan: RoutePlan, **given: object) -> etree._Element:
    return etree.fromstring(render_rtz(plan, route_name="A-B-2026-01-14-r3", revision=3, **given))


def times(schedule: etree._Element) -> list[datetime]:
    elements = schedule.findall("r:scheduleElement", NS)
    told = (e.get(name) for e in elements for name in ("eta", "etd"))
    return [datetime.fromisoformat(time) for time in told if time is not None]


def assert_it_keeps_the_rules(route: etree._Element) -> None:
    SCHEMA.assertValid(route)
    ids = [w.get("id") for w in route.findall(".//r:waypoint", NS)]
    assert len(set(ids)) == len(ids)
    legs = [w.find("r:leg", NS) is not None for w in route.findall(".//r:waypoint", NS)]
    assert legs == [False] + [True] * (len(ids) - 1)
    for name in ("manual", "calculated"):
        schedule = route.find(f".//r:{name}", NS)
        elements = schedule.findall("r:scheduleElement", NS)
        assert [e.get("waypointId") for e in elements] == ids
        assert elements[0].get("etd") is not None
        assert all(e.get("etd", "Z") > e.get("eta") for e in elements[1:])
        assert [e.get("eta") is not None for e in elements] == [False] + [True] * (len(ids) - 1)
        assert all(earlier < later for earlier, later in pairwise(times(schedule)))
    for element in route.iter("*"):
        for key, value in element.attrib.items():
            assert key in TEXTS or PLAIN_NUMBER.fullmatch(value), (key, value)


@pytest.mark.parametrize("name", PLANS)
def test_each_voyage_keeps_schema_and_rules(name: str) -> None:
    assert_it_keeps_the_rules(render(PLANS[name], vessel_name="Noordster", imo="9074729"))


@settings(max_examples=40)
@given(plans())
def test_every_plan_keeps_schema_and_rules(plan: RoutePlan) -> None:
    assert_it_keeps_the_rules(render(plan))


@settings(max_examples=40)
@given(plans())
def test_the_same_plan_gives_the_same_bytes(plan: RoutePlan) -> None:
    once, again = (render_rtz(plan, route_name="A-B", revision=1) for _ in range(2))
    assert once == again


@pytest.mark.parametrize("version", RtzVersion)
@pytest.mark.parametrize("name", PLANS)
def test_each_version_is_valid_by_its_own_schema_alone(name: str, version: RtzVersion) -> None:
    route = etree.fromstring(render_rtz(PLANS[name], route_name="A-B", revision=1, version=version))
    assert route.get("version") == version
    assert [v for v, schema in SCHEMAS.items() if schema.validate(route)] == [version]


def test_every_waypoint_has_its_radius_cut_like_its_corridor() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1), Turn(1, 1)])
    radii = (0.5, 0.12399, 6.0)
    turned = [
        replace(waypoint, turn_radius_nm=radius)
        for waypoint, radius in zip(plan.waypoints, radii, strict=True)
    ]
    route = render(replace(plan, waypoints=tuple(turned)))
    SCHEMA.assertValid(route)
    written = [w.get("radius") for w in route.findall(".//r:waypoint", NS)]
    assert written == ["0.500", "0.123", "5.000"]


def test_the_schema_refuses_what_it_should() -> None:
    broken = render(PLANS["panama"])
    broken.find(".//r:leg", NS).set("portsideXTD", "10.0")
    assert not SCHEMA.validate(broken)


def test_the_published_sample_validates_and_uses_every_attribute_that_is_written() -> None:
    sample = etree.parse(str(SAMPLE)).getroot()
    SCHEMA.assertValid(sample)
    route = render(north_atlantic_plan(), vessel_name="Noordster", imo="9074729")
    used = {(e.tag, key) for e in sample.iter("*") for key in e.attrib}
    written = {(e.tag, key) for e in route.iter("*") for key in e.attrib}
    assert written <= used


def test_a_legs_attributes_stand_on_the_waypoint_it_leads_to() -> None:
    route = render(PLANS["panama"])
    named = [
        w.get("id")
        for w in route.findall(".//r:waypoint", NS)
        if w.find("r:leg[@legInfo='Panama Canal']", NS) is not None
    ]
    assert named == ["3", "4", "5"]


def test_waypoints_are_numbered_from_1() -> None:
    waypoints = render(PLANS["panama"]).findall(".//r:waypoint", NS)
    assert [(w.get("id"), w.get("name")) for w in waypoints] == [
        (str(i + 1), f"WP {i + 1:03d}") for i in range(len(waypoints))
    ]


def test_a_corridor_is_never_printed_wider_than_it_was_found_clear() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1, xtd_m=1851.9), Turn(0, 2, xtd_m=40_000.0)])
    xtds = [leg.get("portsideXTD") for leg in render(plan).findall(".//r:leg", NS)]
    assert xtds == ["0.999", "9.999"]


def test_the_clearance_with_squat_is_the_dynamic_one() -> None:
    plan = north_atlantic_plan()
    expected = [f"{int(w.ukc_m * 10) / 10:.1f}" for w in plan.waypoints[1:] if w.ukc_m is not None]
    legs = render(plan).findall(".//r:leg", NS)
    assert expected
    assert [leg.get("dynamicUKC") for leg in legs if leg.get("dynamicUKC")] == expected
    assert not any("staticUKC" in leg.attrib for leg in legs)


def test_a_whole_mile_is_not_cut_by_binary_fractions() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1, xtd_m=0.29 * 1852)])
    assert render(plan).find(".//r:leg", NS).get("starboardXTD") == "0.290"


def test_a_longitude_that_rounds_to_180_is_written_as_minus_180() -> None:
    plan = make_plan([Turn(0, 179.9), Turn(0, 179.99999999)])
    assert [p.get("lon") for p in render(plan).findall(".//r:position", NS)][1] == "-180.000000"


def test_a_direction_that_rounds_to_360_is_written_as_0() -> None:
    plan = make_plan(
        [Turn(0, 0), Turn(0, 1)], weather=lambda *_: make_weather(wave_from_deg=359.97)
    )
    calculated = render(plan).findall(".//r:calculated/r:scheduleElement", NS)
    assert {e.get("windDirection") for e in calculated} == {"0.0"}


def test_beyond_the_forecast_the_note_says_so() -> None:
    notes = [
        e.get("Note") for e in render(PLANS["north-atlantic"]).findall(".//r:calculated/*", NS)
    ]
    assert notes[0] == "Waves 2.0 m from 280 deg, period 8.5 s; current: long-term mean"
    assert notes[-1].endswith("s; climatology, no forecast; current: long-term mean")


def test_wind_from_the_climatology_is_noted_where_the_waves_are_forecast_or_unknown() -> None:
    for wave_source, waves in (
        (WeatherSource.FORECAST, "Waves 2.0 m from 250 deg, period 8.5 s"),
        (None, "Waves not known, none assumed"),
    ):
        weather = replace(
            make_weather(wave_from_deg=250.0),
            wave_source=wave_source,
            wind_source=WeatherSource.CLIMATOLOGY,
            current_source=WeatherSource.FORECAST,
        )
        plan = make_plan([Turn(0, 0), Turn(0, 1)], weather=lambda *_, met=weather: met)
        note = render(plan).findall(".//r:calculated/*", NS)[-1].get("Note")
        assert note == f"{waves}; wind: climatology, no forecast"


def test_no_weather_leaves_its_attributes_out() -> None:
    element = render(PLANS["north-pacific"]).findall(".//r:calculated/*", NS)[1]
    assert set(element.attrib) == {"waypointId", "eta", "speed", "rpm", "fuel"}


def test_the_ends_bear_the_names_of_the_ports() -> None:
    ports = ("Ærø Große Kai, São Tomé", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio")
    route = render(PLANS["panama"], ports=ports)
    SCHEMA.assertValid(route)
    first, second, *_, last = (w.get("name") for w in route.findall(".//r:waypoint", NS))
    assert (first, second, last) == (ports[0], "WP 002", ports[1][:40])


def test_a_corridor_without_room_is_left_out() -> None:
    route = render(make_plan([Turn(0, 0), Turn(0, 1, xtd_m=0.0), Turn(0, 2, xtd_m=18.0)]))
    SCHEMA.assertValid(route)
    assert not route.xpath("//@portsideXTD | //@starboardXTD")


def test_a_turn_without_room_has_a_radius_too() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1), Turn(0, 2)])
    tight = [replace(waypoint, turn_radius_nm=0.0004) for waypoint in plan.waypoints]
    route = render(replace(plan, waypoints=tuple(tight)))
    SCHEMA.assertValid(route)
    assert [w.get("radius") for w in route.findall(".//r:waypoint", NS)] == ["0.001"] * 3


def test_name_vessel_and_revision_are_in_the_file() -> None:
    route = render(PLANS["panama"], vessel_name="Noord\x0bster", imo="9074729", mmsi="244660000")
    info = route.find("r:routeInfo", NS)
    assert info.get("routeName") == "A-B-2026-01-14-r3"
    assert info.get("vesselName") == "Noordster"
    assert info.get("vesselIMO") == "9074729"
    assert info.get("vesselMMSI") == "244660000"
    assert info.get("routeChangesHistory") == "Revision 3"
    assert {w.get("revision") for w in route.findall(".//r:waypoint", NS)} == {"3"}


def test_an_imo_number_that_is_no_number_is_left_out() -> None:
    info = render(PLANS["panama"], imo="IMO 9074729").find("r:routeInfo", NS)
    assert "vesselIMO" not in info.attrib


def test_waypoints_in_the_same_second_are_reached_one_after_the_other() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1)])
    first, last = plan.waypoints
    three = tuple(replace(last, index=1 + n, eta=last.eta) for n in range(3))
    route = render(RoutePlan((first, *three), plan.summary, ()))
    times = [
        datetime.fromisoformat(element.get("eta"))
        for element in route.findall(".//r:manual/r:scheduleElement", NS)[1:]
    ]
    assert [time - times[0] for time in times] == [timedelta(seconds=n) for n in range(3)]


def test_a_single_waypoint_is_no_route() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1)])
    with pytest.raises(ValueError, match="at least two waypoints"):
        render(RoutePlan(plan.waypoints[:1], plan.summary, ()))


def test_the_timetable_of_a_ship_that_waits_before_a_canal_holds_the_leg_s_speed() -> None:
    plan = wait_before_canal(panama_plan(), 12.0)
    route = render(plan)
    assert_it_keeps_the_rules(route)
    elements = route.findall(".//r:manual/r:scheduleElement", NS)
    before, after = elements[1], elements[2]
    left, reached = (datetime.fromisoformat(t) for t in (before.get("etd"), after.get("eta")))
    speed_kn = plan.waypoints[2].leg_distance_nm / ((reached - left) / timedelta(hours=1))
    assert speed_kn == pytest.approx(float(after.get("speed")), rel=0.01)
    assert [e.get("etd") for e in elements[2:]] == [None] * 5
