"""Search for the best track and speeds of a route: open stretches are moved, the rest is kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, inf
from threading import Lock
from typing import Final

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    Problem,
    are_close,
    compute_cost,
    compute_cost_since_departure,
    find_best,
    search_corridor,
)
from app.engine.optimise.runner_up import IN_SEARCHES, IN_SURVEYS, find_runners_up
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.shallow_water import DepthChart, price_shallow_water
from app.engine.optimise.speed_problem import SpeedProfile, read_trajectory_speeds
from app.engine.optimise.stretches import StagedLine, Stretch, build_problem, transfer_track
from app.engine.optimise.track_refinement import TrackRefinement
from app.engine.optimise.wide_resolution import (
    REACH,
    SMOOTH_NM,
    SPACING_SHARE,
    SURVEY,
    SURVEY_STAGE_FACTOR,
    WideResolution,
    choose_resolution,
)
from app.engine.optimise.windows import compute_arrival_windows, extend_arrival_windows
from app.engine.progress import Tick
from app.engine.sea.passages import Passage

#: Most corridors searched in turn.
_MAX_SEARCHES: Final = 5
#: Number of speeds and value of time [t/h] in searches for the earliest arrivals.
_EARLIEST_SPEEDS: Final = 7
_EARLIEST_PRICE: Final = 1e6
#: Least duration of any track, as a share of that of the first line at nearly the highest speed.
_MIN_DURATION_SHARE: Final = 0.95
#: Most bins of arrival times.
_MAX_BINS: Final = 160
#: Excess of cost, as a share, that refining between the stages never makes up for.
_MAX_EXCESS: Final = 0.01
#: Longest track around a storm, as a multiple of the first line.
_MAX_DETOUR: Final = 1.15


@dataclass(frozen=True)
class FoundTrack:
    """The result of a track search.

    ``lines`` are the latitudes and longitudes along each open stretch, in order; their ends are
    unchanged. ``profile`` holds the speeds along the whole trajectory, ``None`` where prices of
    areas distort them: fuel in such an area counts for more, and hours do not. ``searched`` is the
    wide lattice in which the trajectory was found, with labels for all arrivals. ``at_stages`` is
    the trajectory refined at the stages of that lattice only.
    """

    lines: Sequence[tuple[Floats, Floats]]
    profile: SpeedProfile | None
    searched: SearchedLattice
    at_stages: Trajectory


@dataclass(frozen=True)
class TrackSearch:
    """Search of one route for its best tracks by different objectives.

    The problem's objective gives times, speeds and the value of time of all of them; of its prices
    only that of hours in priced areas is used.
    ``survey`` is a coarser search of the same route over a wider corridor.
    """

    stretches: Sequence[Stretch]
    problem: Problem
    line: StagedLine
    resolution: WideResolution
    survey: "TrackSearch | None" = None
    _searched: dict[tuple[float, bool], SearchedLattice] = field(default_factory=dict, repr=False)
    _searching: Lock = field(default_factory=Lock, repr=False)

    def list_first_searches(
        self, objective: SearchObjective
    ) -> list[Callable[[], SearchedLattice]]:
        """List the searches with which one for an objective begins; they may run in parallel.

        The longest is the last, with which a thread that waits for all of them begins.
        """
        searches = [self] if self.survey is None else [self.survey, self]
        earliest = objective.prices.is_time_alone
        return [
            partial(search._search_around_first_line, 1.0, earliest=earliest) for search in searches
        ]

    def find_coarse_track(
        self,
        objective: SearchObjective,
        known_lattices: Sequence[SearchedLattice] = (),
        *,
        earliest: bool = False,
    ) -> FoundTrack | None:
        """Find a good track and its speeds, in ``known_lattices`` if any; ``None`` if it is late.

        ``earliest`` searches for the earliest arrivals regardless of fuel.
        """
        problem = replace(self.problem, objective=objective)
        if known_lattices:
            found = _cheapest(
                problem, [(each, find_best(problem, each)) for each in known_lattices]
            )
        else:
            found = self._search_wide(objective, earliest=earliest, is_coarse=True)
        if found is None:
            return None
        searched, wide = found
        track = self._refinement.refine_coarse(problem, wide)
        return self._extract_open_lines(problem, track, self.line.stretch, searched, track)

    def find_track(
        self, objective: SearchObjective, known: Trajectory | None = None
    ) -> FoundTrack | None:
        """Find the best track and its speeds; ``None`` if nothing found is in time.

        ``None`` too if the search ends close to a ``known`` trajectory at the stages, or at a
        trajectory that is clearly more expensive.
        """
        found = self._search_wide(objective, earliest=objective.prices.is_time_alone)
        if found is None:
            return None
        problem, refinement = replace(self.problem, objective=objective), self._refinement
        searched, wide = found
        runners_up = find_runners_up(problem, searched, IN_SEARCHES)
        at_stages, *rivals = refinement.refine_best(problem, [wide, *runners_up])
        if known is not None and _is_redundant(problem, at_stages, known):
            return None
        straight = np.diff(problem.first_segment) == 0
        problem, trajectory = refinement.refine_between_stages(problem, at_stages, rivals)
        stretch = np.repeat(self.line.stretch, np.where(straight, 2, 1))
        return self._extract_open_lines(problem, trajectory, stretch, searched, at_stages)

    @property
    def _refinement(self) -> TrackRefinement:
        stage_nm, objective = self.line.stage_nm, self.problem.objective
        step_kn = (objective.speed_max_kn - objective.speed_min_kn) / (self.resolution.speeds - 1)
        return TrackRefinement(stage_nm, SPACING_SHARE * stage_nm, step_kn)

    def with_medium(self, ocean: Ocean, objective: SearchObjective) -> "TrackSearch":
        """Return the search of the same route in another medium, for one objective only.

        Its lattices end at that objective's latest arrival.
        """
        problem = replace(self.problem, medium=ocean, objective=objective)
        survey = self.survey and self.survey.with_medium(ocean, objective)
        return replace(self, problem=problem, survey=survey, _searched={}, _searching=Lock())

    def _search_wide(
        self, objective: SearchObjective, *, earliest: bool, is_coarse: bool = False
    ) -> tuple[SearchedLattice, Trajectory] | None:
        """Search wide corridors; return the best trajectory and its lattice, if any.

        If no trajectory is in time but one might be, the earliest arrivals are searched.
        """
        found = self._search_line_and_survey(objective, earliest=earliest, is_coarse=is_coarse)
        if found is None and not earliest and _may_be_in_time(objective):
            return self._search_line_and_survey(objective, earliest=True, is_coarse=is_coarse)
        return found

    def _search_line_and_survey(
        self, objective: SearchObjective, *, earliest: bool, is_coarse: bool
    ) -> tuple[SearchedLattice, Trajectory] | None:
        """Search around the first line and around the survey's best track; return the better."""
        found = [self._search_until_inside(objective, earliest=earliest)]
        survey_line = self._search_survey(objective, earliest=earliest, is_coarse=is_coarse)
        if survey_line is not None and not found[0][0].covers(*survey_line):
            searched = self._search_along(survey_line, 1.0, earliest=earliest)
            found.append(self._search_until_inside(objective, searched))
        return _cheapest(replace(self.problem, objective=objective), found)

    def _search_survey(
        self, objective: SearchObjective, *, earliest: bool, is_coarse: bool
    ) -> tuple[Floats, Floats] | None:
        """Return the best track of the survey, at the stages of this search, if any.

        A survey is less exact than a search; unless ``is_coarse``, its runners-up are compared too.
        """
        if self.survey is None:
            return None
        survey, problem = self.survey, replace(self.survey.problem, objective=objective)
        searched = survey._search_around_first_line(1.0, earliest=earliest)
        if searched.find_best_trajectory(0.0, 1.0) is None:
            searched = survey._search_around_first_line(2.0, earliest=earliest)
        trajectory = find_best(problem, searched)
        if trajectory is None:
            return None
        if not is_coarse and (rivals := find_runners_up(problem, searched, IN_SURVEYS)):
            refine = partial(survey._refinement.refine_coarse, problem, is_survey=True)
            trajectory = min(map(refine, (trajectory, *rivals)), key=partial(compute_cost, problem))
        return transfer_track(
            (trajectory.lats, trajectory.lngs), survey.line, self.line, self.stretches
        )

    def _search_until_inside(
        self,
        objective: SearchObjective,
        searched: SearchedLattice | None = None,
        *,
        earliest: bool = False,
    ) -> tuple[SearchedLattice, Trajectory | None]:
        """Search until the best trajectory lies inside its corridor, beginning with ``searched``.

        The next corridor follows a trajectory that lies at the edge, or is wider if no trajectory
        was found.
        """
        problem = replace(self.problem, objective=objective)
        searched = searched or self._search_around_first_line(1.0, earliest=earliest)
        for _ in range(_MAX_SEARCHES - 1):
            trajectory = find_best(problem, searched)
            guide = searched.find_best_trajectory(0.0, 1.0) if trajectory is None else trajectory
            if guide is None:
                searched = self._search_around_first_line(2.0, earliest=earliest)
            elif searched.share_at_edge(guide) > 0.0:
                line = guide.lats, guide.lngs
                searched = self._search_along(line, 1.0, earliest=earliest)
            else:
                return searched, trajectory
        return searched, find_best(problem, searched)

    def _search_around_first_line(self, width: float, *, earliest: bool = False) -> SearchedLattice:
        """Search the corridor around the first line, only once for all objectives."""
        key = width, earliest
        with self._searching:
            if key not in self._searched:
                line = self.line.lats, self.line.lngs
                self._searched[key] = self._search_along(line, width, earliest=earliest)
            return self._searched[key]

    def _search_along(
        self, line: tuple[Floats, Floats], width: float, *, earliest: bool = False
    ) -> SearchedLattice:
        """Search a corridor along a line; ``width`` is a multiple of the usual width."""
        resolution, stage_nm = self.resolution, self.line.stage_nm
        offsets_nm = width * resolution.offsets_nm(stage_nm)
        # a wider corridor is searched only for tracks outside the usual one
        aside_nm = float(offsets_nm[-1]) if width > 1.0 else 0.0
        objective = self.problem.objective
        window_h = compute_arrival_windows(self.problem, line, _MAX_DETOUR, aside_nm)
        span_h = float(window_h[1][-1] - window_h[0][-1])
        bins = min(max(16, ceil(span_h / resolution.bin_h)), _MAX_BINS)
        if objective.arrive_by_h == inf:
            window_h, bins = extend_arrival_windows(
                self.problem, line, window_h, bins, objective.slowest
            )
        hour_prices = objective.bin_prices(window_h, bins)
        corridor = Corridor(
            offsets_nm=offsets_nm,
            reach=REACH,
            smooth_nm=SMOOTH_NM,
            speeds=_EARLIEST_SPEEDS if earliest else resolution.speeds,
            window_h=window_h,
            bins=bins,
            weather_spacing_nm=min(stage_nm, resolution.weather_spacing_nm),
            longest_step_h=resolution.longest_step_h,
            hour_prices=np.full(bins, _EARLIEST_PRICE) if earliest else hour_prices,
        )
        return search_corridor(self.problem, line, corridor)

    def _extract_open_lines(
        self,
        problem: Problem,
        trajectory: Trajectory,
        stretch: Ints,
        searched: SearchedLattice,
        at_stages: Trajectory,
    ) -> FoundTrack:
        """Extract the open stretches and the speeds of a trajectory.

        ``stretch`` is the number of the stretch after each of the trajectory's stages.
        """
        lines, line = [], replace(self.line, stretch=stretch)
        for number, part in enumerate(self.stretches):
            if part.is_open:
                stages = line.points(number)
                lines.append((trajectory.lats[stages], trajectory.lngs[stages]))
        is_priced = self.problem.area_price is not None
        profile = None if is_priced else read_trajectory_speeds(problem, trajectory)
        return FoundTrack(lines, profile, searched, at_stages)


def search_tracks(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    water: NavigableWater,
    chart: DepthChart,
    ocean: Ocean,
    objective: SearchObjective,
    heartbeat: Tick,
    *,
    coarse: bool,
) -> TrackSearch:
    """Prepare the track search of a route for all arrivals.

    ``chart`` gives the depths by which fuel is weighed. ``objective`` gives times, speeds and the
    value of time; of its prices only that of hours in priced areas is used. ``coarse`` is for a
    search with longer stages and fewer nodes.
    """
    legs = [leg for stretch in stretches for leg in stretch.legs]
    stage_nm, resolution = choose_resolution(legs, coarse=coarse)
    speed_kn = 0.5 * (objective.speed_min_kn + objective.speed_max_kn)
    price = price_shallow_water(water.price, chart, ocean.ship, speed_kn)
    area_price = water.price_areas if water.conditions.prices.size else None

    def build_search(
        stage_nm: float, resolution: WideResolution, survey: TrackSearch | None
    ) -> TrackSearch:
        line, problem = build_problem(stretches, passages, water, ocean, objective, stage_nm)
        problem = replace(problem, price=price, area_price=area_price, heartbeat=heartbeat)
        return TrackSearch(stretches, problem, line, resolution, survey)

    survey = build_search(SURVEY_STAGE_FACTOR * stage_nm, SURVEY, None)
    return build_search(stage_nm, resolution, survey)


def _cheapest(
    problem: Problem, found: Sequence[tuple[SearchedLattice, Trajectory | None]]
) -> tuple[SearchedLattice, Trajectory] | None:
    """Return the trajectory of least cost and its lattice; ``None`` without a trajectory."""
    trajectories = [
        (searched, trajectory) for searched, trajectory in found if trajectory is not None
    ]
    return min(trajectories, key=lambda pair: compute_cost(problem, pair[1]), default=None)


def _is_redundant(problem: Problem, trajectory: Trajectory, known: Trajectory) -> bool:
    """Return whether a trajectory is close to a known one, or clearly more expensive."""
    limit = (1.0 + _MAX_EXCESS) * compute_cost_since_departure(problem, known)
    return are_close(trajectory, known) or compute_cost_since_departure(problem, trajectory) > limit


def _may_be_in_time(objective: SearchObjective) -> bool:
    """Return whether a trajectory might be in time although none was found."""
    shortest_h = float(objective.value_of_time[0][0])
    return objective.longest_h is None or objective.longest_h > _MIN_DURATION_SHARE * shortest_h
