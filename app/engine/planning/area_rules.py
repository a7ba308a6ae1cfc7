"""Rules and windows of areas, settled before the routes of a voyage are searched.

An area to avoid that an end lies inside or behind is entered, as little as possible. Seas
that freeze and locks that shut bind by the season that the ship meets them in: nobody waits
at sea for the ice to melt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import numpy as np

from app.engine.area import SEASONAL, Area, AreaKind, AreaRule
from app.engine.errors import EndInsideArea, NoRoute, SeasonClosed, VoyageError
from app.engine.formatting import format_day
from app.engine.geodesy import great_circle_distance_nm
from app.engine.planning.areas import touched, touched_segments
from app.engine.planning.candidates import build_path_geometry, find_candidate_paths
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.forecast_ice import list_forecast_ice
from app.engine.planning.ice_margin import keep_clear
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sea.route_restrictions import find_end_inside

#: A ship waits this long for locks to open; later openings are refused.
LONGEST_WAIT: Final = timedelta(days=5)
#: A voyage is taken to last at most this many times its great circle at the lowest speed,
#: and some days more.
_DETOUR: Final = 1.5
_MORE: Final = timedelta(days=10)
#: Rounds of routing until no further area is met; each adds what the one before met.
_MOST_ROUNDS: Final = 12


def settle_areas(context: PlanningContext) -> PlanningContext:
    """Return the voyage with the rules and windows by which its areas bind it.

    Raises
    ------
    EndInsideArea, SeasonClosed, NoRoute
        Where an area that allows no exception keeps the ship from an end.
    """
    request = context.request
    ice = list_forecast_ice(context.weather, request.ship.ice_class)
    areas = [_admit_end(area, context) for area in (*request.areas, *ice)]
    encountered = {area.id for area in areas if area.is_binding and _lasts(area, context)}
    route: SimulatedRoute | None = None
    for _ in range(_MOST_ROUNDS if any(map(_may_change, areas)) else 0):
        binding = [area for area in areas if area.id in encountered]
        try:
            route = _simulate_shortest(context, binding)
        except VoyageError as error:
            areas = _admit_behind(context, areas, binding, error)
            continue
        further = {a.id for a in areas if a.id not in encountered and _is_encountered(a, route)}
        if not further:
            break
        encountered |= further
    settled = tuple(_without_window(area) if area.id in encountered else area for area in areas)
    clear = tuple(keep_clear(area, *context.ends) for area in settled)
    widened = [area for area, before in zip(clear, settled, strict=True) if area != before]
    if widened and not (_keeps_out(route, widened) or _is_passable(context, clear)):
        clear = settled
    return replace(context, request=replace(request, areas=clear))


def _keeps_out(route: SimulatedRoute | None, areas: Iterable[Area]) -> bool:
    """Return whether a route that keeps out of areas without their margin keeps out of it too."""
    return route is not None and not touched(areas, route.simulation)


def _is_passable(context: PlanningContext, areas: Sequence[Area]) -> bool:
    """Return whether areas in force all the time leave a route."""
    always = [area for area in areas if area.starts_at is None and area.ends_at is None]
    try:
        return bool(find_candidate_paths(context, always, most=1))
    except VoyageError:
        return False


def _may_change(area: Area) -> bool:
    return area.kind in SEASONAL or area.rule is AreaRule.AVOID_UNLESS_ENDPOINT


def _without_window(area: Area) -> Area:
    """A season that is met, as it binds: the ship does not come back when it is over."""
    return replace(area, starts_at=None, ends_at=None) if area.kind in SEASONAL else area


def _admit_end(area: Area, context: PlanningContext) -> Area:
    """An area to avoid as it binds a ship that is bound for a place inside."""
    avoided = area.rule is AreaRule.AVOID_UNLESS_ENDPOINT
    if avoided and find_end_inside(area, *context.ends) is not None:
        return replace(area, rule=AreaRule.LEAST_EXPOSURE)
    return area


def _lasts(area: Area, context: PlanningContext) -> bool:
    """Return whether an area is in force as long as the voyage may last."""
    request = context.request
    direct_nm = float(great_circle_distance_nm(*request.departure, *request.arrival))
    ends_at = request.departs_at + _MORE
    ends_at += timedelta(hours=_DETOUR * direct_nm / max(request.speed_min_kn, 1.0))
    begun = area.starts_at is None or area.starts_at <= request.departs_at
    return begun and (area.ends_at is None or area.ends_at >= ends_at)


def _simulate_shortest(context: PlanningContext, areas: Sequence[Area]) -> SimulatedRoute:
    """The cheapest route at one speed that keeps out of areas."""
    path = build_path_geometry(context, find_candidate_paths(context, areas, most=1)[0])
    return simulate_constant_speed(context, path, context.request.objective, context.longest_h)


def _is_encountered(area: Area, route: SimulatedRoute) -> bool:
    """Return whether a route meets a season that binds, and that no short wait avoids."""
    if area.kind not in SEASONAL or not area.is_binding:
        return False
    touched = np.flatnonzero(touched_segments(area, route.simulation))
    if touched.size == 0:
        return False
    soon_over = (
        area.kind is AreaKind.SEASON
        and area.ends_at is not None
        and area.ends_at - route.simulation.time_at(int(touched[0])) <= LONGEST_WAIT
    )
    return not soon_over


def _admit_behind(
    context: PlanningContext, areas: Iterable[Area], binding: Sequence[Area], error: VoyageError
) -> list[Area]:
    """The areas, with those to avoid that an end lies behind entered as little as possible.

    Raises the error, in the words of the season where one is its cause, if that leaves no
    route either.
    """
    avoided = [area for area in binding if area.rule is AreaRule.AVOID_UNLESS_ENDPOINT]
    if not isinstance(error, NoRoute) or not avoided:
        raise explain_season(error, binding) from error
    admitted = {area.id: replace(area, rule=AreaRule.LEAST_EXPOSURE) for area in avoided}
    try:
        route = _simulate_shortest(context, [admitted.get(area.id, area) for area in binding])
    except VoyageError as firm:
        raise explain_season(firm, binding) from error
    # the windows of seasons that are met do not count: the route may be later than the last
    entered = {
        area.id
        for area in avoided
        if touched_segments(_without_window(area), route.simulation).any()
    }
    if not entered:
        raise error
    return [admitted[area.id] if area.id in entered else area for area in areas]


def explain_season(error: VoyageError, binding: Sequence[Area]) -> VoyageError:
    """The error, or what a season that causes it says."""
    closing = error.data.get("areas", [error.data.get("area")])
    cause = next((a for a in binding if a.id in closing and a.kind in SEASONAL), None)
    if cause is None:
        return error
    until = f" until {format_day(cause.ends_at)}" if cause.ends_at is not None else ""
    if cause.kind is AreaKind.SEASON:
        return SeasonClosed(
            f"Locks shut{until}: {cause.name}; the ship would be there before. Depart so as "
            "to pass while they are open, or end the voyage outside.",
            **error.data,
        )
    needed = (
        "" if cause.ice is None else f" to ships below ice class {cause.ice.class_needed.label}"
    )
    detail = f"{cause.name} is closed{needed}{until}."
    if isinstance(error, EndInsideArea):
        return EndInsideArea(f"The {error.data['end']} lies in ice: {detail}", **error.data)
    return NoRoute(f"Ice leaves no route from departure to arrival: {detail}", **error.data)
