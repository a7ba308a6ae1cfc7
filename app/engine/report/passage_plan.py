"""Passage plans: waypoints with turns, profile, summary, alternatives of simulated routes."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain, count
from math import isnan
from typing import Final

import numpy as np

from app.engine.area import Area
from app.engine.arrays import Floats
from app.engine.codes import AlternativeKind
from app.engine.formatting import cut
from app.engine.geodesy import great_circle_distance_nm, leg_course_deg
from app.engine.plan import (
    Alternative,
    FrontPoint,
    ProfilePoint,
    RoutePlan,
    VoyageSummary,
    Waypoint,
)
from app.engine.planning.areas import limit_xtd_to_areas
from app.engine.planning.comparison import Comparison, arrive_together, build_empty_comparison
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import describe_broken_limit
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.plan_facts import list_facts
from app.engine.report.plan_warnings import find_warnings
from app.engine.report.vessel_warnings import find_voyage_intensity
from app.engine.request import Position
from app.engine.sailing.turns import Turn, plan_turns
from app.engine.sailing.waiting import Wait, format_wait_end, list_waits
from app.engine.sea.path import Leg
from app.engine.vessel import TurningAbility, stated_fuel_error

#: Note on a leg over water of unknown depth, in plans and in exported files.
_UNPROVEN_NOTE: Final = "Unproven water: depth unknown, check the chart"


def write_plan(context: PlanningContext, best: SimulatedRoute, comparison: Comparison) -> RoutePlan:
    """Write the plan of the best route, with the routes that it was compared with."""
    summary, baseline_t = write_summary(context, best), comparison.baseline.total_fuel_t
    saved_pct = 100.0 * (baseline_t - summary.fuel_t) / baseline_t
    # a baseline that arrives at another time burns a different amount for that reason alone
    is_comparable = arrive_together(best, comparison.baseline)
    return RoutePlan(
        waypoints=write_narrowed(context, best),
        summary=replace(
            summary, baseline_fuel_t=baseline_t, saved_pct=saved_pct if is_comparable else None
        ),
        profile=write_profile(best),
        label=best.label,
        alternatives=tuple(_write_alternatives(context, best, comparison)),
        warnings=find_warnings(context, best, comparison.references),
        facts=list_facts(context, best, comparison),
        front=tuple(_write_front_point(route) for route in comparison.front),
    )


def write_given_plan(context: PlanningContext, route: SimulatedRoute) -> RoutePlan:
    """Write the plan of a given route, which has no alternatives and no trade-off curve."""
    return RoutePlan(
        waypoints=write_narrowed(context, route),
        summary=write_summary(context, route),
        profile=write_profile(route),
        label=route.label,
        warnings=find_warnings(context, route, ()),
        facts=list_facts(context, route, build_empty_comparison(route)),
    )


def write_narrowed(context: PlanningContext, route: SimulatedRoute) -> tuple[Waypoint, ...]:
    """Write waypoints with cross-track distances narrowed to avoid forbidden areas."""
    legs = limit_xtd_to_areas(route.legs, context.blocking_areas, route.simulation)
    narrowed = replace(route, geometry=replace(route.geometry, legs=legs))
    waypoints = write_waypoints(narrowed, context.blocking_areas)
    return add_turns(waypoints, legs, context.ship.turning_ability)


def _write_front_point(route: SimulatedRoute) -> FrontPoint:
    simulation, track = route.simulation, route.simulation.track
    return FrontPoint(
        eta=simulation.time_at(-1),
        duration_h=simulation.total_h,
        fuel_t=route.total_fuel_t,
        distance_nm=track.length_nm,
        average_speed_kn=track.length_nm / simulation.under_way_h,
    )


def write_waypoints(route: SimulatedRoute, areas: Sequence[Area]) -> tuple[Waypoint, ...]:
    """Write a waypoint at departure and one at the end of each leg.

    ``areas`` are those for which the ship may have to wait.
    """
    simulation = route.simulation
    wait_at = {wait.point: wait for wait in list_waits(simulation, areas)}
    first_wait = wait_at.get(0)
    start = Waypoint(
        index=0,
        position=route.legs[0].start,
        eta=simulation.departs_at,
        cumulative_nm=0.0,
        weather=route.weather_at(0),
        in_eca=bool(route.in_eca[0]),
        note=_write_note(0.0, first_wait, is_unproven=False, is_given=route.is_given),
        leaves_at=None if first_wait is None else first_wait.ends_at,
    )
    return start, *_write_leg_ends(route, wait_at)


def _write_leg_ends(route: SimulatedRoute, wait_at: Mapping[int, Wait]) -> Iterator[Waypoint]:
    """Write the waypoint at the end of each of m legs; speeds are means over hours under way."""
    simulation, track, legs = route.simulation, route.simulation.track, route.legs
    bounds = np.searchsorted(track.leg, np.arange(len(legs) + 1))
    total, least, any_of = (
        partial(each.reduceat, indices=bounds[:-1]) for each in (np.add, np.minimum, np.logical_or)
    )
    segment_h = track.distance_nm / simulation.over_ground_kn
    leg_nm, leg_h, usual_h = total(track.distance_nm), total(segment_h), total(track.wait_h)
    speed_kn, rpm, power_kw = (
        (total(segment_h * values) / leg_h).tolist()
        for values in (simulation.through_water_kn, simulation.rpm, simulation.power_kw)
    )
    ends = bounds[1:].tolist()
    waits = [wait_at.get(end) for end in ends]
    on_track = any_of(route.geometry.is_unproven)
    is_unproven = (on_track | [leg.is_unproven for leg in legs]).tolist()
    # whole columns in the order of the fields, because indexing arrays one by one is slow
    return map(
        Waypoint,
        count(1),
        (leg.end for leg in legs),
        map(simulation.time_at, ends),
        track.cumulative_nm[ends].tolist(),
        leg_nm.tolist(),
        (leg.geometry for leg in legs),
        (leg_course_deg(leg.start, leg.end, leg.geometry) for leg in legs),
        (leg.xtd_m for leg in legs),
        (leg_nm / leg_h).tolist(),
        speed_kn,
        total(route.fuel_t).tolist(),
        rpm,
        power_kw,
        map(route.weather_at, ends),
        map(_known, least(route.depth_m).tolist()),
        map(_known, least(route.ukc_m).tolist()),
        any_of(route.in_eca).tolist(),
        (_name_passage(route, leg.passage) for leg in legs),
        map(partial(_write_note, is_given=route.is_given), usual_h.tolist(), waits, is_unproven),
        (None if wait is None else wait.ends_at for wait in waits),
        is_unproven,
    )


def _name_passage(route: SimulatedRoute, line: str | None) -> str | None:
    """Return the name of the passage that a leg runs through, shared by fairways in one water."""
    return next((use.name for use in route.uses if line and use.line == line), line)


def _write_note(
    usual_h: float, wait: Wait | None, is_unproven: bool, *, is_given: bool
) -> str | None:
    unproven = _UNPROVEN_NOTE if is_unproven else None
    usual_h = round(usual_h, 1)
    usual = f"Usual waiting time {usual_h:g} h counted" if usual_h else None
    here = None if wait is None else f"Wait here until {format_wait_end(wait, is_given=is_given)}"
    return "; ".join(filter(None, (unproven, usual, here))) or None


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def write_profile(route: SimulatedRoute) -> tuple[ProfilePoint, ...]:
    """Write the track at every point, each with the figures of the segment that begins there.

    The last point repeats the segment that ends there. A wait has a point for each half hour,
    without speed, until the ship leaves.
    """
    simulation, track = route.simulation, route.simulation.track
    numbers = range(track.lats.size)
    segments = np.minimum(numbers, track.distance_nm.size - 1)
    # whole columns in the order of the fields, because indexing arrays one by one is slow
    points = map(
        ProfilePoint,
        map(Position, track.lats.tolist(), track.lngs.tolist()),
        simulation.times,
        track.cumulative_nm.tolist(),
        track.course_deg[segments].tolist(),
        simulation.over_ground_kn[segments].tolist(),
        simulation.through_water_kn[segments].tolist(),
        simulation.power_kw[segments].tolist(),
        np.cumsum([0.0, *route.fuel_t]).tolist(),
        map(route.weather_at, numbers),
        map(_known, route.depth_m[segments].tolist()),
        route.in_eca[segments].tolist(),
    )
    waits = list_waits(simulation, ())
    if not waits:
        return tuple(points)
    return tuple(chain.from_iterable(_expand_waits(route, points, waits)))


def _expand_waits(
    route: SimulatedRoute, points: Iterable[ProfilePoint], waits: Iterable[Wait]
) -> Iterator[tuple[ProfilePoint, ...]]:
    """Yield the points, with those of a wait for each half hour."""
    weather_at = dict(route.weather_at_waits)
    wait_at = {wait.point: wait for wait in waits}
    for number, point in enumerate(points):
        if number not in wait_at:
            yield (point,)
            continue
        wait, met = wait_at[number], weather_at.get(number)
        records = met.records if met else (None,) * route.simulation.wait_times_h(number).size
        steps = len(records) - 1
        waiting = replace(point, speed_kn=0.0, speed_through_water_kn=0.0, power_kw=0.0)
        seconds = wait.duration.total_seconds()
        yield tuple(
            replace(
                waiting,
                time=wait.begins_at + timedelta(seconds=round(seconds * step / steps)),
                weather=records[step],
            )
            for step in range(steps)
        )
        yield (replace(point, time=wait.ends_at, weather=records[-1]),)


def write_summary(context: PlanningContext, route: SimulatedRoute) -> VoyageSummary:
    """Write the summary of a route."""
    simulation, track = route.simulation, route.simulation.track
    ship, fuel_t = context.request.ship, route.total_fuel_t
    co2_t, auxiliaries = route.co2_t(ship.fuel_type), route.auxiliaries(ship)
    auxiliary_t, auxiliary_co2_t = auxiliaries or (None, None)
    return VoyageSummary(
        distance_nm=track.length_nm,
        duration_h=simulation.total_h,
        eta=simulation.time_at(-1),
        fuel_t=fuel_t,
        fuel_standard_error_t=fuel_t * stated_fuel_error(ship),
        co2_t=co2_t,
        auxiliary_fuel_t=auxiliary_t,
        auxiliary_co2_t=auxiliary_co2_t,
        total_fuel_t=None if auxiliary_t is None else fuel_t + auxiliary_t,
        total_co2_t=None if auxiliary_co2_t is None else co2_t + auxiliary_co2_t,
        average_speed_kn=track.length_nm / simulation.under_way_h,
        eca_distance_nm=float(track.distance_nm[route.in_eca].sum()),
        eca_fuel_t=float(route.fuel_t[route.in_eca].sum()),
        great_circle_nm=float(great_circle_distance_nm(*route.legs[0].start, *route.legs[-1].end)),
        max_wave_m=route.max_wave_m,
        max_wind_ms=route.max_wind_ms,
        min_ukc_m=None if route.unproven_nm else _least_known(route.ukc_m),
        unproven_nm=route.unproven_nm,
        depth_unknown_nm=route.depth_unknown_nm,
        cii=find_voyage_intensity(context, route),
        forecast_coverage_pct=route.forecast_coverage_pct,
    )


def _least_known(values: Floats) -> float | None:
    return None if np.isnan(values).all() else float(np.nanmin(values))


def _write_alternatives(
    context: PlanningContext, best: SimulatedRoute, comparison: Comparison
) -> Iterator[Alternative]:
    for route in comparison.others:
        yield _write_alternative(context, AlternativeKind.TOPOLOGY, route)
    if comparison.baseline is not best:
        baseline = _write_alternative(context, AlternativeKind.BASELINE, comparison.baseline)
        broken = describe_broken_limit(comparison.baseline, context.request.limits)
        yield replace(baseline, faults=tuple(broken))
    for reference in comparison.references:
        if reference.route is not None:
            other = _write_alternative(context, AlternativeKind.REFERENCE, reference.route)
            yield replace(other, faults=reference.faults)


def _write_alternative(
    context: PlanningContext, kind: AlternativeKind, route: SimulatedRoute
) -> Alternative:
    return Alternative(
        kind=kind,
        label=route.label,
        summary=write_summary(context, route),
        waypoints=write_narrowed(context, route),
        profile=write_profile(route),
    )


def add_turns(
    waypoints: Sequence[Waypoint], legs: Sequence[Leg], ability: TurningAbility
) -> tuple[Waypoint, ...]:
    """Return waypoints with the turns between their legs; the first and the last have none."""
    first, *between, last = waypoints
    turned = (
        replace(
            waypoint,
            turn_radius_nm=turn.radius_nm,
            wheel_over_nm=turn.wheel_over_nm,
            note="; ".join(filter(None, (waypoint.note, _write_turn_note(turn, ability)))) or None,
        )
        for waypoint, turn in zip(between, plan_turns(legs, ability), strict=True)
    )
    usual_nm = ability.usual_radius_nm
    return (
        replace(first, turn_radius_nm=usual_nm),
        *turned,
        replace(last, turn_radius_nm=usual_nm),
    )


def _write_turn_note(turn: Turn, ability: TurningAbility) -> str | None:
    """Write that a turn's radius is below the usual one, or below the ship's least."""
    radius_nm = cut(turn.radius_nm, 3)
    if turn.radius_nm < ability.least_radius_nm:
        least_nm = math.ceil(1000.0 * ability.least_radius_nm) / 1000.0
        return (
            f"Turn radius {radius_nm:.3f} nm, less than the ship needs at service speed"
            f" ({least_nm:.3f} nm): slow down"
        )
    if turn.radius_nm < ability.usual_radius_nm:
        return f"Turn radius {radius_nm:.3f} nm for lack of room"
    return None
