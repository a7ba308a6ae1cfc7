"""The ways a voyage can take, each laid out and sailed at its own best speed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.areas import (
    eca_segments,
    is_touched_on_either_line,
    narrow_corridors,
    touched,
)
from app.engine.geodesy import leg_distance_nm
from app.engine.sailing import Sailing, sail
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.closures import find_end_inside
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, PassageUse, SeaPath, ShipSize
from app.engine.speed_choice import choose_speed
from app.engine.track import Track, build_track
from app.engine.units import Floats
from app.engine.vessel import Ship, co2_factor, eca_fuel_factor, fuel_in_eca
from app.engine.vessel.squat import open_water_squat_m
from app.engine.voyage import (
    Area,
    AreaRule,
    FuelType,
    LegGeometry,
    Objective,
    Position,
    VoyageRequest,
    Weather,
)
from app.engine.weather import WeatherField, WeatherSamples

#: Soundings along a segment, its ends included.
_SOUNDINGS: Final = 11


@dataclass(frozen=True, slots=True)
class SailedRoute:
    """A way laid into legs and sailed.

    Per segment of the track, shape (n,): whether it runs in an emission control
    area; the fuel burnt [t], of the kind burnt there; the charted depth and the
    water under the keel [m], nan where they are not known. ``weather`` is met at
    the track's n + 1 points; ``None`` where no weather is known.
    """

    label: str
    uses: tuple[PassageUse, ...]
    legs: tuple[Leg, ...]
    sailing: Sailing
    in_eca: NDArray[np.bool_]
    fuel_t: NDArray[np.float64]
    depth_m: NDArray[np.float64]
    under_keel_m: NDArray[np.float64]
    weather: WeatherSamples | None

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all kinds for the whole way [t]."""
        return float(self.fuel_t.sum())

    def co2_t(self, fuel_type: FuelType) -> float:
        """CO2 from tank to wake [t], each part by the fuel burnt there."""
        inside_t = float(self.fuel_t[self.in_eca].sum())
        outside_t = self.total_fuel_t - inside_t
        return outside_t * co2_factor(fuel_type) + inside_t * co2_factor(fuel_in_eca(fuel_type))

    def weather_at(self, point: int) -> Weather | None:
        """Weather met at a point of the track."""
        return None if self.weather is None else self.weather.at(point)


@dataclass(frozen=True, slots=True)
class ClosedWay:
    """A better way that only forbidden areas close."""

    route: SailedRoute
    closed_by: tuple[Area, ...]


@dataclass(frozen=True)
class Voyage:
    """What is asked, and the ship, sea and weather it is asked of."""

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField | None
    ship: Ship

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """The atlas's narrow waters by name."""
        return {passage.name: passage for passage in self.sea.passages}

    @cached_property
    def ends(self) -> tuple[Position, Position]:
        """Where the ship lies at departure and arrival: on the water, as areas bind her."""
        request, find_water = self.request, self.sea.find_water
        return find_water(request.departure).position, find_water(request.arrival).position

    @property
    def deepest_draft_m(self) -> float:
        """Draught at the deeper end [m]."""
        loading = self.request.loading
        return loading.draft_m + abs(loading.trim_m) / 2.0

    @property
    def size(self) -> ShipSize:
        """What has to fit through, at the highest speed ordered."""
        particulars, keel_m = self.request.ship, self.keel_depth_m(self.request.speed_max_kn)
        return ShipSize(
            draft_m=self.deepest_draft_m,
            breadth_m=particulars.breadth_m,
            loa_m=particulars.loa_m,
            required_depth_m=float(keel_m) + self.request.ukc_margin_m,
        )

    def keel_depth_m(self, speed_kn: Floats) -> Floats:
        """How deep the keel is at speeds through the water [m]: draught and squat."""
        squat_m = open_water_squat_m(speed_kn, self.ship.hull.block_coefficient)
        return self.deepest_draft_m + squat_m

    @cached_property
    def time_price_t_per_h(self) -> float:
        """Fuel [t] that an hour is worth: as asked, else what service speed burns."""
        price = self.request.time_price_t_per_h
        if price is not None:
            return price
        return self.ship.performance(self.request.ship.service_speed_kn).fuel_t_per_h

    @property
    def longest_h(self) -> float | None:
        """Hours within which to arrive, ``None`` if free."""
        by = self.request.arrive_by
        return None if by is None else (by - self.request.departs_at) / timedelta(hours=1)

    def cost(self, route: SailedRoute) -> tuple[float, float]:
        """What the best way has least of: hours late first, then the objective."""
        total_h, longest_h = route.sailing.total_h, self.longest_h
        late_h = 0.0 if longest_h is None else max(0.0, total_h - longest_h)
        match self.request.objective:
            case Objective.FUEL:
                return late_h, route.total_fuel_t
            case Objective.TIME:
                return late_h, total_h
            case Objective.BALANCED:
                return late_h, route.total_fuel_t + self.time_price_t_per_h * total_h


def sail_clear_ways(voyage: Voyage, on_progress: Callable[[float, str], None]) -> list[SailedRoute]:
    """Every way that enters no forbidden area, and shuns the priced, while they are in force.

    Areas that bind at all times are seen to from the start; one with a window
    is added once a way is found to cross it in its time. Each round adds at
    least one, so there are at most as many rounds as areas.
    """
    windowed = [a for a in voyage.request.areas if _binds(a) and _has_window(a)]
    areas = [area for area in voyage.request.areas if area not in windowed]
    while True:
        routes = []
        paths = _find_paths(voyage, areas)
        for done, path in enumerate(paths):
            on_progress(0.1 + 0.6 * done / len(paths), f"Sailing {path.label}")
            routes.append(_sail_path(voyage, path))
        crossed = [
            area
            for area in windowed
            if any(is_touched_on_either_line(area, way.legs, way.sailing) for way in routes)
        ]
        if not crossed:
            return routes
        windowed = [area for area in windowed if area not in crossed]
        areas += crossed


def sail_baseline(voyage: Voyage, routes: Sequence[SailedRoute], best: SailedRoute) -> SailedRoute:
    """The shortest way at the constant speed that arrives when the best way does."""
    shortest = min(routes, key=lambda route: route.sailing.track.length_nm)
    if shortest is best:
        return best
    arrives_h = best.sailing.total_h
    return _sail_legs(
        voyage, shortest.label, shortest.uses, shortest.legs, Objective.FUEL, arrives_h
    )


def sail_references(voyage: Voyage, best: SailedRoute) -> list[SailedRoute]:
    """The routes handed in, as they are, at the speed that arrives when the best way does.

    Nothing says that they are clear of land or areas: they are priced, not checked.
    """
    return [
        _sail_legs(
            voyage, route.name, (), _join(route.positions), Objective.FUEL, best.sailing.total_h
        )
        for route in voyage.request.reference_routes
    ]


def _join(positions: Sequence[Position]) -> tuple[Leg, ...]:
    """Legs on great circles between positions, in waters that nothing is said of."""
    great_circle = LegGeometry.GREAT_CIRCLE
    return tuple(
        Leg(a, b, great_circle, 0.0, None, None, leg_distance_nm(a, b, great_circle))
        for a, b in pairwise(positions)
        if a != b
    )


def find_closed_way(voyage: Voyage, best: SailedRoute) -> ClosedWay | None:
    """The way that would be taken if nothing were forbidden, if it is a better one."""
    request = voyage.request
    forbidden = [area for area in request.areas if _blocks(voyage, area)]
    if not forbidden:
        return None
    open_areas = [area for area in request.areas if area not in forbidden]
    route = _sail_path(voyage, _find_paths(voyage, open_areas)[0])
    closed_by = touched(forbidden, route.sailing)
    if not closed_by or voyage.cost(route) >= voyage.cost(best):
        return None
    return ClosedWay(route, tuple(closed_by))


def _has_window(area: Area) -> bool:
    return area.starts_at is not None or area.ends_at is not None


def _binds(area: Area) -> bool:
    return area.rule is not AreaRule.REPORTED


def _blocks(voyage: Voyage, area: Area) -> bool:
    """Whether a voyage may not touch an area while it is in force."""
    if area.rule is AreaRule.NO_ENTRY_UNLESS_BOUND_THERE:
        return find_end_inside(area, *voyage.ends) is None
    return area.rule is AreaRule.NO_ENTRY


def _find_paths(voyage: Voyage, areas: Sequence[Area]) -> tuple[SeaPath, ...]:
    request = voyage.request
    return voyage.sea.find_paths(
        request.departure,
        request.arrival,
        ship=voyage.size,
        areas=areas,
        north_lat_limit=request.limits.north_lat,
    )


def _sail_path(voyage: Voyage, path: SeaPath) -> SailedRoute:
    """Lay a path into legs and sail them as the request wants it."""
    legs, request = voyage.sea.lay_legs(path, voyage.request.track), voyage.request
    return _sail_legs(voyage, path.label, path.uses, legs, request.objective, voyage.longest_h)


def _sail_legs(
    voyage: Voyage,
    label: str,
    uses: tuple[PassageUse, ...],
    legs: tuple[Leg, ...],
    objective: Objective,
    longest_h: float | None,
) -> SailedRoute:
    track, request = build_track(legs, voyage.passages), voyage.request
    depth_m = _depths_m(voyage, track, legs)

    def sail_at(speed_kn: float) -> Sailing:
        return sail(
            track,
            speed_kn,
            ship=voyage.ship,
            departs_at=request.departs_at,
            weather=voyage.weather,
            depth_m=depth_m,
        )

    sailing = choose_speed(
        sail_at,
        request.speed_min_kn,
        request.speed_max_kn,
        objective,
        voyage.time_price_t_per_h,
        longest_h,
    )
    return _describe(voyage, label, uses, legs, sailing, depth_m)


def _describe(
    voyage: Voyage,
    label: str,
    uses: tuple[PassageUse, ...],
    legs: tuple[Leg, ...],
    sailing: Sailing,
    depth_m: NDArray[np.float64],
) -> SailedRoute:
    in_eca = eca_segments(voyage.request.areas, sailing)
    blocking = [area for area in voyage.request.areas if _blocks(voyage, area)]
    eca_factor = eca_fuel_factor(voyage.request.ship.fuel_type)
    return SailedRoute(
        label=label,
        uses=uses,
        legs=narrow_corridors(legs, blocking, sailing),
        sailing=sailing,
        in_eca=in_eca,
        fuel_t=sailing.fuel_t * np.where(in_eca, eca_factor, 1.0),
        depth_m=depth_m,
        under_keel_m=depth_m - voyage.keel_depth_m(sailing.through_water_kn),
        weather=None if voyage.weather is None else sailing.weather_met(voyage.weather),
    )


def _depths_m(voyage: Voyage, track: Track, legs: Sequence[Leg]) -> NDArray[np.float64]:
    """Least depth per segment: a passage's own where it has one, else the chart's.

    Half a mile lies between soundings at most: the grid's cells measure five.
    """
    soundings_m = voyage.sea.depth_m(*track.sample_segments(_SOUNDINGS))
    depth_m: NDArray[np.float64] = soundings_m.min(axis=1)
    for number, leg in enumerate(legs):
        passage = voyage.passages.get(leg.passage) if leg.passage else None
        if passage is not None:
            depth_m[track.leg == number] = np.nan if passage.depth_m is None else passage.depth_m
    return depth_m
