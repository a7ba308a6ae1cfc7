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
    allocate_batch,
    build_time_grid,
)
from app.engine.optimise.lattice import Lattice, SearchSettings
from app.engine.optimise.medium import CONDITIONS, fill_rates, sample
from app.engine.optimise.surface import measure_edge, wrap_longitude_difference
from app.engine.weather.kernels import zero_if_unknown

#: Most parts of an edge with weather of their own.
_MAX_PARTS: Final = 64
#: Distance from a column, in columns, within which an edge counts as crossing there.
_AT_A_COLUMN: Final = 1e-9


class StageEdges(NamedTuple):
    """The edges of one stage.

    ``distance_nm``, shape (p, p), and ``course``, shape (p, p, 2), the unit vector to east and to
    north, are those of the clear edges. ``middle_kn`` is the speed by which the time at an edge's
    middle is estimated; ``time_grid`` holds such times. ``spans``, shape (p * p + 1, 2), are the
    times at which each edge is computed, those from node 0 first: the grid index of its first
    time, and the column of that time in a batch of all edges' times. The last row holds the
    batch's size in its second column.

    ``conditions``, shape (parts, p, CONDITIONS, times), are sampled on one row in the middle of
    each of the ``parts`` of the stage; ``is_open``, shape (parts, p, times), is whether they keep
    the limits, and ``is_limited`` whether some do not. ``weight_from`` is 0 if all edges begin at
    one position, else 1, and ``weight_to`` likewise for their ends: they weigh the columns at both
    ends where an edge crosses a row. ``may_wait`` is whether ships may wait for an edge to open;
    the time grid then extends to their departure.
    """

    distance_nm: Floats
    course: Floats
    middle_kn: float
    time_grid: TimeGrid
    spans: Ints
    parts: int
    conditions: Floats
    is_open: Bools
    is_limited: bool
    weight_from: float
    weight_to: float
    may_wait: bool


@njit(cache=True, nogil=True, error_model="numpy")
def build_stage_edges(
    medium: Any,
    radius_nm: float,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    leaves_h: Floats,
) -> StageEdges:
    """Build the edges of stage ``k`` for the first and last departure from each node, (p, 2).

    Both are infinite where no ship departs. If a limit is exceeded on the first time grid, weather
    is sampled again at shorter steps; if ships may wait for an edge to open, up to the time at
    which the last of them departs.
    """
    middle_kn = search.speeds_kn[k, search.speeds_kn.shape[1] // 2]
    distance_nm, course, passing = _measure_edges(
        radius_nm, lattice, search, k, middle_kn, leaves_h
    )
    stage_h = passing.mean_nm / middle_kn
    parts = _count_parts(passing.mean_nm, search.weather_spacing_nm)
    time_grid = build_time_grid(passing.first_h, passing.last_h, search.longest_step_h)
    conditions, is_open = _sample_rows(medium, radius_nm, lattice, k, time_grid, parts, stage_h)
    is_limited = not is_open.all()
    may_wait = passing.last_waiting_h > passing.last_h and (passing.has_closure or is_limited)
    if is_limited:
        parts = max(parts, _count_parts(passing.mean_nm, search.limited_spacing_nm))
    if may_wait or is_limited:
        time_grid = build_time_grid(
            passing.first_h,
            passing.last_waiting_h if may_wait else passing.last_h,
            min(search.limited_step_h if is_limited else math.inf, search.longest_step_h),
        )
        conditions, is_open = _sample_rows(medium, radius_nm, lattice, k, time_grid, parts, stage_h)
    spans = _select_times(lattice.clear[k], leaves_h, distance_nm, middle_kn, time_grid, may_wait)
    return StageEdges(
        distance_nm,
        course,
        middle_kn,
        time_grid,
        spans,
        parts,
        conditions,
        is_open,
        not is_open.all(),
        0.0 if _is_single_position(lattice, k) else 1.0,
        0.0 if _is_single_position(lattice, k + 1) else 1.0,
        may_wait,
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _count_parts(mean_nm: float, spacing_nm: float) -> int:
    """Return the number of parts of a stage whose weather is sampled every ``spacing_nm``."""
    return min(max(round(mean_nm / spacing_nm), 1), _MAX_PARTS)


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
    leaves_h: Floats,
) -> tuple[Floats, Floats, _PassingTimes]:
    """Measure the clear edges from nodes that are left, and find when their middles are passed.

    Return the distances [nm] and courses as in ``StageEdges``, and the times.
    """
    p = lattice.lats.shape[1]
    distance_nm, course = np.zeros((p, p)), np.zeros((p, p, 2))
    lats, lngs = lattice.lats, lattice.lngs
    cosines = np.cos(np.radians(lats[k + 1]))
    first_h, last_h, last_waiting_h = math.inf, -math.inf, -math.inf
    mean_nm, count, has_closure = 0.0, 0, False
    for i in range(p):
        first_leaves_h, last_leaves_h = leaves_h[i]
        if first_leaves_h == math.inf:
            continue
        cosine = math.cos(math.radians(lats[k, i]))
        for j in range(p):
            if lattice.clear[k, i, j]:
                nm, course[i, j, 0], course[i, j, 1] = measure_edge(
                    radius_nm,
                    (lats[k, i], lngs[k, i]),
                    (lats[k + 1, j], lngs[k + 1, j]),
                    (cosine, cosines[j]),
                )
                distance_nm[i, j] = nm
                first_h = min(first_h, first_leaves_h + 0.5 * nm / middle_kn)
                last_h = max(last_h, last_leaves_h + 0.5 * nm / middle_kn)
                waits_h = latest_departure_h(search, k, last_leaves_h, nm)
                last_waiting_h = max(last_waiting_h, waits_h + 0.5 * nm / middle_kn)
                has_closure |= is_closed(lattice, k, i, j, first_leaves_h, waits_h)
                mean_nm, count = mean_nm + nm, count + 1
    if count == 0:
        return distance_nm, course, _PassingTimes(0.0, 0.0, 0.0, has_closure, 0.0)
    mean_nm /= count
    times = _PassingTimes(first_h, last_h, last_waiting_h, has_closure, mean_nm)
    return distance_nm, course, times


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
    return find_reopening_h(lattice, k, i, j, from_h, to_h) > from_h


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def find_reopening_h(lattice: Lattice, k: int, i: int, j: int, from_h: float, to_h: float) -> float:
    """Return when the first closure of an edge between two times ends; ``from_h`` if none does."""
    for n in range(lattice.closed_to_h.shape[3]):
        if not lattice.closed_from_h[k, i, j, n] < to_h:
            break
        if lattice.closed_to_h[k, i, j, n] > from_h:
            return float(lattice.closed_to_h[k, i, j, n])
    return from_h


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


@njit(cache=True, nogil=True, error_model="numpy")
def _select_times(
    clear: Bools,
    leaves_h: Floats,
    distance_nm: Floats,
    middle_kn: float,
    time_grid: TimeGrid,
    may_wait: bool,
) -> Ints:
    """Select the times of the grid at which each edge is computed, as ``StageEdges.spans``."""
    from_h, step_h, times = time_grid
    p, column = clear.shape[0], 0
    spans = np.zeros((p * p + 1, 2), dtype=np.int64)
    for edge in range(p * p):
        i, j = edge // p, edge % p
        spans[edge, 1] = column
        if clear[i, j] and leaves_h[i, 0] < math.inf:
            half_h = 0.5 * distance_nm[i, j] / middle_kn
            start = max(int((leaves_h[i, 0] + half_h - from_h) / step_h), 0)
            stop = min(int((leaves_h[i, 1] + half_h - from_h) / step_h) + 2, times)
            spans[edge, 0] = start
            column += (times if may_wait else stop) - start
    spans[p * p, 1] = column
    return spans


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def edge_time_grid(edges: StageEdges, i: int, j: int) -> TimeGrid:
    """Return the times of departure at which the edge from node i to j is computed."""
    from_h, step_h, _ = edges.time_grid
    half_h = 0.5 * edges.distance_nm[i, j] / edges.middle_kn
    edge = i * edges.distance_nm.shape[0] + j
    times = edges.spans[edge + 1, 1] - edges.spans[edge, 1]
    return TimeGrid(from_h + edges.spans[edge, 0] * step_h - half_h, step_h, times)


@njit(cache=True, nogil=True, error_model="numpy")
def traverse_edges(
    medium: Any, prepared: Floats, edges: StageEdges, speeds_kn: Floats
) -> EdgeBatch:
    """Compute hours and fuel of each speed along all edges, in columns as in ``edges.spans``.

    All edges are computed at once, so that the loops are long enough for vector instructions.
    Hours are infinite where a limit is exceeded. ``prepared`` is for ``speeds_kn``.
    """
    spans, p = edges.spans, edges.distance_nm.shape[0]
    batch = allocate_batch(speeds_kn.size, spans[p * p, 1])
    hours, edge_fuel, conditions, course, distance_nm, ground, rate, own = batch
    for edge in range(p * p):
        start, stop = spans[edge, 1], spans[edge + 1, 1]
        if start < stop:
            east, north = edges.course[edge // p, edge % p]
            course[0, start:stop], course[1, start:stop] = east, north
            distance_nm[start:stop] = edges.distance_nm[edge // p, edge % p] / edges.parts
    for part in range(edges.parts):
        _interpolate_row(edges, part, conditions)
        fill_rates(medium, prepared, conditions, math.inf, course, speeds_kn, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, edge_fuel)
        if edges.is_limited:
            _close_limited_times(edges, part, hours)
    return batch


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def add_cost_of_hours(lattice: Lattice, k: int, edges: StageEdges, batch: EdgeBatch) -> None:
    """Add to the fuel of all edges what their hours cost more than elsewhere.

    The fuel is weighed by the edge's price later, and is therefore divided by it here.
    """
    if lattice.hour_price_t.shape[0] == 0:
        return
    spans, p = edges.spans, edges.distance_nm.shape[0]
    for edge in range(p * p):
        start, stop = spans[edge, 1], spans[edge + 1, 1]
        i, j = edge // p, edge % p
        hour_t = lattice.hour_price_t[k, i, j] / lattice.price[k, i, j]
        if hour_t > 0.0:
            for s in range(batch.hours.shape[0]):
                for n in range(start, stop):
                    batch.edge_fuel[s, n] += hour_t * batch.hours[s, n]


@njit_borrowing(cache=True, nogil=True, error_model="numpy", inline="always")
def _crossing_columns(edges: StageEdges, part: int, i: int, j: int) -> tuple[int, int, float]:
    """Return the columns between which the edge from i to j crosses the row of a part.

    The third value is its position between them. The columns are equal where it crosses at one.
    """
    share = (part + 0.5) / edges.parts
    before, after = (1.0 - share) * edges.weight_from, share * edges.weight_to
    column = (before * i + after * j) / (before + after) if before + after > 0.0 else float(i)
    u = int(column)
    share = column - u
    return u, u + 1 if share > _AT_A_COLUMN else u, share


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _interpolate_row(edges: StageEdges, part: int, conditions: Floats) -> None:
    """Fill ``conditions`` at all edges' times by interpolation between the columns of a row."""
    spans, row, p = edges.spans, edges.conditions[part], edges.distance_nm.shape[0]
    for edge in range(p * p):
        first, start, stop = spans[edge, 0], spans[edge, 1], spans[edge + 1, 1]
        if start < stop:
            u, v, share = _crossing_columns(edges, part, edge // p, edge % p)
            for m in range(CONDITIONS):
                for n in range(stop - start):
                    here = row[u, m, first + n]
                    conditions[m, start + n] = here + share * (row[v, m, first + n] - here)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _close_limited_times(edges: StageEdges, part: int, hours: Floats) -> None:
    """Set hours to infinity at times when a limit is exceeded in a column next to an edge."""
    spans, is_open, p = edges.spans, edges.is_open[part], edges.distance_nm.shape[0]
    for edge in range(p * p):
        first, start, stop = spans[edge, 0], spans[edge, 1], spans[edge + 1, 1]
        u, v, _ = _crossing_columns(edges, part, edge // p, edge % p)
        for n in range(stop - start):
            if not (is_open[u, first + n] and is_open[v, first + n]):
                hours[:, start + n] = math.inf
