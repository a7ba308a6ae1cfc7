"""Cost of shallow water along a simulated route."""

from math import inf

import numpy as np

from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.vessel.kernels import DEPTH_LIMIT_M, fuel_rate


def find_depth_cost_t(context: PlanningContext, route: SimulatedRoute) -> float:
    """Return the extra fuel of shallow water [t], against deep water at the same speed."""
    ship, simulation, met = (
        context.ship.kernel_parameters,
        route.simulation,
        route.weather_at_middles,
    )
    cost_t = 0.0
    for n in np.flatnonzero(route.depth_m < ship.scalars[DEPTH_LIMIT_M]):
        sea = (0.0, 0.0, 0.0, 0.0, 0.0)
        if met is not None:
            waves = met.wave_height_m[n], met.wave_period_s[n], met.wave_from_deg[n]
            sea = *waves, met.wind_speed_ms[n], met.wind_from_deg[n]
        sailed = ship, simulation.through_water_kn[n], simulation.track.course_deg[n], *sea
        share = fuel_rate(*sailed, inf)[2] / fuel_rate(*sailed, route.depth_m[n])[2]
        cost_t += float(route.fuel_t[n] * (1.0 - share))
    return cost_t
