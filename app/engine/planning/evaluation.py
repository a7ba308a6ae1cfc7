"""Simulation of a route geometry, with its fuel, depths, weather and the cost of shallow water."""

from functools import partial
from math import inf

import numpy as np

from app.engine.arrays import Floats
from app.engine.planning.areas import mark_eca_segments
from app.engine.planning.context import PlanningContext
from app.engine.planning.geometry import find_confined
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.request import Objective
from app.engine.sailing.constant_speed import choose_speed
from app.engine.sailing.simulation import Simulation, Simulator, simulate_track
from app.engine.sailing.waiting import find_waits
from app.engine.sea.search.conditions import find_prices
from app.engine.vessel import eca_factors
from app.engine.vessel.kernels import DEPTH_LIMIT_M, fuel_rate
from app.engine.vessel.relative_sea import find_calm_sea, find_relative_sea
from app.engine.weather import WeatherDeviations


def build_simulator(
    context: PlanningContext,
    geometry: RouteGeometry,
    deviations: WeatherDeviations | None = None,
) -> Simulator:
    """Return the function that simulates a route geometry at ordered speeds.

    ``deviations`` change the weather on each segment.
    """
    return partial(
        simulate_track,
        geometry.track,
        ship=context.ship,
        departs_at=context.request.departs_at,
        weather=context.weather,
        depth_m=geometry.water_depth_m,
        deviations=deviations,
    )


def simulate_constant_speed(
    context: PlanningContext,
    geometry: RouteGeometry,
    objective: Objective,
    longest_h: float | None,
    *,
    not_before_h: Floats | None = None,
) -> SimulatedRoute:
    """Simulate a route geometry at the constant speed that is best by an objective.

    ``longest_h`` is the longest duration, if limited. ``not_before_h`` is as in
    :func:`simulate_track`.
    """
    request = context.request
    simulation = choose_speed(
        partial(build_simulator(context, geometry), not_before_h=not_before_h),
        request.speed_min_kn,
        request.speed_max_kn,
        objective,
        context.time_price_t_per_h,
        longest_h,
    )
    return evaluate_route(context, geometry, simulation)


def evaluate_route(
    context: PlanningContext, geometry: RouteGeometry, simulation: Simulation
) -> SimulatedRoute:
    """Return the simulated route of a geometry: add fuel by area, prices, depths and weather."""
    in_eca = mark_eca_segments(context.request.areas, simulation)
    fuel_t = simulation.fuel_t * eca_factors(in_eca, context.request.ship.fuel_type)
    track = geometry.track
    prices = find_prices(geometry.prices, track.middle_lats, track.middle_lngs)
    weather = context.weather
    return SimulatedRoute(
        geometry=geometry,
        simulation=simulation,
        in_eca=in_eca,
        fuel_t=fuel_t,
        ukc_m=geometry.depth_m
        - context.keel_depth_m(
            simulation.through_water_kn, is_confined=find_confined(context, geometry.legs, track)
        ),
        weather=None if weather is None else simulation.weather_at_points(weather),
        surcharge_nm=float((prices - 1.0) @ track.distance_nm),
        weather_at_middles=None if weather is None else simulation.weather_at_middles(weather),
        weather_at_waits=()
        if weather is None
        else tuple(
            (point, simulation.weather_at_wait(weather, point)) for point in find_waits(simulation)
        ),
    )


def find_depth_cost_t(context: PlanningContext, route: SimulatedRoute) -> float:
    """Return the extra fuel burnt in shallow water [t], compared with deep water at equal speed."""
    ship, simulation = context.ship.kernel_parameters, route.simulation
    weather = route.weather_at_middles
    depth_m = route.geometry.water_depth_m
    cost_t = 0.0
    for n in np.flatnonzero(depth_m < ship.scalars[DEPTH_LIMIT_M]):
        sea = find_calm_sea(depth_m[n])
        if weather is not None:
            sea = find_relative_sea(
                simulation.track.course_deg[n],
                weather.wave_height_m[n],
                weather.wave_period_s[n],
                weather.wave_from_deg[n],
                weather.wind_speed_ms[n],
                weather.wind_from_deg[n],
                depth_m[n],
            )
        speed_kn, deep = simulation.through_water_kn[n], sea._replace(depth_m=inf)
        share = fuel_rate(ship, speed_kn, deep)[2] / fuel_rate(ship, speed_kn, sea)[2]
        cost_t += float(route.fuel_t[n] * (1.0 - share))
    return cost_t
