"""Track search: the open waters of a route searched for track and speed, the rest kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, inf
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.labels import Heartbeat, SearchedLattice, Trajectory
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    Problem,
    cost_of,
    cost_since_departure,
    find_best,
    run_together,
    search_corridor,
)
from app.engine.optimise.runner_up import find_runner_up
from app.engine.optimise.search_objective import LEAST_PRICE, SearchObjective
from app.engine.optimise.shallow_water import DepthChart, price_shallow_water
from app.engine.optimise.speed_profile import Profile, profile_of_trajectory
from app.engine.optimise.stretches import Line, Stretch, build_problem, restage
from app.engine.optimise.track_refinement import TrackRefinement
from app.engine.optimise.windows import add_late_bins, windows_h
from app.engine.sea.passages import Passage

Floats = NDArray[np.float64]

#: Columns that a line may change by within a stage.
_REACH: Final = 3
#: Spacing of columns as a share of a stage: three columns are a change of course of 56 deg.
_SPACING: Final = 0.5
#: Length of a stage [nm]; on routes longer than the second figure the third; in coarse searches.
_STAGE_NM: Final = 40.0
_LONG_ROUTE_NM: Final = 1500.0
_LONG_STAGE_NM: Final = 60.0
_COARSE_STAGE_NM: Final = 90.0
#: Stages of a survey are so many times as long as those of its search.
_SURVEY_STAGES: Final = 2.0
#: Most corridors searched in turn.
_MOST_SEARCHES: Final = 4
#: The corridor's direction is averaged over this to each side [nm].
_SMOOTH_NM: Final = 150.0
#: Speeds and value of an hour [t/h] where the earliest arrivals are searched.
_EARLIEST_SPEEDS: Final = 7
_EARLIEST_PRICE: Final = 1e6
#: Least share of the hours of the first line near the greatest speed that any track takes.
_LEAST_SHARE: Final = 0.95
#: Most bins of arrival times.
_MOST_BINS: Final = 160
#: Excess of cost, as a share, that refining between the stages does not make up for.
_HOPELESS: Final = 0.01
#: Longest track around a storm, as a multiple of the first line.
_DETOUR: Final = 1.15


@dataclass(frozen=True)
class WideResolution:
    """Resolution of wide lattices.

    ``columns`` to each side; speeds, the step between which is where refining begins; width of a
    bin of arrival times [h]; the longest distance [nm] and interval [h] at which edges meet new
    weather, at least once a stage.
    """

    columns: int
    speeds: int
    bin_h: float
    longest_hop_nm: float
    longest_step_h: float


_THOROUGH: Final = WideResolution(
    columns=14, speeds=5, bin_h=4.0, longest_hop_nm=60.0, longest_step_h=6.0
)
_COARSE: Final = replace(_THOROUGH, columns=8)
#: A survey looks for where a better track may lie, 1,080 nm off on long stages: better ones have
#: been found 600 nm off.
_SURVEY: Final = WideResolution(
    columns=18, speeds=3, bin_h=8.0, longest_hop_nm=inf, longest_step_h=12.0
)


@dataclass(frozen=True)
class FoundTrack:
    """The result of a track search.

    ``lines`` are latitudes and longitudes along each open stretch, in order, the ends of each
    unchanged; ``profile`` is the speeds along the whole trajectory; ``searched`` is the lattice
    that the search ended in, with the labels of every arrival that it covers; ``at_stages`` is
    the trajectory refined at the stages of that lattice alone.
    """

    lines: Sequence[tuple[Floats, Floats]]
    profile: Profile
    searched: SearchedLattice
    at_stages: Trajectory


@dataclass(frozen=True)
class TrackSearch:
    """The search of one route for its best tracks.

    ``objective`` gives times, speeds and the value of time; its prices are not read. ``survey``
    searches the same waters more coarsely, and farther off.
    """

    stretches: Sequence[Stretch]
    problem: Problem
    line: Line
    resolution: WideResolution
    objective: SearchObjective
    heartbeat: Heartbeat
    survey: "TrackSearch | None" = None
    _searched: dict[tuple[float, bool], SearchedLattice] = field(default_factory=dict, repr=False)
    _searching: Lock = field(default_factory=Lock, repr=False)

    def list_first_searches(
        self, objective: SearchObjective
    ) -> list[Callable[[], SearchedLattice]]:
        """List the searches that one for an objective begins with; they may run in parallel."""
        searches = [self] if self.survey is None else [self, self.survey]
        earliest = _minimises_time(objective)
        return [
            partial(search._search_around_first_line, 1.0, earliest=earliest) for search in searches
        ]

    def find_coarse_track(
        self, objective: SearchObjective, within: Sequence[SearchedLattice] = ()
    ) -> FoundTrack | None:
        """Find a good track and its speeds; ``None`` where nothing found is in time.

        It uses lattices that searches for other objectives have left, where they suffice.
        """
        found = self._search_within(objective, within)
        found = found or self._search_wide(objective, earliest=False)
        if found is None:
            return None
        (searched, rough), problem = found, with_objective(self.problem, objective)
        trajectory = self._refinement.refine_coarse(problem, rough)
        return self._extract_open_lines(
            problem, trajectory, self.line.stretch, searched, trajectory
        )

    def find_track(
        self, objective: SearchObjective, known: Trajectory | None = None
    ) -> FoundTrack | None:
        """Find the best track and its speeds; ``None`` where nothing found is in time.

        ``None`` too where the search tends to a ``known`` trajectory at the stages, or to one that
        is clearly dearer.
        """
        found = self._search_wide(objective, earliest=_minimises_time(objective))
        if found is None:
            return None
        problem, refinement = with_objective(self.problem, objective), self._refinement
        searched, at_stages = found[0], refinement.refine(problem, found[1])
        if known is not None and _adds_nothing(problem, at_stages, known):
            return None
        runner_up = find_runner_up(problem, searched)
        rival = (
            None if runner_up is None else refinement.refine_rival(problem, runner_up, at_stages)
        )
        straight = np.diff(problem.first_hop) == 0
        problem, trajectory = refinement.refine_between_stages(problem, at_stages, rival)
        stretch = np.repeat(self.line.stretch, np.where(straight, 2, 1))
        return self._extract_open_lines(problem, trajectory, stretch, searched, at_stages)

    @property
    def _refinement(self) -> TrackRefinement:
        stage_nm, problem = self.line.stage_nm, self.problem
        step_kn = (problem.speed_max_kn - problem.speed_min_kn) / (self.resolution.speeds - 1)
        return TrackRefinement(stage_nm, _SPACING * stage_nm, step_kn, self.heartbeat)

    def in_medium(self, ocean: Ocean, objective: SearchObjective) -> "TrackSearch":
        """Return the search of the same waters in another medium, for one objective alone.

        Its lattices end where that objective's latest arrival does.
        """
        return replace(
            self,
            problem=with_objective(replace(self.problem, medium=ocean), objective),
            objective=objective,
            survey=None if self.survey is None else self.survey.in_medium(ocean, objective),
            _searched={},
            _searching=Lock(),
        )

    def _search_within(
        self, objective: SearchObjective, within: Sequence[SearchedLattice]
    ) -> tuple[SearchedLattice, Trajectory] | None:
        """Find the best trajectory of searched lattices, and beyond where it lies at their edge.

        ``None`` where none of theirs is in time.
        """
        problem = with_objective(self.problem, objective)
        best = _cheapest(problem, [(searched, find_best(problem, searched)) for searched in within])
        if best is None:
            return None
        return _cheapest(problem, [self._search_until_inside(objective, best[0])])

    def _search_wide(
        self, objective: SearchObjective, *, earliest: bool
    ) -> tuple[SearchedLattice, Trajectory] | None:
        """Search a wide corridor.

        Where no trajectory is in time but one might be, search again for the earliest arrivals.
        """
        found = self._search_far_and_near(objective, earliest=earliest)
        if found is None and not earliest and _may_be_in_time(objective):
            return self._search_far_and_near(objective, earliest=True)
        return found

    def _search_far_and_near(
        self, objective: SearchObjective, *, earliest: bool
    ) -> tuple[SearchedLattice, Trajectory] | None:
        """Search about the first line and the survey's best; return the better."""
        near = self._search_until_inside(objective, earliest=earliest)
        afar = self._search_survey(objective, earliest=earliest)
        found = [near]
        if afar is not None and not near[0].holds(*afar):
            found.append(
                self._search_until_inside(
                    objective, self._search_along(afar, 1.0, earliest=earliest)
                )
            )
        return _cheapest(with_objective(self.problem, objective), found)

    def _search_survey(
        self, objective: SearchObjective, *, earliest: bool
    ) -> tuple[Floats, Floats] | None:
        """Return the best track of the survey at the stages of this search."""
        if self.survey is None:
            return None
        problem, survey = with_objective(self.problem, objective), self.survey
        searched = survey._search_around_first_line(1.0, earliest=earliest)
        if searched.best_trajectory(0.0, 1.0) is None:
            searched = survey._search_around_first_line(2.0, earliest=earliest)
        trajectory = find_best(problem, searched)
        if trajectory is None:
            return None
        return restage(
            (trajectory.lats, trajectory.lngs), self.survey.line, self.line, self.stretches
        )

    def _search_until_inside(
        self,
        objective: SearchObjective,
        searched: SearchedLattice | None = None,
        *,
        earliest: bool = False,
    ) -> tuple[SearchedLattice, Trajectory | None]:
        """Search until the best trajectory lies inside its corridor.

        The corridor follows a trajectory that lies at its edge, and is widened where none is
        found.
        """
        searched, trajectory = (
            searched or self._search_around_first_line(1.0, earliest=earliest),
            None,
        )
        for _ in range(_MOST_SEARCHES):
            trajectory = searched.best_trajectory(
                objective.fuel_price, objective.hour_price, objective.arrive_by_h
            )
            guide = searched.best_trajectory(0.0, 1.0) if trajectory is None else trajectory
            if guide is None:
                searched = self._search_around_first_line(2.0, earliest=earliest)
            elif searched.share_at_edge(guide) > 0.0:
                line = guide.lats, guide.lngs
                searched = self._search_along(line, 1.0, earliest=earliest)
            else:
                break
        return searched, trajectory

    def _search_around_first_line(self, width: float, *, earliest: bool = False) -> SearchedLattice:
        """Search the corridor about the first line, once for all objectives."""
        asked = width, earliest
        with self._searching:
            if asked not in self._searched:
                line = self.line.lats, self.line.lngs
                self._searched[asked] = self._search_along(line, width, earliest=earliest)
            return self._searched[asked]

    def _search_along(
        self, line: tuple[Floats, Floats], width: float, *, earliest: bool = False
    ) -> SearchedLattice:
        """Search a corridor along a line; ``width`` is a multiple of the usual."""
        resolution, stage_nm = self.resolution, self.line.stage_nm
        columns = np.arange(-resolution.columns, resolution.columns + 1.0)
        offsets_nm = width * _SPACING * stage_nm * columns
        # where the usual width holds nothing, tracks lead as far off as the corridor does
        aside_nm = float(offsets_nm[-1]) if width > 1.0 else 0.0
        window_h = windows_h(self.problem, line, _DETOUR, aside_nm)
        span_h = float(window_h[1][-1] - window_h[0][-1])
        bins = min(max(16, ceil(span_h / resolution.bin_h)), _MOST_BINS)
        if self.problem.arrive_by_h == inf:
            window_h, bins = add_late_bins(
                self.problem, line, window_h, bins, self.objective.slowest
            )
        hour_prices = self.objective.bin_prices(window_h, bins)
        corridor = Corridor(
            offsets_nm=offsets_nm,
            reach=_REACH,
            smooth_nm=_SMOOTH_NM,
            speeds=_EARLIEST_SPEEDS if earliest else resolution.speeds,
            window_h=window_h,
            bins=bins,
            longest_hop_nm=min(stage_nm, resolution.longest_hop_nm),
            longest_step_h=resolution.longest_step_h,
            hour_prices=np.full(bins, _EARLIEST_PRICE) if earliest else hour_prices,
        )
        return search_corridor(self.problem, line, corridor, self.heartbeat)

    def _extract_open_lines(
        self,
        problem: Problem,
        trajectory: Trajectory,
        stretch: NDArray[np.int64],
        searched: SearchedLattice,
        at_stages: Trajectory,
    ) -> FoundTrack:
        """Extract the open stretches and the speeds of a trajectory."""
        lines, cut = [], replace(self.line, stretch=stretch)
        for number, part in enumerate(self.stretches):
            if part.is_open:
                points = cut.points(number)
                lines.append((trajectory.lats[points], trajectory.lngs[points]))
        return FoundTrack(lines, profile_of_trajectory(problem, trajectory), searched, at_stages)


def search_tracks(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    water: NavigableWater,
    chart: DepthChart,
    ocean: Ocean,
    objective: SearchObjective,
    heartbeat: Heartbeat = lambda: None,
    *,
    coarse: bool = False,
) -> TrackSearch:
    """Prepare the track search of a route, for all arrivals at once.

    ``chart`` gives the depths by which fuel is weighed. ``objective`` gives times and speeds;
    its prices are not read. ``coarse`` takes a fraction of the time.
    """
    length_nm = sum(leg.distance_nm for stretch in stretches for leg in stretch.legs)
    stage_nm = _STAGE_NM if length_nm < _LONG_ROUTE_NM else _LONG_STAGE_NM
    stage_nm, resolution = (_COARSE_STAGE_NM, _COARSE) if coarse else (stage_nm, _THOROUGH)
    speed_kn = 0.5 * (objective.speed_min_kn + objective.speed_max_kn)
    price = price_shallow_water(water.price, chart, ocean.ship, speed_kn)

    def build_search(
        stage_nm: float, resolution: WideResolution, survey: TrackSearch | None
    ) -> TrackSearch:
        line, problem = build_problem(stretches, passages, water, ocean, objective, stage_nm)
        problem = replace(problem, price=price)
        return TrackSearch(stretches, problem, line, resolution, objective, heartbeat, survey)

    survey = build_search(_SURVEY_STAGES * stage_nm, _SURVEY, None)
    return build_search(stage_nm, resolution, survey)


def _cheapest(
    problem: Problem, found: Sequence[tuple[SearchedLattice, Trajectory | None]]
) -> tuple[SearchedLattice, Trajectory] | None:
    """Return the trajectory of least cost, and its lattice."""
    trajectories = [
        (searched, trajectory) for searched, trajectory in found if trajectory is not None
    ]
    return min(trajectories, key=lambda pair: cost_of(problem, pair[1]), default=None)


def _adds_nothing(problem: Problem, trajectory: Trajectory, known: Trajectory) -> bool:
    """Return whether a trajectory is near a known one of the same stages, or clearly dearer."""
    most = (1.0 + _HOPELESS) * cost_since_departure(problem, known)
    return run_together(trajectory, known) or cost_since_departure(problem, trajectory) > most


def _minimises_time(objective: SearchObjective) -> bool:
    """Return whether time alone counts.

    Labels that save fuel are then of no use: they fall behind, or meet a storm that an earlier
    ship passes before.
    """
    return objective.fuel_price <= LEAST_PRICE


def _may_be_in_time(objective: SearchObjective) -> bool:
    """Return whether a trajectory might be in time though none is found."""
    soon_h = float(objective.value_of_time[0][0])
    return objective.longest_h is None or objective.longest_h > _LEAST_SHARE * soon_h


def with_objective(problem: Problem, objective: SearchObjective) -> Problem:
    """Return the same problem for another objective."""
    return replace(
        problem,
        fuel_price=objective.fuel_price,
        hour_price=objective.hour_price,
        hour_value=objective.hour_value,
        arrive_by_h=objective.arrive_by_h,
    )
