"""Refinement of a track found on a wide lattice: at its stages, then at twice as many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.engine.optimise.labels import Trajectory
from app.engine.optimise.refinement import (
    LatticeResolution,
    Problem,
    are_close,
    compute_cost,
    compute_cost_since_departure,
    halve_stages,
    refine,
)
from app.engine.optimise.speeds import LIMITED_STEP_H, STEP_H

#: First spacing of narrow lattices [nm], halved each round. It is large because the best track may
#: lie a hundred miles from the one found with the few directions of a wide lattice.
_FIRST_SPACING_NM: Final = 14.4
#: First spacing at twice as many stages, as a share of the wide lattice's spacing.
_FINE_SPACING_SHARE: Final = 0.1
#: Rounds at the wide lattice's stages, at twice as many, and at those of surveys.
_ROUNDS: Final = 3
_FINE_ROUNDS: Final = 3
_SURVEY_ROUNDS: Final = 2
#: Largest excess cost, as a share, that later rounds make up for: after the first round, and after
#: those at the wide lattice's stages. Most trajectories refined after the first round.
_MAX_FIRST_EXCESS: Final = 0.01
_MAX_RIVAL_EXCESS: Final = 0.002
_MAX_REFINED: Final = 3
#: Columns of narrow lattices in thorough and in coarse searches.
_NARROW_COLUMNS: Final = 11
_COARSE_NARROW_COLUMNS: Final = 5
#: Longest window of arrivals at the last stage per mile of spacing [h/nm].
_MAX_SPAN_H: Final = 2.4
#: Largest distance between samples of the weather in a stage in which a limit closes an edge [nm].
#: With one sample per stage, tracks along a storm's edge were found that break the limit between.
_LIMITED_SPACING_NM: Final = 15.0
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

    def refine_best(self, problem: Problem, wide: Sequence[Trajectory]) -> list[Trajectory]:
        """Refine trajectories at their stages; return those that may be the best, cheapest first.

        After one round those close to a cheaper one and those that cost clearly more are left out.
        """
        resolution = self._resolution(
            problem, wide[0], _FIRST_SPACING_NM, self.stage_nm, _NARROW_COLUMNS
        )
        kept: list[Trajectory] = []
        first = (refine(problem, each, resolution, rounds=1) for each in wide)
        for each in sorted(first, key=partial(compute_cost, problem)):
            if not any(are_close(each, other) for other in kept):
                kept.append(each)
        most = (1.0 + _MAX_FIRST_EXCESS) * compute_cost_since_departure(problem, kept[0])
        refined = [
            refine(problem, each, resolution.finer(), rounds=_ROUNDS - 1)
            for each in kept[:_MAX_REFINED]
            if compute_cost_since_departure(problem, each) <= most
        ]
        return sorted(refined, key=partial(compute_cost, problem))

    def refine_coarse(
        self, problem: Problem, wide: Trajectory, *, is_survey: bool = False
    ) -> Trajectory:
        """Refine a trajectory with fewer columns; that of a survey in fewer rounds, to compare."""
        resolution = self._resolution(
            problem, wide, _FIRST_SPACING_NM, self.stage_nm, _COARSE_NARROW_COLUMNS
        )
        rounds = _SURVEY_ROUNDS if is_survey else _ROUNDS
        return refine(problem, wide, resolution, rounds=rounds)

    def refine_between_stages(
        self, problem: Problem, trajectory: Trajectory, rivals: Sequence[Trajectory]
    ) -> tuple[Problem, Trajectory]:
        """Refine a trajectory at twice as many stages; return it with the problem of these stages.

        The first round also searches around the rivals that cost little more.
        """
        most = (1.0 + _MAX_RIVAL_EXCESS) * compute_cost_since_departure(problem, trajectory)
        finer_rivals = [
            halve_stages(problem, rival)[1]
            for rival in rivals
            if compute_cost_since_departure(problem, rival) <= most
            and not are_close(rival, trajectory)
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
            problem, trajectory, resolution, rounds=_FINE_ROUNDS, rivals=finer_rivals
        )

    def _resolution(
        self,
        problem: Problem,
        trajectory: Trajectory,
        spacing_nm: float,
        weather_spacing_nm: float,
        columns: int,
    ) -> LatticeResolution:
        hours = float(trajectory.hours[-1] - problem.objective.departs_h)
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
            limited_spacing_nm=_LIMITED_SPACING_NM,
            limited_step_h=LIMITED_STEP_H,
        )
