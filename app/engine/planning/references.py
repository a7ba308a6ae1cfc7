"""Reference routes of a request: their cost, and the faults that make them unsafe."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.errors import LimitsTooTight
from app.engine.formatting import format_latitude, format_position, name_area
from app.engine.geodesy import great_circle_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.areas import list_touched_areas
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.geometry import build_geometry
from app.engine.planning.given_route import GivenWaypoint, build_given_legs, list_distinct
from app.engine.planning.limits import describe_broken_limit
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective, ReferenceRoute
from app.engine.sea.coast import is_land
from app.engine.sea.legs import BERTH_NM
from app.engine.sea.passage_limits import exceeded_limits
from app.engine.sea.path import Leg
from app.engine.sea.route_restrictions import list_latitude_limits

#: Distance between the positions at which a route is checked for land and passages [nm].
_SAMPLE_NM: Final = 0.25
#: Least length over land or shoals that counts [nm]; less is within the data's error.
_MIN_NM: Final = 0.5
#: Largest distance of a route's end from the voyage's [nm]: as far as ports are moved to the water.
_MAX_END_DISTANCE_NM: Final = 30.0
#: Number of samples in a passage from which the route follows it and does not only cross it.
_MIN_FOLLOWED_SAMPLES: Final = 4


@dataclass(frozen=True, slots=True)
class PricedReference:
    """A reference route, simulated if possible, and its faults as clauses of a sentence."""

    name: str
    route: SimulatedRoute | None
    faults: tuple[str, ...]


def price_reference(
    context: PlanningContext, reference: ReferenceRoute, longest_h: float
) -> PricedReference:
    """Simulate and check a reference route, at the speed that arrives within ``longest_h``."""
    legs = _build_legs(context, reference)
    if not legs:
        return PricedReference(reference.name, None, ("all its waypoints are one place",))
    uses = context.sea.router.list_leg_uses(legs)
    geometry = build_geometry(context, reference.name, uses, legs)
    try:
        route = simulate_constant_speed(context, geometry, Objective.FUEL, longest_h)
    except LimitsTooTight as error:
        return PricedReference(reference.name, None, (_as_clause(error.detail),))
    return PricedReference(reference.name, route, tuple(_find_faults(context, route)))


def _as_clause(detail: str) -> str:
    sentence = detail.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def _build_legs(context: PlanningContext, reference: ReferenceRoute) -> tuple[Leg, ...]:
    positions, rhumb_to = reference.positions, reference.rhumb_to
    waypoints = [
        GivenWaypoint(
            positions[number], LegGeometry.RHUMB if number in rhumb_to else LegGeometry.GREAT_CIRCLE
        )
        for number in list_distinct(positions)
    ]
    least_depth_m, too_small = context.size.least_depth_m, context.too_small_passages
    return build_given_legs(context.sea, least_depth_m, waypoints, too_small)


def _find_faults(context: PlanningContext, route: SimulatedRoute) -> Iterator[str]:
    yield from describe_distant_ends(context, route).values()
    yield from _check_waters(context, route)
    for bridge, _, _ in route.list_passed_below(context.sea.bridges):
        if exceeded_limits(bridge, context.size):
            yield f"the ship is too high for {bridge.name}"
    for area in list_touched_areas(context.blocking_areas, route.simulation):
        yield f"it enters {name_area(area)}"
    lats = route.simulation.track.lats
    for limit in list_latitude_limits(context.request.limits):
        is_over = (limit.side * (lats - limit.lat) > 0.0).any()
        if is_over and not limit.exempts(*context.ends):
            yield f"it passes the latitude limit of {format_latitude(limit.lat)}"
    yield from describe_broken_limit(route, context.request.limits)


def describe_distant_ends(context: PlanningContext, route: SimulatedRoute) -> dict[int, str]:
    """Return a clause for each end, 0 or -1, that is too far from the voyage's."""
    start, end = context.ends
    clauses = {}
    for index, requested, own, clause in (
        (0, start, route.legs[0].start, "it begins {:.0f} nm from the departure"),
        (-1, end, route.legs[-1].end, "it ends {:.0f} nm from the arrival"),
    ):
        apart_nm = float(great_circle_distance_nm(*requested, *own))
        if apart_nm > _MAX_END_DISTANCE_NM:
            clauses[index] = clause.format(apart_nm)
    return clauses


def _check_waters(context: PlanningContext, route: SimulatedRoute) -> Iterator[str]:
    lines = [sample_leg(leg.start, leg.end, leg.geometry, _SAMPLE_NM) for leg in route.legs]
    lats, lngs = np.concatenate(lines, axis=1)
    index = context.sea.passage_index
    passages = {
        number: is_inside
        for number in range(len(index.passages))
        if (is_inside := index.mark_inside(number, lats, lngs)).any()
    }
    in_passage = np.zeros(lats.size, dtype=np.bool_)
    for is_inside in passages.values():
        in_passage |= is_inside
    yield from _check_land(context, lats, lngs, in_passage)
    yield from _check_depth(context, route, passages)
    for number, is_inside in passages.items():
        passage = index.passages[number]
        if is_inside.sum() >= _MIN_FOLLOWED_SAMPLES and exceeded_limits(passage, context.size):
            yield f"the ship is too large, too deep or too high for {passage.name}"


def _check_land(
    context: PlanningContext, lats: Floats, lngs: Floats, in_passage: Bools
) -> Iterator[str]:
    land = np.zeros(lats.size, dtype=np.bool_)
    _mark_land(context.sea.waters, lats, lngs, land)
    land &= ~in_passage & ~_are_near_ends(lats, lngs)
    if _SAMPLE_NM * land.sum() >= _MIN_NM:
        first = int(land.argmax())
        place = format_position(float(lats[first]), float(lngs[first]))
        yield f"it crosses {_SAMPLE_NM * land.sum():.1f} nm of land, first at {place}"


@njit(cache=True)
def _mark_land(waters, lats, lngs, land):  # type: ignore[no-untyped-def]
    for i in range(lats.size):
        land[i] = is_land(waters, lats[i], lngs[i])


def _are_near_ends(lats: Floats, lngs: Floats) -> Bools:
    """Mark the points that lie in the harbours at the ends of a line."""
    ends = ((float(lats[end]), float(lngs[end])) for end in (0, -1))
    near = [great_circle_distance_nm(*end, lats, lngs) < BERTH_NM for end in ends]
    return np.asarray(near[0] | near[1])


def _check_depth(
    context: PlanningContext, route: SimulatedRoute, passages: Iterable[int]
) -> Iterator[str]:
    """Yield a clause if the charted depth is too small; passages are dredged and left out."""
    track, needed_m = route.simulation.track, context.size.least_depth_m
    middles = track.middle_lats, track.middle_lngs
    shoal = ~np.isnan(route.depth_m) & (route.depth_m < needed_m) & ~_are_near_ends(*middles)
    for number in passages:
        shoal &= ~context.sea.passage_index.mark_inside(number, *middles)
    if track.distance_nm[shoal].sum() >= _MIN_NM:
        at = int(np.flatnonzero(shoal)[route.depth_m[shoal].argmin()])
        place = format_position(float(track.middle_lats[at]), float(track.middle_lngs[at]))
        yield (
            f"it leads over {max(route.depth_m[at], 0.0):.1f} m of water at {place}, where the ship"
            f" needs {needed_m:.1f} m"
        )
