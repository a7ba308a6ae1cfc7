"""The warnings of a plan."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

import numpy as np

from app.engine.area import AreaKind, AreaRule
from app.engine.arrays import Bools
from app.engine.codes import WarningCode
from app.engine.formatting import (
    format_clearance,
    format_latitude,
    format_miles,
    format_position,
    format_time,
)
from app.engine.plan import PlanWarning
from app.engine.planning.areas import list_touched_areas
from app.engine.planning.context import PlanningContext
from app.engine.planning.geometry import (
    UKC_TOLERANCE_M,
    find_squat_limits_kn,
    list_required_ukc_m,
)
from app.engine.planning.references import PricedReference
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.detour_warnings import warn_of_detour
from app.engine.report.explanation.phrases import join_phrases
from app.engine.report.season_warnings import warn_of_ice, warn_of_seasons
from app.engine.report.vessel_warnings import (
    warn_of_cii_target,
    warn_of_clipped_loading,
    warn_of_hull,
    warn_of_installed_power,
    warn_of_loading,
)
from app.engine.sailing.waiting import format_wait_end, list_waits
from app.engine.sea.leg_room import XTD_M
from app.engine.sea.passage_limits import (
    PassageOrBridge,
    describe_excess,
    describe_limit,
    exceeded_limits,
)
from app.engine.sea.route_restrictions import find_end_inside, list_latitude_limits

#: Least speed loss that gives a warning [kn].
_SPEED_LOST_KN: Final = 0.1
#: Least distance of an end moved to the water that gives a warning [nm], more than that of
#: berths and the error of the coastline.
_MOVED_NM: Final = 1.0


def find_warnings(
    context: PlanningContext,
    route: SimulatedRoute,
    references: Sequence[PricedReference],
) -> tuple[PlanWarning, ...]:
    """List warnings in the order of their importance to a captain."""
    finders = (
        _warn_of_late_arrival,
        warn_of_cii_target,
        _warn_of_ends_moved,
        _warn_of_areas_entered,
        warn_of_ice,
        warn_of_seasons,
        _warn_of_latitude_limits,
        _warn_of_waits,
        _warn_of_passage_limits,
        _warn_of_unknown_air_draft,
        _warn_of_unknown_depth,
        warn_of_detour,
        _warn_of_unknown_limits,
        _warn_of_required_ukc,
        _warn_of_low_ukc,
        _warn_of_speed_lost,
        _warn_of_speeds_outside_method,
        _warn_of_no_weather,
        warn_of_loading,
        warn_of_clipped_loading,
        warn_of_hull,
        warn_of_installed_power,
    )
    found = [warning for find in finders for warning in find(context, route)]
    return *found, *_warn_of_references(references)


def _warn_of_late_arrival(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    asked, arrives = context.request.arrive_by, route.simulation.time_at(-1)
    if asked is not None and arrives > asked:
        # not the very minute that cannot be met, where seconds are missing
        next_minute = asked.replace(second=0, microsecond=0) + timedelta(minutes=1)
        earliest = format_time(max(arrives, next_minute))
        yield PlanWarning(
            WarningCode.ENDDATE_UNREACHABLE,
            f"This route arrives at {earliest}, after the {format_time(asked)} asked for."
            if route.is_given
            else f"Arrival by {format_time(asked)} cannot be met. Earliest: {earliest}.",
        )


def _warn_of_ends_moved(context: PlanningContext, _route: SimulatedRoute) -> Iterator[PlanWarning]:
    request = context.request
    asked = (("departure", request.departure, "begins"), ("arrival", request.arrival, "ends"))
    for (name, position, verb), snap in zip(asked, context.snaps, strict=True):
        if snap.distance_nm > _MOVED_NM:
            yield PlanWarning(
                WarningCode.POSITION_MOVED,
                f"The {name} position {format_position(*position)} is not on navigable water."
                f" The route {verb} {snap.distance_nm:.1f} nm away, at"
                f" {format_position(*snap.position)}.",
            )


def _warn_of_areas_entered(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    entered = (
        area
        for area in context.request.areas
        if area.rule is AreaRule.LEAST_EXPOSURE and area.kind is not AreaKind.ICE
    )
    for area in list_touched_areas(entered, route.simulation):
        where = "behind" if find_end_inside(area, *context.ends) is None else "inside"
        yield PlanWarning(
            WarningCode.AREA_ENTERED,
            f"An end of the voyage lies {where} {area.name}: the route enters it, as little "
            "as possible.",
        )


def _warn_of_latitude_limits(
    context: PlanningContext, _route: SimulatedRoute
) -> Iterator[PlanWarning]:
    for limit in list_latitude_limits(context.request.limits):
        if limit.exempts(*context.ends):
            side = "north" if limit.side > 0 else "south"
            yield PlanWarning(
                WarningCode.LATITUDE_LIMIT,
                f"An end of the voyage lies {side} of the limit of {format_latitude(limit.lat)}: "
                "the route sails as few miles as possible beyond it.",
            )


def _warn_of_waits(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    is_in_harbour = not (context.request.under_way or route.is_given)
    for wait in list_waits(route.simulation, context.blocking_areas):
        wait_here = f"waits {wait.hours:.1f} h at {format_position(*wait.position)} until"
        if wait.point == 0 and is_in_harbour:
            wait_here = f"departs {wait.hours:.1f} h later than requested, on"
        end = format_wait_end(wait, is_given=route.is_given)
        yield PlanWarning(WarningCode.WAITS, f"The ship {wait_here} {end}.")


def _warn_of_passage_limits(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    """Warn of passages that are too small for the ship, where its approaches lie in their water.

    No planned leg follows one, but a berth within it may be reached by nothing else.
    """
    find = context.sea.passage_index.find_followed
    # a leg that follows a passage may share the water of another
    unnamed = (leg for leg in route.legs if leg.xtd_m < XTD_M and context.find_passage(leg) is None)
    near = (find(leg.start, leg.end, leg.geometry) for leg in unnamed)
    for passage in dict.fromkeys(filter(None, near)):
        for particular, (has, limit) in exceeded_limits(passage, context.size).items():
            yield PlanWarning(
                WarningCode.PASSAGE_LIMIT,
                f"The route leads along {passage.name}, which"
                f" {describe_excess(particular, has, limit)}. Ask the port.",
            )


def _warn_of_unknown_air_draft(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    if context.request.air_draft_m is not None:
        return
    used = {use.id for use in route.uses}
    on_route: list[PassageOrBridge] = [p for p in context.sea.passages if p.id in used]
    on_route += [each.bridge for each in route.list_passed_below(context.sea.bridges)]
    limits = [
        f"{each.name} {describe_limit('air_draft_m', each.max_air_draft_m)}"
        for each in on_route
        if each.max_air_draft_m is not None
    ]
    if limits:
        yield PlanWarning(
            WarningCode.AIR_DRAFT_UNKNOWN,
            "The ship's air draught is not known: the vessel has no height from keel to mast."
            f" {join_phrases(limits)}. Check that the ship passes below.",
        )


def _warn_of_unknown_depth(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    unproven, unknown_nm = route.geometry.is_unproven, route.depth_unknown_nm
    if unproven.any():
        yield PlanWarning(
            WarningCode.UNPROVEN_WATER,
            f"The route crosses {format_miles(route.unproven_nm)} of unproven water, of unknown"
            " depth and too narrow to be taken as deep enough, first from"
            f" {_name_first(route, unproven)}. In all, no depth is known for"
            f" {format_miles(unknown_nm)}. Check these legs on the chart.",
        )
    elif unknown_nm:
        first = _name_first(route, np.isnan(route.depth_m))
        yield PlanWarning(
            WarningCode.DEPTH_UNKNOWN,
            f"No depth is known for {format_miles(unknown_nm)} of the route,"
            f" {_place_unknown_depth(context, route)}, first from {first}. Check these legs on the"
            " chart.",
        )


def _place_unknown_depth(context: PlanningContext, route: SimulatedRoute) -> str:
    """Name the waters of unknown depth on a route without unproven water: passages, and wide."""
    track, is_unknown = route.simulation.track, np.isnan(route.depth_m)
    has_limit = np.array([context.find_passage(leg) is not None for leg in route.legs])[track.leg]
    limited_nm = float(track.distance_nm[is_unknown & has_limit].sum())
    wide_nm = float(track.distance_nm[is_unknown & ~has_limit].sum())
    limited = "in passages of which only the greatest draught is known"
    wide = "in water wide enough to be taken as deep enough"
    if limited_nm and wide_nm:
        return f"{format_miles(limited_nm)} of it {limited} and the rest {wide}"
    return limited if limited_nm else wide


def _name_first(route: SimulatedRoute, is_marked: Bools) -> str:
    return format_position(*route.simulation.track.position(int(is_marked.argmax())))


def _warn_of_unknown_limits(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    passages = map(context.find_passage, route.legs)
    unknown = dict.fromkeys(each.name for each in passages if each and not each.is_proven)
    if unknown:
        yield PlanWarning(
            WarningCode.UNPROVEN_WATER,
            f"Neither depth nor draught limit is known for {', '.join(unknown)}. Check the chart.",
        )


def _warn_of_required_ukc(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    """Warn where squat slows the ship down, and where it leaves less clearance than required."""
    required_m = list_required_ukc_m(context, route.simulation.track, route.legs)
    is_short = np.asarray(route.ukc_m < required_m - UKC_TOLERANCE_M)
    yield from _warn_of_squat(context, route, is_short)
    yield from _warn_of_ukc_rules(context, route, is_short)


def _warn_of_squat(
    context: PlanningContext, route: SimulatedRoute, is_short: Bools
) -> Iterator[PlanWarning]:
    """Warn where the ship slows down for squat, to keep the required under-keel clearance."""
    simulation, track = route.simulation, route.simulation.track
    limits_kn = find_squat_limits_kn(context, track, route.legs, route.depth_m)
    is_slowed = limits_kn <= simulation.capped_kn
    # not where power or motions keep the ship slower than that
    is_slowed &= limits_kn <= simulation.through_water_kn + _SPEED_LOST_KN
    # where even the lowest speed leaves too little, other warnings say so
    is_slowed &= ~is_short
    names_by_speed: dict[str, list[str]] = {}
    for name in dict.fromkeys(route.legs[number].passage for number in track.leg[is_slowed]):
        legs = [number for number, leg in enumerate(route.legs) if leg.passage == name]
        slowest_kn = limits_kn[is_slowed & np.isin(track.leg, legs)].min()
        names_by_speed.setdefault(f"{slowest_kn:.1f}", []).append(name or "open water over shoals")
    for slowest, names in names_by_speed.items():
        yield PlanWarning(
            WarningCode.LOW_UKC,
            f"The ship slows to {slowest} kn in {join_phrases(names)}: "
            "at more, squat would leave less than the required under-keel clearance.",
        )


def _warn_of_ukc_rules(
    context: PlanningContext, route: SimulatedRoute, is_short: Bools
) -> Iterator[PlanWarning]:
    """Warn where squat leaves less clearance than passages require, even at the lowest speed."""
    track = route.simulation.track
    legs_by_rule: dict[float, list[int]] = {}
    for number in dict.fromkeys(track.leg[is_short].tolist()):
        passage = context.find_passage(route.legs[number])
        if passage is not None and passage.min_ukc_m is not None:
            legs_by_rule.setdefault(passage.min_ukc_m, []).append(number)
    for required_m, legs in legs_by_rule.items():
        names = [*dict.fromkeys(str(route.legs[number].passage) for number in legs)]
        least_m = float(np.nanmin(route.ukc_m[np.isin(track.leg, legs)]))
        yield PlanWarning(
            WarningCode.LOW_UKC,
            f"{join_phrases(names)} {'requires' if len(names) == 1 else 'require'}"
            f" {required_m:.1f} m under the keel at all times; at the lowest speed there are"
            f" {format_clearance(least_m)}. Wait for the tide.",
        )


def _warn_of_low_ukc(context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    known = route.ukc_m[~np.isnan(route.ukc_m)]
    margin_m = context.request.ukc_margin_m
    if known.size and known.min() < margin_m - UKC_TOLERANCE_M:
        yield PlanWarning(
            WarningCode.LOW_UKC,
            f"The least known under-keel clearance is {format_clearance(known.min())}, below the"
            f" required {margin_m:.1f} m. Check tide, speed and squat there.",
        )


def _warn_of_speed_lost(_context: PlanningContext, route: SimulatedRoute) -> Iterator[PlanWarning]:
    simulation = route.simulation
    ordered, is_ordered = simulation.capped_kn, simulation.track.leg >= route.timed_legs
    slower = ordered - simulation.through_water_kn > _SPEED_LOST_KN
    lost, slowed = (
        slower & ~simulation.is_slowed_for_motions & is_ordered,
        slower & simulation.is_slowed_for_motions,
    )
    if slowed.any():
        orders = ordered[slowed & is_ordered]
        required = f"the ordered {orders.max():.1f} kn" if orders.size else "its times require"
        yield PlanWarning(
            WarningCode.SPEED_REDUCED,
            f"On {simulation.track.distance_nm[slowed].sum():.0f} nm the ship is slower than"
            f" {required} because of its motions in the sea; the slowest there is"
            f" {simulation.through_water_kn[slowed].min():.1f} kn.",
        )
    if lost.any():
        yield PlanWarning(
            WarningCode.SPEED_LOSS,
            f"On {simulation.track.distance_nm[lost].sum():.0f} nm power or shaft speed is too low "
            f"for the ordered {ordered[lost].max():.1f} kn; the slowest there is "
            f"{simulation.through_water_kn[lost].min():.1f} kn.",
        )
    in_doubt = simulation.is_headway_in_doubt
    if in_doubt.any():
        yield PlanWarning(
            WarningCode.HEADWAY_IN_DOUBT,
            f"On {simulation.track.distance_nm[in_doubt].sum():.0f} nm the sea may be heavier than"
            " the engine can overcome. The plan assumes"
            f" {simulation.through_water_kn[in_doubt].max():.1f} kn at full power there; the ship"
            " may make less, or none. Choose another time or route.",
        )


def _warn_of_speeds_outside_method(
    context: PlanningContext, route: SimulatedRoute
) -> Iterator[PlanWarning]:
    ordered_kn, (lowest_kn, highest_kn) = context.request.speed_min_kn, context.ship.speed_range_kn
    distance_nm = route.simulation.track.distance_nm
    if ordered_kn < lowest_kn:
        below_nm = distance_nm[route.simulation.capped_kn < lowest_kn].sum()
        where = f"on {below_nm:.0f} nm" if below_nm >= 0.5 else "nowhere"
        yield PlanWarning(
            WarningCode.SPEED_OUTSIDE_METHOD,
            f"The range of speeds begins at {ordered_kn:.2f} kn, but the ship model is valid from"
            f" {lowest_kn:.2f} kn. Power and fuel below that are extrapolated; such"
            f" a speed is ordered {where}.",
        )
    above_nm = distance_nm[route.simulation.through_water_kn > highest_kn + _SPEED_LOST_KN].sum()
    if above_nm > 0.0:
        yield PlanWarning(
            WarningCode.SPEED_OUTSIDE_METHOD,
            f"On {above_nm:.0f} nm the ship sails faster than {highest_kn:.2f} kn, to which the"
            " ship model is valid at the vessel's service speed. Power and fuel above that are"
            " extrapolated and probably too low; check the service speed.",
        )


def _warn_of_no_weather(context: PlanningContext, _route: SimulatedRoute) -> Iterator[PlanWarning]:
    if context.weather is None:
        yield PlanWarning(
            WarningCode.NO_WEATHER,
            "No weather is known: times and fuel are those of a calm sea. Add a sea margin.",
        )


def _warn_of_references(references: Sequence[PricedReference]) -> Iterator[PlanWarning]:
    for reference in references:
        if reference.faults:
            yield PlanWarning(
                WarningCode.REFERENCE_UNSAFE,
                f"The reference route “{reference.name}” is no safe alternative:"
                f" {'; '.join(reference.faults)}. Its fuel and time are not compared.",
            )
