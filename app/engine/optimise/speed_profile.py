"""Speeds along a route by shares of its length, which can be applied to similar tracks."""

from dataclasses import dataclass

import numpy as np

from app.engine.arrays import Floats
from app.engine.optimise.labels import Trajectory
from app.engine.optimise.refinement import Problem
from app.engine.optimise.surface import cumulative_nm
from app.engine.sailing.simulation import Simulation


@dataclass(frozen=True)
class SpeedProfile:
    """Speeds ordered [kn] on a route of ``length_nm``, each from a share of the length onwards.

    The shares ascend from 0.
    """

    from_share: Floats
    speeds_kn: Floats
    length_nm: float

    def at(self, shares: Floats) -> Floats:
        """Return the speeds ordered at shares of the length [kn], in the same shape."""
        number = np.searchsorted(self.from_share, shares, side="right") - 1
        return np.asarray(self.speeds_kn[number])


def read_trajectory_speeds(problem: Problem, trajectory: Trajectory) -> SpeedProfile:
    """Return the speeds ordered along a trajectory."""
    at_nm = cumulative_nm(problem.measure_stages_nm(trajectory.lats, trajectory.lngs))
    return SpeedProfile(at_nm[:-1] / at_nm[-1], trajectory.speeds_kn, float(at_nm[-1]))


def read_simulation_speeds(simulation: Simulation) -> SpeedProfile:
    """Return the speeds ordered along a simulated track."""
    at_nm = simulation.track.cumulative_nm
    speeds_kn = np.broadcast_to(simulation.ordered_kn, at_nm.size - 1)
    return SpeedProfile(at_nm[:-1] / at_nm[-1], speeds_kn, float(at_nm[-1]))
