"""Check of a simulated route against the limits of waves and wind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Any, Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.formatting import format_wind
from app.engine.planning.simulated_route import SeasMet, SimulatedRoute
from app.engine.request import Limits, LimitScale
from app.engine.spread import LimitKind
from app.engine.weather import WeatherSamples

#: Rounding of interpolated values [m or m/s].
_ROUNDING: Final = 1e-6


#: Share of a limit from which the weather on a route is close to it.
_NEAR_SHARE: Final = 0.9


@dataclass(frozen=True, slots=True)
class WeatherLimit:
    """A limit on waves or wind.

    ``field`` is the name of its value in :class:`Limits` and in samples of the weather, in
    ``unit``. Differences below ``step`` do not distinguish sea states.
    """

    kind: LimitKind
    name: str
    field: str
    scale_field: str
    unit: str
    step: float

    def allowed(self, limits: Limits) -> float | None:
        """Return the value allowed, ``None`` if there is no limit."""
        value: float | None = getattr(limits, self.field)
        return value

    def scale(self, limits: Limits) -> LimitScale | None:
        """Return the scale on which the limit was given, if any."""
        scale: LimitScale | None = getattr(limits, self.scale_field)
        return scale

    def with_value(self, limits: Limits, value: float | None) -> Limits:
        """Return the limits with another value of this one."""
        changes: dict[str, Any] = {self.field: value}
        return replace(limits, **changes)

    def met(self, weather: WeatherSamples | SeasMet) -> Floats:
        """Return the values met in samples of the weather."""
        return np.asarray(getattr(weather, self.field))

    def find_exceeded(self, weather: WeatherSamples | SeasMet, allowed: float) -> Bools:
        """Return whether samples of the weather exceed a value, by more than they are rounded."""
        return self.met(weather) > allowed + _ROUNDING

    def format(self, value: float) -> str:
        """Format a value with its unit."""
        return format_wind(value) if self is WIND_SPEED else f"{value:.1f} {self.unit}"

    def format_above(self, value: float) -> str:
        """Format a value above a limit, rounded up so that it does not look like the limit."""
        return self.format(ceil(10.0 * value - 1e-6) / 10.0)


WAVE_HEIGHT: Final = WeatherLimit(
    LimitKind.WAVE_HEIGHT, "wave height", "wave_height_m", "wave_scale", "m", 0.1
)
WIND_SPEED: Final = WeatherLimit(
    LimitKind.WIND_SPEED, "wind", "wind_speed_ms", "wind_scale", "m/s", 0.5
)
WEATHER_LIMITS: Final = (WAVE_HEIGHT, WIND_SPEED)


def list_allowed(limits: Limits) -> list[tuple[WeatherLimit, float]]:
    """List the limits of waves and wind that are set, each with the value allowed."""
    return [
        (each, allowed) for each in WEATHER_LIMITS if (allowed := each.allowed(limits)) is not None
    ]


@dataclass(frozen=True, slots=True)
class LimitViolation:
    """A violation of a limit on a route.

    ``met`` is the highest value on the route, ``point`` the point of the track at or just before
    its position.
    """

    limit: WeatherLimit
    allowed: float
    met: float
    point: int
    time: datetime

    @property
    def share(self) -> float:
        """Ratio of the value met to the value allowed; a limit of zero counts as one step."""
        return self.met / max(self.allowed, self.limit.step)

    @property
    def share_in_steps(self) -> float:
        """Ratio of the value met, raised to a whole number of steps, to the value allowed."""
        steps = ceil(self.met / self.limit.step - 1e-9)
        return steps / max(self.allowed / self.limit.step, 1.0)


def find_violation(route: SimulatedRoute, limits: Limits) -> LimitViolation | None:
    """Find the worst limit violation; ``None`` if all limits are kept or no weather is known.

    Weather is sampled at both ends and in the middle of every segment, at most 2.5 nm apart, and
    during waits.
    """
    if (seas := route.seas) is None:
        return None
    found = []
    for limit, allowed in list_allowed(limits):
        met = limit.met(seas)
        worst = int(np.argmax(met))
        if limit.find_exceeded(seas, allowed)[worst]:
            place = int(seas.points[worst]), seas.time_at(worst)
            found.append(LimitViolation(limit, allowed, float(met[worst]), *place))
    return max(found, key=lambda violation: violation.share, default=None)


def describe_broken_limit(route: SimulatedRoute, limits: Limits) -> Iterator[str]:
    """Yield a clause about the limit that a route breaks most, if any."""
    violation = find_violation(route, limits)
    if violation is not None:
        limit = violation.limit
        yield f"it breaks the {limit.name} limit with {limit.format(violation.met)}"


def is_near_limit(route: SimulatedRoute, limits: Limits) -> bool:
    """Return whether the weather on a route is close to a limit of waves or wind, or above it."""
    return find_violation(route, limits.at_share(_NEAR_SHARE)) is not None


def within_limits(routes: Sequence[SimulatedRoute], limits: Limits) -> list[SimulatedRoute]:
    """Return the routes that keep all limits."""
    return [route for route in routes if find_violation(route, limits) is None]
