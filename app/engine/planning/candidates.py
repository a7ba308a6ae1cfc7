"""The ways a voyage can take, each laid out and sailed as is best for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from app.engine.errors import VoyageError
from app.engine.optimise.navigable_water import SeaRoom
from app.engine.optimise.timed_closures import Closings
from app.engine.planning.areas import is_touched_on_either_line, touched
from app.engine.planning.parallel import work_side_by_side, work_two
from app.engine.planning.progress import Pace
from app.engine.planning.simulated_route import LaidWay, SailedRoute, Voyage, lay_way, sail_steadily
from app.engine.planning.trade_off_curve import sail_ahead
from app.engine.planning.weather_routing import WeatherRouting
from app.engine.sailing.waiting import list_waited_for
from app.engine.sea.path import SeaPath
from app.engine.voyage import Area, AreaRule, Objective

#: A way that costs this many times the least, in fuel times hours at one speed, is sailed
#: more roughly than the others: what the weather takes or gives isn't as much. At so many
#: times the least it keeps to its shortest track, where that keeps the limits.
_FAR_DEARER: Final = 1.3
_HOPELESS: Final = 1.6

#: Sails a way for an objective within so many hours.
Sail: TypeAlias = Callable[[Objective, float | None], SailedRoute | None]


@dataclass(frozen=True, slots=True)
class ClosedWay:
    """A better way that only forbidden areas close."""

    route: SailedRoute
    closed_by: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class SailedWay:
    """One way: sailed at the best single speed, and, where that can be bettered or breaks
    a limit, as ``routed`` with the weather. ``routing`` is what else may become of it, ``ahead``
    what ``sail_ahead`` has found, if it has been asked already."""

    path: SeaPath
    steady: SailedRoute
    routing: WeatherRouting | None
    routed: SailedRoute | None
    ahead: Sequence[SailedRoute] | None = None

    @property
    def sailings(self) -> list[SailedRoute]:
        """Every sailing of the way there is."""
        return [self.steady] if self.routed is None else [self.routed, self.steady]


def sail_ways(voyage: Voyage, pace: Pace) -> list[SailedWay]:
    """Every way that enters no forbidden area, and shuns the priced, while they are in force.

    Areas that bind at all times are seen to from the start. A forbidden one with a window
    is sailed by before it, after it, if need be after waiting, or about; where a way at one
    speed crosses it in its time, the ways that keep out of it at all times, if there are
    any, are sailed too. A priced one is counted once it is found to be crossed in its time.
    """
    windowed = [a for a in voyage.request.areas if _binds(a) and _has_window(a)]
    areas = [area for area in voyage.request.areas if area not in windowed]
    found: list[SailedWay] = []
    while True:
        pace.enter("Finding the ways", 0.1)
        try:
            paths = find_paths(voyage, areas)
        except VoyageError:
            if not list_sailings(voyage, found):
                raise
            return found
        ways = _sail_paths(voyage, paths, windowed, pace)
        found += ways
        crossed = [area for area in windowed if any(_touches(way.steady, area) for way in ways)]
        if not crossed:
            return found
        if not all(area in voyage.blocking_areas for area in crossed):
            found = []  # sailed without a price that counts
        windowed = [area for area in windowed if area not in crossed]
        areas += crossed


def list_sailings(voyage: Voyage, ways: Sequence[SailedWay]) -> list[SailedRoute]:
    """All sailings that keep out of forbidden areas in force."""
    return [route for way in ways for route in way.sailings if keeps_out(voyage, route)]


def find_way_of(ways: Sequence[SailedWay], route: SailedRoute) -> SailedWay:
    """The way that a route sails."""
    return next(way for way in ways if way.steady.label == route.label)


def keeps_out(voyage: Voyage, route: SailedRoute, but_for: Sequence[Area] = ()) -> bool:
    """Whether a route keeps out of the areas that have a window, but for some, while they are
    in force."""
    blocked = [area for area in voyage.blocking_areas if _has_window(area) and area not in but_for]
    return not any(_touches(route, area) for area in blocked)


def _touches(route: SailedRoute, area: Area) -> bool:
    return is_touched_on_either_line(area, route.legs, route.sailing)


def take_best_of_each(voyage: Voyage, routes: Sequence[SailedRoute]) -> list[SailedRoute]:
    """Of the sailings of each way the best, the best way first."""
    best: dict[str, SailedRoute] = {}
    for route in sorted(routes, key=voyage.cost):
        best.setdefault(route.label, route)
    return list(best.values())


def sail_baseline(voyage: Voyage, ways: Sequence[SailedWay], best: SailedRoute) -> SailedRoute:
    """The shortest way at the constant speed that arrives when the best way does.

    It is what the best way is measured by: nothing says that it keeps the limits. Areas that
    the best way waits for it waits for too, at no waypoint of its own.
    """
    waited_for = list_waited_for(best.sailing, voyage.blocking_areas)
    open_ways = [way for way in ways if keeps_out(voyage, way.steady, waited_for)] or ways
    shortest = min(open_ways, key=lambda way: way.steady.sailing.track.length_nm)
    if shortest.steady is best:
        return best
    laid = lay_path(voyage, shortest.path)
    room = SeaRoom(voyage.sea.waters, shortest.path.conditions, timed=tuple(waited_for))
    not_before_h = Closings.find(laid.track, room).not_before_h
    return sail_steadily(
        voyage, laid, Objective.FUEL, best.sailing.total_h, not_before_h=not_before_h
    )


def find_closed_way(voyage: Voyage, best: SailedRoute) -> ClosedWay | None:
    """The way that would be taken if nothing were forbidden, if it is a better one."""
    request = voyage.request
    forbidden = voyage.blocking_areas
    if not forbidden:
        return None
    open_areas = [area for area in request.areas if area not in forbidden]
    way = lay_path(voyage, find_paths(voyage, open_areas)[0])
    route = sail_steadily(voyage, way, request.objective, voyage.longest_h)
    closed_by = touched(forbidden, route.sailing)
    if not closed_by or voyage.cost(route) >= voyage.cost(best):
        return None
    return ClosedWay(route, tuple(closed_by))


def _has_window(area: Area) -> bool:
    return area.starts_at is not None or area.ends_at is not None


def _binds(area: Area) -> bool:
    return area.rule is not AreaRule.REPORTED


def find_paths(voyage: Voyage, areas: Sequence[Area], most: int = 4) -> tuple[SeaPath, ...]:
    """The paths of the voyage that areas leave, the cheapest first."""
    request = voyage.request
    return voyage.sea.find_paths(
        request.departure,
        request.arrival,
        ship=voyage.size,
        areas=areas,
        north_lat_limit=request.limits.north_lat,
        south_lat_limit=request.limits.south_lat,
        most=most,
    )


def lay_path(voyage: Voyage, path: SeaPath) -> LaidWay:
    """A path in legs, as the request wants them laid."""
    legs = voyage.sea.lay_legs(path, voyage.request.track)
    return lay_way(voyage, path.label, path.uses, legs, path.conditions.prices)


def _sail_paths(
    voyage: Voyage, paths: Sequence[SeaPath], windowed: Sequence[Area], pace: Pace
) -> list[SailedWay]:
    """Lay paths into legs and sail them: at one speed, and with the weather if it is known."""
    laid = [lay_path(voyage, path) for path in paths]
    pace.beat()
    request = voyage.request
    at_one_speed = [
        partial(sail_steadily, voyage, way, request.objective, voyage.longest_h) for way in laid
    ]
    steady = work_side_by_side(at_one_speed, pace.beat)
    timed = tuple(area for area in windowed if area in voyage.blocking_areas)
    least = min(map(_effort, steady))
    if len(paths) == 1:
        pace.enter(f"Sailing {paths[0].label}", 0.7)
    else:
        pace.enter(f"Sailing {len(paths)} ways", 0.7)

    def sail_way(path: SeaPath, way: LaidWay, sailed: SailedRoute) -> SailedWay:
        if voyage.weather is None:
            return SailedWay(path, sailed, None, None)
        dearer = _effort(sailed) / least
        is_far, is_hopeless = dearer > _FAR_DEARER, dearer > _HOPELESS
        routing = WeatherRouting(
            voyage, voyage.weather, path, way, request.limits, timed, pace.beat, is_far
        )
        if len(paths) == 1 and not windowed and routing.tracks:
            # a core would stand idle
            sail = partial(_sail_with_weather, routing, routing.sail)
            ahead = partial(sail_ahead, routing, pace.beat)
            return SailedWay(path, sailed, routing, *work_two(sail, ahead, pace.beat))
        return SailedWay(path, sailed, routing, _sail_as_promising(routing, is_hopeless))

    parts = [partial(sail_way, *of_way) for of_way in zip(paths, laid, steady, strict=True)]
    return work_side_by_side(parts, pace.beat)


def _sail_as_promising(routing: WeatherRouting, is_hopeless: bool) -> SailedRoute | None:
    """A way sailed as thoroughly as is worth it."""
    routed = _sail_with_weather(routing, routing.sail_shortest) if is_hopeless else None
    thoroughly = routing.sail_roughly if routing.is_coarse else routing.sail
    return routed or _sail_with_weather(routing, thoroughly)


def _effort(route: SailedRoute) -> float:
    """What a way costs at the least, in hours and in fuel alike."""
    return route.sailing.total_h * route.priced_fuel_t


def _sail_with_weather(routing: WeatherRouting, sail: Sail) -> SailedRoute | None:
    """Optimise as asked; where that comes too late or breaks limits, for the soonest arrival.

    A soonest arrival that is in time is slowed down to the time asked for.
    """
    voyage = routing.voyage
    objective, longest_h = voyage.request.objective, voyage.longest_h
    as_asked = sail(objective, longest_h)
    if as_asked is not None and voyage.cost(as_asked)[0] == 0.0:
        return as_asked
    soonest = sail(Objective.TIME, None)
    found = [as_asked, soonest]
    if soonest is not None and longest_h is not None and soonest.sailing.total_h < longest_h:
        found.append(routing.sail_along(soonest.legs, objective, longest_h, soonest.sailing))
    kept = [route for route in found if route is not None]
    return min(kept, key=voyage.cost, default=None) or sail(Objective.FUEL, None)
