"""The sea graph: nodes of cells and passages, with edge costs and components."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy import unit_vectors
from app.engine.sea.clearance import get_clearance_nm
from app.engine.sea.coast import is_land, segment_clearance_m
from app.engine.sea.offing import price_clearance
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.search.astar import OPEN_SEA, WRONG_WAY, SeaGraph
from app.engine.sea.search.barriers import ANY_COSINE, build_barriers, is_barred
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import DEEP, SHOAL_MARGIN_CELLS, UNKNOWN, find_least_steps

#: Speed at which waiting and slow steaming in a passage are converted to miles [kn].
_REFERENCE_SPEED_KN: Final = 14.0

_LINK_REACH_NM: Final = 25.0
_LINK_CANDIDATES: Final = 64
_LINK_SECTORS: Final = 8
_LINK_CLEARANCE_M: Final = 50.0


class PassageEdges(NamedTuple):
    """Edges along centre lines and from them to the open sea; ends are node numbers.

    ``passage`` is the index of the passage, or OPEN_SEA for the joining edges.
    """

    start: list[int]
    end: list[int]
    passage: list[int]
    weight: list[float]
    both_ways: list[bool]


def list_passage_nodes(passages: Sequence[Passage], first_node: int) -> tuple[Floats, Ints]:
    """List the positions (n, 2) of all centre-line points, and each passage's first node."""
    points = [point for passage in passages for point in passage.centre_line]
    counts = [len(passage.centre_line) for passage in passages]
    firsts = first_node + np.concatenate([[0], np.cumsum(counts)])
    return np.array(points, dtype=np.float64).reshape(-1, 2), firsts.astype(np.int64)


def build_passage_edges(
    passages: Sequence[Passage],
    lats: Floats,
    lngs: Floats,
    firsts: Ints,
    waters: CoastData,
) -> PassageEdges:
    """Build the edges of all passages, given the positions of all nodes.

    A canal joins the sea at its ends, other passages wherever their centre line is in open water.
    """
    edges = PassageEdges([], [], [], [], [])
    tree = KDTree(unit_vectors(lats, lngs))
    for index, passage in enumerate(passages):
        _follow_line(edges, passage, index, int(firsts[index]), lats, lngs)
        last = int(firsts[index + 1]) - 1
        inner = range(int(firsts[index]), last + 1)
        ends = (int(firsts[index]), last)
        for node in ends if passage.kind is PassageKind.CANAL else inner:
            for other in _find_links(tree, lats, lngs, node, waters):
                _append(edges, node, other, OPEN_SEA, _measure_link(lats, lngs, node, other), True)
    return edges


def _follow_line(
    edges: PassageEdges,
    passage: Passage,
    index: int,
    first: int,
    lats: Floats,
    lngs: Floats,
) -> None:
    nodes = np.arange(first, first + len(passage.centre_line))
    miles = distance_nm_all(lats[nodes[:-1]], lngs[nodes[:-1]], lats[nodes[1:]], lngs[nodes[1:]])
    slow = max(0.0, _REFERENCE_SPEED_KN / (passage.speed_kn or _REFERENCE_SPEED_KN) - 1.0)
    waiting = passage.waiting_h * _REFERENCE_SPEED_KN / float(miles.sum())
    for a, length in zip(nodes[:-1].tolist(), miles.tolist(), strict=True):
        weight = length * (1.0 + slow + waiting)
        _append(edges, a, a + 1, index, weight, not passage.one_way)


def _append(
    edges: PassageEdges, a: int, b: int, passage: int, weight: float, both_ways: bool
) -> None:
    edges.start.append(a)
    edges.end.append(b)
    edges.passage.append(passage)
    edges.weight.append(weight)
    edges.both_ways.append(both_ways)


def _measure_link(lats: Floats, lngs: Floats, a: int, b: int) -> float:
    return float(distance_nm(lats[a], lngs[a], lats[b], lngs[b]))


def _find_links(
    tree: KDTree, lats: Floats, lngs: Floats, node: int, waters: CoastData
) -> list[int]:
    """Find the nearest node of each sector that a straight, clear line leads to."""
    lat, lng = float(lats[node]), float(lngs[node])
    if is_land(waters, lat, lng):
        return []
    reach = 2.0 * np.sin(_LINK_REACH_NM / EARTH_RADIUS_NM / 2.0)
    _, near = tree.query(
        unit_vectors(lats[node : node + 1], lngs[node : node + 1])[0],
        k=_LINK_CANDIDATES,
        distance_upper_bound=reach,
    )
    taken: dict[int, int] = {}
    for other in near[near < lats.size].tolist():
        east = ((lngs[other] - lng + 180.0) % 360.0 - 180.0) * np.cos(np.radians(lat))
        sector = int(np.arctan2(east, lats[other] - lat) / (2.0 * np.pi) * _LINK_SECTORS)
        if other == node or sector in taken:
            continue
        gap_m = segment_clearance_m(
            waters.edges,
            waters.edge_starts,
            lat,
            lng,
            float(lats[other]),
            float(lngs[other]),
            _LINK_CLEARANCE_M,
        )
        if gap_m >= _LINK_CLEARANCE_M:
            taken[sector] = other
    return list(taken.values())


def assemble_graph(
    lats: Floats,
    lngs: Floats,
    pairs: tuple[NDArray[np.int32], NDArray[np.int32]],
    passage_edges: PassageEdges,
    waters: CoastData,
) -> SeaGraph:
    """Assemble the pairs of cells and the edges of passages into one directed graph."""
    weights = np.empty(pairs[0].size, dtype=np.float32)
    _price_pairs(lats, lngs, pairs[0], pairs[1], waters.field, weights)
    one, two = np.array(passage_edges.start), np.array(passage_edges.end)
    mark = np.array(passage_edges.passage, dtype=np.int16)
    back = np.where(passage_edges.both_ways, mark, WRONG_WAY - mark).astype(np.int16)
    sea = np.full(pairs[0].size, OPEN_SEA, dtype=np.int16)
    start = np.concatenate([pairs[0], one, pairs[1], two]).astype(np.int32)
    end = np.concatenate([pairs[1], two, pairs[0], one]).astype(np.int32)
    weight = np.tile(np.concatenate([weights, passage_edges.weight]), 2).astype(np.float32)
    passage = np.concatenate([sea, mark, sea, back])
    depth = np.full(passage.size // 2, UNKNOWN, dtype=np.uint8)
    _measure_depths(lats, lngs, start, end, passage, waters.charted, waters.charted_blocks, depth)
    charted = depth.copy()
    _measure_depths(lats, lngs, start, end, passage, waters.shoals, waters.shoal_blocks, depth)
    order = np.argsort(start, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=lats.size))])
    return SeaGraph(
        lats,
        lngs,
        indptr.astype(np.int64),
        end[order],
        weight[order],
        passage[order],
        np.tile(depth, 2)[order],
        np.tile(charted, 2)[order],
    )


@njit(cache=True)
def distance_nm_all(lats0, lngs0, lats1, lngs1):  # type: ignore[no-untyped-def]
    """Compute great-circle distances between pairs of positions [nm]."""
    out = np.empty(lats0.size)
    for i in range(lats0.size):
        out[i] = distance_nm(lats0[i], lngs0[i], lats1[i], lngs1[i])
    return out


@njit(cache=True)
def _price_pairs(lats, lngs, start, end, field, weights):  # type: ignore[no-untyped-def]
    for i in range(start.size):
        a = start[i]
        b = end[i]
        price = price_clearance(get_clearance_nm(field, lats[a], lngs[a]))
        price += price_clearance(get_clearance_nm(field, lats[b], lngs[b]))
        weights[i] = distance_nm(lats[a], lngs[a], lats[b], lngs[b]) * price / 2.0


@njit(cache=True)
def _measure_depths(lats, lngs, start, end, passage, cells, blocks, depth):  # type: ignore[no-untyped-def]
    """Find the least depth of open-sea edges; passages have their own depths."""
    for i in range(depth.size):
        a = start[i]
        b = end[i]
        if passage[i] == OPEN_SEA and (lats[a] != lats[b] or lngs[a] != lngs[b]):
            depth[i] = find_least_steps(
                cells, blocks, lats[a], lngs[a], lats[b], lngs[b], SHOAL_MARGIN_CELLS, DEEP
            )


def label_components(graph: SeaGraph, is_used: Bools | None = None) -> NDArray[np.int32]:
    """Label the nodes by connected water: the world ocean is 0, others in order of size.

    ``is_used`` is a mask of the edges considered, by default all.
    """
    n = graph.lats.size
    start = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.indptr))
    end = graph.indices
    if is_used is not None:
        start, end = start[is_used], end[is_used]
    ones = np.ones(start.size, dtype=np.bool_)
    joined = coo_array((ones, (start, end)), shape=(n, n))
    _, labels = connected_components(joined, directed=False)
    rank = np.argsort(np.argsort(-np.bincount(labels), kind="stable"), kind="stable")
    component: NDArray[np.int32] = rank[labels].astype(np.int32)
    return component


def update_depths(graph: SeaGraph, waters: CoastData) -> SeaGraph:
    """Return the graph with the depths of edges over unproven water updated from the waters."""
    start = np.repeat(np.arange(graph.lats.size, dtype=np.int32), np.diff(graph.indptr))
    asked = np.flatnonzero(graph.depths != graph.charted)
    depths, found = graph.depths.copy(), np.full(asked.size, UNKNOWN, dtype=np.uint8)
    _measure_depths(
        graph.lats,
        graph.lngs,
        start[asked],
        graph.indices[asked],
        graph.passages[asked],
        waters.shoals,
        waters.shoal_blocks,
        found,
    )
    depths[asked] = found
    return graph._replace(depths=depths)


def renumber(graph: SeaGraph, order: NDArray[np.int32]) -> SeaGraph:
    """Return the graph with its nodes (n,) in another order."""
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    count = np.diff(graph.indptr)
    start = np.repeat(place, count)
    edges = np.argsort(start, kind="stable")
    return SeaGraph(
        graph.lats[order],
        graph.lngs[order],
        np.concatenate([[0], np.cumsum(count[order])]).astype(np.int64),
        place[graph.indices[edges]],
        graph.weights[edges],
        graph.passages[edges],
        graph.depths[edges],
        graph.charted[edges],
    )


def find_portal_nodes(
    graph: SeaGraph, passages: Sequence[Passage], firsts: Ints
) -> NDArray[np.int32]:
    """Find for each canal a node near its middle with edges of the canal only, or -1.

    Without that node no path leads through the canal, and other paths are unchanged. Canals
    without through traffic, and other passages, have none.
    """
    portal_nodes = np.full(len(passages), -1, dtype=np.int32)
    for index, passage in enumerate(passages):
        if passage.kind is not PassageKind.CANAL or not passage.through_traffic:
            continue
        first, last = int(firsts[index]), int(firsts[index + 1]) - 1
        for node in sorted(range(first + 1, last), key=lambda v: abs(2 * v - first - last)):
            marks = graph.passages[graph.indptr[node] : graph.indptr[node + 1]]
            if np.isin(marks, [index, WRONG_WAY - index]).all():
                portal_nodes[index] = node
                break
    return portal_nodes


def close_edges(graph: SeaGraph, lines: Floats, gates: Floats) -> NDArray[np.float32]:
    """Return the weights of the edges, infinite for those across lines, (m, 4) lng, lat.

    ``gates`` close only edges in the open sea.
    """
    weights = graph.weights.copy()
    barriers = build_barriers(lines, gates)
    _close_crossing(graph, *barriers, weights)
    return weights


@njit(cache=True)
def _close_crossing(graph, segments, kinds, starts, weights):  # type: ignore[no-untyped-def]
    for v in range(graph.lats.size):
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            w = graph.indices[e]
            if is_barred(
                segments,
                kinds,
                starts,
                graph.lats[v],
                graph.lngs[v],
                graph.lats[w],
                graph.lngs[w],
                graph.passages[e] == OPEN_SEA,
                ANY_COSINE,
            ):
                weights[e] = np.inf
