"""Approaches from any place to the sea graph, on the smallest chart that suffices."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from threading import Lock
from typing import Any, Final

import numpy as np
from cachetools import LRUCache, cachedmethod
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.request import Position
from app.engine.sea.approach import CHARTS, Approach, find_approach, is_near_enough
from app.engine.sea.chart import Chart, draw_chart
from app.engine.sea.quadtree import LARGEST_CELL_DEG, SeaCells, list_cells_in_window
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData
from app.engine.units import wrap_longitude

#: Fewest cells of a component that ships trade in.
_SMALLEST_SEA: Final = 400
#: Number of positions whose approaches are cached.
_CACHE_SIZE: Final = 2000


def _name_place(
    _harbours: "Harbours", position: Position, barriers: Floats, is_wide: bool
) -> Hashable:
    return position, barriers.tobytes(), is_wide


@dataclass(frozen=True)
class Harbours:
    """Data of the sea graph for approaches.

    ``nodes`` are the nodes of the cells, in their order, and then those of passages. Node v is at
    ``lats[v]``, ``lngs[v]`` [deg], in the sea ``component[v]``; ``sea_sizes`` are the numbers of
    nodes by sea.
    """

    waters: CoastData
    cells: SeaCells
    nodes: NDArray[np.int32]
    lats: Floats
    lngs: Floats
    component: NDArray[np.int32]
    sea_sizes: Ints
    _approaches: LRUCache[Hashable, Any] = field(default_factory=partial(LRUCache, _CACHE_SIZE))
    _lock: Lock = field(default_factory=Lock)

    @property
    def passage_nodes(self) -> NDArray[np.int32]:
        """Nodes of the points of all centre lines, passage by passage."""
        return self.nodes[self.cells.level.size :]

    def find_approach(
        self,
        position: Position,
        barriers: Floats = NO_CONDITIONS.segments,
        *,
        is_wide: bool = False,
    ) -> Approach | None:
        """Return an approach that crosses no barrier, (m, 4) lng, lat [deg], or None.

        It is found on the smallest chart that suffices or, if ``is_wide``, on the largest.
        """
        near = barriers[_are_near(barriers, position)] if len(barriers) else barriers
        return self._draw(position, near, is_wide)

    @cachedmethod(attrgetter("_approaches"), key=_name_place, lock=attrgetter("_lock"))
    def _draw(self, position: Position, barriers: Floats, is_wide: bool) -> Approach | None:
        found = None
        for half_deg, cells in CHARTS[-1:] if is_wide else CHARTS:
            chart = draw_chart(position.lat, position.lng, half_deg, cells)
            nodes = self._list_nodes(chart)
            if nodes.size:
                found = find_approach(
                    self.waters,
                    chart,
                    position.lat,
                    position.lng,
                    nodes,
                    self.lats[nodes],
                    self.lngs[nodes],
                    barriers,
                )
            if found is not None and is_near_enough(found):
                return found
        return found

    def _list_nodes(self, chart: Chart) -> NDArray[np.int32]:
        """List the nodes of seas that ships trade in, within a chart."""
        cells = list_cells_in_window(
            self.cells.row_starts,
            self.cells.first_rows,
            self.cells.col,
            chart.south,
            chart.west,
            chart.south + chart.rows / chart.cells,
            chart.west + chart.cols / chart.cells,
        )
        points = _list_points(chart, self.passage_nodes, self.lats, self.lngs)
        nodes = np.concatenate([self.nodes[cells], points])
        is_traded = self.sea_sizes[self.component[nodes]] >= _SMALLEST_SEA
        return np.asarray(nodes[is_traded], dtype=np.int32)


@njit(cache=True)
def _list_points(chart, nodes, lats, lngs):  # type: ignore[no-untyped-def]
    """List those of some nodes that lie within a chart."""
    inside = np.empty_like(nodes)
    count = 0
    for node in nodes:
        up = (lats[node] - chart.south) * chart.cells
        if 0.0 < up < chart.rows:
            east = (lngs[node] - chart.west) % 360.0 * chart.cells
            if east < chart.cols:
                inside[count] = node
                count += 1
    return inside[:count]


def _are_near(barriers: Floats, position: Position) -> Bools:
    """Mask of barriers, (m, 4) lng, lat [deg], near the largest chart around a position.

    The chart is widened to the centres of the cells that extend into it.
    """
    half_deg = CHARTS[-1][0]
    half_lng = half_deg / max(0.25, np.cos(np.radians(position.lat))) + LARGEST_CELL_DEG / 2.0
    half_deg += LARGEST_CELL_DEG / 2.0
    width = barriers[:, 2] - barriers[:, 0]
    # by its middle, because an edge may span half the world
    east = wrap_longitude(barriers[:, 0] + width / 2.0 - position.lng) - width / 2.0
    other = east + width
    near: Bools = (
        (np.minimum(east, other) < half_lng)
        & (np.maximum(east, other) > -half_lng)
        & (np.minimum(barriers[:, 1], barriers[:, 3]) < position.lat + half_deg)
        & (np.maximum(barriers[:, 1], barriers[:, 3]) > position.lat - half_deg)
    )
    return near
