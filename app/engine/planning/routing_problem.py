"""The routing problem of one candidate: its water, weather, limits and objectives."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final

import numpy as np

from app.engine.area import Area, AreaKind
from app.engine.arrays import Floats
from app.engine.errors import LimitsTooTight
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.search_objective import SearchObjective, Timetable
from app.engine.optimise.stretches import Stretch, list_stretches
from app.engine.optimise.track_search import TrackSearch, search_tracks
from app.engine.planning.areas import list_touched_on_either_line
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator
from app.engine.planning.geometry import build_geometry
from app.engine.planning.simulated_route import RouteGeometry
from app.engine.progress import Tick
from app.engine.request import Limits, Objective, TrackKind
from app.engine.sailing.constant_speed import find_slowest_with_headway
from app.engine.sailing.simulation import Simulation, simulate_if_headway
from app.engine.sea.path import Leg, SeaPath
from app.engine.times import add_hours, hours_since_epoch
from app.engine.vessel import eca_fuel_factor
from app.engine.weather import WeatherField

#: Shares of a limit that successive track searches keep to. A search samples the weather once per
#: stage, so its result may break the limit between samples; a lower share then helps. The last is
#: used only if no other gives a result.
_TRACK_SHARES: Final = (0.999, 0.985, 0.95, 0.9)
#: Constant speeds from which the value of time is derived.
_VALUE_SPEEDS: Final = 6


@dataclass(frozen=True)
class RoutingProblem:
    """The routing problem of one candidate.

    ``timed`` are forbidden areas with a window, outside which they may be crossed. ``is_coarse``
    is for a coarse search, for example of a candidate that is not promising.
    """

    context: PlanningContext
    weather: WeatherField
    path: SeaPath
    geometry: RouteGeometry
    limits: Limits
    timed: tuple[Area, ...]
    is_coarse: bool = False

    @property
    def heartbeat(self) -> Tick:
        """Function that reports that the planning continues."""
        return self.context.progress.tick

    def build_geometry(self, legs: tuple[Leg, ...]) -> RouteGeometry:
        """Build the geometry of other legs of the candidate."""
        candidate = self.geometry
        return build_geometry(self.context, candidate.label, candidate.uses, legs, candidate.prices)

    @property
    def is_limited(self) -> bool:
        """Return whether waves or wind are limited."""
        return self.limits.wave_height_m is not None or self.limits.wind_speed_ms is not None

    def ocean(self, share: float) -> Ocean:
        """Return the medium of a search whose limits are a share of the request's."""
        wave_m, wind_ms = self.limits.wave_height_m, self.limits.wind_speed_ms
        return Ocean(
            self.context.ship.kernel_parameters,
            self.weather.kernel_arrays,
            inf if wave_m is None else share * wave_m,
            inf if wind_ms is None else share * wind_ms,
        )

    @cached_property
    def water(self) -> NavigableWater:
        """Navigable water of the candidate, with its prices of fuel.

        Emission control areas count if they are in force at some time of the voyage, at its lowest
        speed.
        """
        request, hours = self.context.request, float(self.slowest_timetable.hours[-1])
        if self.context.longest_h is not None:
            hours = min(hours, self.context.longest_h)
        voyage = request.departs_at, add_hours(request.departs_at, hours)
        return NavigableWater(
            self.context.sea.waters,
            self.path.conditions,
            self.timed,
            tuple(
                area
                for area in request.areas
                if area.kind is AreaKind.ECA and area.is_in_force_between(*voyage)
            ),
            eca_fuel_factor(request.ship.fuel_type),
        )

    def is_held_up(self, geometry: RouteGeometry) -> bool:
        """Return whether a timed area keeps a ship on a track from its highest ordered speed."""
        if not self.timed:
            return False
        try:
            fastest = build_simulator(self.context, geometry)(self.context.request.speed_max_kn)
        except LimitsTooTight:
            return False
        return bool(list_touched_on_either_line(self.timed, geometry.legs, fastest))

    def search_objective(self, objective: Objective, longest_h: float | None) -> SearchObjective:
        """Return the search objective for an objective and a longest duration [h], if limited."""
        request = self.context.request
        return SearchObjective(
            departs_h=hours_since_epoch(request.departs_at),
            speed_min_kn=request.speed_min_kn,
            speed_max_kn=request.speed_max_kn,
            prices=self.context.prices(objective),
            value_of_time=self.value_of_time,
            longest_h=longest_h,
            slowest=self.slowest_timetable,
            is_under_way=request.under_way,
        )

    @property
    def requested_objective(self) -> SearchObjective:
        """Search objective of the request."""
        return self.search_objective(self.context.request.objective, self.context.longest_h)

    @cached_property
    def _at_constant_speeds(self) -> tuple[Simulation, ...]:
        """Simulations of the shortest track at constant speeds, the highest first.

        Speeds at which a current stops the ship are left out.
        """
        request, simulate = self.context.request, build_simulator(self.context, self.geometry)
        fastest_kn = request.speed_max_kn
        slowest_kn = find_slowest_with_headway(simulate, request.speed_min_kn, fastest_kn)
        speeds_kn = np.linspace(fastest_kn, slowest_kn, _VALUE_SPEEDS)
        simulations = (simulate_if_headway(simulate, speed_kn) for speed_kn in speeds_kn.tolist())
        return tuple(simulation for simulation in simulations if simulation is not None)

    @property
    def slowest_timetable(self) -> Timetable:
        """Timetable of the shortest track at the lowest of the constant speeds."""
        slowest, track = self._at_constant_speeds[-1], self.geometry.track
        return Timetable(track.cumulative_nm / track.length_nm, slowest.hours)

    @cached_property
    def value_of_time(self) -> tuple[Floats, Floats]:
        """Durations [h] and values of time [t/h] along the shortest track.

        The value of time is the fuel that arriving an hour earlier costs. It is 0 at the lowest
        speed: no slower ship burns less.
        """
        simulations = self._at_constant_speeds
        hours = np.array([simulation.total_h for simulation in simulations])
        fuel_t = np.array([simulation.total_fuel_t for simulation in simulations])
        longer_h = np.maximum(np.diff(hours), 1e-3)
        values = np.maximum(-np.diff(fuel_t) / longer_h, 0.0)
        return np.append(0.5 * (hours[:-1] + hours[1:]), hours[-1]), np.append(values, 0.0)

    @cached_property
    def highest_wave_m(self) -> float:
        """Highest significant wave height on the shortest track at any constant speed [m]."""
        samples = [each.weather_at_middles(self.weather) for each in self._at_constant_speeds]
        return max(float(weather.wave_height_m.max()) for weather in samples)

    @cached_property
    def stretches(self) -> list[Stretch]:
        """Stretches of the candidate's legs, of which the open ones may be moved."""
        return list_stretches(self.geometry.legs, self.water, coarse=self.is_coarse)

    @cached_property
    def track_search(self) -> TrackSearch | None:
        """Track search for all arrivals; ``None`` if no part of the track may be moved."""
        stretches, context = self.stretches, self.context
        is_free = context.request.track is TrackKind.WEATHER and not context.keeps_shortest
        if not is_free or not any(stretch.is_open for stretch in stretches):
            return None
        # its labels weigh fuel, and the hours in priced areas if the request weighs hours too
        is_balanced = context.request.objective is Objective.BALANCED
        objective = Objective.BALANCED if is_balanced else Objective.FUEL
        return search_tracks(
            stretches,
            self.context.passages,
            self.water,
            self.context.sea,
            self.ocean(_TRACK_SHARES[0]),
            self.search_objective(objective, None),
            self.heartbeat,
            coarse=self.is_coarse,
        )

    def list_tighter_oceans(self) -> list[Ocean]:
        """List media with ever lower shares of the limits; empty without limits."""
        return [self.ocean(share) for share in _TRACK_SHARES[1:]] if self.is_limited else []

    @property
    def tightest_limits(self) -> Limits:
        """Limits at the lowest share but the last."""
        return self.limits.at_share(_TRACK_SHARES[-2])
