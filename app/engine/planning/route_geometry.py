"""The record of a route without times."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.sailing.track import Track
from app.engine.sea.path import Leg, PassageUse


@dataclass(frozen=True, slots=True)
class RouteGeometry:
    """A route's legs and track, without times.

    ``depth_m``, shape (n,), is the least depth of each segment of ``track``, NaN where unknown.
    ``is_unproven``, same shape, marks those of unknown depth on unproven water, and in passages of
    which neither depth nor draught limit is known. ``prices`` are as in ``Conditions``.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    track: Track
    depth_m: Floats
    is_unproven: Bools
    prices: NDArray[np.float32]
