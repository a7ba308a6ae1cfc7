"""Positions on the unit sphere as vectors; distances between them are chords."""

import numpy as np

from app.engine.arrays import Floats


def unit_vectors(lats: Floats, lngs: Floats) -> Floats:
    """Return the unit vectors of positions [deg] of shape (n,), shape (n, 3)."""
    phi, lam = np.radians(lats), np.radians(lngs)
    return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
