"""Nodes and edges of a lattice along a line."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.geodesy import unit_vectors
from app.engine.optimise.surface import (
    PLANE_RADIUS_NM,
    compute_destinations,
    measure_segment,
    measure_segments,
)

Floats = NDArray[np.float64]

#: Least advance along the line to the next stage, as a share of the stage's length. Less means
#: that the stages cross each other there.
_MIN_ADVANCE: Final = 0.25


def resample_line(
    radius_nm: float, lats: Floats, lngs: Floats, spacing_nm: float
) -> tuple[Floats, Floats]:
    """Return a line with points added so that none are more than ``spacing_nm`` apart."""
    segments = np.empty((lats.size - 1, 3))
    measure_segments(radius_nm, lats, lngs, segments)
    parts = [(lats[:1], lngs[:1])]
    for k, (distance_nm, _, _) in enumerate(segments):
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
    start, end = _unit_vector(a), _unit_vector(b)
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


def _unit_vector(position: tuple[float, float]) -> Floats:
    lat, lng = np.radians(position[0]), np.radians(position[1])
    return np.array([np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)])


def compute_courses(radius_nm: float, lats: Floats, lngs: Floats, smooth_nm: float) -> Floats:
    """Return a line's course at each point [deg], averaged over ``smooth_nm`` to each side.

    Without the average, stages would cross each other inside a bend.
    """
    segments = np.empty((lats.size - 1, 3))
    measure_segments(radius_nm, lats, lngs, segments)
    at_nm = np.concatenate([[0.0], np.cumsum(segments[:, 0])])
    course = np.radians(segments[:, 1])
    north = np.concatenate([[0.0], np.cumsum(segments[:, 0] * np.cos(course))])
    east = np.concatenate([[0.0], np.cumsum(segments[:, 0] * np.sin(course))])
    half_nm = max(smooth_nm, 1e-3)

    def change(values: Floats) -> Floats:
        ahead = np.interp(at_nm + half_nm, at_nm, values)
        return np.asarray(ahead - np.interp(at_nm - half_nm, at_nm, values))

    return np.asarray(np.degrees(np.arctan2(change(east), change(north))))


def place_nodes(
    radius_nm: float,
    line: tuple[Floats, Floats],
    is_movable: NDArray[np.bool_],
    offsets_nm: Floats,
    smooth_nm: float,
) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of the nodes of all stages, two of shape (s, p).

    A stage is a row of nodes across the line at ``offsets_nm``, shape (p,) or (s, p), positive to
    starboard, ascending, 0 in the middle. A stage that is not movable has all nodes on the line.
    """
    lats, lngs = line
    across = np.broadcast_to(offsets_nm, (lats.size, np.shape(offsets_nm)[-1]))
    across = np.where(is_movable[:, None], across, 0.0)
    course = compute_courses(radius_nm, lats, lngs, smooth_nm)[:, None] + 90.0
    return compute_destinations(radius_nm, lats[:, None], lngs[:, None], course, across)


def mark_edges(
    radius_nm: float, nodes: tuple[Floats, Floats], is_movable: NDArray[np.bool_], reach: int
) -> NDArray[np.bool_]:
    """Mark the edges of a lattice, shape (s - 1, p, p): from node i of a stage to j of the next.

    An edge changes the column by at most ``reach``, advances along the line, and is part of a
    trajectory from the first stage to the last. Of a stage that is not movable only the middle
    column is used.
    """
    columns = np.arange(nodes[0].shape[1])
    middle = columns.size // 2
    used = is_movable[:, None] | (columns == middle)
    within_reach = np.abs(columns[:, None] - columns) <= reach
    is_fixed = ~(is_movable[:-1] & is_movable[1:])
    has_edge = used[:-1, :, None] & used[1:, None, :] & (within_reach | is_fixed[:, None, None])
    advances = np.ones((is_movable.size - 1, columns.size), dtype=np.bool_)
    _unmark_folded(radius_nm, *nodes, is_movable, advances)
    return keep_connected_edges(has_edge & advances[:, :, None] & advances[:, None, :])


def keep_connected_edges(has_edge: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the edges, shape (s - 1, p, p), that are part of a path between the end nodes.

    The end nodes are those of the middle column in the first and the last stage.
    """
    kept = has_edge.copy()
    _drop_dead_ends(kept)
    return kept


@njit(cache=True, nogil=True)
def _drop_dead_ends(kept: NDArray[np.bool_]) -> None:
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


@njit(cache=True, nogil=True, error_model="numpy")
def _unmark_folded(
    radius_nm: float,
    lats: Floats,
    lngs: Floats,
    is_movable: NDArray[np.bool_],
    advances: NDArray[np.bool_],
) -> None:
    """Unmark the columns that do not advance to the next stage, where stages cross each other.

    ``advances``, shape (s - 1, p), is written.
    """
    middle = lats.shape[1] // 2
    for k in range(lats.shape[0] - 1):
        if not (is_movable[k] and is_movable[k + 1]):
            continue
        nm, course, _ = measure_segment(
            radius_nm, lats[k, middle], lngs[k, middle], lats[k + 1, middle], lngs[k + 1, middle]
        )
        for i in range(lats.shape[1]):
            column_nm, column_course, _ = measure_segment(
                radius_nm, lats[k, i], lngs[k, i], lats[k + 1, i], lngs[k + 1, i]
            )
            advance_nm = column_nm * math.cos(math.radians(column_course - course))
            advances[k, i] = advance_nm >= _MIN_ADVANCE * nm
