"""Distances in the plane tangent to the earth at a point."""

import numpy as np

from app.engine.arrays import Floats


def project_on_segments(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Project the origin on the segments of lines of n + 1 points, shape (..., n + 1).

    Return the distances from the segments, and the places of the nearest points between their
    ends, 0..1, both of shape (..., n).
    """
    dx, dy = np.diff(x), np.diff(y)
    x0, y0 = x[..., :-1], y[..., :-1]
    squared = np.maximum(dx * dx + dy * dy, 1e-9)
    shares = np.clip(-(x0 * dx + y0 * dy) / squared, 0.0, 1.0)
    return np.hypot(x0 + shares * dx, y0 + shares * dy), shares
