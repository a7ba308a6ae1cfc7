"""Refinement of the track found on a wide lattice: at its stages, then at twice as many."""

from dataclasses import dataclass
from typing import Final

from app.engine.optimise.labels import Heartbeat, Trajectory
from app.engine.optimise.refinement import (
    LatticeResolution,
    Problem,
    cost_of,
    halve_stages,
    refine,
    run_together,
)
from app.engine.optimise.speeds import LIMITED_STEP_H, STEP_H

#: First spacing of narrow lattices [nm], halved each round: the few directions of a wide lattice
#: may have led it a hundred miles astray.
_FIRST_OFFSET_NM: Final = 14.4
#: The first between twice as many rows, as a share of the wide lattice's spacing.
_FINE_OFFSET: Final = 0.15
#: Rounds at the first rows, and at twice as many.
_ROUNDS: Final = 3
_FINE_ROUNDS: Final = 4
#: Columns of narrow lattices, and where a coarse track is enough.
_NARROW_COLUMNS: Final = 11
_COARSE_NARROW_COLUMNS: Final = 7
#: Window of arrivals about a trajectory [h] per mile that its points may move.
_MOST_SPAN_H: Final = 2.4
#: The narrow lattices' direction is averaged over this to each side [nm].
_SMOOTH_NM: Final = 40.0


@dataclass(frozen=True)
class TrackRefinement:
    """Refinement of the trajectories of one wide lattice.

    ``stage_nm``, ``spacing_nm`` and ``step_kn`` are the length of its stages, the distance between
    its columns and the step between its speeds.
    """

    stage_nm: float
    spacing_nm: float
    step_kn: float
    heartbeat: Heartbeat

    def refine(self, problem: Problem, rough: Trajectory) -> Trajectory:
        """Refine a trajectory at its own stages."""
        return self._refine_at_stages(problem, rough, _NARROW_COLUMNS)

    def refine_rival(
        self, problem: Problem, rough: Trajectory, best: Trajectory
    ) -> Trajectory | None:
        """Refine another trajectory than the best; ``None`` where it soon runs near that one."""
        resolution = self._resolution(
            problem, rough, _FIRST_OFFSET_NM, self.stage_nm, _NARROW_COLUMNS
        )
        first = refine(problem, rough, resolution, rounds=1, heartbeat=self.heartbeat)
        if run_together(first, best):
            return None
        return refine(
            problem, first, resolution.finer(), rounds=_ROUNDS - 1, heartbeat=self.heartbeat
        )

    def refine_coarse(self, problem: Problem, rough: Trajectory) -> Trajectory:
        """Refine a trajectory at its own stages where a coarse track is enough."""
        return self._refine_at_stages(problem, rough, _COARSE_NARROW_COLUMNS)

    def refine_between_stages(
        self, problem: Problem, trajectory: Trajectory, rival: Trajectory | None
    ) -> tuple[Problem, Trajectory]:
        """Refine a trajectory at twice as many stages, about a cheaper rival too."""
        is_cheaper = rival is not None and cost_of(problem, rival) < cost_of(problem, trajectory)
        finer_rivals = [halve_stages(problem, rival)[1]] if rival and is_cheaper else []
        problem, trajectory = halve_stages(problem, trajectory)
        resolution = self._resolution(
            problem,
            trajectory,
            _FINE_OFFSET * self.spacing_nm,
            0.5 * self.stage_nm,
            _NARROW_COLUMNS,
        )
        return problem, refine(
            problem,
            trajectory,
            resolution,
            rounds=_FINE_ROUNDS,
            heartbeat=self.heartbeat,
            rivals=finer_rivals,
        )

    def _refine_at_stages(self, problem: Problem, rough: Trajectory, columns: int) -> Trajectory:
        resolution = self._resolution(problem, rough, _FIRST_OFFSET_NM, self.stage_nm, columns)
        return refine(problem, rough, resolution, rounds=_ROUNDS, heartbeat=self.heartbeat)

    def _resolution(
        self,
        problem: Problem,
        trajectory: Trajectory,
        offset_nm: float,
        hop_nm: float,
        columns: int,
    ) -> LatticeResolution:
        hours = float(trajectory.hours[-1] - problem.departs_h)
        return LatticeResolution(
            columns=columns,
            offset_nm=offset_nm,
            reach=columns // 2,
            smooth_nm=_SMOOTH_NM,
            speeds=3,
            speed_step_kn=min(0.1 * offset_nm, 1.0) * self.step_kn,
            span_h=offset_nm * min(0.01 * hours, _MOST_SPAN_H),
            bins=24,
            longest_hop_nm=hop_nm,
            longest_step_h=STEP_H,
            limited_step_h=LIMITED_STEP_H,
        )
