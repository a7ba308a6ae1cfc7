"""The ship in the weather, as the medium of a search."""

import math
from typing import Any, NamedTuple

from numba import types
from numba.extending import overload

from app.engine.optimise.medium import fill_rates
from app.engine.sailing import attainable_speed_kn, speed_over_ground_kn
from app.engine.units import KNOT_MS
from app.engine.vessel import KernelParameters
from app.engine.vessel.kernels import fuel_rate
from app.engine.weather import WeatherArrays, sample_weather


class Ocean(NamedTuple):
    """A ship, the weather, and the greatest waves [m] and wind [m/s] she may meet.

    Hours count from 1970-01-01T00Z, as the weather's do.
    """

    ship: KernelParameters
    weather: WeatherArrays
    wave_limit_m: float
    wind_limit_ms: float


@overload(fill_rates, jit_options={"error_model": "numpy"})
def _fill_rates_at_sea(  # type: ignore[no-untyped-def]
    medium, place, course_deg, time_h, speeds_kn, ground_kn, fuel_per_h
) -> Any:
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def fill(  # type: ignore[no-untyped-def]
        medium, place, course_deg, time_h, speeds_kn, ground_kn, fuel_per_h
    ):
        lat, lng, _, depth_m = place
        met = sample_weather(medium.weather, lat, lng, time_h)
        wind = math.hypot(met.wind_u_ms, met.wind_v_ms)
        if met.wave_height_m > medium.wave_limit_m or wind > medium.wind_limit_ms:
            return False
        wave_from = math.degrees(math.atan2(met.wave_from_east, met.wave_from_north))
        wind_from = math.degrees(math.atan2(-met.wind_u_ms, -met.wind_v_ms))
        sea = (met.wave_height_m, met.wave_period_s, wave_from, wind, wind_from, depth_m)
        current_u, current_v = met.current_u_ms / KNOT_MS, met.current_v_ms / KNOT_MS
        most = attainable_speed_kn(medium.ship, speeds_kn[-1], course_deg, sea)
        for s in range(speeds_kn.size):
            speed_kn = min(speeds_kn[s], most)
            ground_kn[s] = speed_over_ground_kn(speed_kn, course_deg, current_u, current_v)
            fuel_per_h[s] = fuel_rate(medium.ship, speed_kn, course_deg, *sea)[2]
        return True

    return fill
