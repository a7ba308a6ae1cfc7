"""Do legs cross land? An independent judge: shapely and GEOS on the full GSHHG polygons.

Nothing of the engine's own coast tests is used here, so that they are tested too.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import LineString, Point

from app.datasources.gshhg import Coastline, load_coastline
from app.engine.geodesy import sample_leg
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.voyage import LegGeometry

_PIECE = 128
_STEP_NM = 2.0
_DEGREE_M = 111_195.0


class LandCheck:
    """Counts legs on land, passages excepted within their half width."""

    def __init__(self, passages: Sequence[Passage], coast: Coastline | None = None) -> None:
        self._coast = coast or load_coastline()
        self._passages = passages

    @cached_property
    def _pieces(self) -> shapely.STRtree:
        """The coastline cut into pieces of some hundred edges."""
        coords, ids, count = [], [], 0
        for i in range(len(self._coast.levels)):
            ring = self._coast.get_ring(i)
            for a in range(0, len(ring) - 1, _PIECE):
                piece = ring[a : a + _PIECE + 1]
                coords.append(piece)
                ids.append(np.full(len(piece), count))
                count += 1
        lines = shapely.linestrings(
            np.concatenate(coords).astype(np.float64), indices=np.concatenate(ids)
        )
        return shapely.STRtree(lines)

    @cached_property
    def _polygons(self) -> shapely.STRtree:
        rings = [
            shapely.linearrings(self._coast.get_ring(i).astype(np.float64))
            for i in range(len(self._coast.levels))
        ]
        polygons = shapely.polygons(rings)
        shapely.prepare(polygons)
        return shapely.STRtree(polygons)

    @cached_property
    def _corridors(self) -> shapely.STRtree:
        """The passages' vouched water, as polygons in degrees."""
        return shapely.STRtree([part for passage in self._passages for part in _widen(passage)])

    def is_land(self, lat: float, lng: float) -> bool:
        """Whether a point is inside an odd number of rings."""
        hits = self._polygons.query(Point(lng, lat), predicate="intersects")
        return len(hits) % 2 == 1

    def is_offshore(self, lat: float, lng: float, distance_nm: float) -> bool:
        """Whether no coast lies within a distance of a point."""
        scale = float(np.cos(np.radians(lat)))
        circle = Point(lng * scale, lat).buffer(distance_nm / 60.0)
        wide = shapely.transform(circle, lambda xy: xy / np.array([scale, 1.0]))
        return not self._pieces.query(wide, predicate="intersects").size

    def list_legs_on_land(self, legs: Sequence[Leg]) -> list[Leg]:
        """The legs of a route of which any part touches land, on either line."""
        return [leg for leg in legs if self._touches(leg)]

    def _touches(self, leg: Leg) -> bool:
        for geometry in LegGeometry:
            for line in draw_leg(leg, geometry):
                if self.is_line_on_land(line):
                    return True
        middle = draw_leg(leg, leg.geometry)[0].interpolate(0.5, normalized=True)
        return self.is_land(middle.y, middle.x) and not self._is_vouched(middle)

    def is_line_on_land(self, line: LineString) -> bool:
        """Whether a line in lng, lat [deg] touches the coast outside all passages."""
        if not self._pieces.query(line, predicate="intersects").size:
            return False
        vouched = self._corridors.query(line, predicate="intersects")
        if vouched.size:
            line = line.difference(shapely.union_all(self._corridors.geometries[vouched]))
        return bool(not line.is_empty and self._pieces.query(line, predicate="intersects").size)

    def _is_vouched(self, point: Point) -> bool:
        return self._corridors.query(point, predicate="intersects").size > 0


def draw_leg(leg: Leg, geometry: LegGeometry) -> list[LineString]:
    """A leg as lines in lng, lat [deg], cut at the antimeridian."""
    lats, lngs = sample_leg(leg.start, leg.end, geometry, _STEP_NM)
    return cut_at_antimeridian(lats, lngs)


def cut_at_antimeridian(lats: NDArray[np.float64], lngs: NDArray[np.float64]) -> list[LineString]:
    """A dense line as pieces that don't jump from 180 E to 180 W."""
    jumps = np.flatnonzero(np.abs(np.diff(lngs)) > 180.0) + 1
    pieces = []
    for a, b in zip([0, *jumps], [*jumps, lngs.size], strict=True):
        points = list(zip(lngs[a:b].tolist(), lats[a:b].tolist(), strict=True))
        pieces.append(LineString(points * 2 if len(points) == 1 else points))
    return pieces


def _widen(passage: Passage) -> Iterable[shapely.Geometry]:
    """Each part of a centre line, widened by the half width in its own plane."""
    for a, b in zip(passage.centre_line, passage.centre_line[1:], strict=False):
        scale = float(np.cos(np.radians((a.lat + b.lat) / 2.0)))
        flat = LineString([(a.lng * scale, a.lat), (b.lng * scale, b.lat)])
        wide = flat.buffer((passage.half_width_m + 5.0) / _DEGREE_M)
        yield shapely.transform(wide, lambda xy, s=scale: xy / np.array([s, 1.0]))
