"""Speeds by shares of a route's length, to be used on similar tracks too."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.labels import Trajectory
from app.engine.optimise.lattice import DISTANCE_NM
from app.engine.optimise.refinement import Problem
from app.engine.optimise.surface import hops_along
from app.engine.sailing.simulation import Simulation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Profile:
    """Speeds ordered [kn] on a route of ``length_nm``, each from its share of the length on.

    The first share is 0.
    """

    from_share: Floats
    speeds_kn: Floats
    length_nm: float

    def at(self, shares: Floats) -> Floats:
        """Return the speeds at shares of the length."""
        number = np.searchsorted(self.from_share, shares, side="right") - 1
        return np.asarray(self.speeds_kn[number])


def profile_of_trajectory(problem: Problem, trajectory: Trajectory) -> Profile:
    """Return the speeds of a trajectory."""
    straight = np.empty((trajectory.lats.size - 1, 3))
    hops_along(problem.radius_nm, trajectory.lats, trajectory.lngs, straight)
    given_nm = np.concatenate([[0.0], np.cumsum(problem.hops[:, DISTANCE_NM])])
    along_nm = np.diff(given_nm[problem.first_hop])
    is_given = np.diff(problem.first_hop) > 0
    at_nm = np.concatenate([[0.0], np.cumsum(np.where(is_given, along_nm, straight[:, 0]))])
    return Profile(at_nm[:-1] / at_nm[-1], trajectory.speeds_kn, float(at_nm[-1]))


def profile_of_simulation(simulation: Simulation) -> Profile:
    """Return the speeds that a track is simulated at."""
    at_nm = simulation.track.cumulative_nm
    speeds_kn = np.broadcast_to(simulation.ordered_kn, at_nm.size - 1)
    return Profile(at_nm[:-1] / at_nm[-1], speeds_kn, float(at_nm[-1]))
