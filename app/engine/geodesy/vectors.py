"""Positions on the sphere as vectors, between which distances are chords."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def unit_vectors(lats: Array, lngs: Array) -> Array:
    """Return positions [deg], each of shape (n,), as unit vectors, shape (n, 3)."""
    p, q = np.radians(lats), np.radians(lngs)
    return np.column_stack([np.cos(p) * np.cos(q), np.cos(p) * np.sin(q), np.sin(p)])
