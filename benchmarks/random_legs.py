"""Random legs near coasts, checked by the engine and by independent code.

The independent code computes lines on WGS 84 by PROJ, tests coast and areas by GEOS, and reads
depths from the grid by NumPy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPolygon

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.arrays import Floats
from app.engine.checking.check import check_route
from app.engine.checking.findings import Finding
from app.engine.codes import FindingCode
from app.engine.geodesy import great_circle_destination, great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from benchmarks.exported_files import draw_line
from benchmarks.land_check import LandCheck, cut_at_antimeridian

#: Greatest length of legs from a harbour [nm].
_REACH_NM: Final = 40.0
#: Nearer than this to the harbours of their ends the two checks differ [nm].
_HARBOUR_NM: Final = 3.0
#: Least distance to land at which the depth grid counts [nm], and the margin of the opposite
#: verdict [m].
_OFF_LAND_NM: Final = 13.0
_MARGIN_M: Final = 5.0
_NODES_PER_DEG: Final = 12
_NO_DEPTH: Final = 32_767
_SPEED_KN: Final = 8.0
#: Findings that warn a captain that a leg may be too shallow: unknown is never safe.
_SHALLOW: Final = frozenset(
    {
        FindingCode.TOO_SHALLOW,
        FindingCode.LOW_UKC,
        FindingCode.LAND_CROSSED,
        FindingCode.DEPTH_UNKNOWN,
    }
)


@dataclass(frozen=True)
class JudgedLeg:
    """A leg with the verdicts of check and judge.

    The judge's ``depth`` is ``None`` without an opinion; ours is whether the captain is warned.
    """

    start: Position
    end: Position
    land: tuple[bool, bool]
    area: tuple[bool, bool]
    depth: tuple[bool, bool | None]

    @property
    def is_agreed(self) -> bool:
        """Return whether both agree about land, area and depth."""
        depth_agrees = self.depth[1] in (None, self.depth[0])
        return self.land[0] == self.land[1] and self.area[0] == self.area[1] and depth_agrees


class LegJudge:
    """Draws legs by a seed, and checks them."""

    def __init__(self, seed: int, context: PlanningContext, land: LandCheck) -> None:
        self.random, self.context, self.land = np.random.default_rng(seed), context, land
        self.depths = np.asarray(context.sea.depths, dtype=np.float64)
        self.depths[self.depths == _NO_DEPTH] = np.nan

    def judge(self, count: int) -> Iterator[JudgedLeg]:
        """Check a number of legs."""
        sea, made = self.context.sea, 0
        while made < count:
            a, b = self._draw_ends(sea)
            if not all(sea.is_water(*end) for end in (a, b)):
                continue
            given = [GivenWaypoint(end, LegGeometry.RHUMB, speed_kn=_SPEED_KN) for end in (a, b)]
            area = self._draw_area(a, b)
            context = _forbid(self.context, area)
            found = check_route(context, given).findings
            if any("harbour" in f.message for f in _of(FindingCode.DEPTH_UNKNOWN, found)):
                continue
            made += 1
            rhumb, great = (draw_line(a, b, is_great) for is_great in (False, True))
            lines = [*cut_at_antimeridian(*rhumb), *cut_at_antimeridian(*great)]
            yield JudgedLeg(
                a,
                b,
                (
                    bool(_of(FindingCode.LAND_CROSSED, found)),
                    bool(self.land.find_lines_on_land(lines).any()),
                ),
                (bool(_of(FindingCode.AREA_ENTERED, found)), _enters(area, lines)),
                (any(f.code in _SHALLOW for f in found), self._is_shallow(*rhumb)),
            )

    def _draw_ends(self, sea: SeaAtlas) -> tuple[Position, Position]:
        while True:
            harbour = int(self.random.integers(len(sea.harbours.lats)))
            at = float(sea.harbours.lats[harbour]), float(sea.harbours.lngs[harbour])
            a, b = self._near(at), self._near(at)
            miles = float(great_circle_distance_nm(*a, *b))
            if miles >= 2.0 * _HARBOUR_NM and max(abs(a.lat), abs(b.lat)) <= 75.0:
                return a, b

    def _near(self, at: tuple[float, float]) -> Position:
        course, miles = self.random.uniform(0.0, 360.0), self.random.uniform(0.0, _REACH_NM)
        lat, lng = great_circle_destination(*at, course, miles)
        return Position(float(lat), float(lng))

    def _draw_area(self, a: Position, b: Position) -> Area:
        """Return a star of five corners that a leg may or may not cross."""
        share = self.random.uniform(0.2, 0.8)
        east = (b.lng - a.lng + 180.0) % 360.0 - 180.0
        lat, lng = a.lat + share * (b.lat - a.lat), a.lng + share * east
        bearings = np.sort(self.random.uniform(0.0, 2.0 * np.pi, 5))
        reach = self.random.uniform(0.02, 0.15, 5)
        lat, lng = lat + self.random.normal(0.0, 0.1), lng + self.random.normal(0.0, 0.1)
        ring = np.column_stack([lng + reach * np.cos(bearings), lat + reach * np.sin(bearings)])
        star = MultiPolygon([shapely.convex_hull(shapely.MultiPoint(ring))])
        return Area("star", "Star", AreaKind.NO_GO, AreaRule.NO_ENTRY, star)

    def _is_shallow(self, lats: Floats, lngs: Floats) -> bool | None:
        """Return whether the ship would ground by the grid; ``None`` near land and in doubt."""
        far = ~self.land.find_near(lngs, lats, _OFF_LAND_NM)
        depth_m = self._interpolate(lats, lngs)
        if (depth_m[far] < self.context.request.loading.deepest_draft_m).any():
            return True
        is_deep = far.all() and (depth_m > self.context.size.least_depth_m + _MARGIN_M).all()
        return False if is_deep else None

    def _interpolate(self, lats: Floats, lngs: Floats) -> Floats:
        y, x = (lats + 90.0) * _NODES_PER_DEG, ((lngs + 180.0) % 360.0) * _NODES_PER_DEG
        row, col = np.floor(y).astype(int), np.floor(x).astype(int)
        right = (col + 1) % self.depths.shape[1]
        fx, fy = x - col, y - row
        low = self.depths[row, col] * (1.0 - fx) + self.depths[row, right] * fx
        high = self.depths[row + 1, col] * (1.0 - fx) + self.depths[row + 1, right] * fx
        return np.asarray(low * (1.0 - fy) + high * fy)


def _of(code: FindingCode, findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.code is code]


def _forbid(context: PlanningContext, area: Area) -> PlanningContext:
    return replace(context, request=replace(context.request, areas=(area,)))


def _enters(area: Area, lines: Sequence[LineString]) -> bool:
    return any(area.geometry.intersects(line) for line in lines)
