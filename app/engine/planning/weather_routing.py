"""A way sailed with the weather: along the best track, at the best speeds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.labels import Heartbeat, Reached
from app.engine.optimise.navigable_water import SeaRoom
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.simplify import simplify_line
from app.engine.optimise.speed_profile import Profile, profile_of_sailing
from app.engine.optimise.speeds import LEAST_PRICE, Aim, optimise_speeds
from app.engine.optimise.stretches import list_stretches
from app.engine.optimise.track_search import Found, TrackSearch, search_tracks
from app.engine.optimise.windows import Timetable
from app.engine.planning.limits import find_excess
from app.engine.planning.parallel import work_side_by_side
from app.engine.planning.simulated_route import (
    LaidWay,
    SailedRoute,
    Voyage,
    describe,
    find_delay_h,
    helm,
    lay_way,
)
from app.engine.sailing.simulation import Sailing
from app.engine.sailing.waiting import split_legs, sum_waits_h
from app.engine.sea.legs import XTD_M, measure_leg_gap_m
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.vessel import eca_fuel_factor
from app.engine.voyage import Area, AreaKind, Limits, Objective, Position, TrackKind
from app.engine.weather import WeatherField
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]

#: Searches keep to these shares of a limit: that for speeds a little under it, and that for
#: tracks, where the weather of a place stands for a whole stage, ever further under it
#: until what it finds keeps the limit everywhere.
_SPEED_SHARE: Final = 0.99
_TRACK_SHARES: Final = (0.99, 0.96, 0.9)
#: How far a drawn line may leave the one found [nm]: closely, and then as widely as may be.
_CLOSE_NM: Final = (0.7, 0.3, 0.0)
_WIDE_NM: Final = (12.0, 6.0, 3.0, 1.5)
_ROUGH_NM: Final = (3.0, 0.7)
#: Speeds that tell what an hour is worth.
_WORTH_SPEEDS: Final = 6
#: Least clearing distance of a leg that is drawn anew [m]: a mile, but for the places that
#: open water begins and ends at, which lie a mile off.
_LEAST_XTD_M: Final = 0.9 * XTD_M
#: A part of a leg keeps off so much of what the whole does at the least; its rhumb line is
#: another.
_AS_CLEAR: Final = 0.9
#: Fewer waypoints may cost this share more.
_COST_SHARE: Final = 0.001


@dataclass(frozen=True)
class WeatherRouting:
    """One way, and what may become of it under limits.

    ``timed`` are areas with a window, which may be crossed outside it. ``is_coarse`` where
    another way is far better.
    """

    voyage: Voyage
    weather: WeatherField
    path: SeaPath
    way: LaidWay
    limits: Limits
    timed: tuple[Area, ...]
    heartbeat: Heartbeat
    is_coarse: bool = False

    @property
    def is_limited(self) -> bool:
        """Whether waves or wind are limited."""
        return self.limits.wave_height_m is not None or self.limits.wind_speed_ms is not None

    def ocean(self, share: float) -> Ocean:
        """The ship in the weather, kept to a share of the limits."""
        wave_m, wind_ms = self.limits.wave_height_m, self.limits.wind_speed_ms
        return Ocean(
            self.voyage.ship.kernel_parameters,
            self.weather.kernel_arrays,
            inf if wave_m is None else share * wave_m,
            inf if wind_ms is None else share * wind_ms,
        )

    @cached_property
    def room(self) -> SeaRoom:
        """Where the ship may go, and where her fuel is priced up."""
        request = self.voyage.request
        return SeaRoom(
            self.voyage.sea.waters,
            self.path.conditions,
            self.timed,
            tuple(area for area in request.areas if area.kind is AreaKind.ECA),
            eca_fuel_factor(request.ship.fuel_type),
        )

    def aim(self, objective: Objective, longest_h: float | None) -> Aim:
        """What to have least of, in the search's terms."""
        request = self.voyage.request
        hour_prices = {
            Objective.FUEL: 0.0,
            Objective.TIME: 1.0,
            Objective.BALANCED: self.voyage.time_price_t_per_h,
        }
        return Aim(
            departs_h=hours_since_epoch(request.departs_at),
            speed_min_kn=request.speed_min_kn,
            speed_max_kn=request.speed_max_kn,
            fuel_price=LEAST_PRICE if objective is Objective.TIME else 1.0,
            hour_price=hour_prices[objective],
            worth=self.worth,
            longest_h=longest_h,
            slowest=self.slowest,
            wait_price=self.voyage.wait_price_t_per_h,
        )

    @cached_property
    def _at_constant_speeds(self) -> tuple[Sailing, ...]:
        """The shortest route simulated at constant speeds, the highest first."""
        request, sail_at = self.voyage.request, helm(self.voyage, self.way)
        speeds_kn = np.linspace(request.speed_max_kn, request.speed_min_kn, _WORTH_SPEEDS)
        return tuple(sail_at(float(speed_kn)) for speed_kn in speeds_kn)

    @property
    def slowest(self) -> Timetable:
        """When the shortest route is where at the lowest speed ordered."""
        slowest, track = self._at_constant_speeds[-1], self.way.track
        return Timetable(track.cumulative_nm / track.length_nm, slowest.hours)

    @cached_property
    def worth(self) -> tuple[Floats, Floats]:
        """What an hour less costs [t] on voyages of so many hours: of the way at one speed."""
        sailed = self._at_constant_speeds
        hours = np.array([sailing.total_h for sailing in sailed])
        fuel_t = np.array([sailing.total_fuel_t for sailing in sailed])
        longer_h = np.maximum(np.diff(hours), 1e-3)
        return 0.5 * (hours[:-1] + hours[1:]), np.maximum(-np.diff(fuel_t) / longer_h, 0.0)

    @cached_property
    def tracks(self) -> tuple[TrackSearch, ...]:
        """The searches of the waters about the way, each keeping further under the limits
        than the one before; none where its track is to stay."""
        stretches = list_stretches(self.way.legs)
        is_free = self.voyage.request.track is TrackKind.WEATHER
        if not is_free or not any(stretch.is_open for stretch in stretches):
            return ()
        widest, *further = _TRACK_SHARES if self.is_limited else _TRACK_SHARES[:1]
        first = search_tracks(
            stretches,
            self.voyage.passages,
            self.room,
            self.voyage.sea.depth_m,
            self.ocean(widest),
            self.aim(Objective.FUEL, None),
            self.heartbeat,
            coarse=self.is_coarse,
        )
        return (first, *(first.in_medium(self.ocean(share)) for share in further))

    def sail(self, objective: Objective, longest_h: float | None) -> SailedRoute | None:
        """The best sailing of the way that keeps the limits; ``None`` where there is none."""
        aim = self.aim(objective, longest_h)
        best = self._sail_best_track(aim)
        near = None if best is None else profile_of_sailing(best.sailing)
        found = [self._sail_laid(self.way, aim, near), best]
        kept = [route for route in found if route is not None]
        if not kept and self.is_limited:
            return self.sail_roughly(objective, longest_h)
        return min(kept, key=lambda route: _cost(route, aim), default=None)

    def sail_shortest(self, objective: Objective, longest_h: float | None) -> SailedRoute | None:
        """The way along its shortest track at the best speeds, if that keeps the limits."""
        return self._sail_laid(self.way, self.aim(objective, longest_h))

    def sail_roughly(self, objective: Objective, longest_h: float | None) -> SailedRoute | None:
        """A good sailing of the way that keeps the limits, found in a fraction of the time."""
        return self.draw_roughly(self.find_roughly(objective, longest_h), objective, longest_h)

    def find_roughly(
        self, objective: Objective, longest_h: float | None, within: Sequence[Reached] = ()
    ) -> Found | None:
        """A good track for that, if any is found, among those reached already if they will do."""
        aim = self.aim(objective, longest_h)
        return self.tracks[0].find_roughly(aim, within) if self.tracks else None

    def draw_roughly(
        self, found: Found | None, objective: Objective, longest_h: float | None
    ) -> SailedRoute | None:
        """What was found as legs at the best speeds, or else the way's shortest track."""
        aim = self.aim(objective, longest_h)
        drawn = None if found is None else next(self._draw(found, aim, _ROUGH_NM), None)
        return drawn or self._sail_laid(self.way, aim)

    def sail_along(
        self,
        legs: tuple[Leg, ...],
        objective: Objective,
        longest_h: float | None,
        near: Sailing | None,
    ) -> SailedRoute | None:
        """Another track of the way at the best speeds, which lie about those of a sailing, if it
        keeps the limits."""
        way = lay_way(self.voyage, self.way.label, self.way.uses, legs, self.way.prices)
        profile = None if near is None else profile_of_sailing(near)
        return self._sail_laid(way, self.aim(objective, longest_h), profile)

    def _sail_laid(self, way: LaidWay, aim: Aim, near: Profile | None = None) -> SailedRoute | None:
        """A way at the best speeds, which lie about those given, if it keeps the limits."""
        sail_at, ocean = helm(self.voyage, way), self.ocean(_SPEED_SHARE)
        sailing = optimise_speeds(
            way.track, way.depth_m, self.room, ocean, aim, sail_at, self.heartbeat, near
        )
        if sailing is None:
            return None
        legs, sailing, new = split_legs(way.legs, sailing)
        measured = self._measure(legs, new)
        if measured is None:
            return None
        way = replace(way, legs=measured, track=sailing.track)
        route = describe(self.voyage, way, sailing)
        return None if find_excess(route, self.limits) else route

    def _measure(self, legs: tuple[Leg, ...], new: Sequence[int]) -> tuple[Leg, ...] | None:
        """Legs with what the new of them keep off; ``None`` where that is too little."""
        waters, conditions = self.voyage.sea.waters, self.path.conditions
        measured = list(legs)
        for n in new:
            leg = legs[n]
            gap_m = measure_leg_gap_m(waters, conditions, leg.start, leg.end, leg.xtd_m)
            if gap_m < min(_AS_CLEAR * leg.xtd_m, _LEAST_XTD_M):
                return None
            measured[n] = replace(leg, xtd_m=gap_m)
        return tuple(measured)

    def _sail_best_track(self, aim: Aim) -> SailedRoute | None:
        """The way along the best track that keeps the limits, at the best speeds.

        Where a limit binds, it is luck how near to it each search may pass: the best of all
        counts.
        """
        if not self.tracks:
            return None
        first, *further = self.tracks
        lines = first.find_track(aim)
        if lines is None:
            return None  # the others, kept further under the limits, find no more
        found = [self._draw_fewest(lines, aim)]
        if further and (found[0] is None or find_excess(found[0], self._tightest)):
            parts = [partial(self._sail_track, search, aim) for search in further]
            found += work_side_by_side(parts, self.heartbeat)
        kept = [route for route in found if route is not None]
        return min(kept, key=lambda route: _cost(route, aim), default=None)

    def _sail_track(self, search: TrackSearch, aim: Aim) -> SailedRoute | None:
        """The way along the best track of one search."""
        lines = search.find_track(aim)
        return None if lines is None else self._draw_fewest(lines, aim)

    @property
    def _tightest(self) -> Limits:
        """What the search that keeps furthest under the limits keeps to."""
        wave_m, wind_ms = self.limits.wave_height_m, self.limits.wind_speed_ms
        return replace(
            self.limits,
            wave_height_m=None if wave_m is None else _TRACK_SHARES[-1] * wave_m,
            wind_speed_ms=None if wind_ms is None else _TRACK_SHARES[-1] * wind_ms,
        )

    def _draw_fewest(self, found: Found, aim: Aim) -> SailedRoute | None:
        """The found lines in the fewest legs that are clear and cost hardly more than the lines."""
        close = next(self._draw(found, aim, _CLOSE_NM), None)
        if close is None:
            return None
        late_h, cost = _cost(close, aim)
        allowed = late_h, (1.0 + _COST_SHARE) * cost
        found = replace(found, profile=profile_of_sailing(close.sailing))
        wide = self._draw(found, aim, _WIDE_NM)
        return next((route for route in wide if _cost(route, aim) <= allowed), close)

    def _draw(
        self, found: Found, aim: Aim, tolerances_nm: Sequence[float]
    ) -> Iterator[SailedRoute]:
        """The found lines drawn to each tolerance in turn, where that can be sailed."""
        for tolerance_nm in tolerances_nm:
            way = self._lay_track(found.lines, tolerance_nm)
            route = None if way is None else self._sail_laid(way, aim, found.profile)
            if route is not None:
                yield route

    def _lay_track(
        self, lines: Sequence[tuple[Floats, Floats]], tolerance_nm: float
    ) -> LaidWay | None:
        """The way with lines for its open stretches; ``None`` where a leg would not be clear."""
        legs: list[Leg] = []
        open_lines = iter(lines)
        for stretch in list_stretches(self.way.legs):
            if not stretch.is_open:
                legs += stretch.legs
                continue
            lats, lngs = next(open_lines)
            kept = simplify_line(lats, lngs, tolerance_nm, self._clearing(lats, lngs))
            path = _as_path(self.path, lats[kept], lngs[kept])
            laid = self.voyage.sea.lay_legs(path, TrackKind.WEATHER)
            if not all(self._is_safe(leg) for leg in laid):
                return None
            legs += laid
        way = self.way
        return lay_way(self.voyage, way.label, way.uses, tuple(legs), way.prices)

    def _clearing(self, lats: Floats, lngs: Floats) -> Callable[[int, int], bool]:
        """Tells whether the leg between two places of a line keeps its distance."""
        waters, conditions = self.voyage.sea.waters, self.path.conditions

        def is_clear(first: int, last: int) -> bool:
            a, b = (Position(float(lats[n]), float(lngs[n])) for n in (first, last))
            return measure_leg_gap_m(waters, conditions, a, b, XTD_M) >= _LEAST_XTD_M

        return is_clear

    def _is_safe(self, leg: Leg) -> bool:
        """Whether a leg keeps off everything, over water that is deep enough."""
        needed_m = self.voyage.size.least_depth_m
        is_deep = leg.min_depth_m is None or leg.min_depth_m >= needed_m
        return leg.xtd_m >= _LEAST_XTD_M and is_deep and not leg.is_unproven


def _cost(route: SailedRoute, aim: Aim) -> tuple[float, float]:
    """What counts of a route: hours late first, then what the aim has least of."""
    hours = route.sailing.total_h
    late_h = find_delay_h(hours, aim.longest_h)
    waits_t = aim.wait_price * sum_waits_h(route.sailing) if aim.wait_price else 0.0
    fuel_t = route.priced_fuel_t + waits_t
    return late_h, aim.fuel_price * fuel_t + aim.hour_price * hours


def _as_path(path: SeaPath, lats: Floats, lngs: Floats) -> SeaPath:
    """Positions in open water as a path under the conditions of another."""
    marks = np.full(lats.size - 1, OPEN_SEA, dtype=np.int16)
    return replace(path, lats=lats, lngs=lngs, leg_passages=marks, uses=())
