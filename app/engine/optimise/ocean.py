"""The ship in the weather, as the medium of a search."""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload
from numpy.typing import NDArray

from app.engine.optimise.medium import fill_rates, prepare_speeds
from app.engine.sailing import attainable_speed_kn
from app.engine.units import KNOT_MS
from app.engine.vessel import KernelParameters
from app.engine.vessel import kernels as k
from app.engine.vessel.batch import add_resistance, fuel_of_resistance, of_speed_alone
from app.engine.weather import WeatherArrays, sample_weather

Floats = NDArray[np.float64]

#: Rows of the working memory: four terms of the speed alone, speeds [m/s], resistance [N].
_SPEED_MS: Final = 4
_TOTAL_N: Final = 5


class Ocean(NamedTuple):
    """A ship, the weather, and the greatest waves [m] and wind [m/s] she may meet.

    Hours count from 1970-01-01T00Z, as the weather's do.
    """

    ship: KernelParameters
    weather: WeatherArrays
    wave_limit_m: float
    wind_limit_ms: float


@overload(prepare_speeds, jit_options={"error_model": "numpy"})
def _prepare_at_sea(medium, speeds_kn, ready) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def prepare(medium, speeds_kn, ready):  # type: ignore[no-untyped-def]
        for s in range(speeds_kn.size):
            ready[_SPEED_MS, s] = speeds_kn[s] * KNOT_MS
        of_speed_alone(medium.ship.scalars, ready[_SPEED_MS], ready)

    return prepare


@overload(fill_rates, jit_options={"error_model": "numpy"})
def _fill_rates_at_sea(  # type: ignore[no-untyped-def]
    medium, ready, place, course_deg, time_h, speeds_kn, ground_kn, fuel_per_h
) -> Any:
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def fill(  # type: ignore[no-untyped-def]
        medium, ready, place, course_deg, time_h, speeds_kn, ground_kn, fuel_per_h
    ):
        lat, lng, depth_m = place
        met = sample_weather(medium.weather, lat, lng, time_h)
        wind_ms = math.sqrt(met.wind_u_ms * met.wind_u_ms + met.wind_v_ms * met.wind_v_ms)
        if met.wave_height_m > medium.wave_limit_m or wind_ms > medium.wind_limit_ms:
            return False
        wave_from = math.degrees(math.atan2(met.wave_from_east, met.wave_from_north))
        wind_from = math.degrees(math.atan2(-met.wind_u_ms, -met.wind_v_ms))
        sea = (met.wave_height_m, met.wave_period_s, wave_from, wind_ms, wind_from, depth_m)
        most_kn = _fill_fuel(medium.ship, ready, course_deg, sea, speeds_kn, fuel_per_h)
        course = math.radians(course_deg)
        east, north = math.sin(course), math.cos(course)
        along = (met.current_u_ms * east + met.current_v_ms * north) / KNOT_MS
        across = (met.current_u_ms * north - met.current_v_ms * east) / KNOT_MS
        for s in range(speeds_kn.size):
            through = min(speeds_kn[s], most_kn)
            ahead = through * through - across * across
            ground_kn[s] = along + math.sqrt(ahead) if ahead > 0.0 else -1.0
        return True

    return fill


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_fuel(
    ship: KernelParameters,
    ready: Floats,
    course_deg: float,
    sea: tuple[float, float, float, float, float, float],
    speeds_kn: Floats,
    fuel_per_h: Floats,
) -> float:
    """Fill the fuel [t/h] that each speed burns; answer the most that the engine allows [kn].

    Speeds beyond it burn what it burns. ``sea`` is as in ``attainable_speed_kn``.
    """
    height_m, period_s, wave_from, wind_ms, wind_from, depth_m = sea
    scalars, last = ship.scalars, speeds_kn.size - 1
    if depth_m < scalars[k.DEPTH_LIMIT_M]:
        most_kn = attainable_speed_kn(ship, speeds_kn[last], course_deg, sea)
        for s in range(speeds_kn.size):
            fuel_per_h[s] = k.fuel_rate(ship, min(speeds_kn[s], most_kn), course_deg, *sea)[2]
        return most_kn
    wave = np.empty(4)
    off_bow = k.off_bow_deg(wave_from, course_deg)
    k.wave_cubic(ship, height_m, period_s, off_bow, wave)
    along_ms, across_ms = k.wind_components_ms(wind_ms, wind_from, course_deg)
    total = ready[_TOTAL_N]
    add_resistance(scalars, ready[_SPEED_MS], ready[0], ready[1], wave, along_ms, across_ms, total)
    fuel_of_resistance(scalars, ready[2], ready[3], total, fuel_per_h)
    power_kw, rpm, _ = k.power_for_resistance(scalars, ready[_SPEED_MS, last], total[last])
    if power_kw <= scalars[k.MCR_KW] and rpm <= scalars[k.RPM_MAX]:
        return float(speeds_kn[last])
    most_kn = attainable_speed_kn(ship, speeds_kn[last], course_deg, sea)
    burnt = k.fuel_rate(ship, most_kn, course_deg, *sea)[2]
    for s in range(speeds_kn.size):
        if speeds_kn[s] > most_kn:
            fuel_per_h[s] = burnt
    return most_kn
