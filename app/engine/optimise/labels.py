"""What a search of a lattice has reached, and the ways that can be read from it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.dynamic_programming import search_stages, trace_back
from app.engine.optimise.lattice import Labels, Search, Stages
from app.engine.optimise.surface import EARTH, hop_between

Floats = NDArray[np.float64]

#: Told after each few stages; may raise to end the search.
Heartbeat = Callable[[], None]

#: Stages searched between heartbeats.
_STAGES_AT_ONCE: Final = 16


@dataclass(frozen=True)
class Way:
    """One way through the stages: positions and arrival times, shape (s,), and the
    speed ordered from each, shape (s - 1,); ``fuel`` in all, as priced. ``left_h``, shape
    (s - 1,), is when each is left: later than it is come to where the ship waits."""

    lats: Floats
    lngs: Floats
    hours: Floats
    left_h: Floats
    speeds_kn: Floats
    fuel: float

    @property
    def waits(self) -> bool:
        """Whether the ship waits anywhere."""
        return bool(np.any(self.left_h > self.hours[:-1]))


@dataclass(frozen=True)
class Reached:
    """The labels of all stages, as ``search_stages`` leaves them."""

    stages: Stages
    search: Search
    labels: Labels

    def find_way(
        self, fuel_price: float, hour_price: float, arrive_by_h: float = inf
    ) -> Way | None:
        """The best way at these prices that arrives in time; ``None`` where there is none."""
        nodes = self.find_nodes(fuel_price, hour_price, arrive_by_h)
        return None if nodes is None else self.read_way(nodes)

    def find_nodes(
        self, fuel_price: float, hour_price: float, arrive_by_h: float
    ) -> NDArray[np.int64] | None:
        """Point, bin and speed at each stage of that way, shape (s, 3)."""
        middle = self.stages.lats.shape[1] // 2
        hours, fuel = self.labels.time_h[-1, middle], self.labels.fuel[-1, middle]
        in_time = (fuel < inf) & (hours <= arrive_by_h)
        if not in_time.any():
            return None
        value = np.full(fuel.size, inf)
        value[in_time] = fuel_price * fuel[in_time] + hour_price * hours[in_time]
        return self.trace(self.stages.lats.shape[0] - 1, middle, int(np.argmin(value)))

    def share_at_edge(self, way: Way) -> float:
        """At what share of the stages that may leave the line a way lies at the corridor's edge,
        beyond which there may be a better."""
        lats, lngs = self.stages.lats, self.stages.lngs
        moving = np.ptp(lats, axis=1) + np.ptp(lngs, axis=1) > 0.0
        at_edge = [(way.lats == lats[:, n]) & (way.lngs == lngs[:, n]) for n in (0, -1)]
        return float((moving & np.any(at_edge, axis=0)).sum() / max(moving.sum(), 1))

    def holds(self, lats: Floats, lngs: Floats) -> bool:
        """Whether positions, one a stage, lie within the corridor."""
        rows = self.stages.lats.shape[0]
        middle = self.stages.lats.shape[1] // 2
        to_edge_nm, off_nm = np.empty((2, rows))
        for k in range(rows):
            here = self.stages.lats[k, middle], self.stages.lngs[k, middle]
            edge = self.stages.lats[k, -1], self.stages.lngs[k, -1]
            to_edge_nm[k] = hop_between(EARTH, *here, *edge)[0]
            off_nm[k] = hop_between(EARTH, *here, lats[k], lngs[k])[0]
        moving = to_edge_nm > 0.0
        return bool(np.all(off_nm[moving] <= to_edge_nm[moving]))

    def trace(self, stage: int, point: int, bin_: int) -> NDArray[np.int64]:
        """Point, bin and speed at each stage up to one, of the way that its label came by."""
        nodes = np.empty((stage + 1, 3), dtype=np.int64)
        trace_back(self.labels.parent, point, bin_, nodes)
        return nodes

    def read_way(self, nodes: NDArray[np.int64]) -> Way:
        """The way by these nodes, up to the stage that they end at."""
        rows = np.arange(nodes.shape[0])
        points, bins, speeds = nodes.T
        return Way(
            lats=self.stages.lats[rows, points],
            lngs=self.stages.lngs[rows, points],
            hours=self.labels.time_h[rows, points, bins],
            left_h=self.labels.left_h[rows[1:], points[1:], bins[1:]],
            speeds_kn=self.search.speeds_kn[rows[:-1], speeds[:-1]],
            fuel=float(self.labels.fuel[rows[-1], points[-1], bins[-1]]),
        )


def run_search(
    medium: Any,
    radius_nm: float,
    departs_h: float,
    stages: Stages,
    search: Search,
    heartbeat: Heartbeat,
) -> Reached:
    """Carry the departure's label through a lattice."""
    shape = (*stages.lats.shape, search.bins)
    time_h, fuel, left_h = (np.full(shape, inf) for _ in range(3))
    labels = Labels(time_h, fuel, left_h, np.zeros((*shape, 3), dtype=np.int16))
    middle, last = stages.lats.shape[1] // 2, stages.lats.shape[0] - 1
    labels.time_h[0, middle, search.bins // 2] = departs_h
    labels.fuel[0, middle, search.bins // 2] = 0.0
    for first in range(0, last, _STAGES_AT_ONCE):
        to = min(first + _STAGES_AT_ONCE, last)
        search_stages(medium, radius_nm, stages, search, first, to, labels)
        heartbeat()
    return Reached(stages, search, labels)
