"""Weather routing of one candidate: search the best track, draw its legs, optimise its speeds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.labels import Heartbeat, SearchedLattice
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.simplify import simplify_line
from app.engine.optimise.speed_profile import Profile, profile_of_simulation
from app.engine.optimise.speeds import LEAST_PRICE, SearchObjective, optimise_speeds
from app.engine.optimise.stretches import list_stretches
from app.engine.optimise.track_search import FoundTrack, TrackSearch, search_tracks
from app.engine.optimise.windows import Timetable
from app.engine.planning.limits import find_violation
from app.engine.planning.parallel import run_parallel
from app.engine.planning.simulated_route import (
    PlanningContext,
    RouteGeometry,
    SimulatedRoute,
    build_geometry,
    evaluate_route,
    find_delay_h,
    simulate_at,
)
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.waiting import split_legs, sum_waits_h
from app.engine.sea.legs import XTD_M, measure_leg_gap_m
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.vessel import eca_fuel_factor
from app.engine.voyage import Area, AreaKind, Limits, Objective, Position, TrackKind
from app.engine.weather import WeatherField
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]

#: Shares of a limit that searches keep to: for speeds a little under it; for tracks, where
#: weather is sampled once a stage, further under it until the result keeps the limit everywhere.
_SPEED_SHARE: Final = 0.99
_TRACK_SHARES: Final = (0.99, 0.96, 0.9)
#: Tolerances of drawn lines [nm]: close, then as wide as is clear; and for coarse searches.
_CLOSE_NM: Final = (0.7, 0.3, 0.0)
_WIDE_NM: Final = (12.0, 6.0, 3.0, 1.5)
_COARSE_NM: Final = (3.0, 0.7)
#: Constant speeds from which the value of time is derived.
_VALUE_SPEEDS: Final = 6
#: Least clearance of a new leg [m]: a mile, less what the ends of open water need, which lie
#: a mile off.
_LEAST_XTD_M: Final = 0.9 * XTD_M
#: Least clearance of a part of a leg as a share of the whole leg's: its rhumb line differs.
_KEPT_CLEARANCE: Final = 0.9
#: Cost that fewer waypoints may add, as a share.
_COST_SHARE: Final = 0.001


@dataclass(frozen=True)
class WeatherRouting:
    """The weather routing of one candidate under limits.

    ``timed`` are areas with a window, which may be crossed outside it. ``is_coarse`` where
    another candidate is far better.
    """

    context: PlanningContext
    weather: WeatherField
    path: SeaPath
    geometry: RouteGeometry
    limits: Limits
    timed: tuple[Area, ...]
    heartbeat: Heartbeat
    is_coarse: bool = False

    @property
    def is_limited(self) -> bool:
        """Whether waves or wind are limited."""
        return self.limits.wave_height_m is not None or self.limits.wind_speed_ms is not None

    def ocean(self, share: float) -> Ocean:
        """Return the ship in the weather, kept to a share of the limits."""
        wave_m, wind_ms = self.limits.wave_height_m, self.limits.wind_speed_ms
        return Ocean(
            self.context.ship.kernel_parameters,
            self.weather.kernel_arrays,
            inf if wave_m is None else share * wave_m,
            inf if wind_ms is None else share * wind_ms,
        )

    @cached_property
    def water(self) -> NavigableWater:
        """Where the ship may go, and where its fuel is weighed by a price."""
        request = self.context.request
        return NavigableWater(
            self.context.sea.waters,
            self.path.conditions,
            self.timed,
            tuple(area for area in request.areas if area.kind is AreaKind.ECA),
            eca_fuel_factor(request.ship.fuel_type),
        )

    def search_objective(self, objective: Objective, longest_h: float | None) -> SearchObjective:
        """What to have least of, in the search's terms."""
        request = self.context.request
        hour_prices = {
            Objective.FUEL: 0.0,
            Objective.TIME: 1.0,
            Objective.BALANCED: self.context.time_price_t_per_h,
        }
        return SearchObjective(
            departs_h=hours_since_epoch(request.departs_at),
            speed_min_kn=request.speed_min_kn,
            speed_max_kn=request.speed_max_kn,
            fuel_price=LEAST_PRICE if objective is Objective.TIME else 1.0,
            hour_price=hour_prices[objective],
            value_of_time=self.value_of_time,
            longest_h=longest_h,
            slowest=self.slowest_timetable,
            wait_price=self.context.wait_price_t_per_h,
        )

    @cached_property
    def _at_constant_speeds(self) -> tuple[Simulation, ...]:
        """The shortest route simulated at constant speeds, the highest first."""
        request, simulate = self.context.request, simulate_at(self.context, self.geometry)
        speeds_kn = np.linspace(request.speed_max_kn, request.speed_min_kn, _VALUE_SPEEDS)
        return tuple(simulate(float(speed_kn)) for speed_kn in speeds_kn)

    @property
    def slowest_timetable(self) -> Timetable:
        """Timetable of the shortest route at the lowest speed ordered."""
        slowest_timetable, track = self._at_constant_speeds[-1], self.geometry.track
        return Timetable(track.cumulative_nm / track.length_nm, slowest_timetable.hours)

    @cached_property
    def value_of_time(self) -> tuple[Floats, Floats]:
        """Fuel that an hour less costs [t] against duration [h], along the shortest track."""
        sailed = self._at_constant_speeds
        hours = np.array([simulation.total_h for simulation in sailed])
        fuel_t = np.array([simulation.total_fuel_t for simulation in sailed])
        longer_h = np.maximum(np.diff(hours), 1e-3)
        return 0.5 * (hours[:-1] + hours[1:]), np.maximum(-np.diff(fuel_t) / longer_h, 0.0)

    @cached_property
    def track_searches(self) -> tuple[TrackSearch, ...]:
        """Track searches, each keeping further under the limits than the one before.

        None where the track is prescribed or has no open water.
        """
        stretches = list_stretches(self.geometry.legs)
        is_free = self.context.request.track is TrackKind.WEATHER
        if not is_free or not any(stretch.is_open for stretch in stretches):
            return ()
        widest, *further = _TRACK_SHARES if self.is_limited else _TRACK_SHARES[:1]
        first = search_tracks(
            stretches,
            self.context.passages,
            self.water,
            self.context.sea.depth_m,
            self.ocean(widest),
            self.search_objective(Objective.FUEL, None),
            self.heartbeat,
            coarse=self.is_coarse,
        )
        return (first, *(first.in_medium(self.ocean(share)) for share in further))

    def optimise(self, objective: Objective, longest_h: float | None) -> SimulatedRoute | None:
        """Return the best route that keeps the limits; ``None`` where there is none."""
        search_objective = self.search_objective(objective, longest_h)
        best = self._optimise_track(search_objective)
        near = None if best is None else profile_of_simulation(best.simulation)
        found = [self._optimise_speeds(self.geometry, search_objective, near), best]
        kept = [route for route in found if route is not None]
        if not kept and self.is_limited:
            return self.coarse_search(objective, longest_h)
        return min(kept, key=lambda route: _cost(route, search_objective), default=None)

    def optimise_shortest_track(
        self, objective: Objective, longest_h: float | None
    ) -> SimulatedRoute | None:
        """Return the shortest track at the best speeds, if that keeps the limits."""
        return self._optimise_speeds(self.geometry, self.search_objective(objective, longest_h))

    def coarse_search(self, objective: Objective, longest_h: float | None) -> SimulatedRoute | None:
        """Return a good route that keeps the limits, found in a fraction of the time."""
        return self.draw_coarse_track(
            self.find_coarse_track(objective, longest_h), objective, longest_h
        )

    def find_coarse_track(
        self, objective: Objective, longest_h: float | None, within: Sequence[SearchedLattice] = ()
    ) -> FoundTrack | None:
        """Find a good track, in the lattices searched already where they suffice."""
        search_objective = self.search_objective(objective, longest_h)
        return (
            self.track_searches[0].find_coarse_track(search_objective, within)
            if self.track_searches
            else None
        )

    def draw_coarse_track(
        self, found: FoundTrack | None, objective: Objective, longest_h: float | None
    ) -> SimulatedRoute | None:
        """Draw a found track as legs at the best speeds, or else use the shortest track."""
        search_objective = self.search_objective(objective, longest_h)
        drawn = (
            None if found is None else next(self._draw(found, search_objective, _COARSE_NM), None)
        )
        return drawn or self._optimise_speeds(self.geometry, search_objective)

    def optimise_speeds_along(
        self,
        legs: tuple[Leg, ...],
        objective: Objective,
        longest_h: float | None,
        near: Simulation | None,
    ) -> SimulatedRoute | None:
        """Optimise the speeds along other legs of the candidate, if that keeps the limits.

        Speeds are searched about those of the simulation ``near``, where given.
        """
        geometry = build_geometry(
            self.context, self.geometry.label, self.geometry.uses, legs, self.geometry.prices
        )
        profile = None if near is None else profile_of_simulation(near)
        return self._optimise_speeds(geometry, self.search_objective(objective, longest_h), profile)

    def _optimise_speeds(
        self,
        geometry: RouteGeometry,
        search_objective: SearchObjective,
        near: Profile | None = None,
    ) -> SimulatedRoute | None:
        """Optimise the speeds along a geometry, about ``near``; ``None`` if a limit breaks."""
        simulate, ocean = simulate_at(self.context, geometry), self.ocean(_SPEED_SHARE)
        simulation = optimise_speeds(
            geometry.track,
            geometry.depth_m,
            self.water,
            ocean,
            search_objective,
            simulate,
            self.heartbeat,
            near,
        )
        if simulation is None:
            return None
        legs, simulation, new = split_legs(geometry.legs, simulation)
        measured = self._measure(legs, new)
        if measured is None:
            return None
        geometry = replace(geometry, legs=measured, track=simulation.track)
        route = evaluate_route(self.context, geometry, simulation)
        return None if find_violation(route, self.limits) else route

    def _measure(self, legs: tuple[Leg, ...], new: Sequence[int]) -> tuple[Leg, ...] | None:
        """Measure the clearance of new legs; ``None`` where one is too near."""
        waters, conditions = self.context.sea.waters, self.path.conditions
        measured = list(legs)
        for n in new:
            leg = legs[n]
            gap_m = measure_leg_gap_m(waters, conditions, leg.start, leg.end, leg.xtd_m)
            if gap_m < min(_KEPT_CLEARANCE * leg.xtd_m, _LEAST_XTD_M):
                return None
            measured[n] = replace(leg, xtd_m=gap_m)
        return tuple(measured)

    def _optimise_track(self, search_objective: SearchObjective) -> SimulatedRoute | None:
        """Find the best track that keeps the limits, at the best speeds.

        Where a limit binds, how near to it a search may pass is chance: the best of all counts.
        """
        if not self.track_searches:
            return None
        first, *further = self.track_searches
        lines = first.find_track(search_objective)
        if lines is None:
            return None  # the others, kept further under the limits, find no more
        found = [self._draw_fewest(lines, search_objective)]
        if further and (found[0] is None or find_violation(found[0], self._tightest_limits)):
            parts = [partial(self._draw_best_of, search, search_objective) for search in further]
            found += run_parallel(parts, self.heartbeat)
        kept = [route for route in found if route is not None]
        return min(kept, key=lambda route: _cost(route, search_objective), default=None)

    def _draw_best_of(
        self, search: TrackSearch, search_objective: SearchObjective
    ) -> SimulatedRoute | None:
        """Draw the best track of one search."""
        lines = search.find_track(search_objective)
        return None if lines is None else self._draw_fewest(lines, search_objective)

    @property
    def _tightest_limits(self) -> Limits:
        """Limits of the search that keeps furthest under them."""
        wave_m, wind_ms = self.limits.wave_height_m, self.limits.wind_speed_ms
        return replace(
            self.limits,
            wave_height_m=None if wave_m is None else _TRACK_SHARES[-1] * wave_m,
            wind_speed_ms=None if wind_ms is None else _TRACK_SHARES[-1] * wind_ms,
        )

    def _draw_fewest(
        self, found: FoundTrack, search_objective: SearchObjective
    ) -> SimulatedRoute | None:
        """Draw found lines in the fewest legs that are clear and cost hardly more."""
        close = next(self._draw(found, search_objective, _CLOSE_NM), None)
        if close is None:
            return None
        late_h, cost = _cost(close, search_objective)
        allowed = late_h, (1.0 + _COST_SHARE) * cost
        found = replace(found, profile=profile_of_simulation(close.simulation))
        wide = self._draw(found, search_objective, _WIDE_NM)
        return next((route for route in wide if _cost(route, search_objective) <= allowed), close)

    def _draw(
        self, found: FoundTrack, search_objective: SearchObjective, tolerances_nm: Sequence[float]
    ) -> Iterator[SimulatedRoute]:
        """Draw the found lines to each tolerance in turn, where the result is feasible."""
        for tolerance_nm in tolerances_nm:
            geometry = self._build_track_geometry(found.lines, tolerance_nm)
            route = (
                None
                if geometry is None
                else self._optimise_speeds(geometry, search_objective, found.profile)
            )
            if route is not None:
                yield route

    def _build_track_geometry(
        self, lines: Sequence[tuple[Floats, Floats]], tolerance_nm: float
    ) -> RouteGeometry | None:
        """Build the route with lines for its open stretches; ``None`` if a leg is not clear."""
        legs: list[Leg] = []
        open_lines = iter(lines)
        for stretch in list_stretches(self.geometry.legs):
            if not stretch.is_open:
                legs += stretch.legs
                continue
            lats, lngs = next(open_lines)
            kept = simplify_line(lats, lngs, tolerance_nm, self._clearance_check(lats, lngs))
            path = _as_path(self.path, lats[kept], lngs[kept])
            laid = self.context.sea.lay_legs(path, TrackKind.WEATHER)
            if not all(self._is_safe(leg) for leg in laid):
                return None
            legs += laid
        geometry = self.geometry
        return build_geometry(
            self.context, geometry.label, geometry.uses, tuple(legs), geometry.prices
        )

    def _clearance_check(self, lats: Floats, lngs: Floats) -> Callable[[int, int], bool]:
        """Return the check that a leg between two points of a line keeps its clearance."""
        waters, conditions = self.context.sea.waters, self.path.conditions

        def is_clear(first: int, last: int) -> bool:
            a, b = (Position(float(lats[n]), float(lngs[n])) for n in (first, last))
            return measure_leg_gap_m(waters, conditions, a, b, XTD_M) >= _LEAST_XTD_M

        return is_clear

    def _is_safe(self, leg: Leg) -> bool:
        """Return whether a leg keeps its clearance, over water that is deep enough."""
        needed_m = self.context.size.least_depth_m
        is_deep = leg.min_depth_m is None or leg.min_depth_m >= needed_m
        return leg.xtd_m >= _LEAST_XTD_M and is_deep and not leg.is_unproven


def _cost(route: SimulatedRoute, search_objective: SearchObjective) -> tuple[float, float]:
    """Return a route's cost: hours late first, then the objective."""
    hours = route.simulation.total_h
    late_h = find_delay_h(hours, search_objective.longest_h)
    waits_t = (
        search_objective.wait_price * sum_waits_h(route.simulation)
        if search_objective.wait_price
        else 0.0
    )
    fuel_t = route.priced_fuel_t + waits_t
    return late_h, search_objective.fuel_price * fuel_t + search_objective.hour_price * hours


def _as_path(path: SeaPath, lats: Floats, lngs: Floats) -> SeaPath:
    """Return positions in open water as a path under the conditions of another."""
    marks = np.full(lats.size - 1, OPEN_SEA, dtype=np.int16)
    return replace(path, lats=lats, lngs=lngs, leg_passages=marks, uses=())
