"""A* over a hierarchy, and the hierarchy itself, against SciPy's Dijkstra on random graphs."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from shapely import MultiPolygon, box

from app.engine.geodesy import unit_vectors
from app.engine.sea.graph import distance_nm_all, renumber
from app.engine.sea.search.astar import OPEN_SEA, WRONG_WAY, SeaGraph, find_cheapest_path
from app.engine.sea.search.conditions import NO_CONDITIONS, Conditions, build_price_map
from app.engine.sea.search.dissection import dissect
from app.engine.sea.search.hierarchy import Hierarchy, build_hierarchies
from app.engine.sea.search.potentials import get_cost_to_go, make_cost_to_go, settle_cost_to_go
from tests.unit.engine.opened import opened

SEEDS = range(40)


def make_graph(seed: int, nodes: int = 60, links: int = 140) -> SeaGraph:
    """A random graph of two-way edges; some belong to passage 0, some are one-way."""
    print(f"seed {seed}")  # noqa: T201
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, nodes, (2, links))
    weight = rng.uniform(1.0, 100.0, links)
    mark = rng.choice([OPEN_SEA, 0], links, p=[0.8, 0.2])
    back = np.where(rng.random(links) < 0.2, WRONG_WAY, mark)
    start, end = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.argsort(start, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=nodes))])
    depth = np.tile(rng.integers(20, 60, links), 2)[order].astype(np.uint8)
    return SeaGraph(
        rng.uniform(-60, 60, nodes),
        rng.uniform(-180, 180, nodes),
        indptr.astype(np.int64),
        end[order].astype(np.int32),
        np.tile(weight, 2)[order].astype(np.float32),
        np.concatenate([mark, back])[order].astype(np.int16),
        depth,
        depth,
    )


def to_matrix(graph: SeaGraph, usable: np.ndarray) -> csr_array:
    """The usable edges as a matrix, the cheapest of parallel ones."""
    start = np.repeat(np.arange(graph.lats.size), np.diff(graph.indptr))
    dense = np.full((graph.lats.size,) * 2, np.inf)
    np.minimum.at(dense, (start[usable], graph.indices[usable]), graph.weights[usable])
    return csr_array(np.where(np.isfinite(dense), dense, 0.0))


def build(graph: SeaGraph, doors: tuple[int, ...] = (-1,) * 5) -> Hierarchy:
    at = np.array(doors, dtype=np.int32)
    return build_hierarchies(graph.indptr, graph.indices, [graph.weights], at)[0]


def search(
    graph: SeaGraph,
    source: int,
    target: int,
    closed: bool,
    conditions: Conditions = NO_CONDITIONS,
) -> tuple[np.ndarray, float]:
    nodes, edges, cost = find_cheapest_path(
        opened(graph),
        opened(build(graph)),
        np.array([closed]),
        conditions,
        (np.array([source], dtype=np.int32), np.zeros(1)),
        (np.array([target], dtype=np.int32), np.zeros(1)),
    )
    if nodes.size and not conditions.prices.size:
        assert float(graph.weights[edges].sum()) == pytest.approx(cost, rel=1e-5, abs=1e-5)
    return nodes, cost


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_cheapest_route_has_the_cost_of_dijkstra(seed: int, closed: bool) -> None:
    graph = make_graph(seed)
    usable = (graph.passages == OPEN_SEA) | ((graph.passages == 0) & (not closed))
    expected = dijkstra(to_matrix(graph, usable), indices=0)
    for target in range(1, 60, 7):
        _, cost = search(graph, 0, target, closed)
        assert cost == pytest.approx(expected[target], rel=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_remaining_distances_equal_dijkstra_with_any_passages_closed(seed: int) -> None:
    graph = make_graph(seed, nodes=200, links=520)
    doors = (196, -1, 199, 198, 197)
    closed = np.random.default_rng(seed).random(5) < 0.5
    shut = [door for door, is_closed in zip(doors, closed, strict=True) if is_closed and door >= 0]
    start = np.repeat(np.arange(200), np.diff(graph.indptr))
    usable = ~np.isin(start, shut) & ~np.isin(graph.indices, shut)
    targets, costs = np.array([3, 90], dtype=np.int32), np.array([7.0, 40.0])
    apart = dijkstra(to_matrix(graph, usable), indices=targets)
    expected = (apart + costs[:, None]).min(axis=0)
    hierarchy, cost_to_go = opened(build(graph, doors)), make_cost_to_go(200)
    settle_cost_to_go(hierarchy, closed, targets, costs, cost_to_go)
    ours = [get_cost_to_go(hierarchy, cost_to_go, node) for node in np.arange(200, dtype=np.int32)]
    np.testing.assert_allclose(ours, np.where(np.isin(range(200), shut), np.inf, expected), 1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hierarchy_holds_no_arc_that_a_shorter_route_replaces(seed: int) -> None:
    graph = make_graph(seed)
    hierarchy = build(graph)
    tails = np.repeat(np.arange(60), np.diff(hierarchy.starts))
    apart = dijkstra(to_matrix(graph, np.ones(graph.indices.size, dtype=bool)))
    np.testing.assert_allclose(hierarchy.weights, apart[tails, hierarchy.heads], 1e-5)


def make_grid(side: int) -> SeaGraph:
    """A grid of sea nodes, one per degree, each joined to its four neighbours."""
    lats, lngs = (x.ravel().astype(float) for x in np.mgrid[0:side, 0:side])
    apart = abs(lats[:, None] - lats) + abs(lngs[:, None] - lngs)
    start, end = np.nonzero(apart == 1.0)
    count = np.bincount(start, minlength=lats.size)
    return SeaGraph(
        lats,
        lngs,
        np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
        end.astype(np.int32),
        (60.0 + np.sin(np.minimum(start, end) * 7.0 + np.maximum(start, end))).astype(np.float32),
        np.full(start.size, OPEN_SEA, dtype=np.int16),
        np.full(start.size, 60, dtype=np.uint8),
        np.full(start.size, 60, dtype=np.uint8),
    )


def test_a_dissected_graph_needs_far_fewer_arcs_and_keeps_its_distances() -> None:
    grid, last = make_grid(40), np.array([700, 3], dtype=np.int32)
    points = unit_vectors(grid.lats, grid.lngs)
    order = dissect(points, grid.indptr, grid.indices, last)
    assert sorted(order) == list(range(1600))
    assert order[-2:].tolist() == last.tolist()
    ranked = renumber(grid, order)
    np.testing.assert_array_equal(ranked.lats, grid.lats[order])
    everything = np.ones(grid.indices.size, dtype=bool)
    apart = dijkstra(to_matrix(grid, everything), indices=order[0])
    np.testing.assert_allclose(
        dijkstra(to_matrix(ranked, everything), indices=0), apart[order], rtol=1e-6
    )
    assert 2 * count_path(build(ranked)) < count_path(build(grid))


def count_path(hierarchy: Hierarchy) -> int:
    """Number of ranks above the lowest."""
    count, v = 0, 0
    while v >= 0:
        count, v = count + 1, int(hierarchy.parent[v])
    return count


@pytest.mark.parametrize("seed", SEEDS)
def test_great_circles_bound_a_search_outside_the_hierarchy(seed: int) -> None:
    graph = make_graph(seed)
    start = np.repeat(np.arange(60), np.diff(graph.indptr))
    miles = distance_nm_all(
        *(x[at] for at in (start, graph.indices) for x in (graph.lats, graph.lngs))
    )
    graph = graph._replace(weights=(miles + graph.weights).astype(np.float32))
    usable = graph.passages > WRONG_WAY
    expected = dijkstra(to_matrix(graph, usable), indices=0)[1:60:7]
    nothing = build(graph._replace(weights=np.full_like(graph.weights, 1e6)))
    ours = [
        find_cheapest_path(
            opened(graph),
            opened(nothing),
            np.array([False]),
            NO_CONDITIONS,
            (np.array([0], dtype=np.int32), np.zeros(1)),
            (np.array([target], dtype=np.int32), np.zeros(1)),
            is_exact=False,
        )[2]
        for target in range(1, 60, 7)
    ]
    np.testing.assert_allclose(ours, expected, rtol=1e-5)


def close_at_random(seed: int) -> tuple[SeaGraph, np.ndarray, Conditions, np.ndarray]:
    """A graph with five passages, some of them closed, and a ship too deep for some edges.

    With them the edges that the ship can use.
    """
    rng = np.random.default_rng(1000 + seed)
    graph = make_graph(seed, links=300)
    marks = np.where(graph.passages == 0, rng.integers(0, 5, graph.passages.size), graph.passages)
    graph = graph._replace(passages=marks.astype(np.int16))
    closed, steps = rng.random(5) < 0.5, int(rng.integers(20, 45))
    usable = (graph.passages > WRONG_WAY) & (graph.depths >= steps)
    usable &= (graph.passages == OPEN_SEA) | ~closed[np.maximum(graph.passages, 0)]
    return graph, closed, NO_CONDITIONS._replace(depth_steps=steps), usable


def measure_all(seed: int) -> list[float]:
    """Costs of the routes from node 0 to every fourth other node."""
    graph, closed, conditions, _ = close_at_random(seed)
    hierarchy = build(graph)
    source = np.array([0], dtype=np.int32), np.zeros(1)
    return [
        find_cheapest_path(
            opened(graph),
            opened(hierarchy),
            closed,
            conditions,
            source,
            (np.array([target], dtype=np.int32), np.zeros(1)),
        )[2]
        for target in range(1, 60, 4)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_successive_searches_with_closed_passages_and_shoals_are_right(seed: int) -> None:
    graph, _, _, usable = close_at_random(seed)
    expected = dijkstra(to_matrix(graph, usable), indices=0)[1:60:4]
    np.testing.assert_allclose(measure_all(seed), expected, rtol=1e-5)


def test_searches_in_threads_do_not_disturb_each_other() -> None:
    alone = [measure_all(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(measure_all, list(range(8)) * 4))
    assert together == alone * 4


def test_no_route_is_found_beyond_the_limit() -> None:
    graph = make_graph(1)
    nodes, cost = search(graph, 0, 14, closed=False)
    assert nodes.size
    found = find_cheapest_path(
        opened(graph),
        opened(build(graph)),
        np.array([False]),
        NO_CONDITIONS,
        (np.array([0], dtype=np.int32), np.zeros(1)),
        (np.array([14], dtype=np.int32), np.zeros(1)),
        limit=cost * 0.99,
    )
    assert found[0].size == 0


def test_the_cheaper_of_several_ends_is_chosen() -> None:
    graph = make_graph(2)
    sources = np.array([0, 5, 9], dtype=np.int32)
    costs = np.array([40.0, 10.0, 90.0])
    closed, hierarchy = np.array([False]), opened(build(graph))
    targets = np.array([21, 33], dtype=np.int32), np.array([5.0, 30.0])
    _, _, together = find_cheapest_path(
        opened(graph), hierarchy, closed, NO_CONDITIONS, (sources, costs), targets
    )
    apart = min(
        cost + extra + search(graph, int(a), int(b), closed=False)[1]
        for a, cost in zip(sources, costs, strict=True)
        for b, extra in zip(*targets, strict=True)
    )
    assert together == pytest.approx(apart, rel=1e-5)


def test_the_miles_of_a_passage_inside_a_priced_area_cost_its_price_and_the_waits_do_not() -> None:
    wait_nm, price = 20.0, 3.0
    length_nm = float(distance_nm_all(np.zeros(1), np.zeros(1), np.zeros(1), np.ones(1))[0])
    graph = SeaGraph(
        np.array([0.0, 0.0, 5.0]),
        np.array([0.0, 1.0, 0.5]),
        np.array([0, 2, 2, 3]),
        np.array([1, 2, 1], dtype=np.int32),
        np.array([length_nm + wait_nm, 300.0, 300.0], dtype=np.float32),
        np.array([0, OPEN_SEA, OPEN_SEA], dtype=np.int16),
        np.full(3, 60, dtype=np.uint8),
        np.full(3, 60, dtype=np.uint8),
    )
    area = MultiPolygon([box(-0.5, -0.5, 1.5, 0.5)])
    conditions = NO_CONDITIONS._replace(prices=build_price_map(((area, price),)))
    _, cost = search(graph, 0, 1, False, conditions)
    assert cost == pytest.approx(price * length_nm + wait_nm, rel=1e-4)
    dearer = NO_CONDITIONS._replace(prices=build_price_map(((area, 20.0),)))
    nodes, _ = search(graph, 0, 1, False, dearer)
    assert nodes.tolist() == [0, 2, 1]
