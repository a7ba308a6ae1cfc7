"""Areas that a simulated track touches, and cross-track distances next to them."""

from datetime import timedelta

import numpy as np
import pytest
import shapely.affinity
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.geodesy.shapes import build_lines, lines_within, overlaps_bounds
from app.engine.planning.areas import (
    limit_xtd_to_areas,
    list_touched_areas,
    list_touched_on_either_line,
    mark_eca_segments,
    split_at_ecas,
)
from app.engine.request import Position
from app.engine.sailing.simulation import simulate_track
from app.engine.sailing.track import build_track
from app.engine.times import hours_since_epoch
from app.engine.units import wrap_longitude
from app.records.instants import format_instant
from app.services.areas.area_stays import list_stays
from tests.unit.engine.sailing_builders import (
    DEPARTS_AT,
    make_area,
    make_canal,
    make_leg,
    make_ship,
    make_simulation,
    make_track,
)

#: Ten hours along the equator from 0 to 2 E.
TRACK = make_track((0.0, 0.0), (0.0, 2.0))
SIMULATION = make_simulation(TRACK, 12.0)


def test_an_area_narrower_than_a_segment_is_touched() -> None:
    sliver = make_area(1.0101, -1.0, 1.0102, 1.0)
    assert list_touched_areas([sliver], SIMULATION) == [sliver]


def test_an_area_next_to_the_track_is_not_touched() -> None:
    assert list_touched_areas([make_area(0.5, 0.01, 1.5, 1.0)], SIMULATION) == []


@pytest.mark.parametrize(
    ("begins_h", "ends_h", "met"),
    [(None, 3.0, False), (None, 5.0, True), (6.0, None, False), (4.0, None, True), (3, 7, True)],
)
def test_an_area_counts_only_while_the_ship_is_there(
    begins_h: float | None, ends_h: float | None, met: bool
) -> None:
    begins, ends = (
        None if hours is None else DEPARTS_AT + timedelta(hours=hours)
        for hours in (begins_h, ends_h)
    )
    area = make_area(0.9, -0.1, 1.1, 0.1, starts_at=begins, ends_at=ends)
    assert bool(list_touched_areas([area], SIMULATION)) is met


@pytest.mark.parametrize("wait_h", [0.0, 0.02], ids=["", "with a wait too short to be stated"])
def test_an_area_is_touched_if_it_is_at_the_mean_speed_of_a_leg_that_waypoints_state(
    wait_h: float,
) -> None:
    # fast for the first degree and slow for the second: the area is left before it closes
    ends = Position(0.0, 0.0), Position(0.0, 2.0)
    ordered_kn = np.where(TRACK.middle_lngs < 1.0, 15.0, 7.5)
    without_wait = simulate_track(TRACK, ordered_kn, ship=make_ship(), departs_at=DEPARTS_AT)
    slows = int(np.argmin(ordered_kn))
    not_before_h = np.full(ordered_kn.size, -np.inf)
    not_before_h[slows] = hours_since_epoch(DEPARTS_AT) + without_wait.hours[slows] + wait_h
    simulation = simulate_track(
        TRACK, ordered_kn, ship=make_ship(), departs_at=DEPARTS_AT, not_before_h=not_before_h
    )
    closing, opening = (
        make_area(*box, starts_at=starts_at, ends_at=ends_at)
        for box, starts_at, ends_at in (
            ((0.5, -0.1, 0.95, 0.1), DEPARTS_AT + timedelta(hours=4.5), None),
            ((0.5, -0.1, 0.95, 0.1), None, DEPARTS_AT + timedelta(hours=1.5)),
        )
    )
    for area in (closing, opening):
        assert list_touched_areas([area], simulation) == []
    assert list_touched_on_either_line([closing, opening], [make_leg(*ends)], simulation) == [
        closing
    ]


@pytest.mark.parametrize("west", [179.5, -180.0, -179.6])
def test_an_area_at_the_antimeridian_is_touched_from_either_side(west: float) -> None:
    simulation = make_simulation(make_track((5.0, 179.0), (5.0, -179.0)))
    assert list_touched_areas([make_area(west, 4.0, west + 0.01, 6.0)], simulation)


@pytest.mark.parametrize("west", [179.0, -180.0])
@pytest.mark.parametrize("lng", [180.0, -180.0])
def test_a_leg_along_the_antimeridian_touches_areas_with_an_edge_on_it(
    lng: float, west: float
) -> None:
    ends = Position(3.0, lng), Position(7.0, lng)
    simulation, area = make_simulation(make_track(*ends)), make_area(west, 4.0, west + 1.0, 6.0)
    assert list_touched_areas([area], simulation)
    assert list_touched_on_either_line([area], [make_leg(*ends)], simulation)
    assert list_touched_areas([make_area(west, 8.0, west + 1.0, 9.0)], simulation) == []


def test_a_track_across_the_antimeridian_touches_no_area_on_the_other_side_of_the_earth() -> None:
    simulation = make_simulation(make_track((5.0, 179.0), (5.0, -179.0)))
    assert list_touched_areas([make_area(-170.0, 4.0, 170.0, 6.0)], simulation) == []


@pytest.mark.parametrize("start_lng", [0.0, 178.3])
@pytest.mark.parametrize(("west", "east"), [(1.0, 3.0), (0.53, 1.01), (0.31, 0.32)])
def test_miles_inside_an_emission_control_area_are_exact_and_those_of_its_stays(
    start_lng: float, west: float, east: float
) -> None:
    whole = make_track((0.0, start_lng), (0.0, wrap_longitude(start_lng + 2.0)))
    box = shapely.box(start_lng + west, -1.0, start_lng + east, 1.0)
    geometry = shapely.MultiPolygon([box, shapely.affinity.translate(box, -360.0)])
    eca = Area("eca", "ECA", AreaKind.ECA, AreaRule.REPORTED, geometry)
    simulation = make_simulation(split_at_ecas(whole, [eca]))
    track = simulation.track
    inside_nm = track.distance_nm[mark_eca_segments([eca], simulation)].sum()
    degree_nm = whole.length_nm / 2.0
    assert inside_nm == pytest.approx((min(east, 2.0) - west) * degree_nm, abs=0.001)
    profile = [
        {"lat": lat, "lng": lng, "cumulativeNm": nm, "time": format_instant(time)}
        for lat, lng, nm, time in zip(
            track.lats, track.lngs, track.cumulative_nm, simulation.times, strict=True
        )
    ]
    stays = list_stays(profile, geometry, None, None)
    assert sum(stay.inside_nm for stay in stays) == pytest.approx(inside_nm, abs=0.001)


def test_a_track_split_at_emission_control_areas_keeps_its_length_waits_and_legs() -> None:
    canal = make_canal()
    legs = [
        make_leg(Position(0.0, 0.0), Position(0.0, 1.0)),
        make_leg(Position(0.0, 1.0), Position(0.0, 2.0), "canal"),
    ]
    whole = build_track(legs, {"canal": canal})
    eca = make_area(1.02, -1.0, 1.51, 1.0, kind=AreaKind.ECA, rule=AreaRule.REPORTED)
    split = split_at_ecas(whole, [eca, eca])
    assert split.distance_nm.size == whole.distance_nm.size + 2
    assert split.length_nm == whole.length_nm
    assert split.distance_nm.sum() == pytest.approx(whole.length_nm)
    assert split.wait_h.sum() == canal.waiting_h
    assert [np.searchsorted(split.leg, 1), split.wait_h.argmax()] == [whole.wait_h.argmax()] * 2


def test_no_segment_is_marked_for_an_emission_control_area_not_yet_in_force() -> None:
    later = DEPARTS_AT + timedelta(days=30)
    eca = make_area(1.0, -1.0, 3.0, 1.0, kind=AreaKind.ECA, rule=AreaRule.REPORTED, starts_at=later)
    assert not mark_eca_segments([eca], SIMULATION).any()


@pytest.mark.parametrize(
    ("west", "begins_h", "ends_h", "met"),
    [(0.6, None, 20.0, False), (0.6, None, 21.0, True), (0.4, 10.0, 12.0, True), (0.4, 3, 4, True)],
)
def test_a_waiting_ship_touches_areas_at_its_position_only(
    west: float, begins_h: float | None, ends_h: float, met: bool
) -> None:
    track, departs_h = SIMULATION.track, hours_since_epoch(DEPARTS_AT)
    waits_at = np.flatnonzero(track.lngs > 0.45)[0]
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    not_before_h[waits_at] = departs_h + 20.5
    simulation = simulate_track(
        track, 12.0, ship=make_ship(), departs_at=DEPARTS_AT, not_before_h=not_before_h
    )
    begins = None if begins_h is None else DEPARTS_AT + timedelta(hours=begins_h)
    ends = DEPARTS_AT + timedelta(hours=ends_h)
    area = make_area(west, -0.1, west + 0.1, 0.1, starts_at=begins, ends_at=ends)
    assert bool(list_touched_areas([area], simulation)) is met
    leg = make_leg(track.position(0), track.position(-1))
    assert bool(list_touched_on_either_line([area], [leg], simulation)) is met


#: Along 60 N for 20 degrees: the great circle bulges 18 nm to the north of the parallel.
WEST, EAST = Position(60.0, 0.0), Position(60.0, 20.0)
LEG = make_leg(WEST, EAST)
NORTHERLY = make_simulation(make_track(WEST, EAST), 12.0)


def test_an_area_on_the_other_line_of_a_leg_is_touched_too() -> None:
    on_the_rhumb_line = make_area(9.9, 59.99, 10.1, 60.01)
    assert list_touched_areas([on_the_rhumb_line], NORTHERLY) == []
    assert list_touched_on_either_line([on_the_rhumb_line], [LEG], NORTHERLY)


def test_the_other_line_of_a_leg_is_passed_at_the_same_time() -> None:
    middle = DEPARTS_AT + timedelta(hours=NORTHERLY.total_h / 2.0)
    hour = timedelta(hours=1)
    in_time, too_late = (
        make_area(9.9, 59.99, 10.1, 60.01, starts_at=begins, ends_at=begins + 2 * hour)
        for begins in (middle - hour, middle + hour)
    )
    assert list_touched_on_either_line([in_time], [LEG], NORTHERLY)
    assert not list_touched_on_either_line([too_late], [LEG], NORTHERLY)


def test_a_cross_track_distance_ends_at_a_forbidden_area() -> None:
    legs = [make_leg(Position(0.0, 0.0), Position(0.0, 2.0))]
    area = make_area(0.9, 0.01, 1.1, 0.5)
    (limited,) = limit_xtd_to_areas(legs, [area], SIMULATION)
    assert limited.xtd_m == pytest.approx(0.01 * 111_195.0, rel=1e-3)
    assert limited.xtd_m <= 0.01 * 111_195.0


@pytest.mark.parametrize(("lng", "west"), [(179.99, -180.0), (-179.99, 179.0), (20.0, 20.01)])
def test_a_cross_track_distance_ends_at_an_area_across_the_antimeridian(
    lng: float, west: float
) -> None:
    ends = Position(-1.0, lng), Position(1.0, lng)
    simulation = make_simulation(make_track(*ends), 12.0)
    area = make_area(west, -0.1, west + 1.0, 0.1)
    (limited,) = limit_xtd_to_areas([make_leg(*ends)], [area], simulation)
    assert limited.xtd_m == pytest.approx(0.01 * 111_195.0, rel=2e-3)


@pytest.mark.parametrize(
    ("area", "why"),
    [
        (make_area(0.9, 0.02, 1.1, 0.5), "farther off"),
        (make_area(0.9, -0.01, 1.1, 0.5), "entered"),
        (make_area(0.9, 0.01, 1.1, 0.5, ends_at=DEPARTS_AT + timedelta(hours=1)), "not in force"),
    ],
)
def test_other_areas_do_not_change_the_cross_track_distance(area: Area, why: str) -> None:
    legs = (make_leg(Position(0.0, 0.0), Position(0.0, 2.0)),)
    assert limit_xtd_to_areas(legs, [area], SIMULATION) == legs, why


def _hundredths(least: int, most: int) -> st.SearchStrategy[float]:
    return st.integers(100 * least, 100 * most).map(lambda number: number / 100.0)


@given(
    ends=st.tuples(*[_hundredths(-85, 85), _hundredths(-180, 180).filter(lambda x: x < 180)] * 2),
    west=_hundredths(-180, 170),
    south=_hundredths(-80, 80),
    within_deg=st.sampled_from([0.0, 0.5]),
)
# 0.92 - 0.5 is more than 0.42 in floating point
@example(ends=(0.0, 0.0, 0.42, 0.0), west=0.0, south=0.92, within_deg=0.5)
def test_the_check_of_bounds_misses_no_line_near_an_area(
    ends: tuple[float, ...], west: float, south: float, within_deg: float
) -> None:
    geometry = make_area(west, south, west + 8.0, south + 4.0).geometry
    lat0, lng0, lat1, lng1 = (np.array([value]) for value in ends)
    line = build_lines(lat0, lng0, lat1, lng1)
    may_come = overlaps_bounds(geometry, lat0, lng0, lat1, lng1, within_deg)
    assert may_come or not lines_within(geometry, line, np.array([within_deg]))
