"""Cost of shallow water along a simulated route."""

from math import inf

import numpy as np

from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.vessel.kernels import DEPTH_LIMIT_M, fuel_rate
from app.engine.vessel.relative_sea import find_calm_sea, find_relative_sea


def find_depth_cost_t(context: PlanningContext, route: SimulatedRoute) -> float:
    """Return the extra fuel burnt in shallow water [t], compared with deep water at equal speed."""
    ship, simulation = context.ship.kernel_parameters, route.simulation
    weather = route.weather_at_middles
    cost_t = 0.0
    for n in np.flatnonzero(route.depth_m < ship.scalars[DEPTH_LIMIT_M]):
        sea = find_calm_sea(route.depth_m[n])
        if weather is not None:
            sea = find_relative_sea(
                simulation.track.course_deg[n],
                weather.wave_height_m[n],
                weather.wave_period_s[n],
                weather.wave_from_deg[n],
                weather.wind_speed_ms[n],
                weather.wind_from_deg[n],
                route.depth_m[n],
            )
        speed_kn, deep = simulation.through_water_kn[n], sea._replace(depth_m=inf)
        share = fuel_rate(ship, speed_kn, deep)[2] / fuel_rate(ship, speed_kn, sea)[2]
        cost_t += float(route.fuel_t[n] * (1.0 - share))
    return cost_t
