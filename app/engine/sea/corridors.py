"""Corridors beyond a latitude limit, for voyages with an end beyond it.

Such a voyage must cross the parallel. The price of miles beyond it does not affect voyages for the
earliest arrival; therefore all water beyond it is closed except for corridors along the cheapest
path between the ends and the parallel.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from app.engine.arrays import Floats
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.path import SeaPath

#: Half the width of a corridor [deg of latitude]: 60 nm, as room to avoid weather.
_HALF_WIDTH_DEG: Final = 1.0
_SAMPLE_NM: Final = 5.0


def find_corridors(path: SeaPath, lat: float, side: int) -> BaseGeometry | None:
    """Find the corridors of a path beyond a parallel, at its beginning and at its end.

    ``side`` is 1 if beyond is north, -1 if it is south. ``None`` if all of the path lies beyond.
    """
    lats, lngs = _sample(path)
    beyond = side * (lats - lat) > 0.0
    within = np.flatnonzero(~beyond)
    if within.size == 0:
        return None
    spans = slice(0, int(within[0]) + 1), slice(int(within[-1]), lats.size)
    lines = [(lngs[span], lats[span]) for span in spans if beyond[span].any()]
    corridors: BaseGeometry = shapely.union_all([part for line in lines for part in _widen(*line)])
    return corridors


def _widen(lngs: Floats, lats: Floats) -> Iterator[BaseGeometry]:
    """Yield a line with a buffer, at three multiples of 360 degrees."""
    scale = max(float(np.cos(np.radians(lats)).min()), 0.05)
    line = shapely.linestrings(np.column_stack([scale * np.unwrap(lngs, period=360.0), lats]))
    wide = shapely.transform(line.buffer(_HALF_WIDTH_DEG), lambda xy: xy / np.array([scale, 1.0]))
    for turn in (-360.0, 0.0, 360.0):
        yield shapely.transform(wide, lambda xy, turn=turn: xy + np.array([turn, 0.0]))


def _sample(path: SeaPath) -> tuple[Floats, Floats]:
    """Return latitudes and longitudes [deg] along a path."""
    points = [Position(float(a), float(b)) for a, b in zip(path.lats, path.lngs, strict=True)]
    great_circle = LegGeometry.GREAT_CIRCLE
    samples = [sample_leg(a, b, great_circle, _SAMPLE_NM) for a, b in pairwise(points)]
    return np.concatenate([s[0] for s in samples]), np.concatenate([s[1] for s in samples])
