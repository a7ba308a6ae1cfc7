"""Time and fuel of the edges between two stages of a lattice.

Weather is sampled once for all edges, on rows between the two stages and at the times of a grid.
Every edge interpolates in these samples, so that neighbouring edges meet the same weather.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import (
    EdgeBatch,
    TimeGrid,
    add_rates,
    build_time_grid,
)
from app.engine.optimise.lattice import Lattice, SearchSettings
from app.engine.optimise.medium import CONDITIONS, fill_rates, sample
from app.engine.optimise.surface import measure_segment, wrap_longitude_difference
from app.engine.weather.kernels import zero_if_unknown

#: Most parts of an edge with weather of their own.
_MAX_PARTS: Final = 64
#: Distance from a column, in columns, within which an edge counts as crossing there.
_AT_A_COLUMN: Final = 1e-9


class StageEdges(NamedTuple):
    """The edges of one stage.

    ``distance_nm`` and ``course_deg``, shape (p, p), are those of the clear edges. ``middle_kn``
    is the speed by which the time at an edge's middle is estimated; ``time_grid`` holds such
    times. ``conditions``, shape (parts, p, CONDITIONS, times), are sampled on one row in the
    middle of each of the ``parts`` of the stage; ``is_open``, shape (parts, p, times), is whether
    they keep the limits, and ``is_limited`` whether some do not. ``weight_from`` is 0 if all
    edges begin at one position, else 1, and ``weight_to`` likewise for their ends: they weigh the
    columns at both ends where an edge crosses a row. ``may_wait`` is whether ships may wait for an
    edge to open; the time grid then extends to their departure.
    """

    distance_nm: Floats
    course_deg: Floats
    middle_kn: float
    time_grid: TimeGrid
    parts: int
    conditions: Floats
    is_open: Bools
    is_limited: bool
    weight_from: float
    weight_to: float
    may_wait: bool


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def find_label_times(time_h: Floats, fuel: Floats) -> tuple[float, float]:
    """Return the first and the last time of a node's labels; the first is infinite without any."""
    first, last = math.inf, -math.inf
    for b in range(time_h.size):
        if fuel[b] < math.inf:
            first, last = min(first, time_h[b]), max(last, time_h[b])
    return first, last


@njit(cache=True, nogil=True, error_model="numpy")
def build_stage_edges(
    medium: Any,
    radius_nm: float,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    time_h: Floats,
    fuel: Floats,
) -> StageEdges:
    """Build the edges of stage ``k`` for its labels' times and fuel, shape (p, bins).

    If a limit is exceeded on the first time grid, weather is sampled again at shorter steps; if
    ships may wait for an edge to open, up to the time at which the last of them departs.
    """
    middle_kn = search.speeds_kn[k, search.speeds_kn.shape[1] // 2]
    distance_nm, course_deg, passing = _measure_edges(
        radius_nm, lattice, search, k, middle_kn, time_h, fuel
    )
    stage_h = passing.mean_nm / middle_kn
    parts = min(max(round(passing.mean_nm / search.weather_spacing_nm), 1), _MAX_PARTS)
    time_grid = build_time_grid(passing.first_h, passing.last_h, search.longest_step_h)
    conditions, is_open = _sample_rows(medium, radius_nm, lattice, k, time_grid, parts, stage_h)
    is_limited = not is_open.all()
    may_wait = passing.last_waiting_h > passing.last_h and (passing.has_closure or is_limited)
    if may_wait or is_limited:
        time_grid = build_time_grid(
            passing.first_h,
            passing.last_waiting_h if may_wait else passing.last_h,
            min(search.limited_step_h if is_limited else math.inf, search.longest_step_h),
        )
        conditions, is_open = _sample_rows(medium, radius_nm, lattice, k, time_grid, parts, stage_h)
    return StageEdges(
        distance_nm,
        course_deg,
        middle_kn,
        time_grid,
        parts,
        conditions,
        is_open,
        not is_open.all(),
        0.0 if _is_single_position(lattice, k) else 1.0,
        0.0 if _is_single_position(lattice, k + 1) else 1.0,
        may_wait,
    )


class _PassingTimes(NamedTuple):
    """First and last time at which a ship passes the middle of an edge of a stage [h].

    ``last_waiting_h`` is the last time if ships wait as long as they may. ``has_closure`` is
    whether an edge is closed at a time of departure. ``mean_nm`` is the edges' mean length.
    """

    first_h: float
    last_h: float
    last_waiting_h: float
    has_closure: bool
    mean_nm: float


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_edges(
    radius_nm: float,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    middle_kn: float,
    time_h: Floats,
    fuel: Floats,
) -> tuple[Floats, Floats, _PassingTimes]:
    """Measure the clear edges from nodes with labels, and find when their middles are passed.

    Return distances [nm] and courses [deg], shape (p, p), and the times.
    """
    p = lattice.lats.shape[1]
    distance_nm, course_deg = np.zeros((p, p)), np.zeros((p, p))
    first_h, last_h, last_waiting_h = math.inf, -math.inf, -math.inf
    mean_nm, count, has_closure = 0.0, 0, False
    for i in range(p):
        leaves_h, last_leaves_h = find_label_times(time_h[i], fuel[i])
        if leaves_h == math.inf:
            continue
        for j in range(p):
            if lattice.clear[k, i, j]:
                nm, course, _ = measure_segment(
                    radius_nm,
                    lattice.lats[k, i],
                    lattice.lngs[k, i],
                    lattice.lats[k + 1, j],
                    lattice.lngs[k + 1, j],
                )
                distance_nm[i, j], course_deg[i, j] = nm, course
                first_h = min(first_h, leaves_h + 0.5 * nm / middle_kn)
                last_h = max(last_h, last_leaves_h + 0.5 * nm / middle_kn)
                waits_h = latest_departure_h(search, k, last_leaves_h, nm)
                last_waiting_h = max(last_waiting_h, waits_h + 0.5 * nm / middle_kn)
                has_closure |= is_closed(lattice, k, i, j, leaves_h, waits_h)
                mean_nm, count = mean_nm + nm, count + 1
    if count == 0:
        return distance_nm, course_deg, _PassingTimes(0.0, 0.0, 0.0, has_closure, 0.0)
    mean_nm /= count
    times = _PassingTimes(first_h, last_h, last_waiting_h, has_closure, mean_nm)
    return distance_nm, course_deg, times


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _is_single_position(lattice: Lattice, k: int) -> bool:
    """Return whether all nodes of stage ``k`` lie at one position."""
    return bool(
        lattice.lats[k, 0] == lattice.lats[k, -1] and lattice.lngs[k, 0] == lattice.lngs[k, -1]
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def latest_departure_h(
    search: SearchSettings, k: int, leaves_h: float, distance_nm: float
) -> float:
    """Return the latest useful departure along an edge of stage ``k`` after waiting [h].

    It keeps the longest wait and reaches the window of the next stage at the highest speed.
    """
    fastest_h = distance_nm / search.speeds_kn[k, -1]
    ends_h = search.from_h[k + 1] + search.bins * search.width_h[k + 1]
    return float(max(min(leaves_h + search.longest_wait_h[k], ends_h - fastest_h), leaves_h))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def is_closed(lattice: Lattice, k: int, i: int, j: int, from_h: float, to_h: float) -> bool:
    """Return whether an edge is closed at any time between ``from_h`` and ``to_h``."""
    return bool(lattice.closed_from_h[k, i, j] < to_h and lattice.closed_to_h[k, i, j] > from_h)


@njit(cache=True, nogil=True, error_model="numpy")
def _sample_rows(
    medium: Any,
    radius_nm: float,
    lattice: Lattice,
    k: int,
    time_grid: TimeGrid,
    parts: int,
    hours: float,
) -> tuple[Floats, Bools]:
    """Sample the weather on the rows of stage ``k``, which takes ``hours``.

    Return the conditions and whether they keep the limits, as in ``StageEdges``.
    """
    p = lattice.lats.shape[1]
    conditions = np.empty((parts, p, CONDITIONS, time_grid.times))
    is_open, here = np.empty((parts, p, time_grid.times), dtype=np.bool_), np.empty(CONDITIONS)
    for part in range(parts):
        share = (part + 0.5) / parts
        for u in range(p):
            lat0, lng0 = lattice.lats[k, u], lattice.lngs[k, u]
            lat = lat0 + share * (lattice.lats[k + 1, u] - lat0)
            lng = lng0 + share * wrap_longitude_difference(radius_nm, lattice.lngs[k + 1, u] - lng0)
            for n in range(time_grid.times):
                time_h = time_grid.from_h + n * time_grid.step_h + (share - 0.5) * hours
                is_open[part, u, n] = sample(medium, lat, lng, time_h, False, here)
                for m in range(CONDITIONS):
                    conditions[part, u, m, n] = here[m]
        _fill_gaps(conditions[part])
    return conditions, is_open


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _fill_gaps(row: Floats) -> None:
    """Fill positions without data, for example on land, from the nearest column with data.

    An edge that crosses the row between the two columns is at sea and needs both values. If no
    column has data there is none: no waves, no current.
    """
    p, _, times = row.shape
    for m in range(CONDITIONS):
        for u in range(1, p):
            for n in range(times):
                if math.isnan(row[u, m, n]):
                    row[u, m, n] = row[u - 1, m, n]
        for u in range(p - 2, -1, -1):
            for n in range(times):
                if math.isnan(row[u, m, n]):
                    row[u, m, n] = row[u + 1, m, n]
        for u in range(p):
            for n in range(times):
                row[u, m, n] = zero_if_unknown(row[u, m, n])


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def select_edge_times(
    clear: Bools,
    edges: StageEdges,
    i: int,
    first_h: float,
    last_h: float,
    spans: Ints,
) -> None:
    """Select the times of the grid at which the edges from node ``i`` are computed.

    ``clear``, shape (p,), marks the edges; ``first_h`` and ``last_h`` are the first and the last
    departure. Fills ``spans``, shape (p + 1, 2): for each edge the grid index of its first time,
    and the column of that time in a batch of all edges' times. The last row holds the batch's
    size in its second column.
    """
    from_h, step_h, times = edges.time_grid
    column = 0
    for j in range(clear.size):
        spans[j, 0], spans[j, 1] = 0, column
        if clear[j]:
            half_h = 0.5 * edges.distance_nm[i, j] / edges.middle_kn
            start = max(int((first_h + half_h - from_h) / step_h), 0)
            stop = min(int((last_h + half_h - from_h) / step_h) + 2, times)
            spans[j, 0] = start
            column += (times if edges.may_wait else stop) - start
    spans[clear.size, 1] = column


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def edge_time_grid(edges: StageEdges, spans: Ints, i: int, j: int) -> TimeGrid:
    """Return the times of departure at which the edge from node i to j was traversed.

    ``spans`` are those of node ``i``, of ``select_edge_times``.
    """
    from_h, step_h, _ = edges.time_grid
    half_h = 0.5 * edges.distance_nm[i, j] / edges.middle_kn
    times = spans[j + 1, 1] - spans[j, 1]
    return TimeGrid(from_h + spans[j, 0] * step_h - half_h, step_h, times)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def traverse_edges(
    medium: Any,
    prepared: Floats,
    edges: StageEdges,
    i: int,
    spans: Ints,
    speeds_kn: Floats,
    batch: EdgeBatch,
) -> None:
    """Compute hours and fuel of each speed along the edges from node ``i``, in an empty batch.

    Times are those of ``spans``. All edges are computed at once, so that the loops are long
    enough for vector instructions. Hours are infinite where a limit is exceeded. ``prepared`` is
    for ``speeds_kn``.
    """
    p = spans.shape[0] - 1
    hours, edge_fuel, conditions, course, distance_nm, ground, rate, own = batch
    for j in range(p):
        angle = math.radians(edges.course_deg[i, j])
        start, stop = spans[j, 1], spans[j + 1, 1]
        course[0, start:stop], course[1, start:stop] = math.sin(angle), math.cos(angle)
        distance_nm[start:stop] = edges.distance_nm[i, j] / edges.parts
    for part in range(edges.parts):
        for j in range(p):
            _interpolate_row(
                edges.conditions[part],
                _crossing_column(edges, part, i, j),
                spans[j : j + 2],
                conditions,
            )
        fill_rates(medium, prepared, conditions, math.inf, course, speeds_kn, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, edge_fuel)
        for j in range(p if edges.is_limited else 0):
            _close_limited_times(
                edges.is_open[part], _crossing_column(edges, part, i, j), spans[j : j + 2], hours
            )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _crossing_column(edges: StageEdges, part: int, i: int, j: int) -> float:
    """Return where the edge from node i to node j crosses the row of a part, in columns."""
    share = (part + 0.5) / edges.parts
    before, after = (1.0 - share) * edges.weight_from, share * edges.weight_to
    return (before * i + after * j) / (before + after) if before + after > 0.0 else float(i)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _interpolate_row(row: Floats, column: float, span: Ints, conditions: Floats) -> None:
    """Fill ``conditions`` at an edge's times by interpolation between the columns of a row.

    ``row`` has the shape (p, CONDITIONS, times); ``span`` is the edge's and the next edge's row
    of ``spans``.
    """
    u, first, start, stop = int(column), span[0, 0], span[0, 1], span[1, 1]
    share = column - u
    v = u + 1 if share > _AT_A_COLUMN else u
    for m in range(CONDITIONS):
        for n in range(stop - start):
            here = row[u, m, first + n]
            conditions[m, start + n] = here + share * (row[v, m, first + n] - here)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _close_limited_times(is_open: Bools, column: float, span: Ints, hours: Floats) -> None:
    """Set an edge's hours to infinity at times when a limit is exceeded in a column next to it."""
    u, first, start, stop = int(column), span[0, 0], span[0, 1], span[1, 1]
    v = u + 1 if column - u > _AT_A_COLUMN else u
    for n in range(stop - start):
        if not (is_open[u, first + n] and is_open[v, first + n]):
            hours[:, start + n] = math.inf
