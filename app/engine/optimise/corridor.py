"""Rows of points across a line: the points of a lattice."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.optimise.surface import PLANE, hop_between, hops_along, shift

Floats = NDArray[np.float64]

#: Least advance to a point of the next row, as a share of the spacing.
_LEAST_ADVANCE: Final = 0.25


def resample_line(
    radius_nm: float, lats: Floats, lngs: Floats, spacing_nm: float
) -> tuple[Floats, Floats]:
    """Resample a line so that no points are more than ``spacing_nm`` apart; keep its own."""
    hops = np.empty((lats.size - 1, 3))
    hops_along(radius_nm, lats, lngs, hops)
    parts = [(lats[:1], lngs[:1])]
    for k, (distance_nm, _, _) in enumerate(hops):
        n = max(1, int(np.ceil(distance_nm / spacing_nm - 1e-9)))
        parts.append(between(radius_nm, (lats[k], lngs[k]), (lats[k + 1], lngs[k + 1]), n))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def between(
    radius_nm: float, a: tuple[float, float], b: tuple[float, float], n: int
) -> tuple[Floats, Floats]:
    """Return n points that end at b and cut the straight line (great circle) from a evenly."""
    shares = np.arange(1, n + 1) / n
    if radius_nm == PLANE:
        return a[0] + shares * (b[0] - a[0]), a[1] + shares * (b[1] - a[1])
    one, two = _unit(a), _unit(b)
    angle = float(np.arctan2(np.linalg.norm(np.cross(one, two)), one @ two))
    if angle < 1e-12:
        return np.full(n, b[0]), np.full(n, b[1])
    weights = np.sin(angle * np.stack([1.0 - shares, shares])) / np.sin(angle)
    x, y, z = weights[0] * one[:, None] + weights[1] * two[:, None]
    lats, lngs = np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))
    lats[-1], lngs[-1] = b
    return lats, lngs


def _unit(place: tuple[float, float]) -> Floats:
    lat, lng = np.radians(place[0]), np.radians(place[1])
    return np.array([np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)])


def courses_along(radius_nm: float, lats: Floats, lngs: Floats, smooth_nm: float) -> Floats:
    """Return the line's course at each point [deg], averaged over ``smooth_nm`` to each side.

    Unsmoothed, rows inside a bend would cross each other.
    """
    hops = np.empty((lats.size - 1, 3))
    hops_along(radius_nm, lats, lngs, hops)
    at_nm = np.concatenate([[0.0], np.cumsum(hops[:, 0])])
    course = np.radians(hops[:, 1])
    north = np.concatenate([[0.0], np.cumsum(hops[:, 0] * np.cos(course))])
    east = np.concatenate([[0.0], np.cumsum(hops[:, 0] * np.sin(course))])
    reach_nm = max(smooth_nm, 1e-3)

    def change(values: Floats) -> Floats:
        ahead = np.interp(at_nm + reach_nm, at_nm, values)
        return np.asarray(ahead - np.interp(at_nm - reach_nm, at_nm, values))

    return np.asarray(np.degrees(np.arctan2(change(east), change(north))))


def build_rows(
    radius_nm: float,
    line: tuple[Floats, Floats],
    moves: NDArray[np.bool_],
    offsets_nm: Floats,
    smooth_nm: float,
) -> tuple[Floats, Floats]:
    """Rows of points across a line, both of shape (s, p), by their offsets to starboard.

    Stages that may not move have all their points on the line. ``offsets_nm``,
    shape (p,) or (s, p), ascend and have 0 in the middle.
    """
    lats, lngs = line
    across = np.broadcast_to(offsets_nm, (lats.size, np.shape(offsets_nm)[-1]))
    across = np.where(moves[:, None], across, 0.0)
    course = courses_along(radius_nm, lats, lngs, smooth_nm)[:, None] + 90.0
    return shift(radius_nm, lats[:, None], lngs[:, None], course, across)


def join_rows(
    radius_nm: float, rows: tuple[Floats, Floats], moves: NDArray[np.bool_], reach: int
) -> NDArray[np.bool_]:
    """Mark the points of a row that may be joined to points of the next, shape (s - 1, p, p).

    Columns may change by ``reach``; an edge has to advance along the corridor, and be part of a
    trajectory from the first stage to the last. A stage that may not move is its middle column
    alone.
    """
    columns = np.arange(rows[0].shape[1])
    middle = columns.size // 2
    used = moves[:, None] | (columns == middle)
    near = np.abs(columns[:, None] - columns) <= reach
    to_fixed = ~(moves[:-1] & moves[1:])
    joined = used[:-1, :, None] & used[1:, None, :] & (near | to_fixed[:, None, None])
    forward = np.ones((moves.size - 1, columns.size), dtype=np.bool_)
    _mark_advancing(radius_nm, *rows, moves, forward)
    return keep_joined_through(joined & forward[:, :, None] & forward[:, None, :])


def keep_joined_through(joined: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep the edges, shape (s - 1, p, p), that lead from the first stage to the last.

    The first and last stage are their middle columns.
    """
    kept = joined.copy()
    _drop_dead_ends(kept)
    return kept


@njit(cache=True, nogil=True)
def _drop_dead_ends(kept: NDArray[np.bool_]) -> None:
    """Drop the edges that nothing leads to, then those that lead to nothing."""
    p = kept.shape[1]
    reached, wanted = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    reached[p // 2] = wanted[p // 2] = True
    for k in range(kept.shape[0]):
        following = np.zeros(p, dtype=np.bool_)
        for i in range(p):
            for j in range(p):
                kept[k, i, j] &= reached[i]
                following[j] |= kept[k, i, j]
        reached = following
    for k in range(kept.shape[0] - 1, -1, -1):
        before = np.zeros(p, dtype=np.bool_)
        for i in range(p):
            for j in range(p):
                kept[k, i, j] &= wanted[j]
                before[i] |= kept[k, i, j]
        wanted = before


@njit(cache=True, nogil=True, error_model="numpy")
def _mark_advancing(
    radius_nm: float,
    lats: Floats,
    lngs: Floats,
    moves: NDArray[np.bool_],
    forward: NDArray[np.bool_],
) -> None:
    """Unmark columns that do not advance to the next row, where rows fold over."""
    middle = lats.shape[1] // 2
    for k in range(lats.shape[0] - 1):
        if not (moves[k] and moves[k + 1]):
            continue
        nm, course, _ = hop_between(
            radius_nm, lats[k, middle], lngs[k, middle], lats[k + 1, middle], lngs[k + 1, middle]
        )
        for i in range(lats.shape[1]):
            own_nm, own, _ = hop_between(
                radius_nm, lats[k, i], lngs[k, i], lats[k + 1, i], lngs[k + 1, i]
            )
            ahead_nm = own_nm * math.cos(math.radians(own - course))
            forward[k, i] = ahead_nm >= _LEAST_ADVANCE * nm
