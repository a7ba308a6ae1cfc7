"""The best track of a way: its open waters searched for joint track and speed, the rest kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.labels import Heartbeat, Reached, Way
from app.engine.optimise.navigable_water import SeaRoom
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    Fineness,
    Problem,
    cost_of,
    find_best,
    halve,
    refine,
    search_widely,
)
from app.engine.optimise.runner_up import find_runner_up
from app.engine.optimise.shallow_water import Sound, price_shallows
from app.engine.optimise.speed_profile import Profile, profile_of_way
from app.engine.optimise.speeds import LEAST_PRICE, Aim, step_h
from app.engine.optimise.stretches import Line, Stretch, pose, restage
from app.engine.optimise.windows import add_late_bins, windows_h
from app.engine.sea.passages import Passage

Floats = NDArray[np.float64]

#: Columns of the first corridor to each side, and how many a line may change by.
_COLUMNS: Final = 14
_REACH: Final = 3
#: Columns lie this share of a stage apart: three of them are a change of course of 56 deg.
_SPACING: Final = 0.5
#: Stages are this long [nm], on ways longer than the second figure the third.
_STAGE_NM: Final = 40.0
_LONG_WAY_NM: Final = 4000.0
_LONG_STAGE_NM: Final = 60.0
#: Narrow lattices begin with columns so far apart [nm], since what a wide one's few directions
#: cost may have led it a hundred miles astray, and are halved: so many are searched at the first
#: rows, and at twice as many.
_FIRST_OFFSET_NM: Final = 14.4
_ROUNDS: Final = 3
_FINE_ROUNDS: Final = 4
#: Stages and columns where a rough look is enough.
_COARSE_STAGE_NM: Final = 90.0
_COARSE_COLUMNS: Final = 8
#: A survey looks farther off on stages so many times as long, at this many columns to each side:
#: 720 nm on the usual stages. Better tracks have been found 600 nm off.
_SURVEY_STAGES: Final = 2.0
_SURVEY_COLUMNS: Final = 18
#: Arrivals looked at about a way [h], by the mile that its points may be moved.
_MOST_SPAN_H: Final = 2.4
#: How often a corridor is laid anew at most.
_MOST_SEARCHES: Final = 4
#: The corridor's direction is averaged over this to each side [nm].
_SMOOTH_NM: Final = 150.0
_SPEEDS: Final = 7
#: Speeds that do to find out what is reached soonest, and what an hour is worth then [t/h].
_HASTY_SPEEDS: Final = 7
_HASTY_PRICE: Final = 1e6
#: No way takes less than this share of the hours that the first line takes near the greatest speed.
_LEAST_SHARE: Final = 0.95
#: Width of a bin of arrival times, and the times at which lines are worked out [h].
_BIN_H: Final = 2.5
_MOST_BINS: Final = 160
_WIDE_STEP_H: Final = 6.0
#: Ways about a storm are longer than the first line by at most this.
_DETOUR: Final = 1.15


@dataclass(frozen=True)
class Found:
    """What a search has found: positions, latitudes and longitudes, along each open stretch,
    in order, the first and last of each as they were; the speeds along the whole way; and all
    that was reached, whenever it arrives, in the corridor that it ended in."""

    lines: Sequence[tuple[Floats, Floats]]
    profile: Profile
    reached: Reached


@dataclass(frozen=True)
class TrackSearch:
    """The search of one way for its best tracks.

    ``aim`` gives times and speeds and what an hour is worth; its objective isn't asked. ``survey``
    searches the same waters more coarsely, and farther off.
    """

    stretches: Sequence[Stretch]
    problem: Problem
    line: Line
    columns: int
    aim: Aim
    heartbeat: Heartbeat
    survey: "TrackSearch | None" = None
    _reached: dict[tuple[float, bool], Reached] = field(default_factory=dict, repr=False)
    _searching: Lock = field(default_factory=Lock, repr=False)

    def find_roughly(self, aim: Aim, within: Sequence[Reached] = ()) -> Found | None:
        """A good track, and the speeds along it; ``None`` where nothing is found that arrives in
        time. It keeps to what searches for other aims have reached, if that will do.
        """
        found = self._find_within(aim, within) or self._find_wide(aim)
        if found is None:
            return None
        (reached, rough), problem = found, with_aim(self.problem, aim)
        way = self._narrow(problem, aim, rough)
        return self._cut_open(problem, way, self.line.stretch, reached)

    def find_track(self, aim: Aim) -> Found | None:
        """The best track, and the speeds along it. ``None`` where nothing is found that
        arrives in time.
        """
        found = self._find_wide(aim)
        if found is None:
            return None
        problem, spacing_nm = with_aim(self.problem, aim), _SPACING * self.line.stage_nm
        reached, way = found[0], self._narrow(problem, aim, found[1])
        runner_up = find_runner_up(problem, reached)
        rivals = [] if runner_up is None else [self._narrow(problem, aim, runner_up)]
        rivals = [rival for rival in rivals if cost_of(problem, rival) < cost_of(problem, way)]
        rivals = [halve(problem, rival)[1] for rival in rivals]
        straight = np.diff(self.problem.first_hop) == 0
        problem, way = halve(problem, way)
        fine = _fineness(problem.medium, aim, way, 0.15 * spacing_nm, 0.5 * self.line.stage_nm)
        way = refine(
            problem, way, fine, rounds=_FINE_ROUNDS, heartbeat=self.heartbeat, rivals=rivals
        )
        stretch = np.repeat(self.line.stretch, np.where(straight, 2, 1))
        return self._cut_open(problem, way, stretch, reached)

    def _narrow(self, problem: Problem, aim: Aim, rough: Way) -> Way:
        """What finer searches at the same stages find around a way."""
        stage_nm = self.line.stage_nm
        fine = _fineness(problem.medium, aim, rough, _FIRST_OFFSET_NM, stage_nm)
        return refine(problem, rough, fine, rounds=_ROUNDS, heartbeat=self.heartbeat)

    def in_medium(self, ocean: Ocean) -> "TrackSearch":
        """The same search in another medium."""
        problem = replace(self.problem, medium=ocean)
        survey = None if self.survey is None else self.survey.in_medium(ocean)
        return replace(self, problem=problem, survey=survey, _reached={}, _searching=Lock())

    def _find_within(self, aim: Aim, within: Sequence[Reached]) -> tuple[Reached, Way] | None:
        """The best way of those reached, and what it is one of, unless one that keeps to its
        corridor's edge is as good."""
        problem = with_aim(self.problem, aim)
        best = _take_best(problem, [(reached, find_best(problem, reached)) for reached in within])
        return None if best is None or best[0].share_at_edge(best[1]) > 0.0 else best

    def _find_wide(self, aim: Aim) -> tuple[Reached, Way] | None:
        """The best way at first sight, and what was reached beside it.

        Where none is in time that might be, it is looked for among all that is reached soonest.
        """
        found = self._find_far_and_near(aim, in_haste=_is_soonest(aim))
        if found is None and not _is_soonest(aim) and _may_be_in_time(aim):
            return self._find_far_and_near(aim, in_haste=True)
        return found

    def _find_far_and_near(self, aim: Aim, *, in_haste: bool) -> tuple[Reached, Way] | None:
        """The better of the best way about the first line and of that about the survey's best."""
        near = self._settle(aim, in_haste=in_haste)
        afar = self._find_afar(aim, in_haste=in_haste)
        found = [near]
        if afar is not None and not near[0].holds(*afar):
            found.append(self._settle(aim, self._search_along(afar, 1.0, in_haste=in_haste)))
        return _take_best(with_aim(self.problem, aim), found)

    def _find_afar(self, aim: Aim, *, in_haste: bool) -> tuple[Floats, Floats] | None:
        """The best track of the survey, at the stages of this search."""
        if self.survey is None:
            return None
        reached = self.survey._search_about(1.0, in_haste=in_haste)
        way = find_best(with_aim(self.problem, aim), reached)
        if way is None:
            return None
        return restage((way.lats, way.lngs), self.survey.line, self.line, self.stretches)

    def _settle(
        self, aim: Aim, reached: Reached | None = None, *, in_haste: bool = False
    ) -> tuple[Reached, Way | None]:
        """The best way at first sight, searched for again about itself while it keeps to the
        corridor's edge, and in a wider corridor where there is none."""
        reached, way = reached or self._search_about(1.0, in_haste=in_haste), None
        for _ in range(_MOST_SEARCHES):
            way = reached.find_way(aim.fuel_price, aim.hour_price, aim.arrive_by_h)
            guide = reached.find_way(0.0, 1.0) if way is None else way
            if guide is None:
                reached = self._search_about(2.0, in_haste=in_haste)
            elif reached.share_at_edge(guide) > 0.0:
                line = guide.lats, guide.lngs
                reached = self._search_along(line, 1.0, in_haste=in_haste)
            else:
                break
        return reached, way

    def _search_about(self, width: float, *, in_haste: bool = False) -> Reached:
        """What is reached about the first line, whenever it arrives: found once for all aims."""
        asked = width, in_haste
        with self._searching:
            if asked not in self._reached:
                line = self.line.lats, self.line.lngs
                self._reached[asked] = self._search_along(line, width, in_haste=in_haste)
            return self._reached[asked]

    def _search_along(
        self, line: tuple[Floats, Floats], width: float, *, in_haste: bool = False
    ) -> Reached:
        """What is reached about a line, in a corridor of a width in parts of the usual."""
        window_h = windows_h(self.problem, line, _DETOUR)
        span_h = float(window_h[1][-1] - window_h[0][-1])
        bins = min(max(16, ceil(span_h / _BIN_H)), _MOST_BINS)
        window_h, bins = add_late_bins(self.problem, line, window_h, bins, self.aim.slowest)
        steps = np.arange(-self.columns, self.columns + 1, dtype=np.float64)
        hour_prices = self.aim.bin_prices(window_h, bins)
        corridor = Corridor(
            offsets_nm=width * _SPACING * self.line.stage_nm * steps,
            reach=_REACH,
            smooth_nm=_SMOOTH_NM,
            speeds=_HASTY_SPEEDS if in_haste else _SPEEDS,
            window_h=window_h,
            bins=bins,
            longest_hop_nm=min(self.line.stage_nm, _LONG_STAGE_NM),
            longest_step_h=_WIDE_STEP_H,
            hour_prices=np.full(bins, _HASTY_PRICE) if in_haste else hour_prices,
        )
        return search_widely(self.problem, line, corridor, self.heartbeat)

    def _cut_open(
        self, problem: Problem, way: Way, stretch: NDArray[np.int64], reached: Reached
    ) -> Found:
        lines, cut = [], replace(self.line, stretch=stretch)
        for number, part in enumerate(self.stretches):
            if part.is_open:
                points = cut.points(number)
                lines.append((way.lats[points], way.lngs[points]))
        return Found(lines, profile_of_way(problem, way), reached)


def search_tracks(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    room: SeaRoom,
    sound: Sound,
    ocean: Ocean,
    aim: Aim,
    heartbeat: Heartbeat = lambda: None,
    *,
    coarse: bool = False,
) -> TrackSearch:
    """The search of the waters about a way, for all arrivals at once.

    ``sound`` tells the depths that fuel is weighed by. ``aim`` gives the times and speeds; its
    objective isn't asked. ``coarse`` takes a fraction of the time.
    """
    length_nm = sum(leg.distance_nm for stretch in stretches for leg in stretch.legs)
    stage_nm = _STAGE_NM if length_nm < _LONG_WAY_NM else _LONG_STAGE_NM
    stage_nm, columns = (_COARSE_STAGE_NM, _COARSE_COLUMNS) if coarse else (stage_nm, _COLUMNS)
    speed_kn = 0.5 * (aim.speed_min_kn + aim.speed_max_kn)
    price = price_shallows(room.price, sound, ocean.ship, speed_kn)

    def lay(stage_nm: float, columns: int, survey: TrackSearch | None) -> TrackSearch:
        line, problem = pose(stretches, passages, room, ocean, aim, stage_nm)
        problem = replace(problem, price=price)
        return TrackSearch(stretches, problem, line, columns, aim, heartbeat, survey)

    survey = None if coarse else lay(_SURVEY_STAGES * stage_nm, _SURVEY_COLUMNS, None)
    return lay(stage_nm, columns, survey)


def _take_best(
    problem: Problem, found: Sequence[tuple[Reached, Way | None]]
) -> tuple[Reached, Way] | None:
    """The way of least cost, and what it is one of."""
    ways = [(reached, way) for reached, way in found if way is not None]
    return min(ways, key=lambda pair: cost_of(problem, pair[1]), default=None)


def _is_soonest(aim: Aim) -> bool:
    """Whether time alone counts.

    Labels that save fuel are then no use: stage by stage they fall behind, or come upon a storm
    that haste passes before.
    """
    return aim.fuel_price <= LEAST_PRICE


def _may_be_in_time(aim: Aim) -> bool:
    """Whether a way might be in time though none is found."""
    soon_h = float(aim.worth[0][0])
    return aim.longest_h is None or aim.longest_h > _LEAST_SHARE * soon_h


def with_aim(problem: Problem, aim: Aim) -> Problem:
    """The same problem for another aim."""
    return replace(
        problem,
        fuel_price=aim.fuel_price,
        hour_price=aim.hour_price,
        hour_worth=aim.hour_worth,
        arrive_by_h=aim.arrive_by_h,
    )


def _fineness(ocean: Ocean, aim: Aim, way: Way, offset_nm: float, hop_nm: float) -> Fineness:
    step_kn = (aim.speed_max_kn - aim.speed_min_kn) / (_SPEEDS - 1)
    return Fineness(
        columns=11,
        offset_nm=offset_nm,
        reach=5,
        smooth_nm=_STAGE_NM,
        speeds=3,
        speed_step_kn=min(0.1 * offset_nm, 1.0) * step_kn,
        span_h=offset_nm * min(0.01 * float(way.hours[-1] - aim.departs_h), _MOST_SPAN_H),
        bins=24,
        longest_hop_nm=hop_nm,
        longest_step_h=step_h(ocean),
    )
