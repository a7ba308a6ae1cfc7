"""Building of a sea atlas from coastline rings, depths and passages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.geodesy import unit_vectors
from app.engine.progress import Progress
from app.engine.sea.clearance import build_clearance_field
from app.engine.sea.coast import build_coast_index
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.gates import POLAR_GATES, build_passage_gate, stack_lines
from app.engine.sea.graph import (
    assemble_graph,
    build_passage_edges,
    close_edges,
    find_portal_nodes,
    label_components,
    list_passage_nodes,
    renumber,
    update_depths,
)
from app.engine.sea.mouths import join_mouths, open_mouths, rate_nodes
from app.engine.sea.passages import Passage
from app.engine.sea.proving import build_proven_map, list_class_steps
from app.engine.sea.quadtree import build_cells, build_edges, compute_centres
from app.engine.sea.raster import LandRaster, build_land_raster
from app.engine.sea.search.astar import SeaGraph
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.search.dissection import dissect
from app.engine.sea.search.hierarchy import Hierarchy, build_hierarchies
from app.engine.sea.shoal_areas import ShoalArea, apply_shoal_areas
from app.engine.sea.shoals import (
    UNKNOWN,
    build_overview,
    build_shoal_map,
    fill_lone_shoals,
    find_lone_shoals,
    is_covered,
    overlay_fine_grid,
)
from app.engine.sea.squares import store_in_squares
from app.engine.sea.store import name_hierarchies


def build_arrays(
    vertices: NDArray[np.float32],
    starts: Ints,
    depths: NDArray[np.int16],
    passages: Sequence[Passage],
    progress: Progress,
    fine: NDArray[np.uint8] | None = None,
    areas: Sequence[ShoalArea] = (),
) -> dict[str, NDArray[Any]]:
    """Build all arrays of an atlas by name, for :func:`app.engine.sea.store.write_atlas`.

    ``vertices`` and ``starts`` are closed rings between land and water, lng, lat [deg], by the
    even-odd rule; ``depths`` (2161, 4320) the depth below sea level [m] every 5' from 90 S, 180 W.
    ``progress`` is called with the share done (0..1) and the present step. ``fine`` is the least
    depth of each cell of the shoal map by a finer grid, if there is one; see
    :func:`app.engine.sea.shoals.overlay_fine_grid`. ``areas`` are shoals as data, which apply
    whatever the grids contain.
    """
    waters = _build_waters(vertices, starts, depths, progress, fine, areas)
    progress(0.35, "Cutting the sea into cells")
    land = LandRaster(waters.inside, waters.shore)
    cells = build_cells(land)
    pairs = build_edges(cells, land)
    progress(0.60, "Joining canals and straits")
    graph, firsts = _build_graph(compute_centres(cells), pairs, passages, waters)
    graph, waters = _open_passage_mouths(graph, passages, firsts, waters)
    lines = [build_passage_gate(passage, waters, passages) for passage in passages]
    gates = [[np.nan] * 4 if line is None else line.tolist() for line in lines]
    progress(0.70, "Measuring paths over the sea")
    portal_nodes = find_portal_nodes(graph, passages, firsts)
    schemes = [
        line for line, each in zip(lines, passages, strict=True) if each.gate and line is not None
    ]
    graph, nodes, hierarchies = _build_hierarchies(graph, portal_nodes, stack_lines(schemes))
    component = label_components(graph)
    return {
        **waters._asdict(),
        **{f"cell_{name}": array for name, array in cells._asdict().items()},
        **{f"graph_{name}": array for name, array in graph._asdict().items()},
        "component": component,
        "rating": rate_nodes(graph, component),
        "sea_sizes": np.bincount(component),
        "nodes": nodes,
        "gates": np.array(gates, dtype=np.float64).reshape(-1, 4),
        **name_hierarchies(hierarchies),
        "depths": np.where(find_lone_shoals(depths), NO_DEPTH, depths).astype(np.int16),
    }


def _build_hierarchies(
    graph: SeaGraph, portal_nodes: NDArray[np.int32], schemes: Floats
) -> tuple[SeaGraph, NDArray[np.int32], list[Hierarchy]]:
    """Return the graph in the order of its hierarchies, the new node numbers, and the hierarchies.

    The first hierarchy is for ships of any depth, the others for the depth classes. In all of
    them the polar passages and the gates of traffic separation schemes are closed.
    """
    held = portal_nodes >= 0
    points = unit_vectors(graph.lats, graph.lngs)
    order = dissect(points, graph.indptr, graph.indices, portal_nodes[held])
    nodes = np.empty(order.size, dtype=np.int32)
    nodes[order] = np.arange(order.size, dtype=np.int32)
    ranked = renumber(graph, order)
    weights = close_edges(ranked, stack_lines([gate.line for gate in POLAR_GATES]), schemes)
    ranks = np.where(held, nodes[portal_nodes], -1).astype(np.int32)
    metrics = [weights]
    metrics += [
        np.where(ranked.depths >= steps, weights, np.float32(np.inf))
        for steps in list_class_steps()
    ]
    return ranked, nodes, build_hierarchies(ranked.indptr, ranked.indices, metrics, ranks)


def _build_waters(
    vertices: NDArray[np.float32],
    starts: Ints,
    depths: NDArray[np.int16],
    progress: Progress,
    fine: NDArray[np.uint8] | None = None,
    areas: Sequence[ShoalArea] = (),
) -> CoastData:
    """Build the coast as raster and edges, the distances from land, and the shoal maps."""
    progress(0.05, "Drawing the coast")
    land = build_land_raster(vertices, starts)
    index = build_coast_index(vertices, starts)
    progress(0.20, "Measuring distances from land")
    field = build_clearance_field(land)
    is_lone = find_lone_shoals(depths)
    charted = build_shoal_map(fill_lone_shoals(depths, is_lone), field)
    feared = build_shoal_map(depths, field)
    # the depth of a lone node may be a reef or an error
    proven = np.minimum(build_proven_map(field), np.where(feared < charted, feared, UNKNOWN))
    if fine is not None:
        charted = overlay_fine_grid(charted, fine, field)
        proven[is_covered(fine, field)] = UNKNOWN
    apply_shoal_areas(charted, proven, areas)
    field, charted, proven = (store_in_squares(each) for each in (field, charted, proven))
    shoals = np.minimum(charted, proven)
    coast = land.inside, land.shore, index.edges, index.starts
    return CoastData(
        *coast, field, shoals, build_overview(shoals), charted, build_overview(charted)
    )


def _open_passage_mouths(
    graph: SeaGraph, passages: Sequence[Passage], firsts: Ints, waters: CoastData
) -> tuple[SeaGraph, CoastData]:
    """Return the graph and the waters with the mouths of the passages opened."""
    proven = waters.shoals.copy()
    open_mouths(graph, passages, firsts, proven)
    graph, waters = _apply_proven(graph, waters, proven)
    join_mouths(graph, passages, firsts, label_components(graph), proven)
    return _apply_proven(graph, waters, proven)


def _apply_proven(
    graph: SeaGraph, waters: CoastData, proven: NDArray[np.uint8]
) -> tuple[SeaGraph, CoastData]:
    """Return the graph and the waters with a new map of proven water."""
    shoals = np.minimum(waters.charted, proven)
    waters = waters._replace(shoals=shoals, shoal_blocks=build_overview(shoals))
    return update_depths(graph, waters), waters


def _build_graph(
    centres: tuple[Floats, Floats],
    pairs: tuple[NDArray[np.int32], NDArray[np.int32]],
    passages: Sequence[Passage],
    waters: CoastData,
) -> tuple[SeaGraph, Ints]:
    """Return the graph of cells and passages, and the first node of each passage."""
    points, firsts = list_passage_nodes(passages, centres[0].size)
    lats = np.concatenate([centres[0], points[:, 0]])
    lngs = np.concatenate([centres[1], points[:, 1]])
    edges = build_passage_edges(passages, lats, lngs, firsts, waters)
    return assemble_graph(lats, lngs, pairs, edges, waters), firsts
