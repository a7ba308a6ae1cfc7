"""Bridges: which a track passes below, and which are closed to a ship."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from app.engine.errors import CanalLimit, NoRoute
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sailing.track import build_track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.bridge_crossings import find_crossed
from app.engine.sea.bridges import Bridge
from app.engine.sea.path import Leg, ShipSize
from tests.unit.engine.sea.ascii_chart import Drawing

Point = tuple[float, float]


def span(start: Point, end: Point, height_m: float = 50.0) -> Bridge:
    return Bridge("arch", "the Arch", height_m, (Position(*start), Position(*end)))


#: Across the equator at 10 E.
ARCH = span((-0.5, 10.0), (0.5, 10.0))


def cross(bridge: Bridge, track: Sequence[Point]) -> list[tuple[int, float, float]]:
    """Return the step and the place of the crossing of a track and a bridge, if any."""
    lats, lngs = (np.array(column) for column in zip(*track, strict=True))
    return [(step, *np.round(place, 4)) for _, step, place in find_crossed([bridge], lats, lngs)]


@pytest.mark.parametrize(
    ("track", "found"),
    [
        ([(0.0, 9.0), (0.0, 11.0)], [(0, 0.0, 10.0)]),
        ([(0.2, 11.0), (0.2, 9.0)], [(0, 0.2, 10.0)]),
        ([(0.0, 9.0), (0.0, 9.9), (0.1, 10.1), (0.1, 11.0)], [(1, 0.05, 10.0)]),
        ([(0.0, 9.0), (0.0, 10.0), (0.0, 11.0)], [(0, 0.0, 10.0)]),
        ([(0.0, 9.0), (0.0, 11.0), (0.3, 11.0), (0.3, 9.0)], [(0, 0.0, 10.0)]),
        ([(0.6, 9.0), (0.6, 11.0)], []),
        ([(0.0, 9.0), (0.0, 9.9), (0.4, 9.9), (0.6, 10.0), (0.6, 11.0)], []),
        ([(0.0, 9.0), (0.0, 9.9)], []),
    ],
    ids=[
        "across",
        "back",
        "along a line with corners",
        "with a waypoint below it",
        "out and home",
        "past its end",
        "round its end",
        "not as far",
    ],
)
def test_a_track_passes_below_a_bridge_where_it_crosses_its_line(
    track: list[Point], found: list[tuple[int, float, float]]
) -> None:
    assert cross(ARCH, track) == found


@given(
    lat=st.floats(-60.0, 60.0),
    lng=st.floats(-180.0, 180.0),
    heading_deg=st.floats(0.0, 180.0),
    share=st.floats(0.05, 0.95),
)
def test_a_waypoint_on_the_line_of_a_bridge_hides_no_crossing(
    lat: float, lng: float, heading_deg: float, share: float
) -> None:
    north, east = cos(radians(heading_deg)), sin(radians(heading_deg))
    bridge = span((lat - 0.2 * north, lng - 0.2 * east), (lat + 0.2 * north, lng + 0.2 * east))
    at = lat + (share - 0.5) * 0.4 * north, lng + (share - 0.5) * 0.4 * east
    track = [(at[0] - east, at[1] + north), at, (at[0] + east, at[1] - north)]
    assert len(cross(bridge, track)) == 1


def test_a_bridge_near_the_antimeridian_is_crossed_on_either_side_of_it() -> None:
    for lng in (179.95, -179.95, 180.0 - 1e-9):
        bridge = span((-0.5, lng), (0.5, lng))
        ((step, lat, at),) = cross(bridge, [(0.0, 179.5), (0.0, -179.5)])
        assert (step, lat) == (0, 0.0)
        assert abs((at - lng + 180.0) % 360.0 - 180.0) < 1e-3
    across = span((-0.5, 179.9), (0.5, -179.9))
    assert cross(across, [(0.0, 179.5), (0.0, -179.5)]) == [(0, 0.0, -180.0)]


def test_bridges_are_listed_in_the_order_of_the_track() -> None:
    far = replace(span((-0.5, 10.5), (0.5, 10.5)), id="far")
    for track, order in (([9.0, 13.0], ["arch", "far"]), ([13.0, 10.2, 9.0], ["far", "arch"])):
        found = find_crossed([far, ARCH], np.zeros(len(track)), np.array(track))
        assert [crossing.bridge.id for crossing in found] == order
        found = find_crossed([ARCH, far], np.zeros(len(track)), np.array(track))
        assert [crossing.bridge.id for crossing in found] == order


@pytest.mark.parametrize("geometry", LegGeometry)
def test_a_leg_passes_below_the_bridges_on_its_own_line(geometry: LegGeometry) -> None:
    """Between 40 W and 40 E on 50 N the great circle leads to 57 N, the rhumb line stays."""
    legs = [
        Leg(Position(50.0, -60.0), Position(50.0, -40.0), geometry, 1852.0, None, None, 1.0),
        Leg(Position(50.0, -40.0), Position(50.0, 40.0), geometry, 1852.0, None, None, 1.0),
    ]
    high, low = span((56.0, 0.0), (58.0, 0.0)), span((49.5, 0.0), (50.5, 0.0))
    track = build_track(legs, {})
    (found,) = find_crossed([high, low], track.lats, track.lngs)
    assert found.bridge is (low if geometry is LegGeometry.RHUMB else high)
    assert track.leg[found.step] == 1
    assert found.place.lng == pytest.approx(0.0, abs=1e-6)
    assert found.place.lat == pytest.approx(50.0 if found.bridge is low else 57.2, abs=0.2)


def small(air_draft_m: float | None) -> ShipSize:
    return ShipSize(5.0, 15.0, 100.0, air_draft_m=air_draft_m)


@pytest.mark.parametrize(
    ("air_draft_m", "passes"), [(None, True), (50.0, True), (50.1, False)], ids=str
)
def test_a_bridge_is_closed_to_ships_higher_than_it_along_a_canal_and_at_sea(
    tiny_sea: SeaAtlas,
    drawings: dict[str, Drawing],
    air_draft_m: float | None,
    passes: bool,
) -> None:
    ends = drawings["isthmus"].places["W"], drawings["isthmus"].places["E"]
    over_canal = span((ends[0].lat - 0.5, -27.0), (ends[0].lat + 0.7, -27.0))
    bridged = replace(tiny_sea, bridges=(over_canal,))
    path = bridged.find_paths(*ends, ship=small(air_draft_m), most=1)[0]
    assert bool(path.uses) is passes
    at_sea = span((-50.0, 20.0), (-40.0, 20.0))
    bridged = replace(tiny_sea, bridges=(at_sea,))
    places = Position(-45.0, 15.0), Position(-45.0, 25.0)
    path = bridged.find_paths(*places, ship=small(air_draft_m), most=1)[0]
    track = shapely.LineString(np.column_stack([path.lngs, path.lats]))
    assert track.intersects(shapely.LineString([(20.0, -49.9), (20.0, -40.1)])) is passes


def test_a_port_behind_a_bridge_that_is_too_low_is_refused_with_the_bridge(
    tiny_sea: SeaAtlas, drawings: dict[str, Drawing]
) -> None:
    inside, outside = drawings["strait"].places["I"], drawings["strait"].places["O"]
    low = span((29.5, -27.0), (30.75, -27.0), 40.0)
    bridged = replace(tiny_sea, bridges=(low,))
    with pytest.raises(CanalLimit) as refusal:
        bridged.find_paths(outside, inside, ship=small(42.0))
    assert refusal.value.detail == (
        "The route leads below the Arch, which takes at most 40 m air draught; this ship has 42 m."
    )
    gate = refusal.value.data["gate"]
    assert gate["id"] == "arch"
    assert 29.5 < gate["lat"] < 30.75
    assert gate["lng"] == pytest.approx(-27.0, abs=1e-3)
    with pytest.raises(NoRoute):
        bridged.find_paths(outside, inside, ship=small(39.0), avoid_passages=frozenset({"gut"}))


@pytest.mark.atlas
@pytest.mark.parametrize(
    ("start", "end", "air_draft_m", "bridge"),
    [
        ((57.5, 11.2), (54.45, 10.3), 64.0, None),
        ((54.45, 10.3), (54.6, 18.9), 200.0, None),
        ((38.0, -73.0), (39.56, -75.54), 60.0, None),
        ((38.0, -73.0), (39.9, -75.14), 60.0, "Delaware Memorial Bridge"),
        ((36.5, -74.0), (38.4, -76.36), 70.0, None),
        ((36.5, -74.0), (39.2, -76.5), 57.0, "Chesapeake Bay Bridge"),
        ((28.0, -89.5), (29.93, -90.06), 51.0, None),
        ((28.0, -89.5), (30.43, -91.19), 49.0, "Huey P. Long Bridge"),
        ((28.0, -89.5), (30.43, -91.19), 43.0, "Hale Boggs Bridge, Luling"),
        ((41.0, -71.2), (41.483, -71.33), 60.0, None),
        ((41.0, -71.2), (41.81, -71.4), 60.0, "Claiborne Pell Newport Bridge"),
        ((12.0, 124.3), (10.31, 123.93), 52.0, "Cebu–Cordova Bridge"),
        ((47.0, -60.0), (46.82, -71.19), 60.0, None),
        ((47.0, -60.0), (45.56, -73.52), 48.0, "Quebec Bridge"),
        ((51.6, 1.8), (51.452, 0.36), 65.0, None),
        ((51.6, 1.8), (51.5, -0.05), 56.0, "Queen Elizabeth II Bridge, Dartford"),
        ((33.4, 135.2), (34.6, 135.35), 70.0, None),
        ((30.5, 123.5), (31.4, 121.5), 70.0, None),
        ((30.5, 123.5), (32.1, 118.75), 60.0, "Jiangyin Bridge"),
    ],
    ids=[
        *("the Great Belt", "Kiel to Gdansk by the Fehmarn Belt"),
        *("Delaware City", "Philadelphia", "Cove Point", "Baltimore", "New Orleans"),
        *("Baton Rouge", "Baton Rouge for a lower ship", "Newport", "Providence", "Cebu"),
        *("Quebec", "Montreal", "Tilbury", "London", "Osaka", "Shanghai"),
        "Nanjing",
    ],
)
def test_only_what_lies_behind_a_bridge_is_closed_to_a_ship_too_high_for_it(
    sea: SeaAtlas, start: Point, end: Point, air_draft_m: float, bridge: str | None
) -> None:
    ship = ShipSize(7.0, 20.0, 130.0, air_draft_m=air_draft_m)
    ends = Position(*start), Position(*end)
    if bridge is None:
        assert sea.find_paths(*ends, ship=ship, most=1)
        return
    with pytest.raises(CanalLimit) as refusal:
        sea.find_paths(*ends, ship=ship, most=1)
    assert bridge in {passage["name"] for passage in refusal.value.data["passages"]}
    assert "m air draught" in refusal.value.detail
