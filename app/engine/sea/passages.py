"""Canals, straits and fairways: waters too narrow for a grid, held as data."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.engine.request import Position
from app.engine.sea.coast import DEGREE_M

Floats = NDArray[np.float64]


class PassageKind(StrEnum):
    """What sort of narrow water a passage is."""

    CANAL = "CANAL"
    STRAIT = "STRAIT"
    RIVER = "RIVER"
    APPROACH = "APPROACH"
    LANE = "LANE"


class Quality(StrEnum):
    """How far a value can be trusted."""

    PUBLISHED = "PUBLISHED"
    APPROXIMATE = "APPROXIMATE"


@dataclass(frozen=True, slots=True)
class Passage:
    """One narrow water: its centre line, what fits through it and at what pace.

    ``centre_line`` runs from one open end to the other; both ends lie in water
    that the open-sea graph knows, so the passage joins it there. Where
    ``through_traffic`` is false only the first point need do so, and ports lie
    along the line and at its end. Along the line,
    and ``half_width_m`` to each side, the passage vouches for the water where
    the coastline data cannot. Limits and ``depth_m`` [m] are ``None`` where no
    source is known. ``min_ukc_m`` is the water that a
    rule wants under the keel. ``speed_kn`` is what is customary or prescribed inside,
    ``None`` where the ship keeps its own; ``waiting_h`` is the usual wait before
    entering. ``one_way`` passages are entered at the first point only.
    ``through_traffic`` is false where ships go only to reach a port inside. ``gate`` is a line
    across a lane of a traffic separation scheme, and the water around it that the lane stands
    for: no track crosses it but along lanes and other passages.
    """

    id: str
    name: str
    kind: PassageKind
    centre_line: tuple[Position, ...]
    half_width_m: float
    max_draft_m: float | None = None
    max_breadth_m: float | None = None
    max_loa_m: float | None = None
    max_air_draft_m: float | None = None
    depth_m: float | None = None
    min_ukc_m: float | None = None
    speed_kn: float | None = None
    waiting_h: float = 0.0
    one_way: bool = False
    through_traffic: bool = True
    gate: tuple[Position, Position] | None = None
    source: str = ""
    quality: Quality = Quality.APPROXIMATE

    @property
    def deepest_draft_m(self) -> float | None:
        """The greatest draught that limit, depth and rule of clearance leave, at rest [m]."""
        if self.min_ukc_m is None or self.depth_m is None:
            return self.max_draft_m
        by_rule_m = self.depth_m - self.min_ukc_m
        return by_rule_m if self.max_draft_m is None else min(self.max_draft_m, by_rule_m)

    def distance_m(self, lat: float, lng: float) -> float:
        """Distance of a point from the centre line [m]."""
        return float(self.distances_m(np.array([lat]), np.array([lng]))[0])

    def distances_m(self, lats: Floats, lngs: Floats) -> Floats:
        """Distances of n points from the centre line [m], shape (n,)."""
        line_lats, line_lngs = _as_arrays(self.centre_line)
        east = (line_lngs - lngs[:, None] + 180.0) % 360.0 - 180.0
        x = east * np.cos(np.radians(lats))[:, None] * DEGREE_M
        y = (line_lats - lats[:, None]) * DEGREE_M
        dx, dy = np.diff(x), np.diff(y)
        length2 = np.maximum(dx * dx + dy * dy, 1e-9)
        t = np.clip(-(x[:, :-1] * dx + y[:, :-1] * dy) / length2, 0.0, 1.0)
        gaps_m = np.hypot(x[:, :-1] + t * dx, y[:, :-1] + t * dy)
        return np.asarray(gaps_m.min(axis=1))

    @property
    def has_limits(self) -> bool:
        """Return whether some ship is known to be too large or too deep."""
        limits = (
            self.max_draft_m,
            self.max_breadth_m,
            self.max_loa_m,
            self.max_air_draft_m,
            self.depth_m,
        )
        return any(limit is not None for limit in limits)


@lru_cache(maxsize=1024)
def _as_arrays(line: tuple[Position, ...]) -> tuple[Floats, Floats]:
    """Latitudes and longitudes of a line [deg]."""
    lats, lngs = np.array(line).T
    return lats, lngs
