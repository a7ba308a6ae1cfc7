"""Labels of a searched lattice, and the trajectories traced back from them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.dynamic_programming import search_stages, trace_back
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.surface import EARTH, hop_between

Floats = NDArray[np.float64]

#: Called every few stages; may raise to cancel the search.
Heartbeat = Callable[[], None]

#: Stages searched between heartbeats.
_STAGES_AT_ONCE: Final = 16


@dataclass(frozen=True)
class Trajectory:
    """A trajectory through the stages.

    Positions and arrival times, shape (s,), and the speed ordered from each, shape (s - 1,);
    ``fuel`` in all, as priced. ``left_h``, shape (s - 1,), is the time each stage is left: later
    than the arrival there where the ship waits.
    """

    lats: Floats
    lngs: Floats
    hours: Floats
    left_h: Floats
    speeds_kn: Floats
    fuel: float

    @property
    def waits(self) -> bool:
        """Return whether the ship waits anywhere."""
        return bool(np.any(self.left_h > self.hours[:-1]))


@dataclass(frozen=True)
class SearchedLattice:
    """A lattice with the labels of all stages, as ``search_stages`` leaves them."""

    lattice: Lattice
    search: SearchSettings
    labels: StageLabels

    def best_trajectory(
        self, fuel_price: float, hour_price: float, arrive_by_h: float = inf
    ) -> Trajectory | None:
        """Return the best trajectory at these prices that is in time; ``None`` without one."""
        nodes = self.find_nodes(fuel_price, hour_price, arrive_by_h)
        return None if nodes is None else self.read_trajectory(nodes)

    def find_nodes(
        self, fuel_price: float, hour_price: float, arrive_by_h: float
    ) -> NDArray[np.int64] | None:
        """Find point, bin and speed at each stage of that trajectory, shape (s, 3)."""
        middle = self.lattice.lats.shape[1] // 2
        hours, fuel = self.labels.time_h[-1, middle], self.labels.fuel[-1, middle]
        in_time = (fuel < inf) & (hours <= arrive_by_h)
        if not in_time.any():
            return None
        value = np.full(fuel.size, inf)
        value[in_time] = fuel_price * fuel[in_time] + hour_price * hours[in_time]
        return self.trace(self.lattice.lats.shape[0] - 1, middle, int(np.argmin(value)))

    def share_at_edge(self, trajectory: Trajectory) -> float:
        """Return the share of the movable stages at which a trajectory lies at the corridor's edge.

        Beyond the edge a better one may lie.
        """
        lats, lngs = self.lattice.lats, self.lattice.lngs
        moving = np.ptp(lats, axis=1) + np.ptp(lngs, axis=1) > 0.0
        at_edge = [
            (trajectory.lats == lats[:, n]) & (trajectory.lngs == lngs[:, n]) for n in (0, -1)
        ]
        return float((moving & np.any(at_edge, axis=0)).sum() / max(moving.sum(), 1))

    def holds(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether positions, one a stage, lie within the corridor."""
        rows = self.lattice.lats.shape[0]
        middle = self.lattice.lats.shape[1] // 2
        to_edge_nm, off_nm = np.empty((2, rows))
        for k in range(rows):
            here = self.lattice.lats[k, middle], self.lattice.lngs[k, middle]
            edge = self.lattice.lats[k, -1], self.lattice.lngs[k, -1]
            to_edge_nm[k] = hop_between(EARTH, *here, *edge)[0]
            off_nm[k] = hop_between(EARTH, *here, lats[k], lngs[k])[0]
        moving = to_edge_nm > 0.0
        return bool(np.all(off_nm[moving] <= to_edge_nm[moving]))

    def trace(self, stage: int, point: int, bin_: int) -> NDArray[np.int64]:
        """Trace a label back: point, bin and speed at each stage up to its own."""
        nodes = np.empty((stage + 1, 3), dtype=np.int64)
        trace_back(self.labels.parent, point, bin_, nodes)
        return nodes

    def read_trajectory(self, nodes: NDArray[np.int64]) -> Trajectory:
        """Read the trajectory of nodes, up to the stage that they end at."""
        rows = np.arange(nodes.shape[0])
        points, bins, speeds = nodes.T
        return Trajectory(
            lats=self.lattice.lats[rows, points],
            lngs=self.lattice.lngs[rows, points],
            hours=self.labels.time_h[rows, points, bins],
            left_h=self.labels.left_h[rows[1:], points[1:], bins[1:]],
            speeds_kn=self.search.speeds_kn[rows[:-1], speeds[:-1]],
            fuel=float(self.labels.fuel[rows[-1], points[-1], bins[-1]]),
        )


def run_search(
    medium: Any,
    radius_nm: float,
    departs_h: float,
    lattice: Lattice,
    search: SearchSettings,
    heartbeat: Heartbeat,
) -> SearchedLattice:
    """Carry the departure's label through a lattice."""
    shape = (*lattice.lats.shape, search.bins)
    time_h, fuel, left_h = (np.full(shape, inf) for _ in range(3))
    labels = StageLabels(time_h, fuel, left_h, np.zeros((*shape, 3), dtype=np.int16))
    middle, last = lattice.lats.shape[1] // 2, lattice.lats.shape[0] - 1
    labels.time_h[0, middle, search.bins // 2] = departs_h
    labels.fuel[0, middle, search.bins // 2] = 0.0
    for first in range(0, last, _STAGES_AT_ONCE):
        to = min(first + _STAGES_AT_ONCE, last)
        search_stages(medium, radius_nm, lattice, search, first, to, labels)
        heartbeat()
    return SearchedLattice(lattice, search, labels)
