"""Web Mercator as fractions of the world's square: x east from 180°W, y south from 85.05°N."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


def project(lng: Any, lat: Any) -> tuple[Floats, Floats]:
    """Web Mercator as fractions of the world's square; poles fall outside it.

    Spherical Mercator, EPSG guidance note 7-2, method 1024.
    """
    phi = np.radians(np.clip(lat, -89.9, 89.9))
    x = np.asarray(lng, dtype=float) / 360 + 0.5
    return x, 0.5 - np.arctanh(np.sin(phi)) / (2 * np.pi)


def unproject_lat(y: Any) -> Floats:
    """Latitude [deg] of a height ``y`` in the world's square."""
    return np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * np.asarray(y)))))
