"""Whether a sailed route keeps the captain's limits on waves and wind."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.engine.errors import LimitsTooTight
from app.engine.voyage import Limits
from app.engine.ways import SailedRoute


@dataclass(frozen=True, slots=True)
class Excess:
    """The worst excess over a limit on a route.

    ``share`` is the value over the limit; ``point`` is the track's.
    """

    limit: str
    unit: str
    allowed: float
    met: float
    point: int

    @property
    def share(self) -> float:
        """The value met over the value allowed."""
        return self.met / self.allowed


def find_excess(route: SailedRoute, limits: Limits) -> Excess | None:
    """The limit that a route breaks most, ``None`` where it keeps all or no weather is known."""
    if route.weather is None:
        return None
    checks = (
        ("wave height", "m", limits.wave_height_m, route.weather.wave_height_m),
        ("wind", "m/s", limits.wind_speed_ms, route.weather.wind_speed_ms),
    )
    broken = [
        Excess(name, unit, allowed, float(met.max()), int(np.argmax(met)))
        for name, unit, allowed, met in checks
        if allowed is not None and met.max() > allowed
    ]
    return max(broken, key=lambda excess: excess.share, default=None)


def keep_within(routes: Sequence[SailedRoute], limits: Limits) -> list[SailedRoute]:
    """The routes that keep all limits.

    Raises
    ------
    LimitsTooTight
        When none does; tells of the route that comes nearest.
    """
    measured = [(route, find_excess(route, limits)) for route in routes]
    kept = [route for route, excess in measured if excess is None]
    if kept:
        return kept
    route, excess = min(
        ((route, excess) for route, excess in measured if excess is not None),
        key=lambda pair: pair[1].share,
    )
    raise _too_tight(route, excess)


def _too_tight(route: SailedRoute, excess: Excess) -> LimitsTooTight:
    position, time = (
        route.sailing.track.position(excess.point),
        route.sailing.time_at(excess.point),
    )
    return LimitsTooTight(
        f"No way keeps the {excess.limit} under {excess.allowed:.1f} {excess.unit}. The best, "
        f"{route.label}, meets {excess.met:.1f} {excess.unit} at {position.lat:.2f}, "
        f"{position.lng:.2f} on {time:%a %d %b %H:%M} UTC. Raise the limit or leave at "
        "another time.",
        limit=excess.limit,
        allowed=excess.allowed,
        met=excess.met,
        unit=excess.unit,
        lat=position.lat,
        lng=position.lng,
        time=time.isoformat(),
    )
