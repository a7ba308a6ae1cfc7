"""Check of a simulated route against the limits of waves and wind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from app.engine.formatting import format_wind
from app.engine.planning.simulated_route import SeasMet, SimulatedRoute
from app.engine.request import Limits

#: Fields of the limits by the name of what they limit.
LIMITS: Final = {"wave height": "wave_height_m", "wind": "wind_speed_ms"}
#: Steps of the values of limits [m, m/s]; smaller ones do not distinguish sea states.
LIMIT_STEPS: Final = {"wave height": 0.1, "wind": 0.5}


@dataclass(frozen=True, slots=True)
class LimitViolation:
    """A violation of a limit on a route.

    ``met`` is the highest value on the route, ``point`` the point of the track at or just before
    its position.
    """

    limit: str
    unit: str
    allowed: float
    met: float
    point: int
    time: datetime

    @property
    def share(self) -> float:
        """Ratio of the value met to the value allowed; a limit of zero counts as one step."""
        return self.met / max(self.allowed, LIMIT_STEPS[self.limit])


def find_violation(route: SimulatedRoute, limits: Limits) -> LimitViolation | None:
    """Find the worst limit violation; ``None`` if all limits are kept or no weather is known.

    Weather is sampled at both ends and in the middle of every segment, at most 2.5 nm apart, and
    during waits.
    """
    seas = route.seas
    found = [] if seas is None else _find_violations(seas, limits)
    return max(found, key=lambda violation: violation.share, default=None)


def _find_violations(seas: SeasMet, limits: Limits) -> Iterator[LimitViolation]:
    checks = (
        ("wave height", "m", limits.wave_height_m, seas.wave_height_m),
        ("wind", "m/s", limits.wind_speed_ms, seas.wind_speed_ms),
    )
    for name, unit, allowed, met in checks:
        worst = int(np.argmax(met))
        if allowed is not None and met[worst] > allowed:
            yield LimitViolation(
                name,
                unit,
                allowed,
                float(met[worst]),
                int(seas.points[worst]),
                seas.time_at(worst),
            )


def describe_broken_limit(route: SimulatedRoute, limits: Limits) -> Iterator[str]:
    """Yield a clause about the limit that a route breaks most, if any."""
    violation = find_violation(route, limits)
    if violation is not None:
        is_wind = violation.limit == "wind"
        met = format_wind(violation.met) if is_wind else f"{violation.met:.1f} {violation.unit}"
        yield f"it breaks the {violation.limit} limit with {met}"


def within_limits(routes: Sequence[SimulatedRoute], limits: Limits) -> list[SimulatedRoute]:
    """Return the routes that keep all limits."""
    return [route for route in routes if find_violation(route, limits) is None]
