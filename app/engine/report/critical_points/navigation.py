"""Critical points of navigation: ends, turns, narrow and shallow water, latitude."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import floor, inf
from operator import attrgetter
from typing import Final, TypeAlias

from shapely.geometry import Point

from app.engine.area import IceHazard
from app.engine.facts import BridgeFact, PassageFact
from app.engine.formatting import (
    format_course,
    format_miles,
    format_time,
    name_in_sentence,
    name_passage,
)
from app.engine.geodesy import great_circle_course_deg, great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.geodesy.shapes import intersects
from app.engine.plan import ProfilePoint, RoutePlan, Waypoint
from app.engine.planning.geometry import UKC_TOLERANCE_M
from app.engine.report.critical_points.records import (
    CriticalPoint,
    Kind,
    Severity,
    at_sample,
    at_waypoint,
    closest_sample,
    split_runs,
)
from app.engine.request import Position, VoyageRequest
from app.engine.sea.leg_room import XTD_M
from app.engine.sea.legs import BERTH_NM, UNNAMED_NARROWS
from app.engine.sea.passage_limits import describe_limit
from app.engine.units import direction_difference, wrap_direction

#: A leg, from waypoint to waypoint.
Leg: TypeAlias = tuple[Waypoint, Waypoint]

#: Least turn reported [deg], one readily apparent to other ships, as COLREG rule 8(b) requires.
_TURN_DEG: Final = 30.0

#: Depth over draught of "shallow" and "very shallow" water, where squat and slow response to the
#: helm begin and become strong; PIANC report 121 (2014), section 2.1.
_SHALLOW_DEPTH_RATIO: Final = 1.5
_VERY_SHALLOW_DEPTH_RATIO: Final = 1.2
#: Time between shoals that are reported as one.
_SAME_SHALLOWS = timedelta(hours=12)
#: Open water between narrow waters that are reported as one [nm].
_SAME_NARROWS_NM: Final = 20.0
#: Most unnamed narrow waters of a voyage that are each reported.
_FEW_NARROWS: Final = 3

#: Latitude [deg] of polar waters; SOLAS XIV/1. The severity is low because of its exceptions in
#: the North Atlantic.
_POLAR_LATITUDE_DEG: Final = 60.0
#: Greatest latitude [deg] of coverage by geostationary satellites, and of GMDSS sea area A3;
#: SOLAS IV/2, COMSAR/Circ.32.
_GEOSTATIONARY_LATITUDE_DEG: Final = 70.0


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find critical points of navigation."""
    yield from _find_ends(plan, request)
    yield from _find_turns(plan)
    yield from _find_waits(plan)
    yield from _find_passages(plan, request.air_draft_m)
    yield from _find_bridges(plan, request.air_draft_m)
    yield from _find_narrowest(plan)
    yield from _find_unproven(plan)
    yield from _find_shallows(plan, request)
    yield from _find_high_latitudes(plan, request)


def _find_ends(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    first, last = plan.waypoints[0], plan.waypoints[-1]
    start = "Start from the position under way." if request.under_way else None
    departure = start or f"Departure from {request.departure_name}."
    yield at_waypoint(first, Kind.DEPARTURE, Severity.INFO, departure)
    yield at_waypoint(last, Kind.ARRIVAL, Severity.INFO, f"Arrival at {request.arrival_name}.")


def _find_turns(plan: RoutePlan) -> Iterator[CriticalPoint]:
    """Find large turns, except for the bends of a canal or fairway, where a pilot is on board."""
    for (before, here), (_, after) in pairwise(pairwise(plan.waypoints)):
        old, new = _course_at_end_deg(before, here), after.course_deg
        winding = here.passage is not None and here.passage == after.passage
        if old is None or new is None or winding:
            continue
        turn = float(direction_difference(new, old))
        if abs(turn) >= _TURN_DEG:
            side = "starboard" if turn > 0.0 else "port"
            text = f"Alter course to {side} from {format_course(old)} to {format_course(new)}."
            yield at_waypoint(here, Kind.ALTER_COURSE, Severity.INFO, text)


def _find_waits(plan: RoutePlan) -> Iterator[CriticalPoint]:
    lats = [waypoint.position.lat for waypoint in plan.waypoints]
    lngs = [waypoint.position.lng for waypoint in plan.waypoints]
    for wait in plan.facts.waits:
        here = int(great_circle_distance_nm(lats, lngs, wait.lat, wait.lng).argmin())
        kind = Kind.ZONE_NEAR if wait.for_areas else Kind.LIMIT_NEAR
        text = f"Wait here until {wait.until}."
        yield at_waypoint(plan.waypoints[here], kind, Severity.CAUTION, text)


def _course_at_end_deg(start: Waypoint, end: Waypoint) -> float | None:
    """Return the course at the end of a leg; on a great circle it differs from the initial one."""
    if end.leg_geometry is LegGeometry.RHUMB:
        return end.course_deg
    back = great_circle_course_deg(*end.position, *start.position)
    return float(wrap_direction(float(back) + 180.0))


def _find_passages(plan: RoutePlan, air_draft_m: float | None) -> Iterator[CriticalPoint]:
    """Find each canal and narrow water that legs follow, and each strait crossed at sea, once."""
    known, bridges = {each.name: each for each in plan.facts.passages}, plan.facts.bridges
    named = frozenset(known)
    narrows = _list_stretches(plan, lambda end: end.passage is not None)
    for legs in narrows:
        names = dict.fromkeys(end.passage for _, end in legs if end.passage in known)
        for name in names:
            passage = known.pop(str(name))
            yield _passage(legs, passage, _describe_height(passage, bridges, air_draft_m))
        entrance = legs[0][0]
        is_named = not named.isdisjoint(end.passage for _, end in legs)
        # along coasts, unnamed narrow waters are too frequent to be critical
        is_reported = len(narrows) <= _FEW_NARROWS or legs[-1][1] is plan.waypoints[-1]
        if not is_named and entrance is not plan.waypoints[0] and is_reported:
            text = f"Narrow water: {legs[0][1].passage}."
            yield at_waypoint(entrance, Kind.NARROW_PASSAGE, Severity.INFO, text)
    for passage in known.values():
        if passage.lat is not None and passage.lng is not None and plan.profile:
            closest = closest_sample(plan.profile, passage.lat, passage.lng)
            below = _describe_height(passage, bridges, air_draft_m)
            text = f"Pass {name_in_sentence(passage.name)}.{below}"
            yield at_sample(plan, closest, _kind(passage), Severity.CAUTION, text)


def _find_narrowest(plan: RoutePlan) -> Iterator[CriticalPoint]:
    """Find the narrowest leg outside passages and unproven water, and not at the berths."""
    whole_nm = plan.waypoints[-1].cumulative_nm
    legs = [
        (end.xtd_m, start)
        for start, end in pairwise(plan.waypoints)
        if end.passage in UNNAMED_NARROWS
        and not end.is_unproven
        and end.xtd_m is not None
        and end.xtd_m < XTD_M
        and min(start.cumulative_nm, whole_nm - end.cumulative_nm) >= BERTH_NM
    ]
    if legs:
        xtd_m, entrance = min(legs, key=lambda leg: leg[0])
        text = f"Narrowest leg outside passages: {floor(xtd_m)} m to either side."
        yield at_waypoint(entrance, Kind.NARROW_PASSAGE, Severity.CAUTION, text)


def _find_unproven(plan: RoutePlan) -> Iterator[CriticalPoint]:
    """Find the first leg of each stretch with unproven water, with the stretch's length."""
    for legs in _list_stretches(plan, lambda end: end.is_unproven):
        within = format_miles(legs[-1][1].cumulative_nm - legs[0][0].cumulative_nm)
        text = f"Unproven water within {within} from here: depth unknown. Check the chart."
        yield at_waypoint(legs[0][0], Kind.UNPROVEN_WATER, Severity.CAUTION, text)


def _list_stretches(plan: RoutePlan, is_in: Callable[[Waypoint], bool]) -> list[list[Leg]]:
    """List stretches of legs in some kind of water; short legs outside do not separate them."""
    stretches: list[list[Leg]] = []
    open_nm = inf
    for leg in pairwise(plan.waypoints):
        if not is_in(leg[1]):
            open_nm += leg[1].leg_distance_nm
            continue
        if open_nm > _SAME_NARROWS_NM:
            stretches.append([])
        stretches[-1].append(leg)
        open_nm = 0.0
    return stretches


def _passage(legs: Sequence[Leg], passage: PassageFact, height: str) -> CriticalPoint:
    """Return the point of a passage at the start of its first leg, naming its last waypoint.

    ``height`` are the words on its air draught.
    """
    followed = [leg for leg in legs if leg[1].passage == passage.name]
    entrance, exit_ = followed[0][0], followed[-1][1]
    waiting = f" The plan waits {passage.waiting_h:.1f} h before it." if passage.waiting_h else ""
    action, end = ("Leave by", "Clear of it") if passage.is_outward else ("Enter", "Leave it")
    text = (
        f"{action} {name_passage(passage)}.{waiting} {end} at waypoint {exit_.index + 1},"
        f" {format_time(exit_.eta)}.{height}"
    )
    return at_waypoint(entrance, _kind(passage), Severity.CAUTION, text)


def _find_bridges(plan: RoutePlan, air_draft_m: float | None) -> Iterator[CriticalPoint]:
    """Find the bridges, each where the route passes below it."""
    for bridge in plan.facts.bridges if plan.profile else ():
        closest = closest_sample(plan.profile, bridge.lat, bridge.lng)
        below = _compare_heights(bridge.max_air_draft_m, air_draft_m)
        text = f"Pass below {bridge.name}.{below}"
        point = at_sample(plan, closest, Kind.NARROW_PASSAGE, Severity.CAUTION, text)
        yield replace(point, position=Position(bridge.lat, bridge.lng))


def _describe_height(
    passage: PassageFact, bridges: Sequence[BridgeFact], air_draft_m: float | None
) -> str:
    """Describe the height that a passage as a whole takes; empty if it is that of a bridge."""
    limit_m = passage.max_air_draft_m
    of_bridges_m = {each.max_air_draft_m for each in bridges if each.passage == passage.name}
    if limit_m is None or limit_m in of_bridges_m:
        return ""
    return _compare_heights(limit_m, air_draft_m)


def _compare_heights(limit_m: float, air_draft_m: float | None) -> str:
    """Compare the height that a passage or bridge takes [m] with the ship's."""
    has = "is not known" if air_draft_m is None else f"is {air_draft_m:.1f} m"
    return f" It {describe_limit('air_draft_m', limit_m)}; this ship's {has}."


def _kind(passage: PassageFact) -> Kind:
    return Kind.CANAL if passage.kind == "CANAL" else Kind.NARROW_PASSAGE


def _find_shallows(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find the most severe of the known depths of each stretch of shallow water, or the least."""
    draft_m = request.loading.draft_m
    etas = [waypoint.eta for waypoint in plan.waypoints]

    def grade(sample: ProfilePoint) -> Severity:
        # a sample's depth is that of the water ahead
        leads_to = bisect_right(etas, sample.time)
        ukc_m = plan.waypoints[leads_to].ukc_m if leads_to < len(etas) else None
        # the leg's least clearance counts squat and trim
        clearance_m = _depth_m(sample) - draft_m if ukc_m is None else ukc_m
        if clearance_m < request.ukc_margin_m - UKC_TOLERANCE_M:
            return Severity.DANGER
        very_shallow = _depth_m(sample) < _VERY_SHALLOW_DEPTH_RATIO * draft_m
        return Severity.CAUTION if very_shallow else Severity.INFO

    shallow = [
        sample for sample in plan.profile if _depth_m(sample) < _SHALLOW_DEPTH_RATIO * draft_m
    ]
    for run in split_runs(shallow, attrgetter("time"), _SAME_SHALLOWS):
        worst = min(run, key=lambda sample: (-grade(sample), _depth_m(sample)))
        text = f"Shallow water of {worst.depth_m:.1f} m. Mind squat and speed."
        yield at_sample(plan, worst, Kind.SHALLOW, grade(worst), text)


def _depth_m(sample: ProfilePoint) -> float:
    """Depth of a sample [m], infinite if unknown."""
    return inf if sample.depth_m is None else sample.depth_m


def _find_high_latitudes(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    if not plan.profile:
        return
    north = max(plan.profile, key=lambda p: p.position.lat)
    south = min(plan.profile, key=lambda p: p.position.lat)
    for extreme, name, side in ((north, "Northernmost", "N"), (south, "Southernmost", "S")):
        lat = extreme.position.lat if side == "N" else -extreme.position.lat
        if lat <= _POLAR_LATITUDE_DEG:
            continue
        beyond = lat > _GEOSTATIONARY_LATITUDE_DEG
        severity = Severity.CAUTION if beyond else Severity.INFO
        reach = " Geostationary satellites do not reach here." if beyond else ""
        code = " and the Polar Code" if _is_in_polar_waters(extreme.position, request) else ""
        text = f"{name} point, {lat:.1f}° {side}. Check ice charts{code}.{reach}"
        yield at_sample(plan, extreme, Kind.HIGH_LATITUDE, severity, text)


def _is_in_polar_waters(position: Position, request: VoyageRequest) -> bool:
    """Return whether a position is in the waters to which the Polar Code applies."""
    return any(
        area.ice is not None
        and area.ice.hazard is IceHazard.POLAR_WATERS
        and intersects(area.geometry, Point(position.lng, position.lat))
        for area in request.areas
    )
