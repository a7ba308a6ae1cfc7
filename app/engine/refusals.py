"""What would let a voyage be sailed that its limits forbid: a limit eased, or a later departure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from typing import Final

from app.engine.errors import LimitsTooTight
from app.engine.limits import LIMITS, Excess, find_excess
from app.engine.pace import Pace
from app.engine.sailed_route import SailedRoute, Voyage
from app.engine.side_by_side import work_two
from app.engine.voyage import Limits, Objective
from app.engine.ways import SailedWay, find_way_of
from app.engine.weather_routing import WeatherRouting
from app.engine.words import tell_position, tell_wind

#: Later departures tried [h].
_LATER_H: Final = (6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 72.0, 96.0, 120.0)
#: Steps that limits are eased in.
_STEPS: Final = {"wave height": 0.1, "wind": 0.5}


@dataclass(frozen=True, slots=True)
class WayOut:
    """The smallest value of the limit that would do, and the earliest later departure."""

    eased: float | None
    departs_at: datetime | None


def refuse(
    voyage: Voyage, ways: Sequence[SailedWay], routes: Sequence[SailedRoute], pace: Pace
) -> LimitsTooTight:
    """The refusal of a voyage none of whose sailings keeps the limits, with the ways out."""
    measured = [(route, find_excess(route, voyage.request.limits)) for route in routes]
    broken = [(route, excess) for route, excess in measured if excess is not None]
    route, excess = min(broken, key=lambda pair: pair[1].share)
    routing = find_way_of(ways, route).routing
    if routing is None:
        raise AssertionError("a limit can be broken in known weather alone")
    pace.enter("Looking for what would do", 0.95)
    eased, departs_at = work_two(
        partial(_ease, routing, excess), partial(_leave_later, routing), pace.beat
    )
    way_out = WayOut(eased, departs_at)
    return _word(voyage, route, excess, way_out)


def _can_sail(routing: WeatherRouting) -> SailedRoute | None:
    return routing.sail_roughly(Objective.FUEL, None) or routing.sail_roughly(Objective.TIME, None)


def _ease(routing: WeatherRouting, excess: Excess) -> float | None:
    """The smallest value of a limit, to a step, at which the way can be sailed.

    ``None`` where another limit forbids it too.
    """
    name, step = LIMITS[excess.limit], _STEPS[excess.limit]
    free = _can_sail(_with_limit(routing, name, None))
    if free is None:
        return None
    met = find_excess(free, Limits(**{name: step}))
    low = ceil(excess.allowed / step - 1e-9)
    high = ceil((excess.met if met is None else met.met) / step)
    while high - low > 1:
        middle = (low + high) // 2
        if _can_sail(_with_limit(routing, name, middle * step)) is None:
            low = middle
        else:
            high = middle
    return round(high * step, 3)


def _with_limit(routing: WeatherRouting, name: str, value: float | None) -> WeatherRouting:
    return replace(routing, limits=replace(routing.limits, **{name: value}))


def _leave_later(routing: WeatherRouting) -> datetime | None:
    """The earliest of some later departures at which the way can be sailed."""
    voyage = routing.voyage
    for hours in _LATER_H:
        departs_at = voyage.request.departs_at + timedelta(hours=hours)
        later = replace(voyage, request=replace(voyage.request, departs_at=departs_at))
        if _can_sail(replace(routing, voyage=later)) is not None:
            return departs_at
    return None


def _word(voyage: Voyage, route: SailedRoute, excess: Excess, way_out: WayOut) -> LimitsTooTight:
    position = route.sailing.track.position(excess.point)
    time = route.sailing.time_at(excess.point)
    allowed, met = _tell(excess.allowed, excess), _tell(excess.met, excess)
    return LimitsTooTight(
        f"No way keeps the {excess.limit} under {allowed}. The nearest to it, {route.label}, "
        f"meets {met} at {tell_position(position.lat, position.lng)} on "
        f"{time:%a %d %b %H:%M} UTC. {_advise(excess, way_out)}",
        limit=excess.limit,
        allowed=excess.allowed,
        met=excess.met,
        unit=excess.unit,
        lat=position.lat,
        lng=position.lng,
        time=time.isoformat(),
        would_do=way_out.eased,
        departs_at=None if way_out.departs_at is None else way_out.departs_at.isoformat(),
    )


def _tell(value: float, excess: Excess) -> str:
    """A value of the limit that is broken."""
    return tell_wind(value) if excess.limit == "wind" else f"{value:.1f} {excess.unit}"


def _advise(excess: Excess, way_out: WayOut) -> str:
    eased = (
        "Easing this limit alone does not help"
        if way_out.eased is None
        else f"A limit of {_tell(way_out.eased, excess)} would do"
    )
    later = (
        f"leaving up to {_LATER_H[-1] / 24.0:.0f} days later would not"
        if way_out.departs_at is None
        else f"leaving on {way_out.departs_at:%a %d %b %H:%M} UTC would do"
    )
    return f"{eased}; {later}."
