"""Time and fuel of the edges between two rows of a lattice.

Weather is sampled once, on rows between the two and at the times of a grid. Every edge
interpolates there: neighbouring edges meet the same weather.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import (
    EdgeBatch,
    TimeGrid,
    add_rates,
    allocate_batch,
    make_time_grid,
)
from app.engine.optimise.lattice import Lattice, SearchSettings
from app.engine.optimise.medium import CONDITIONS, fill_rates, sample
from app.engine.optimise.surface import hop_between, wrap

Floats = NDArray[np.float64]
Points = NDArray[np.int64]

#: Most parts that an edge is cut into.
MOST_PARTS = 64
#: Places nearer to a column than this share of the spacing are taken to lie on it.
_AT_A_COLUMN: Final = 1e-9


class StageEdges(NamedTuple):
    """The edges of one stage.

    ``distance_nm``, ``course_deg``, shape (p, p), are those of the clear edges. ``middle_kn`` is
    the speed that estimates when an edge's middle is passed; ``time_grid`` holds such times.
    ``conditions``, shape (parts, p, CONDITIONS, times), are sampled on the rows that cut the
    stage into ``parts``; ``is_open``, shape (parts, p, times), is whether the limits allow to be
    there. Where ``share_from`` is 0 all edges leave one point, and cross those rows where their
    ends lie; likewise ``share_to``. ``waits`` is whether an edge is closed that ships may wait
    for: the time grid then lasts until they leave.
    """

    distance_nm: Floats
    course_deg: Floats
    middle_kn: float
    time_grid: TimeGrid
    parts: int
    conditions: Floats
    is_open: NDArray[np.bool_]
    share_from: float
    share_to: float
    waits: bool


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def span_labels(time_h: Floats, fuel: Floats) -> tuple[float, float]:
    """Return first and last time of a point's labels; the first is infinite without any."""
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
    """Build the edges of stage ``k``, whose labels are given, shape (p, bins)."""
    p = lattice.lats.shape[1]
    distance_nm, course_deg = np.zeros((p, p)), np.zeros((p, p))
    middle_kn = search.speeds_kn[k, search.speeds_kn.shape[1] // 2]
    first_h, last_h, mean_nm, count = math.inf, -math.inf, 0.0, 0
    latest_h, is_shut = -math.inf, False
    for i in range(p):
        leaves_h, last_leaves_h = span_labels(time_h[i], fuel[i])
        if leaves_h == math.inf:
            continue
        for j in range(p):
            if lattice.clear[k, i, j]:
                nm, course, _ = hop_between(
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
                latest_h = max(latest_h, waits_h + 0.5 * nm / middle_kn)
                is_shut |= is_closed(lattice, k, i, j, leaves_h, waits_h)
                mean_nm, count = mean_nm + nm, count + 1
    if count == 0:
        first_h, last_h, latest_h, count = 0.0, 0.0, 0.0, 1
    mean_nm /= count
    parts = min(max(round(mean_nm / search.longest_hop_nm), 1), MOST_PARTS)
    time_grid = make_time_grid(first_h, last_h, search.longest_step_h)
    conditions, is_open = _sample_rows(
        medium, radius_nm, lattice, k, time_grid, parts, mean_nm / middle_kn
    )
    is_limited = not is_open.all()
    waits = latest_h > last_h and (is_shut or is_limited)
    if waits or is_limited:
        time_grid = make_time_grid(
            first_h,
            latest_h if waits else last_h,
            min(search.limited_step_h if is_limited else math.inf, search.longest_step_h),
        )
        conditions, is_open = _sample_rows(
            medium, radius_nm, lattice, k, time_grid, parts, mean_nm / middle_kn
        )
    from_one = (
        lattice.lats[k, 0] == lattice.lats[k, -1] and lattice.lngs[k, 0] == lattice.lngs[k, -1]
    )
    to_one = (
        lattice.lats[k + 1, 0] == lattice.lats[k + 1, -1]
        and lattice.lngs[k + 1, 0] == lattice.lngs[k + 1, -1]
    )
    share_from = 0.0 if from_one else 1.0
    share_to = 0.0 if to_one else 1.0
    return StageEdges(
        distance_nm,
        course_deg,
        middle_kn,
        time_grid,
        parts,
        conditions,
        is_open,
        share_from,
        share_to,
        waits,
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def latest_departure_h(
    search: SearchSettings, k: int, leaves_h: float, distance_nm: float
) -> float:
    """Return the latest time at which the last of stage ``k``'s labels can still leave."""
    soonest_h = distance_nm / search.speeds_kn[k, -1]
    ends_h = search.from_h[k + 1] + search.bins * search.width_h[k + 1]
    return float(max(min(leaves_h + search.longest_wait_h[k], ends_h - soonest_h), leaves_h))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def is_closed(lattice: Lattice, k: int, i: int, j: int, from_h: float, to_h: float) -> bool:
    """Return whether an edge is closed at some time between two."""
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
) -> tuple[Floats, NDArray[np.bool_]]:
    """Sample the rows that cut stage ``k``, which takes so many hours.

    Return the conditions there, and whether the limits allow to be there.
    """
    p = lattice.lats.shape[1]
    conditions = np.empty((parts, p, CONDITIONS, time_grid.times))
    is_open, here = np.empty((parts, p, time_grid.times), dtype=np.bool_), np.empty(CONDITIONS)
    for part in range(parts):
        share = (part + 0.5) / parts
        for u in range(p):
            lat0, lng0 = lattice.lats[k, u], lattice.lngs[k, u]
            lat = lat0 + share * (lattice.lats[k + 1, u] - lat0)
            lng = lng0 + share * wrap(radius_nm, lattice.lngs[k + 1, u] - lng0)
            for n in range(time_grid.times):
                time_h = time_grid.from_h + n * time_grid.step_h + (share - 0.5) * hours
                is_open[part, u, n] = sample(medium, lat, lng, time_h, here)
                for m in range(CONDITIONS):
                    conditions[part, u, m, n] = here[m]
        _fill_gaps(conditions[part])
    return conditions, is_open


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _fill_gaps(row: Floats) -> None:
    """Fill places without data, as on land, from the next column.

    Edges that pass between the two are at sea.
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


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def span_edges(
    clear: NDArray[np.bool_],
    edges: StageEdges,
    i: int,
    first_h: float,
    last_h: float,
    spans: Points,
) -> None:
    """Find the times of the grid at which the edges from column ``i`` are computed.

    ``clear``, shape (p,), marks the edges; ``first_h`` and ``last_h`` are when they are left.
    Fills ``spans``, shape (p + 1, 2): the first of each edge's times, and where that lies in a
    list of the times of all edges, with the length of the list at its end.
    """
    from_h, step_h, times = edges.time_grid
    place = 0
    for j in range(clear.size):
        spans[j, 0], spans[j, 1] = 0, place
        if clear[j]:
            half_h = 0.5 * edges.distance_nm[i, j] / edges.middle_kn
            one = max(int((first_h + half_h - from_h) / step_h), 0)
            two = min(int((last_h + half_h - from_h) / step_h) + 2, times)
            spans[j, 0] = one
            place += (times if edges.waits else two) - one
    spans[clear.size, 1] = place


@njit(cache=True, nogil=True, error_model="numpy")
def traverse_edges(
    medium: Any,
    ready: Floats,
    edges: StageEdges,
    i: int,
    spans: Points,
    speeds_kn: Floats,
    memory: Floats,
) -> EdgeBatch:
    """Compute hours and fuel of each speed along the edges from column ``i``.

    The edges are passed at the times of ``spans``. All are computed at once: the loops are then
    long enough for vector instructions. Hours are infinite where a limit forbids an edge.
    ``ready`` is prepared for the speeds.
    """
    p = spans.shape[0] - 1
    batch = allocate_batch(memory, speeds_kn.size, spans[p, 1])
    hours, burnt, conditions, course, distance_nm, ground, rate, own = batch
    for j in range(p):
        angle = math.radians(edges.course_deg[i, j])
        one, two = spans[j, 1], spans[j + 1, 1]
        course[0, one:two], course[1, one:two] = math.sin(angle), math.cos(angle)
        distance_nm[one:two] = edges.distance_nm[i, j] / edges.parts
    for part in range(edges.parts):
        for j in range(p):
            _read_off(
                edges.conditions[part], _column(edges, part, i, j), spans[j : j + 2], conditions
            )
        fill_rates(medium, ready, conditions, math.inf, course, speeds_kn, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, burnt)
        for j in range(p):
            _close(edges.is_open[part], _column(edges, part, i, j), spans[j : j + 2], hours)
    return batch


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _column(edges: StageEdges, part: int, i: int, j: int) -> float:
    """Return where the edge from i to j crosses the middle row of a part, in columns."""
    share = (part + 0.5) / edges.parts
    before, after = (1.0 - share) * edges.share_from, share * edges.share_to
    return (before * i + after * j) / (before + after) if before + after > 0.0 else float(i)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _read_off(row: Floats, column: float, span: Points, conditions: Floats) -> None:
    """Interpolate a row, shape (p, CONDITIONS, times), between columns at an edge's times."""
    u, first, one, two = int(column), span[0, 0], span[0, 1], span[1, 1]
    share = column - u
    v = u + 1 if share > _AT_A_COLUMN else u
    for m in range(CONDITIONS):
        for n in range(two - one):
            here = row[u, m, first + n]
            conditions[m, one + n] = here + share * (row[v, m, first + n] - here)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _close(is_open: NDArray[np.bool_], column: float, span: Points, hours: Floats) -> None:
    """Close an edge's times at which a limit forbids one of the columns next to a place."""
    u, first, one, two = int(column), span[0, 0], span[0, 1], span[1, 1]
    v = u + 1 if column - u > _AT_A_COLUMN else u
    for n in range(two - one):
        if not (is_open[u, first + n] and is_open[v, first + n]):
            hours[:, one + n] = math.inf
