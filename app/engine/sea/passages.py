"""Passages: canals, straits and fairways, waters too narrow for a grid and kept as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats, split_columns
from app.engine.constants import DEGREE_M, NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.plane import project_on_segments
from app.engine.request import Position
from app.engine.units import wrap_longitude

#: Distance from an open end of a passage up to which ships wait on its roads [nm].
_ROADS_NM: Final = 3.0
#: Distance from the centre line up to which a ship is in the passage at least [m].
_BESIDE_M: Final = NAUTICAL_MILE_M
#: Increase of a draught, as a share of it, from sea water of the first density [kg/m3] to fresh
#: water, the second number lighter; International Convention on Load Lines 1966, reg. 40 (4) (b).
_FRESH_WATER_ALLOWANCE: Final = 1.0 / 48.0
_LOAD_LINE_DENSITY_KGM3, _FRESHER_KGM3 = 1_025.0, 25.0


class PassageKind(StrEnum):
    """Kind of a passage."""

    CANAL = "CANAL"
    STRAIT = "STRAIT"
    RIVER = "RIVER"
    APPROACH = "APPROACH"
    LANE = "LANE"


class Quality(StrEnum):
    """Quality of the source of a value."""

    PUBLISHED = "PUBLISHED"
    APPROXIMATE = "APPROXIMATE"


@dataclass(frozen=True, slots=True)
class Passage:
    """A narrow water: centre line, limits, speed and usual wait.

    ``centre_line`` leads from one open end to the other; both ends are in water of the open-sea
    graph, which the passage joins there. Without ``through_traffic`` only the first point need
    be, and ships use the passage only to reach ports along the line and at its end. Within
    ``half_width_m`` of the line the water is navigable whatever the coastline data show. Limits
    and ``depth_m`` [m] are ``None`` if no source is known. ``min_ukc_m`` is the under-keel
    clearance required by a rule [m]. ``speed_kn`` is the customary or prescribed speed, ``None``
    if there is none; ``waiting_h`` is the usual wait before entering. ``one_way`` passages are
    entered at the first point only. ``gate`` is a line across a lane of a traffic separation
    scheme and the water next to it, which tracks cross only along lanes and other passages.
    ``max_section_m2`` is the greatest product of breadth and draught [m2], where broad ships are
    allowed less draught. ``draft_by_size`` holds the broadest and the longest ship of the greatest
    draught and the greatest ship, each (length, breadth, draught) [m], where long and broad ships
    are allowed less. ``water_density_kgm3`` is the density of the water in which ``max_draft_m``
    is measured, ``None`` for the sea. ``roads_nm`` are the distances from the first and last point
    of the line up to which the roads and harbours before the narrows reach [nm].
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
    max_section_m2: float | None = None
    draft_by_size: tuple[tuple[float, float, float], ...] | None = None
    water_density_kgm3: float | None = None
    roads_nm: tuple[float, float] = (_ROADS_NM, _ROADS_NM)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Passage":
        """Return the passage of fields as JSON has them: lists for tuples, (lat, lng) [deg]."""
        read = dict(fields)
        read["kind"], read["quality"] = PassageKind(read["kind"]), Quality(read["quality"])
        read["centre_line"] = tuple(Position(*point) for point in read["centre_line"])
        if read.get("gate") is not None:
            start, end = read["gate"]
            read["gate"] = Position(*start), Position(*end)
        if read.get("draft_by_size") is not None:
            read["draft_by_size"] = tuple(map(tuple, read["draft_by_size"]))
        if "roads_nm" in read:
            read["roads_nm"] = tuple(read["roads_nm"])
        return cls(**read)

    @property
    def is_scheme_lane(self) -> bool:
        """Return whether the passage is a lane of a traffic separation scheme."""
        return self.one_way and self.gate is not None

    @property
    def is_joined_beside(self) -> bool:
        """Return whether ships may join the passage anywhere, a strait before its gate.

        Lanes of traffic separation schemes have rules of their own, and other lanes are joined at
        their points.
        """
        return self.kind is not PassageKind.LANE

    @property
    def is_inland(self) -> bool:
        """Return whether it is a river or canal, which waves and currents of the sea do not enter.

        Locks are parts of both.
        """
        return self.kind in (PassageKind.RIVER, PassageKind.CANAL)

    def is_mouth(self, position: Position) -> bool:
        """Return whether a position lies at an open end of the passage, within its half width."""
        last = self.centre_line[-1:] if self.through_traffic else ()
        lats, lngs = np.array([position.lat]), np.array([position.lng])
        ends = np.array([*self.centre_line[:1], *last])
        gaps_m = great_circle_distance_nm(lats, lngs, *ends.T) * NAUTICAL_MILE_M
        return bool(gaps_m.min() <= self.half_width_m)

    @property
    def is_proven(self) -> bool:
        """Return whether a depth or a draught limit is known."""
        return self.depth_m is not None or self.max_draft_m is not None

    @property
    def deepest_draft_m(self) -> float | None:
        """Greatest draught in the sea by draught limit, depth and required clearance [m].

        Large ships may have less: :meth:`find_deepest_draft_m`.
        """
        limits_m = []
        if self.max_draft_m is not None:
            limits_m.append(self.max_draft_m / self._draft_over_that_at_sea)
        if self.min_ukc_m is not None and self.depth_m is not None:
            limits_m.append(self.depth_m - self.min_ukc_m)
        return min(limits_m, default=None)

    @property
    def _draft_over_that_at_sea(self) -> float:
        if self.water_density_kgm3 is None:
            return 1.0
        lighter = (_LOAD_LINE_DENSITY_KGM3 - self.water_density_kgm3) / _FRESHER_KGM3
        return 1.0 + _FRESH_WATER_ALLOWANCE * lighter

    @property
    def limits_draft_by_size(self) -> bool:
        """Return whether large ships are allowed less draught than small ones."""
        return self.max_section_m2 is not None or self.draft_by_size is not None

    def find_deepest_draft_m(self, breadth_m: float, loa_m: float) -> float | None:
        """Return the greatest draught at sea of a ship of a size [m], ``None`` if unknown."""
        limits_m = [] if self.deepest_draft_m is None else [self.deepest_draft_m]
        if self.max_section_m2 is not None and breadth_m > 0.0:
            limits_m.append(self.max_section_m2 / breadth_m)
        if self.draft_by_size is not None:
            limits_m.append(_interpolate_draft_m(self.draft_by_size, breadth_m, loa_m))
        return min(limits_m, default=None)

    def has_entered(self, position: Position) -> bool:
        """Return whether a ship at a position is inside, past the roads where ships wait.

        Canals are wider than their channels where they lead through lakes.
        """
        if self.distance_m(*position) > max(self.half_width_m, _BESIDE_M):
            return False
        return self.leads_past_roads(np.array([position.lat]), np.array([position.lng]))

    def wait_along_h(self, lats: Floats, lngs: Floats) -> float:
        """Return the usual wait on a track with n points in the passage, shape (n,) [h].

        There is none for harbours at the roads of one end.
        """
        return self.waiting_h if self.leads_past_roads(lats, lngs) else 0.0

    def leads_past_roads(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether one of n points, shape (n,), lies past the roads of both ends."""
        first, last = self.centre_line[0], self.centre_line[-1]
        off_nm = [great_circle_distance_nm(lats, lngs, *end) for end in (first, last)]
        return bool((np.transpose(off_nm) > self.roads_nm).all(axis=1).any())

    def distance_m(self, lat: float, lng: float) -> float:
        """Return the distance of a point from the centre line [m]."""
        return float(self.distances_m(np.array([lat]), np.array([lng]))[0])

    def distances_m(self, lats: Floats, lngs: Floats) -> Floats:
        """Return the distances of n points from the centre line [m], shape (n,)."""
        gaps_m, _ = self._project(lats, lngs)
        return np.asarray(gaps_m.min(axis=1))

    def locate(self, position: Position) -> float:
        """Return the place on the centre line nearest to a position, in segments from its start."""
        gaps_m, shares = self._project(np.array([position.lat]), np.array([position.lng]))
        segment = int(gaps_m[0].argmin())
        return segment + float(shares[0, segment])

    def _project(self, lats: Floats, lngs: Floats) -> tuple[Floats, Floats]:
        """Project n points on the s segments of the centre line: distances [m] and shares (n, s).

        A share is the place of the nearest point between a segment's ends, 0..1.
        """
        line_lats, line_lngs, middle = _as_arrays(self.centre_line)
        # as a whole: the parts of a line on the other side of the globe would lie on either side
        east = line_lngs - middle + np.asarray(wrap_longitude(middle - lngs))[:, None]
        x = east * np.cos(np.radians(lats))[:, None] * DEGREE_M
        y = (line_lats - lats[:, None]) * DEGREE_M
        return project_on_segments(x, y)

    @property
    def has_limits(self) -> bool:
        """Return whether the passage limits the size or draught of ships."""
        limits = (
            self.max_draft_m,
            self.max_breadth_m,
            self.max_loa_m,
            self.max_air_draft_m,
            self.depth_m,
        )
        return any(limit is not None for limit in limits)


def _interpolate_draft_m(
    ships: Sequence[tuple[float, float, float]], breadth_m: float, loa_m: float
) -> float:
    """Return the draught of a size on the plane through three ships of an authority's table [m].

    Ships shorter than the broadest of the greatest draught, or narrower than the longest, count as
    of that length or breadth.
    """
    (short_m, broad_m, deep_m), (long_m, narrow_m, _), (top_m, wide_m, shallow_m) = ships
    along, across = long_m - short_m, broad_m - narrow_m

    def beyond(length_m: float, breadth_m: float) -> float:
        return (length_m - short_m) / along + (breadth_m - broad_m) / across

    share = beyond(max(loa_m, short_m), max(breadth_m, narrow_m)) / beyond(top_m, wide_m)
    return deep_m - (deep_m - shallow_m) * share


@lru_cache(maxsize=1024)
def _as_arrays(line: tuple[Position, ...]) -> tuple[Floats, Floats, float]:
    """Return the latitudes, the unwrapped longitudes and the middle longitude of a line [deg]."""
    lats, lngs = split_columns(line)
    lngs = np.unwrap(lngs, period=360.0)
    return lats, lngs, 0.5 * float(lngs.min() + lngs.max())
