"""What the lines between two rows of a lattice take and burn.

What is met is looked up once, on rows between the two and at times a step apart.
Every line reads it off there: neighbouring lines meet the same weather.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.edge_batch import Clock, Passings, add_rates, lay_passings, wind_clock
from app.engine.optimise.lattice import Search, Stages
from app.engine.optimise.medium import MET, fill_rates, look
from app.engine.optimise.surface import hop_between, wrap

Floats = NDArray[np.float64]
Points = NDArray[np.int64]

#: Parts that a line is cut into at most.
MOST_PARTS = 64
#: Places nearer to a column than this share of the spacing are taken to lie on it.
_AT_A_COLUMN: Final = 1e-9


class Bundle(NamedTuple):
    """The lines of one stage.

    ``distance_nm``, ``course_deg``, shape (p, p), are those of the lines that are clear.
    ``middle_kn`` is the speed by which it is reckoned when a line's middle is passed;
    ``clock`` are such times. ``met``, shape (parts, p, MET, times), is what is met on the
    rows that cut the stage into ``parts``, and ``is_open``, shape (parts, p, times),
    whether the limits allow to be there. Where ``share_from`` is 0, all lines leave one
    point, and cross those rows where their ends lie; likewise ``share_to``. ``waits`` is
    whether a line is closed that ships may wait for: the clock goes on until they leave.
    """

    distance_nm: Floats
    course_deg: Floats
    middle_kn: float
    clock: Clock
    parts: int
    met: Floats
    is_open: NDArray[np.bool_]
    share_from: float
    share_to: float
    waits: bool


@njit(cache=True, nogil=True, error_model="numpy")
def span_labels(time_h: Floats, fuel: Floats) -> tuple[float, float]:
    """The first and the last time of a point's labels; the first is infinite where it has none."""
    first, last = math.inf, -math.inf
    for b in range(time_h.size):
        if fuel[b] < math.inf:
            first, last = min(first, time_h[b]), max(last, time_h[b])
    return first, last


@njit(cache=True, nogil=True, error_model="numpy")
def gather_lines(
    medium: Any,
    radius_nm: float,
    stages: Stages,
    search: Search,
    k: int,
    time_h: Floats,
    fuel: Floats,
) -> Bundle:
    """The lines of stage ``k``, whose labels are given, shape (p, bins)."""
    p = stages.lats.shape[1]
    distance_nm, course_deg = np.zeros((p, p)), np.zeros((p, p))
    middle_kn = search.speeds_kn[k, search.speeds_kn.shape[1] // 2]
    first_h, last_h, mean_nm, count = math.inf, -math.inf, 0.0, 0
    latest_h, is_shut = -math.inf, False
    for i in range(p):
        leaves_h, last_leaves_h = span_labels(time_h[i], fuel[i])
        if leaves_h == math.inf:
            continue
        for j in range(p):
            if stages.clear[k, i, j]:
                nm, course, _ = hop_between(
                    radius_nm,
                    stages.lats[k, i],
                    stages.lngs[k, i],
                    stages.lats[k + 1, j],
                    stages.lngs[k + 1, j],
                )
                distance_nm[i, j], course_deg[i, j] = nm, course
                first_h = min(first_h, leaves_h + 0.5 * nm / middle_kn)
                last_h = max(last_h, last_leaves_h + 0.5 * nm / middle_kn)
                waits_h = wait_until(search, k, last_leaves_h, nm)
                latest_h = max(latest_h, waits_h + 0.5 * nm / middle_kn)
                is_shut |= is_closed(stages, k, i, j, leaves_h, waits_h)
                mean_nm, count = mean_nm + nm, count + 1
    if count == 0:
        first_h, last_h, latest_h, count = 0.0, 0.0, 0.0, 1
    mean_nm /= count
    parts = min(max(round(mean_nm / search.longest_hop_nm), 1), MOST_PARTS)
    clock = wind_clock(first_h, last_h, search.longest_step_h)
    met, is_open = _look_around(medium, radius_nm, stages, k, clock, parts, mean_nm / middle_kn)
    waits = latest_h > last_h and (is_shut or not is_open.all())
    if waits:
        clock = wind_clock(first_h, latest_h, search.longest_step_h)
        met, is_open = _look_around(medium, radius_nm, stages, k, clock, parts, mean_nm / middle_kn)
    from_one = stages.lats[k, 0] == stages.lats[k, -1] and stages.lngs[k, 0] == stages.lngs[k, -1]
    to_one = (
        stages.lats[k + 1, 0] == stages.lats[k + 1, -1]
        and stages.lngs[k + 1, 0] == stages.lngs[k + 1, -1]
    )
    share_from = 0.0 if from_one else 1.0
    share_to = 0.0 if to_one else 1.0
    return Bundle(
        distance_nm, course_deg, middle_kn, clock, parts, met, is_open, share_from, share_to, waits
    )


@njit(cache=True, nogil=True, error_model="numpy")
def wait_until(search: Search, k: int, leaves_h: float, distance_nm: float) -> float:
    """Until when the last of stage ``k``'s labels may wait and still come to the next in time."""
    soonest_h = distance_nm / search.speeds_kn[k, -1]
    ends_h = search.from_h[k + 1] + search.bins * search.width_h[k + 1]
    return float(max(min(leaves_h + search.longest_wait_h[k], ends_h - soonest_h), leaves_h))


@njit(cache=True, nogil=True, error_model="numpy")
def is_closed(stages: Stages, k: int, i: int, j: int, from_h: float, to_h: float) -> bool:
    """Whether a line is closed at some time between two."""
    return bool(stages.closed_from_h[k, i, j] < to_h and stages.closed_to_h[k, i, j] > from_h)


@njit(cache=True, nogil=True, error_model="numpy")
def _look_around(
    medium: Any,
    radius_nm: float,
    stages: Stages,
    k: int,
    clock: Clock,
    parts: int,
    hours: float,
) -> tuple[Floats, NDArray[np.bool_]]:
    """What is met on the rows that cut stage ``k``, which takes so many hours, and whether the
    limits allow to be there."""
    p = stages.lats.shape[1]
    met = np.empty((parts, p, MET, clock.times))
    is_open, here = np.empty((parts, p, clock.times), dtype=np.bool_), np.empty(MET)
    for part in range(parts):
        share = (part + 0.5) / parts
        for u in range(p):
            lat0, lng0 = stages.lats[k, u], stages.lngs[k, u]
            lat = lat0 + share * (stages.lats[k + 1, u] - lat0)
            lng = lng0 + share * wrap(radius_nm, stages.lngs[k + 1, u] - lng0)
            for n in range(clock.times):
                time_h = clock.from_h + n * clock.step_h + (share - 0.5) * hours
                is_open[part, u, n] = look(medium, lat, lng, time_h, here)
                for m in range(MET):
                    met[part, u, m, n] = here[m]
        _fill_gaps(met[part])
    return met, is_open


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_gaps(row: Floats) -> None:
    """Where nothing is known, as on land, take what is met in the next column: lines that pass
    between the two are at sea."""
    p, _, times = row.shape
    for m in range(MET):
        for u in range(1, p):
            for n in range(times):
                if math.isnan(row[u, m, n]):
                    row[u, m, n] = row[u - 1, m, n]
        for u in range(p - 2, -1, -1):
            for n in range(times):
                if math.isnan(row[u, m, n]):
                    row[u, m, n] = row[u + 1, m, n]


@njit(cache=True, nogil=True, error_model="numpy")
def span_lines(
    clear: NDArray[np.bool_], bundle: Bundle, i: int, first_h: float, last_h: float, spans: Points
) -> None:
    """Find which of the clock's times the lines from column ``i`` are worked out at.

    ``clear``, shape (p,), is which lines there are, ``first_h`` and ``last_h`` when they are left.
    Fills ``spans``, shape (p + 1, 2): the first of each line's times, and where that lies in a
    list of the times of all lines, with the length of the list at its end.
    """
    from_h, step_h, times = bundle.clock
    place = 0
    for j in range(clear.size):
        spans[j, 0], spans[j, 1] = 0, place
        if clear[j]:
            half_h = 0.5 * bundle.distance_nm[i, j] / bundle.middle_kn
            one = max(int((first_h + half_h - from_h) / step_h), 0)
            two = min(int((last_h + half_h - from_h) / step_h) + 2, times)
            spans[j, 0] = one
            place += (times if bundle.waits else two) - one
    spans[clear.size, 1] = place


@njit(cache=True, nogil=True, error_model="numpy")
def sail_lines(
    medium: Any,
    ready: Floats,
    bundle: Bundle,
    i: int,
    spans: Points,
    speeds_kn: Floats,
    memory: Floats,
) -> Passings:
    """Hours and fuel of each speed along the lines from column ``i``, passed at the times of
    ``spans``.

    All are worked out at once: the loops over them are long enough to be worth a vector's while.
    Hours are infinite where a limit forbids a line. ``ready`` is prepared for the speeds.
    """
    p = spans.shape[0] - 1
    passings = lay_passings(memory, speeds_kn.size, spans[p, 1])
    hours, burnt, met, course, distance_nm, ground, rate, own = passings
    for j in range(p):
        angle = math.radians(bundle.course_deg[i, j])
        one, two = spans[j, 1], spans[j + 1, 1]
        course[0, one:two], course[1, one:two] = math.sin(angle), math.cos(angle)
        distance_nm[one:two] = bundle.distance_nm[i, j] / bundle.parts
    for part in range(bundle.parts):
        for j in range(p):
            _read_off(bundle.met[part], _column(bundle, part, i, j), spans[j : j + 2], met)
        fill_rates(medium, ready, met, math.inf, course, speeds_kn, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, burnt)
        for j in range(p):
            _close(bundle.is_open[part], _column(bundle, part, i, j), spans[j : j + 2], hours)
    return passings


@njit(cache=True, nogil=True, error_model="numpy")
def _column(bundle: Bundle, part: int, i: int, j: int) -> float:
    """Where the line from i to j crosses the row amid a part, in columns."""
    share = (part + 0.5) / bundle.parts
    before, after = (1.0 - share) * bundle.share_from, share * bundle.share_to
    return (before * i + after * j) / (before + after) if before + after > 0.0 else float(i)


@njit(cache=True, nogil=True, error_model="numpy")
def _read_off(row: Floats, column: float, span: Points, met: Floats) -> None:
    """What is met on a row, shape (p, MET, times), between two columns, at a line's times."""
    u, first, one, two = int(column), span[0, 0], span[0, 1], span[1, 1]
    share = column - u
    v = u + 1 if share > _AT_A_COLUMN else u
    for m in range(MET):
        for n in range(two - one):
            here = row[u, m, first + n]
            met[m, one + n] = here + share * (row[v, m, first + n] - here)


@njit(cache=True, nogil=True, error_model="numpy")
def _close(is_open: NDArray[np.bool_], column: float, span: Points, hours: Floats) -> None:
    """Close a line's times at which a limit forbids one of the columns about a place."""
    u, first, one, two = int(column), span[0, 0], span[0, 1], span[1, 1]
    v = u + 1 if column - u > _AT_A_COLUMN else u
    for n in range(two - one):
        if not (is_open[u, first + n] and is_open[v, first + n]):
            hours[:, one + n] = math.inf
