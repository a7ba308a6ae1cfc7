"""Search of a lattice, and the trajectories traced back from its labels."""

from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.optimise.dynamic_programming import (
    allocate_labels,
    find_cheapest,
    search_stages,
    trace_back,
)
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.surface import measure_segment
from app.engine.progress import Tick

#: Stages searched between heartbeats.
_STAGES_AT_ONCE: Final = 64


@dataclass(frozen=True)
class Trajectory:
    """A trajectory through the stages of a lattice.

    Positions [deg] and arrival times ``hours`` [h], shape (s,). ``left_h``, shape (s - 1,), is
    the time of departure from each stage, later than the arrival there where the ship waits;
    ``speeds_kn``, same shape, the speed ordered from there on. ``fuel`` is the weighted total.
    """

    lats: Floats
    lngs: Floats
    hours: Floats
    left_h: Floats
    speeds_kn: Floats
    fuel: float

    @property
    def has_waits(self) -> bool:
        """Return whether the ship waits anywhere."""
        return bool(np.any(self.left_h > self.hours[:-1]))


@dataclass(frozen=True)
class SearchedLattice:
    """A lattice with the labels of all stages, as ``search_stages`` writes them."""

    lattice: Lattice
    search: SearchSettings
    labels: StageLabels

    def find_best_trajectory(
        self, fuel_price: float, hour_price: float, arrive_by_h: float = inf
    ) -> Trajectory | None:
        """Return the cheapest trajectory at these prices that is in time, ``None`` without one."""
        trace = self.find_best_trace(fuel_price, hour_price, arrive_by_h)
        return None if trace is None else self.read_trajectory(trace)

    def find_best_trace(
        self, fuel_price: float, hour_price: float, arrive_by_h: float
    ) -> Ints | None:
        """Return node, bin and speed of that trajectory at each stage, shape (s, 3)."""
        stages, columns = self.lattice.lats.shape
        hours, fuel = self.labels.time_h[-1, columns // 2], self.labels.fuel[-1, columns // 2]
        cheapest = find_cheapest(hours, fuel, fuel_price, hour_price, arrive_by_h)
        return None if cheapest < 0 else self.trace_label(stages - 1, columns // 2, cheapest)

    def share_at_edge(self, trajectory: Trajectory) -> float:
        """Return the share of the movable stages at which a trajectory lies at the corridor's edge.

        A better one may then lie beyond the edge.
        """
        lats, lngs = self.lattice.lats, self.lattice.lngs
        moving = (lats[:, 0] != lats[:, -1]) | (lngs[:, 0] != lngs[:, -1])
        at_first, at_last = (
            (trajectory.lats == lats[:, n]) & (trajectory.lngs == lngs[:, n]) for n in (0, -1)
        )
        return float((moving & (at_first | at_last)).sum() / max(moving.sum(), 1))

    def covers(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether positions, one per stage, lie within the corridor."""
        rows = self.lattice.lats.shape[0]
        middle = self.lattice.lats.shape[1] // 2
        to_edge_nm, off_nm = np.empty((2, rows))
        for k in range(rows):
            here = self.lattice.lats[k, middle], self.lattice.lngs[k, middle]
            edge = self.lattice.lats[k, -1], self.lattice.lngs[k, -1]
            to_edge_nm[k] = measure_segment(EARTH_RADIUS_NM, *here, *edge)[0]
            off_nm[k] = measure_segment(EARTH_RADIUS_NM, *here, lats[k], lngs[k])[0]
        moving = to_edge_nm > 0.0
        return bool(np.all(off_nm[moving] <= to_edge_nm[moving]))

    def trace_label(self, stage: int, node: int, bin_: int) -> Ints:
        """Return node, bin and speed at each stage from the first to a label's own."""
        trace = np.empty((stage + 1, 3), dtype=np.int64)
        trace_back(self.labels.parent, node, bin_, trace)
        return trace

    def read_trajectory(self, trace: Ints) -> Trajectory:
        """Return the trajectory of a trace, up to the stage at which it ends."""
        stages = np.arange(trace.shape[0])
        nodes, bins, speeds = trace.T
        return Trajectory(
            lats=self.lattice.lats[stages, nodes],
            lngs=self.lattice.lngs[stages, nodes],
            hours=self.labels.time_h[stages, nodes, bins],
            left_h=self.labels.left_h[stages[1:], nodes[1:], bins[1:]],
            speeds_kn=self.search.speeds_kn[stages[:-1], speeds[:-1]],
            fuel=float(self.labels.fuel[stages[-1], nodes[-1], bins[-1]]),
        )


def run_search(
    medium: Any,
    radius_nm: float,
    departs_h: float,
    lattice: Lattice,
    search: SearchSettings,
    heartbeat: Tick,
) -> SearchedLattice:
    """Search a lattice from one label at the departure; return it with the labels of all stages."""
    stages, columns = lattice.lats.shape
    labels = allocate_labels(stages, columns, search.bins)
    middle, last = columns // 2, stages - 1
    labels.time_h[0, middle, search.bins // 2] = departs_h
    labels.fuel[0, middle, search.bins // 2] = 0.0
    for first in range(0, last, _STAGES_AT_ONCE):
        to = min(first + _STAGES_AT_ONCE, last)
        search_stages(medium, radius_nm, lattice, search, first, to, labels)
        heartbeat()
    return SearchedLattice(lattice, search, labels)
