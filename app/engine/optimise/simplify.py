"""Simplification of a line to fewer positions, with all legs clear."""

from collections.abc import Callable

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy import unit_vectors


def simplify_line(
    lats: Floats, lngs: Floats, tolerance_nm: float, is_clear: Callable[[int, int], bool]
) -> Ints:
    """Return the indices of the points of a line to keep, ascending.

    The line lies within the tolerance of the great circles between successive kept points, and
    each such pair satisfies ``is_clear`` unless the two are neighbours in the line.

    Douglas and Peucker (1973), "Algorithms for the reduction of the number of points", The
    Canadian Cartographer 10(2), 112-122, with great circles instead of straight lines.
    """
    vectors = unit_vectors(lats, lngs)
    kept = [0, lats.size - 1]
    pending = [(0, lats.size - 1)]
    while pending:
        first, last = pending.pop()
        if last - first < 2:
            continue
        off_nm = _off_line_nm(vectors[first : last + 1])[1:-1]
        if off_nm.max() > tolerance_nm or not is_clear(first, last):
            farthest = first + 1 + int(np.argmax(off_nm))
            kept.append(farthest)
            pending += [(first, farthest), (farthest, last)]
    return np.array(sorted(kept))


def _off_line_nm(vectors: Floats) -> Floats:
    """Return the distances of points from the great circle through the first and the last [nm].

    The points are unit vectors, shape (n, 3).
    """
    (a, b, c), (d, e, f) = vectors[0], vectors[-1]
    pole = np.array([b * f - c * e, c * d - a * f, a * e - b * d])
    length = np.linalg.norm(pole)
    if length < 1e-12:
        return np.zeros(len(vectors))
    return np.asarray(
        EARTH_RADIUS_NM * np.abs(np.arcsin(np.clip(vectors @ pole / length, -1.0, 1.0)))
    )
