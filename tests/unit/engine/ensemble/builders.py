"""A route over open water in a uniform sea, and members with other seas."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, cast

import numpy as np

from app.engine.arrays import Floats
from app.engine.ensemble.measure import describe_spread, simulate_members
from app.engine.ensemble.members import Ensemble, Member
from app.engine.particulars import Loading
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sailing.simulation import simulate_track
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.spread import Spread, SpreadBasis
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import (
    DEPARTS_AT,
    KAMSARMAX,
    make_leg,
    make_ship,
    make_track,
)
from tests.unit.engine.weather.seas import uniform_climatology

POINTS = ((40.0, -60.0), (42.0, -45.0), (44.0, -30.0))
REQUEST = VoyageRequest(
    departure=Position(*POINTS[0]),
    arrival=Position(*POINTS[-1]),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=8.0,
    speed_max_kn=14.5,
)
IN_TIME = replace(REQUEST, arrive_by=DEPARTS_AT + timedelta(hours=120))
_SHIP = make_ship()
_GRID = RegularGrid(-85.0, 10.0, 18, -175.0, 10.0, 36)


@cache
def make_sea(
    height_m: float = 2.0, wind_ms: float = 8.0, hours: float = 240.0, grid: RegularGrid = _GRID
) -> WeatherField:
    """A uniform head sea and wind on a grid, forecast for a number of hours from the departure."""
    times = list(hours_since_epoch(DEPARTS_AT) + np.linspace(0.0, hours, 2 + int(hours / 12.0)))

    def even(group: Group, *row: float) -> Any:
        values = np.broadcast_to(np.array(row), (len(times), grid.n_lat, grid.n_lng, len(row)))
        return layer_from_values(group, grid, times, values)

    layers = {
        Group.WAVE: even(Group.WAVE, height_m, 5.0 * height_m**0.5, 1.0, 0.0),
        Group.WIND: even(Group.WIND, -wind_ms, 0.0),
    }
    return WeatherField(uniform_climatology(), (WeatherRun("even", layers, DEPARTS_AT),))


def make_context(
    request: VoyageRequest = REQUEST, weather: WeatherField | None = None
) -> PlanningContext:
    """A planning context without a sea, which these tests do not use."""
    return PlanningContext(request, cast(Any, None), weather or make_sea(), _SHIP)


def make_route(
    context: PlanningContext,
    speed_kn: float = 12.0,
    points: tuple[Any, ...] = POINTS,
    not_before_h: Floats | None = None,
) -> SimulatedRoute:
    """Two legs over open water at one speed."""
    track = make_track(*points)
    weather = context.weather
    simulation = simulate_track(
        track,
        speed_kn,
        ship=context.ship,
        departs_at=DEPARTS_AT,
        weather=weather,
        not_before_h=not_before_h,
    )
    positions = [Position(*point) for point in points]
    unknown = np.full(simulation.fuel_t.size, np.nan)
    proven = np.zeros(unknown.size, np.bool_)
    legs = make_leg(*positions[:2]), make_leg(*positions[1:])
    return SimulatedRoute(
        geometry=RouteGeometry(
            "direct",
            (),
            legs,
            track,
            unknown,
            unknown,
            proven,
            NO_CONDITIONS.prices,
        ),
        simulation=simulation,
        in_eca=np.zeros(simulation.fuel_t.size, dtype=np.bool_),
        fuel_t=simulation.fuel_t,
        ukc_m=unknown,
        weather=None if weather is None else simulation.weather_at_points(weather),
        surcharge_nm=0.0,
        weather_at_middles=None if weather is None else simulation.weather_at_middles(weather),
    )


def make_members(*fields: WeatherField) -> Ensemble:
    """Members of these fields, numbered from 1."""
    members = tuple(Member(number, field) for number, field in enumerate(fields, 1))
    return Ensemble(SpreadBasis.MEMBERS, members)


def measure_spread(context: PlanningContext, route: SimulatedRoute, ensemble: Ensemble) -> Spread:
    """Simulate a route in the members; the ship must make headway in some of them."""
    return describe_spread(context, route, ensemble, simulate_members(context, route, ensemble))


def with_limits(request: VoyageRequest, **limits: float) -> VoyageRequest:
    """The request with limits on waves or wind."""
    return replace(request, limits=Limits(**limits))
