"""Independent check of legs for land, with shapely and GEOS on the full GSHHG polygons.

It uses none of the engine's own coast tests, so that it tests them too.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import LineString

from app.datasources.gshhg import LAKE, Coastline, load_coastline
from app.engine.arrays import Bools, Floats, Ints
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg

#: Edges per piece of coast, points per run of a line, corners of a circle.
_PIECE: Final = 128
_RUN: Final = 16
_CIRCLE: Final = 33
_STEP_NM: Final = 2.0
_DEGREE_M: Final = 111_195.0


class LandCheck:
    """Finds legs on land, except in passages within their half width."""

    def __init__(self, passages: Sequence[Passage], coast: Coastline | None = None) -> None:
        self._coast = coast or load_coastline()
        self._passages = passages

    @cached_property
    def coast_pieces(self) -> shapely.STRtree:
        """Coastline cut into pieces of some hundred edges."""
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
        """Water of the passages as polygons in degrees."""
        return shapely.STRtree([part for passage in self._passages for part in _widen(passage)])

    def find_land(self, lngs: Floats, lats: Floats) -> Bools:
        """Return which points, (n,) each [deg], are inside an odd number of rings."""
        points, _ = self._find_rings_around(lngs, lats)
        return np.bincount(points, minlength=lngs.size) % 2 == 1

    def find_lakes(self, lngs: Floats, lats: Floats) -> Bools:
        """Return which points, (n,) each [deg], are inside the ring of a lake."""
        points, rings = self._find_rings_around(lngs, lats)
        lakes = self._coast.levels[rings] == LAKE
        return np.bincount(points[lakes], minlength=lngs.size) > 0

    def _find_rings_around(self, lngs: Floats, lats: Floats) -> tuple[Ints, Ints]:
        """Return pairs of a point and a ring around it, by number."""
        points, rings = self._polygons.query(shapely.points(lngs, lats))
        inside = shapely.intersects_xy(self._polygons.geometries[rings], lngs[points], lats[points])
        return points[inside], rings[inside]

    def find_offshore(self, lngs: Floats, lats: Floats, distance_nm: float) -> Bools:
        """Return which points, (n,) each [deg], have no coast within a distance."""
        bearing = np.linspace(0.0, 2.0 * np.pi, _CIRCLE)
        size = distance_nm / 60.0 / np.cos(np.pi / (_CIRCLE - 1))
        east = size * np.sin(bearing) / np.cos(np.radians(lats))[:, None]
        north = np.broadcast_to(size * np.cos(bearing), east.shape)
        circles = shapely.polygons(np.stack([lngs[:, None] + east, lats[:, None] + north], axis=2))
        near, _ = self.coast_pieces.query(circles, predicate="intersects")
        return np.bincount(near, minlength=lngs.size) == 0

    def find_legs_on_land(self, legs: Sequence[Leg]) -> Bools:
        """Return which legs touch land with any part, on either line."""
        drawn = [(i, leg, geometry) for i, leg in enumerate(legs) for geometry in LegGeometry]
        lines, owners, middles = [], [], []
        for i, leg, geometry in drawn:
            parts = draw_leg(leg, geometry)
            lines += parts
            owners += [i] * len(parts)
            middles.append(parts[0].interpolate(0.5, normalized=True))
        on_land = np.zeros(len(legs), dtype=np.bool_)
        on_land[np.array(owners, dtype=np.int64)[self.find_lines_on_land(lines)]] = True
        places = np.array(middles, dtype=object)
        ashore = self.find_land(shapely.get_x(places), shapely.get_y(places))
        vouched = np.zeros(len(places), dtype=np.bool_)
        vouched[self._corridors.query(places, predicate="intersects")[0]] = True
        on_land[[drawn[i][0] for i in np.flatnonzero(ashore & ~vouched)]] = True
        return on_land

    def find_near(self, lngs: Floats, lats: Floats, within_nm: float) -> Bools:
        """Return which points, (n,) each [deg], have coast within a distance, or slightly more."""
        reach_deg = within_nm / 60.0 / np.maximum(np.cos(np.radians(lats)), 0.05)
        found, _ = self.coast_pieces.query(
            shapely.points(lngs, lats), predicate="dwithin", distance=reach_deg
        )
        return np.bincount(found, minlength=lngs.size) > 0

    def find_lines_on_land(self, lines: Sequence[LineString]) -> Bools:
        """Return which lines in lng, lat [deg] touch the coast outside all passages."""
        on_land = np.zeros(len(lines), dtype=np.bool_)
        runs, owners = _cut_short(lines)
        touching = np.unique(self.coast_pieces.query(runs, predicate="intersects")[0])
        for i in touching.tolist():
            on_land[owners[i]] |= self._is_unvouched(runs[i])
        return on_land

    def _is_unvouched(self, line: LineString) -> bool:
        """Return whether a line touches the coast outside all passages too."""
        vouched = self._corridors.query(line, predicate="intersects")
        if vouched.size:
            line = line.difference(shapely.union_all(self._corridors.geometries[vouched]))
        return bool(
            not line.is_empty and self.coast_pieces.query(line, predicate="intersects").size
        )


def _cut_short(lines: Sequence[LineString]) -> tuple[NDArray[np.object_], Ints]:
    """Return lines cut into short runs, whose boxes meet little coast, and their line numbers."""
    runs, owners = [], []
    for i, line in enumerate(lines):
        points = shapely.get_coordinates(line)
        for first in range(0, len(points) - 1, _RUN):
            runs.append(LineString(points[first : first + _RUN + 1]))
            owners.append(i)
    return np.array(runs, dtype=object), np.array(owners, dtype=np.int64)


def draw_leg(leg: Leg, geometry: LegGeometry) -> list[LineString]:
    """Return a leg as lines in lng, lat [deg], cut at the antimeridian."""
    lats, lngs = sample_leg(leg.start, leg.end, geometry, _STEP_NM)
    return cut_at_antimeridian(lats, lngs)


def cut_at_antimeridian(lats: Floats, lngs: Floats) -> list[LineString]:
    """Return a dense line as pieces that do not jump from 180 E to 180 W."""
    jumps = np.flatnonzero(np.abs(np.diff(lngs)) > 180.0) + 1
    pieces = []
    for a, b in zip([0, *jumps], [*jumps, lngs.size], strict=True):
        points = list(zip(lngs[a:b].tolist(), lats[a:b].tolist(), strict=True))
        pieces.append(LineString(points * 2 if len(points) == 1 else points))
    return pieces


def _widen(passage: Passage) -> Iterable[shapely.Geometry]:
    """Return each part of a centre line widened by the half width, in its own plane."""
    for a, b in zip(passage.centre_line, passage.centre_line[1:], strict=False):
        scale = float(np.cos(np.radians((a.lat + b.lat) / 2.0)))
        flat = LineString([(a.lng * scale, a.lat), (b.lng * scale, b.lat)])
        wide = flat.buffer((passage.half_width_m + 5.0) / _DEGREE_M)
        yield shapely.transform(wide, lambda xy, s=scale: xy / np.array([s, 1.0]))
