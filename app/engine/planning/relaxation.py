"""What would let a voyage be sailed that its limits forbid: a limit eased, or a later departure."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import ceil, inf
from typing import Any, Final

from app.engine.errors import LimitsTooTight
from app.engine.formatting import format_time, tell_position, tell_wind
from app.engine.planning.candidates import SailedWay, find_way_of
from app.engine.planning.limits import LIMIT_STEPS, LIMITS, Excess, find_excess
from app.engine.planning.parallel import work_two
from app.engine.planning.progress import Pace
from app.engine.planning.simulated_route import SailedRoute, Voyage
from app.engine.planning.weather_routing import WeatherRouting
from app.engine.voyage import Limits, LimitScale, Objective

#: Later departures tried [h].
_LATER_H: Final = (6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 72.0, 96.0, 120.0)


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The smallest value of a limit at which the voyage can be sailed, and how it is then.

    ``value`` is infinite for a degree without a bound; ``degree`` is ``None`` where the limit was
    given on no scale.
    """

    value: float
    degree: int | None
    route: SailedRoute


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values that a limit may be set to, ascending, and how each is told."""

    limit: str
    unit: str
    scale: LimitScale | None

    def list_values(self, highest: float) -> list[float]:
        """Every value up to the first that is no less than the highest.

        They don't depend on the limit asked for, so that the advice on two limits agrees.
        """
        step = LIMIT_STEPS[self.limit]
        if self.scale is None:
            return [round(step * n, 3) for n in range(ceil(highest / step - 1e-9) + 1)]
        values = [inf if upper is None else upper for upper in self.scale.upper]
        return values[: bisect_left(values, highest) + 1]

    def find_degree(self, value: float) -> int | None:
        """The degree that allows up to a value."""
        if self.scale is None:
            return None
        return self.scale.upper.index(None if value == inf else value)

    def format(self, value: float) -> str:
        """A value of the limit, as it was asked for."""
        if self.scale is not None:
            return f"{self.scale.name} {self.find_degree(value)}"
        return self.format_met(value)

    def format_met(self, value: float) -> str:
        """A value that is met."""
        return tell_wind(value) if self.limit == "wind" else f"{value:.1f} {self.unit}"


def refuse(
    voyage: Voyage, ways: Sequence[SailedWay], routes: Sequence[SailedRoute], pace: Pace
) -> LimitsTooTight:
    """The refusal of a voyage none of whose sailings keeps the limits, with what would do."""
    limits = voyage.request.limits
    measured = [(route, find_excess(route, limits)) for route in routes]
    broken = [(route, excess) for route, excess in measured if excess is not None]
    route, excess = min(broken, key=lambda pair: pair[1].share)
    routing = find_way_of(ways, route).routing
    if routing is None:
        raise AssertionError("a limit can be broken in known weather alone")
    asked_on = limits.wind_scale if excess.limit == "wind" else limits.wave_scale
    scale = _Scale(excess.limit, excess.unit, asked_on)
    pace.enter("Looking for what would do", 0.95)
    relaxation, departs_at = work_two(
        partial(_relax, routing, excess, scale), partial(_leave_later, routing), pace.beat
    )
    if relaxation is not None:
        eased = find_excess(relaxation.route, limits)
        if eased is not None and eased.share < excess.share:
            route, excess = relaxation.route, eased
    return _word(route, excess, scale, relaxation, departs_at)


def _can_sail(routing: WeatherRouting) -> SailedRoute | None:
    return routing.sail_roughly(Objective.FUEL, None) or routing.sail_roughly(Objective.TIME, None)


def _relax(routing: WeatherRouting, excess: Excess, scale: _Scale) -> Relaxation | None:
    """The smallest value of a limit at which the way can be sailed.

    ``None`` where another limit forbids it too.
    """
    name = LIMITS[excess.limit]
    best = _can_sail(_with_limit(routing, name, None))
    if best is None:
        return None
    met = find_excess(best, _set_limit(Limits(), name, 0.0))
    values = scale.list_values(excess.met if met is None else met.met)
    low, high = -1, len(values) - 1
    while high - low > 1:
        middle = (low + high) // 2
        may_do = values[middle] > excess.allowed
        route = _can_sail(_with_limit(routing, name, values[middle])) if may_do else None
        if route is None:
            low = middle
        else:
            best, high = route, middle
    return Relaxation(values[high], scale.find_degree(values[high]), best)


def _with_limit(routing: WeatherRouting, name: str, value: float | None) -> WeatherRouting:
    return replace(routing, limits=_set_limit(routing.limits, name, value))


def _set_limit(limits: Limits, name: str, value: float | None) -> Limits:
    changes: dict[str, Any] = {name: value}
    return replace(limits, **changes)


def _leave_later(routing: WeatherRouting) -> datetime | None:
    """The earliest of some later departures at which the way can be sailed."""
    voyage = routing.voyage
    for hours in _LATER_H:
        departs_at = voyage.request.departs_at + timedelta(hours=hours)
        later = replace(voyage, request=replace(voyage.request, departs_at=departs_at))
        if _can_sail(replace(routing, voyage=later)) is not None:
            return departs_at
    return None


def _word(
    route: SailedRoute,
    excess: Excess,
    scale: _Scale,
    relaxation: Relaxation | None,
    departs_at: datetime | None,
) -> LimitsTooTight:
    position = route.sailing.track.position(excess.point)
    time = route.sailing.time_at(excess.point)
    value = None if relaxation is None or relaxation.value == inf else relaxation.value
    return LimitsTooTight(
        f"No way keeps the {excess.limit} under {scale.format(excess.allowed)}. The nearest to it,"
        f" {route.label}, meets {scale.format_met(excess.met)} at"
        f" {tell_position(position.lat, position.lng)} on {format_time(time)}."
        f" {_advise(scale, relaxation, departs_at)}",
        limit=excess.limit,
        allowed=excess.allowed,
        met=excess.met,
        unit=excess.unit,
        lat=position.lat,
        lng=position.lng,
        time=time.isoformat(),
        route=route.label,
        would_do=value,
        scale=None if scale.scale is None else scale.scale.name,
        allowed_degree=scale.find_degree(excess.allowed),
        would_do_degree=None if relaxation is None else relaxation.degree,
        departs_at=None if departs_at is None else departs_at.isoformat(),
    )


def _advise(scale: _Scale, relaxation: Relaxation | None, departs_at: datetime | None) -> str:
    eased = (
        "Easing this limit alone does not help"
        if relaxation is None
        else f"A limit of {scale.format(relaxation.value)} would do"
    )
    later = (
        f"leaving up to {_LATER_H[-1] / 24.0:.0f} days later would not"
        if departs_at is None
        else f"leaving on {format_time(departs_at)} would do"
    )
    return f"{eased}; {later}."
