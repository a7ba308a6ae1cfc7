"""The lattice that dynamic programming runs over."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints

#: Columns of ``Lattice.segments``.
LAT, LNG, COURSE_DEG, DISTANCE_NM, CAP_KN, WAIT_H, DEPTH_M, IS_INLAND = range(8)


class Lattice(NamedTuple):
    """Nodes in stages across the route, and the edges from each stage to the next.

    ``lats`` and ``lngs``, shape (s, p), are the p nodes of each of s stages; nodes that a stage
    does not use have no edges. ``clear``, shape (s - 1, p, p), is whether the straight edge from
    node i of stage k to node j of the next may be sailed. It is closed between ``closed_from_h``
    and ``closed_to_h``, shape (s - 1, p, p, m), up to m separate times in order; unused ones at
    the end are infinite and minus infinite.

    A prescribed stage, through a canal or along a fixed track, has one node. Its segments are the
    rows ``first_segment[k]`` to ``first_segment[k + 1]`` of ``segments``, shape (n, 8): latitude
    and longitude of the middle [deg], course [deg], distance [nm], highest speed allowed [kn],
    hours waited before it, depth [m], and 1 on inland waters, else 0. An edge without such rows is
    a straight line.

    ``price``, shape (s - 1, p, p), is the weight of the fuel burnt on each edge, and
    ``hour_price_t``, same shape, the fuel that an hour on each straight edge costs more than
    elsewhere [t]; empty if none does.
    """

    lats: Floats
    lngs: Floats
    clear: Bools
    closed_from_h: Floats
    closed_to_h: Floats
    first_segment: Ints
    segments: Floats
    price: Floats
    hour_price_t: Floats


class SearchSettings(NamedTuple):
    """Resolution and objective of the search of a lattice.

    ``speeds_kn``, shape (s - 1, m), are the speeds tried from each stage. The window of arrival
    times at a stage begins at ``from_h``, shape (s,), and has ``bins`` of ``width_h``, shape (s,).
    ``fuel_price`` and ``hour_prices``, shape (bins,), weigh the sum that is minimised in a bin.

    Weather is sampled every ``weather_spacing_nm``. Time and fuel of an edge are computed for
    departures at most ``longest_step_h`` apart and interpolated linearly. Where a limit closes an
    edge of a stage at one of those times, the distances are at most ``limited_spacing_nm`` and the
    steps ``limited_step_h``, if that is less.
    ``longest_wait_h``, shape (s,), is the longest wait at a stage for an edge to open.
    """

    speeds_kn: Floats
    from_h: Floats
    width_h: Floats
    bins: int
    fuel_price: float
    hour_prices: Floats
    weather_spacing_nm: float
    longest_step_h: float
    limited_spacing_nm: float
    limited_step_h: float
    longest_wait_h: Floats


class StageLabels(NamedTuple):
    """The labels of all stages, shape (s, p, bins): exact time [h] and fuel.

    They are infinite where there is no label. ``left_h``, undefined there, is the time of
    departure from the parent node, later than the arrival there if the ship waited; ``parent``,
    shape (s, p, bins, 3), is that node, its bin and the speed.
    """

    time_h: Floats
    fuel: Floats
    left_h: Floats
    parent: NDArray[np.int16]
