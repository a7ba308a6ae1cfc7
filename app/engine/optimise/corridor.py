"""Nodes and edges of a lattice along a line."""

import math
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.geodesy import unit_vectors
from app.engine.optimise.surface import (
    PLANE_RADIUS_NM,
    find_destination,
    measure_segment,
    segment_lengths_nm,
)

#: Least advance along the line to the next stage, as a share of the stage's length. Less means
#: that the stages cross each other there.
_MIN_ADVANCE: Final = 0.25


def resample_line(
    radius_nm: float, lats: Floats, lngs: Floats, spacing_nm: float
) -> tuple[Floats, Floats]:
    """Return a line with points added so that none are more than ``spacing_nm`` apart."""
    parts = [(lats[:1], lngs[:1])]
    for k, distance_nm in enumerate(segment_lengths_nm(radius_nm, lats, lngs)):
        n = max(1, int(np.ceil(distance_nm / spacing_nm - 1e-9)))
        parts.append(divide_segment(radius_nm, (lats[k], lngs[k]), (lats[k + 1], lngs[k + 1]), n))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def divide_segment(
    radius_nm: float, a: tuple[float, float], b: tuple[float, float], n: int
) -> tuple[Floats, Floats]:
    """Return the ends of n equal parts of the segment from a to b; the last of them is b.

    The segment is a great circle, or a straight line in the plane.
    """
    shares = np.arange(1, n + 1) / n
    if radius_nm == PLANE_RADIUS_NM:
        return a[0] + shares * (b[0] - a[0]), a[1] + shares * (b[1] - a[1])
    start, end = unit_vectors(*np.array([a, b]).T)
    angle = float(np.arctan2(np.linalg.norm(np.cross(start, end)), start @ end))
    if angle < 1e-12:
        return np.full(n, b[0]), np.full(n, b[1])
    weights = np.sin(angle * np.stack([1.0 - shares, shares])) / np.sin(angle)
    x, y, z = weights[0] * start[:, None] + weights[1] * end[:, None]
    lats, lngs = np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))
    lats[-1], lngs[-1] = b
    return lats, lngs


def find_middles(radius_nm: float, lats: Floats, lngs: Floats) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of the middles of a line's segments."""
    if radius_nm == PLANE_RADIUS_NM:
        return 0.5 * (lats[:-1] + lats[1:]), 0.5 * (lngs[:-1] + lngs[1:])
    vectors = unit_vectors(lats, lngs)
    x, y, z = (vectors[:-1] + vectors[1:]).T
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def place_nodes(
    radius_nm: float,
    line: tuple[Floats, Floats],
    is_movable: Bools,
    offsets_nm: Floats,
    smooth_nm: float,
) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of the nodes of all stages, two of shape (s, p).

    A stage is a row of nodes across the line at ``offsets_nm``, shape (p,), positive to starboard,
    ascending, 0 in the middle. A stage that is not movable has all nodes on the line. The line's
    course is averaged over ``smooth_nm`` to each side: otherwise stages would cross each other
    inside a bend.
    """
    lats, lngs = np.empty((2, is_movable.size, offsets_nm.size))
    _place_nodes(radius_nm, *line, is_movable, offsets_nm, smooth_nm, lats, lngs)
    return lats, lngs


@njit(cache=True, nogil=True, error_model="numpy")
def _place_nodes(
    radius_nm: float,
    line_lats: Floats,
    line_lngs: Floats,
    is_movable: Bools,
    offsets_nm: Floats,
    smooth_nm: float,
    lats: Floats,
    lngs: Floats,
) -> None:
    """Fill ``lats`` and ``lngs``, shape (s, p), as :func:`place_nodes` returns them."""
    moves = is_movable.any() and offsets_nm.any()
    course_deg = (
        _compute_courses(radius_nm, line_lats, line_lngs, smooth_nm) if moves else line_lats
    )
    for k in range(lats.shape[0]):
        for i in range(lats.shape[1]):
            lats[k, i], lngs[k, i] = line_lats[k], line_lngs[k]
            if is_movable[k] and offsets_nm[i] != 0.0:
                lats[k, i], lngs[k, i] = find_destination(
                    radius_nm, line_lats[k], line_lngs[k], course_deg[k] + 90.0, offsets_nm[i]
                )


@njit(cache=True, nogil=True, error_model="numpy")
def _compute_courses(radius_nm: float, lats: Floats, lngs: Floats, smooth_nm: float) -> Floats:
    """Return a line's course at each point [deg], averaged over ``smooth_nm`` to each side."""
    at_nm, north_nm, east_nm = np.zeros(lats.size), np.zeros(lats.size), np.zeros(lats.size)
    for k in range(lats.size - 1):
        nm, course = measure_segment(radius_nm, lats[k], lngs[k], lats[k + 1], lngs[k + 1])
        at_nm[k + 1] = at_nm[k] + nm
        north_nm[k + 1] = north_nm[k] + nm * math.cos(math.radians(course))
        east_nm[k + 1] = east_nm[k] + nm * math.sin(math.radians(course))
    half_nm = max(smooth_nm, 1e-3)
    before_nm, after_nm = at_nm - half_nm, at_nm + half_nm
    north_nm = np.interp(after_nm, at_nm, north_nm) - np.interp(before_nm, at_nm, north_nm)
    east_nm = np.interp(after_nm, at_nm, east_nm) - np.interp(before_nm, at_nm, east_nm)
    return np.degrees(np.arctan2(east_nm, north_nm))


def mark_edges(
    radius_nm: float, nodes: tuple[Floats, Floats], is_movable: Bools, reach: int
) -> Bools:
    """Mark the edges of a lattice, shape (s - 1, p, p): from node i of a stage to j of the next.

    An edge changes the column by at most ``reach``, advances along the line, and is part of a
    trajectory from the first stage to the last. Of a stage that is not movable only the middle
    column is used.
    """
    stages, columns = nodes[0].shape
    has_edge = np.zeros((stages - 1, columns, columns), dtype=np.bool_)
    _mark_edges(radius_nm, *nodes, is_movable, reach, has_edge)
    _drop_dead_ends(has_edge)
    return has_edge


@njit(cache=True, nogil=True, error_model="numpy")
def _mark_edges(
    radius_nm: float, lats: Floats, lngs: Floats, is_movable: Bools, reach: int, has_edge: Bools
) -> None:
    """Mark in ``has_edge`` the edges within reach that advance."""
    columns = lats.shape[1]
    middle, advances = columns // 2, np.empty(columns, dtype=np.bool_)
    for k in range(has_edge.shape[0]):
        is_open = is_movable[k] and is_movable[k + 1]
        advances[:] = True
        if is_open:
            _mark_advancing(radius_nm, lats[k : k + 2], lngs[k : k + 2], advances)
        for i in range(columns):
            if not (advances[i] and (is_movable[k] or i == middle)):
                continue
            for j in range(columns):
                is_used = advances[j] and (is_movable[k + 1] or j == middle)
                has_edge[k, i, j] = is_used and (not is_open or abs(i - j) <= reach)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _mark_advancing(radius_nm: float, lats: Floats, lngs: Floats, advances: Bools) -> None:
    """Mark the columns that advance from a stage to the next; the others cross at a fold.

    ``lats`` and ``lngs`` are those of the two stages, shape (2, p); ``advances``, shape (p,), is
    written.
    """
    middle = advances.size // 2
    nm, course = measure_segment(
        radius_nm, lats[0, middle], lngs[0, middle], lats[1, middle], lngs[1, middle]
    )
    for i in range(advances.size):
        column_nm, column_course = measure_segment(
            radius_nm, lats[0, i], lngs[0, i], lats[1, i], lngs[1, i]
        )
        advance_nm = column_nm * math.cos(math.radians(column_course - course))
        advances[i] = advance_nm >= _MIN_ADVANCE * nm


def keep_connected_edges(has_edge: Bools) -> Bools:
    """Return the edges, shape (s - 1, p, p), that are part of a path between the end nodes.

    The end nodes are those of the middle column in the first and the last stage.
    """
    kept = has_edge.copy()
    _drop_dead_ends(kept)
    return kept


@njit(cache=True, nogil=True)
def _drop_dead_ends(kept: Bools) -> None:
    """Drop the edges that the first stage does not reach, then those that do not reach the last."""
    p = kept.shape[1]
    reached, reaches_end = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    reached[p // 2] = reaches_end[p // 2] = True
    for k in range(kept.shape[0]):
        reached_next = np.zeros(p, dtype=np.bool_)
        for i in range(p):
            for j in range(p):
                kept[k, i, j] &= reached[i]
                reached_next[j] |= kept[k, i, j]
        reached = reached_next
    for k in range(kept.shape[0] - 1, -1, -1):
        reaches_end_here = np.zeros(p, dtype=np.bool_)
        for i in range(p):
            for j in range(p):
                kept[k, i, j] &= reaches_end[j]
                reaches_end_here[i] |= kept[k, i, j]
        reaches_end = reaches_end_here
