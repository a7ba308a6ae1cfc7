"""Whether a sailed route keeps the captain's limits on waves and wind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.engine.planning.simulated_route import SailedRoute
from app.engine.voyage import Limits
from app.engine.weather import WeatherSamples

#: Fields of the limits by the name of what they limit.
LIMITS: Final = {"wave height": "wave_height_m", "wind": "wind_speed_ms"}
#: Steps that limits are set in [m, m/s]: nothing less tells one sea from another.
LIMIT_STEPS: Final = {"wave height": 0.1, "wind": 0.5}


@dataclass(frozen=True, slots=True)
class Excess:
    """The worst excess over a limit on a route.

    ``share`` is the value over the limit; ``point`` is the track's, at or just before it.
    """

    limit: str
    unit: str
    allowed: float
    met: float
    point: int

    @property
    def share(self) -> float:
        """The value met over the value allowed; a limit of nothing counts as one step."""
        return self.met / max(self.allowed, LIMIT_STEPS[self.limit])


def find_excess(route: SailedRoute, limits: Limits) -> Excess | None:
    """The limit that a route breaks most, ``None`` where it keeps all or no weather is known.

    Asked at both ends and amid every segment of the track: every 2.5 nm at the least, and
    every half hour from 5 kn on and where the ship waits.
    """
    found = [
        excess
        for weather in (route.weather, route.weather_amid)
        if weather is not None
        for excess in _find_excesses(weather, limits)
    ]
    found += [
        replace(excess, point=point)
        for point, weather in route.weather_at_waits
        for excess in _find_excesses(weather, limits)
    ]
    return max(found, key=lambda excess: excess.share, default=None)


def _find_excesses(weather: WeatherSamples, limits: Limits) -> Iterator[Excess]:
    checks = (
        ("wave height", "m", limits.wave_height_m, weather.wave_height_m),
        ("wind", "m/s", limits.wind_speed_ms, weather.wind_speed_ms),
    )
    for name, unit, allowed, met in checks:
        if allowed is not None and met.max() > allowed:
            yield Excess(name, unit, allowed, float(met.max()), int(np.argmax(met)))


def keep_within(routes: Sequence[SailedRoute], limits: Limits) -> list[SailedRoute]:
    """The routes that keep all limits."""
    return [route for route in routes if find_excess(route, limits) is None]
