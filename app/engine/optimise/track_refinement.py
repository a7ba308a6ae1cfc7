"""Refinement of a track found on a wide lattice: at its stages, then at twice as many."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.engine.optimise.labels import Heartbeat, Trajectory
from app.engine.optimise.refinement import (
    LatticeResolution,
    Problem,
    are_close,
    compute_cost,
    halve_stages,
    refine,
)
from app.engine.optimise.speeds import LIMITED_STEP_H, STEP_H

#: First spacing of narrow lattices [nm], halved each round. It is large because the best track may
#: lie a hundred miles from the one found with the few directions of a wide lattice.
_FIRST_SPACING_NM: Final = 14.4
#: First spacing at twice as many stages, as a share of the wide lattice's spacing.
_FINE_SPACING_SHARE: Final = 0.15
#: Rounds at the wide lattice's stages, and at twice as many.
_ROUNDS: Final = 3
_FINE_ROUNDS: Final = 4
#: Columns of narrow lattices in thorough and in coarse searches.
_NARROW_COLUMNS: Final = 11
_COARSE_NARROW_COLUMNS: Final = 7
#: Longest window of arrivals at the last stage per mile of spacing [h/nm].
_MAX_SPAN_H: Final = 2.4
#: Distance to each side over which the courses of narrow lattices are averaged [nm].
_SMOOTH_NM: Final = 40.0


@dataclass(frozen=True)
class TrackRefinement:
    """Refinement of the trajectories of one wide lattice.

    ``stage_nm``, ``wide_spacing_nm`` and ``speed_step_kn`` are the length of its stages, the
    spacing of its nodes and the step between its speeds.
    """

    stage_nm: float
    wide_spacing_nm: float
    speed_step_kn: float
    heartbeat: Heartbeat

    def refine(self, problem: Problem, wide: Trajectory) -> Trajectory:
        """Refine a trajectory at its stages."""
        return self._refine_at_stages(problem, wide, _NARROW_COLUMNS)

    def refine_rival(
        self, problem: Problem, wide: Trajectory, best: Trajectory
    ) -> Trajectory | None:
        """Refine another trajectory than the best; ``None`` if it is close after one round."""
        resolution = self._resolution(
            problem, wide, _FIRST_SPACING_NM, self.stage_nm, _NARROW_COLUMNS
        )
        first = refine(problem, wide, resolution, rounds=1, heartbeat=self.heartbeat)
        if are_close(first, best):
            return None
        return refine(
            problem, first, resolution.finer(), rounds=_ROUNDS - 1, heartbeat=self.heartbeat
        )

    def refine_coarse(self, problem: Problem, wide: Trajectory) -> Trajectory:
        """Refine a trajectory at its stages with fewer columns, for a coarse track."""
        return self._refine_at_stages(problem, wide, _COARSE_NARROW_COLUMNS)

    def refine_between_stages(
        self, problem: Problem, trajectory: Trajectory, rivals: Sequence[Trajectory | None]
    ) -> tuple[Problem, Trajectory]:
        """Refine a trajectory at twice as many stages; return it with the problem of these stages.

        The first round also searches around the rivals that are cheaper.
        """
        cost = compute_cost(problem, trajectory)
        finer_rivals = [
            halve_stages(problem, rival)[1]
            for rival in rivals
            if rival is not None and compute_cost(problem, rival) < cost
        ]
        problem, trajectory = halve_stages(problem, trajectory)
        resolution = self._resolution(
            problem,
            trajectory,
            _FINE_SPACING_SHARE * self.wide_spacing_nm,
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

    def _refine_at_stages(self, problem: Problem, wide: Trajectory, columns: int) -> Trajectory:
        resolution = self._resolution(problem, wide, _FIRST_SPACING_NM, self.stage_nm, columns)
        return refine(problem, wide, resolution, rounds=_ROUNDS, heartbeat=self.heartbeat)

    def _resolution(
        self,
        problem: Problem,
        trajectory: Trajectory,
        spacing_nm: float,
        weather_spacing_nm: float,
        columns: int,
    ) -> LatticeResolution:
        hours = float(trajectory.hours[-1] - problem.departs_h)
        return LatticeResolution(
            columns=columns,
            spacing_nm=spacing_nm,
            reach=columns // 2,
            smooth_nm=_SMOOTH_NM,
            speeds=3,
            speed_step_kn=min(0.1 * spacing_nm, 1.0) * self.speed_step_kn,
            span_h=spacing_nm * min(0.01 * hours, _MAX_SPAN_H),
            bins=24,
            weather_spacing_nm=weather_spacing_nm,
            longest_step_h=STEP_H,
            limited_step_h=LIMITED_STEP_H,
        )
