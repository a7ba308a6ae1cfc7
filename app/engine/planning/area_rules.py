"""Rules and windows of areas, decided before the routes of a voyage are searched.

If departure or arrival lies inside an area to avoid, or cannot be reached without entering it,
the area is entered as little as possible. Ice and closed locks are forbidden for the whole voyage
if the route meets them in their season, because no ship waits at sea for the ice to melt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

import numpy as np
from cachetools import LRUCache, cached

from app.engine.area import SEASONAL, Area, AreaKind, AreaRule, list_relaxed
from app.engine.arrays import Bools
from app.engine.errors import EndInsideArea, NoRoute, SeasonClosed, VoyageError
from app.engine.formatting import format_day
from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA
from app.engine.planning.areas import list_touched_areas, mark_touched_segments
from app.engine.planning.candidate_paths import PathCase, find_candidate_paths
from app.engine.planning.context import PlanningContext, estimate_longest_voyage
from app.engine.planning.given_route import is_same_place
from app.engine.planning.ice import add_ice_margin, list_forecast_ice
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sea.route_restrictions import find_end_inside

#: Longest wait for locks to open; for later openings the request is refused.
_LONGEST_LOCK_WAIT: Final = timedelta(days=5)
#: Time for which areas count beyond the longest voyage assumed: the longest wait, and more for a
#: route that is longer than assumed.
_EXTRA_DURATION: Final = LONGEST_WAIT_FOR_AREA + timedelta(days=10)
#: Difference between miles in ice that rounding may make [nm].
_SAME_MILES_NM: Final = 1.0
#: Most rounds of routing; each adds the areas that the route of the round before touches.
_MAX_ROUNDS: Final = 12


def resolve_area_rules(context: PlanningContext) -> PlanningContext:
    """Return the context with areas of the rules and windows that apply to the voyage.

    Raise :class:`EndInsideArea`, :class:`SeasonClosed` or :class:`NoRoute` if an area that allows
    no exception separates the ship from departure or arrival. A round voyage has no shortest route
    between its ends that could meet an area.
    """
    request = context.request
    ice = list_forecast_ice(context.weather, request.ship.ice_class)
    areas = [_relax_around_end(area, context) for area in (*request.areas, *ice)]
    encountered = {area.id for area in areas if area.is_binding and _covers_voyage(area, context)}
    route: SimulatedRoute | None = None
    needs_route = any(map(_may_change, areas)) and not is_same_place(*context.ends)
    for _ in range(_MAX_ROUNDS if needs_route else 0):
        binding = [area for area in areas if area.id in encountered]
        try:
            route = _simulate_shortest(context, binding)
        except VoyageError as error:
            areas = _relax_before_end(context, areas, binding, error)
            continue
        further = {a.id for a in areas if a.id not in encountered and _is_encountered(a, route)}
        opened = set() if further else _find_ice_to_open(context, binding, route)
        if not further and not opened:
            break
        encountered |= further
        areas = list_relaxed(areas, opened)
    settled = tuple(_drop_window(area) if area.id in encountered else area for area in areas)
    clear = tuple(add_ice_margin(area, *context.ends) for area in settled)
    widened = [area for area, before in zip(clear, settled, strict=True) if area != before]
    if widened and not _leaves_route(context, clear, route, widened):
        clear = settled
    return replace(context, request=replace(request, areas=clear))


def settle_for_given_route(context: PlanningContext) -> PlanningContext:
    """Return the context with the rules that areas have for a plan of the same voyage.

    Areas that still may not be entered keep their outline and window: a given route may pass them
    at another time, and inside the margin of ice. All areas are unchanged if they leave no route.
    """
    return replace(context, request=replace(context.request, areas=_list_settled(context)))


# cached: each change of an edited route is checked with the same voyage
@cached(
    LRUCache(32),
    key=lambda given: (given.request, given.sea.identity, given.weather and given.weather.identity),
    lock=Lock(),
)
def _list_settled(context: PlanningContext) -> tuple[Area, ...]:
    given = context.request.areas
    try:
        settled = resolve_area_rules(context).request.areas
    except VoyageError:
        return given
    by_id = {area.id: area for area in given}
    return tuple(by_id.get(area.id, area) if area.rule.forbids_entry else area for area in settled)


def _leaves_route(
    context: PlanningContext,
    areas: Sequence[Area],
    route: SimulatedRoute | None,
    widened: Sequence[Area],
) -> bool:
    """Return whether a route avoids widened areas, or another one those without a window."""
    if route is not None and not list_touched_areas(widened, route.simulation):
        return True
    always = [area for area in areas if not area.has_window]
    try:
        return bool(find_candidate_paths(context, always, most=1))
    except VoyageError:
        return False


def _may_change(area: Area) -> bool:
    return area.kind in SEASONAL or area.rule is AreaRule.AVOID_UNLESS_ENDPOINT


def _drop_window(area: Area) -> Area:
    """Return a seasonal area without its window, so that it is closed for the whole voyage."""
    return area.at_all_times() if area.kind in SEASONAL else area


def _relax_around_end(area: Area, context: PlanningContext) -> Area:
    """Return an area, entered as little as possible if it is to be avoided but holds an end."""
    avoided = area.rule is AreaRule.AVOID_UNLESS_ENDPOINT
    if avoided and find_end_inside(area, *context.ends) is not None:
        return replace(area, rule=AreaRule.LEAST_EXPOSURE)
    return area


def _covers_voyage(area: Area, context: PlanningContext) -> bool:
    """Return whether an area is in force during the longest voyage assumed."""
    request = context.request
    ends_at = request.departs_at + estimate_longest_voyage(request) + _EXTRA_DURATION
    return area.is_in_force(request.departs_at) and area.is_in_force(ends_at)


def _simulate_shortest(context: PlanningContext, areas: Sequence[Area]) -> SimulatedRoute:
    """Return the cheapest route at constant speed that avoids the areas."""
    return PathCase.of(context, find_candidate_paths(context, areas, most=1)[0]).simulate()


def _is_encountered(area: Area, route: SimulatedRoute) -> bool:
    """Return whether a route touches a seasonal closure that no short wait avoids."""
    if area.kind not in SEASONAL or not area.is_binding:
        return False
    crossed = np.flatnonzero(mark_touched_segments(area, route.simulation))
    if crossed.size == 0:
        return False
    ends_soon = (
        area.kind is AreaKind.SEASON
        and area.ends_at is not None
        and area.ends_at - route.simulation.time_at(int(crossed[0])) <= _LONGEST_LOCK_WAIT
    )
    return not ends_soon


def _relax_before_end(
    context: PlanningContext, areas: Iterable[Area], binding: Sequence[Area], error: VoyageError
) -> list[Area]:
    """Return the areas; those to avoid that separate an end are entered as little as possible.

    Raises ``error`` if that leaves no route either, explained by the season that causes it.
    """
    avoided = [area for area in binding if area.rule is AreaRule.AVOID_UNLESS_ENDPOINT]
    if not isinstance(error, NoRoute) or not avoided:
        raise explain_season(error, binding, _list_around_ends(context)) from error
    try:
        route = _simulate_shortest(context, list_relaxed(binding, {area.id for area in avoided}))
    except VoyageError as remaining:
        raise explain_season(remaining, binding, _list_around_ends(context)) from error
    entered = _list_entered(avoided, route)
    if not entered:
        raise error
    return list_relaxed(areas, entered)


def _find_ice_to_open(
    context: PlanningContext, binding: Sequence[Area], route: SimulatedRoute
) -> set[str]:
    """Return the ids of closed areas of ice through which fewer miles in all lie in ice.

    A ship whose port lies in ice enters the ice of other seas too, rather than sail round a
    continent in that of its port.
    """
    ice = [area for area in binding if area.kind is AreaKind.ICE]
    avoided = [area for area in ice if area.rule is AreaRule.AVOID_UNLESS_ENDPOINT]
    if not avoided or not _list_entered(ice, route):
        return set()
    try:
        other = _simulate_shortest(context, list_relaxed(binding, {area.id for area in avoided}))
    except VoyageError:
        return set()
    is_shorter = _measure_inside_nm(ice, other) < _measure_inside_nm(ice, route) - _SAME_MILES_NM
    return _list_entered(avoided, other) if is_shorter else set()


def _list_entered(areas: Iterable[Area], route: SimulatedRoute) -> set[str]:
    """Return the ids of the areas that a route enters in any season.

    It may be later than the one that touched them.
    """
    return {area.id for area in areas if _mark_inside(area, route).any()}


def _measure_inside_nm(areas: Iterable[Area], route: SimulatedRoute) -> float:
    """Return the miles of a route inside any of the areas, in any season [nm]."""
    is_inside = np.logical_or.reduce([_mark_inside(area, route) for area in areas])
    return float(route.simulation.track.distance_nm[is_inside].sum())


def _mark_inside(area: Area, route: SimulatedRoute) -> Bools:
    return mark_touched_segments(_drop_window(area), route.simulation)


def explain_season(
    error: VoyageError, binding: Sequence[Area], around_ends: Sequence[Area] = ()
) -> VoyageError:
    """Return the error, or one that names the seasonal area that causes it.

    An area that holds an end is over when those ``around_ends`` that follow it are, too.
    """
    closing = error.data.get("areas", [error.data.get("area")])
    cause = next((a for a in binding if a.id in closing and a.kind in SEASONAL), None)
    if cause is None:
        return error
    opens_at = _find_opening(cause, around_ends)
    until = f" until {format_day(opens_at)}" if opens_at is not None else ""
    if cause.kind is AreaKind.SEASON:
        return SeasonClosed(
            f"Locks are closed{until}: {cause.name}; the ship would be there before. Depart so "
            "as to pass while they are open, or end the voyage outside.",
            **error.data,
        )
    needed = (
        "" if cause.ice is None else f" to ships below ice class {cause.ice.class_needed.label}"
    )
    detail = f"{cause.name} is closed{needed}{until}."
    if isinstance(error, EndInsideArea):
        return EndInsideArea(f"The {error.data['end']} lies in ice: {detail}", **error.data)
    return NoRoute(f"Ice leaves no route from departure to arrival: {detail}", **error.data)


def _list_around_ends(context: PlanningContext) -> list[Area]:
    areas = context.request.areas
    return [area for area in areas if find_end_inside(area, *context.ends) is not None]


def _find_opening(closed: Area, around_ends: Sequence[Area]) -> datetime | None:
    """Return when an area opens; one around an end, when the seasons that follow open too."""
    opens_at = closed.ends_at
    if all(area.id != closed.id for area in around_ends):
        return opens_at
    alike = [a for a in around_ends if a.kind is closed.kind and a.rule is closed.rule]
    while opens_at is not None:
        following = [area.ends_at for area in alike if _goes_on(area, opens_at)]
        if not following:
            break
        opens_at = max((ends_at for ends_at in following if ends_at), default=None)
    return opens_at


def _goes_on(area: Area, after: datetime) -> bool:
    """Return whether an area is in force at a time and for more than the minute after it."""
    minute = timedelta(minutes=1)
    begun = area.starts_at is None or area.starts_at <= after + minute
    return begun and (area.ends_at is None or area.ends_at > after + minute)
