"""The ship in the weather, as the medium of a search."""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.medium import WORK_ROWS, fill_rates, prepare_speeds, sample
from app.engine.sailing.simulation import attainable_speed_kn
from app.engine.units import KNOT_MS
from app.engine.vessel import KernelParameters
from app.engine.vessel import kernels as k
from app.engine.vessel.batch import (
    ACROSS_MS,
    ALONG_MS,
    SEA_ROWS,
    SPEED_TERM,
    WAVES,
    add_resistance,
    engine_limit_ratio,
    fuel_of_resistance,
    speed_terms,
)
from app.engine.weather import WeatherArrays, sample_weather

Floats = NDArray[np.float64]

#: What is met: waves' height [m], peak period [s] and the vector to where they come from;
#: the vectors of wind [m/s] and current [kn], both to where they go.
_HEIGHT_M, _PERIOD_S, _FROM_EAST, _FROM_NORTH = range(4)
_WIND_U, _WIND_V, _CURRENT_U, _CURRENT_V = range(4, 8)
_DEGREES: Final = 180.0 / math.pi
#: Steps that the greatest speed is found in at most, and how near to 1 its strain comes.
_MOST_STEPS: Final = 6
_STRAIN_TOLERANCE: Final = 0.001


class Ocean(NamedTuple):
    """A ship, the weather, and the greatest waves [m] and wind [m/s] allowed.

    Hours count from 1970-01-01T00Z, as the weather's do.
    """

    ship: KernelParameters
    weather: WeatherArrays
    wave_limit_m: float
    wind_limit_ms: float

    @property
    def is_limited(self) -> bool:
        """Return whether waves or wind are limited."""
        return self.wave_limit_m < math.inf or self.wind_limit_ms < math.inf


@overload(prepare_speeds, jit_options={"error_model": "numpy"})
def _prepare_at_sea(medium, speeds_kn, ready) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def prepare(medium, speeds_kn, ready):  # type: ignore[no-untyped-def]
        for s in range(speeds_kn.size):
            terms = speed_terms(medium.ship.scalars, speeds_kn[s] * KNOT_MS)
            for n, term in enumerate(terms):
                ready[s, n] = term

    return prepare


@overload(sample, jit_options={"error_model": "numpy"})
def _sample_at_sea(medium, lat, lng, time_h, conditions) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def sample_here(medium, lat, lng, time_h, conditions):  # type: ignore[no-untyped-def]
        here = sample_weather(medium.weather, lat, lng, time_h)
        conditions[_HEIGHT_M], conditions[_PERIOD_S] = here.wave_height_m, here.wave_period_s
        conditions[_FROM_EAST], conditions[_FROM_NORTH] = here.wave_from_east, here.wave_from_north
        conditions[_WIND_U], conditions[_WIND_V] = here.wind_u_ms, here.wind_v_ms
        conditions[_CURRENT_U] = here.current_u_ms / KNOT_MS
        conditions[_CURRENT_V] = here.current_v_ms / KNOT_MS
        wind_ms = math.hypot(here.wind_u_ms, here.wind_v_ms)
        return not (here.wave_height_m > medium.wave_limit_m or wind_ms > medium.wind_limit_ms)

    return sample_here


@overload(fill_rates, jit_options={"error_model": "numpy"})
def _fill_rates_at_sea(  # type: ignore[no-untyped-def]
    medium, ready, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
) -> Any:
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def fill(  # type: ignore[no-untyped-def]
        medium, ready, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
    ):
        if depth_m < medium.ship.scalars[k.DEPTH_LIMIT_M]:
            _fill_shallow(
                medium.ship, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h
            )
        else:
            _fill_deep(
                medium.ship, ready, conditions, course, speeds_kn, ground_kn, fuel_per_h, work
            )
        _add_current(conditions, course, ground_kn)

    return fill


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _add_current(conditions: Floats, course: Floats, speed_kn: Floats) -> None:
    """Turn speeds through the water into those over ground [kn], shape (m, n)."""
    for s in range(speed_kn.shape[0]):
        for n in range(speed_kn.shape[1]):
            u, v = conditions[_CURRENT_U, n], conditions[_CURRENT_V, n]
            along = u * course[0, n] + v * course[1, n]
            across = u * course[1, n] - v * course[0, n]
            squared = speed_kn[s, n] * speed_kn[s, n] - across * across
            made_good = along + math.sqrt(max(squared, 0.0))
            speed_kn[s, n] = made_good if squared > 0.0 else -1.0


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _fill_shallow(
    ship: KernelParameters,
    conditions: Floats,
    depth_m: float,
    course: Floats,
    speeds_kn: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
) -> None:
    """Speed through the water [kn] and fuel [t/h] of each ordered speed in shallow water."""
    for n in range(conditions.shape[1]):
        course_deg = math.degrees(math.atan2(course[0, n], course[1, n]))
        sea = _sea(conditions, n, depth_m)
        most_kn = attainable_speed_kn(ship, speeds_kn[-1], course_deg, sea)
        for s in range(speeds_kn.size):
            through_kn[s, n] = min(speeds_kn[s], most_kn)
            fuel_per_h[s, n] = k.fuel_rate(ship, through_kn[s, n], course_deg, *sea)[2]


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _sea(
    conditions: Floats, n: int, depth_m: float
) -> tuple[float, float, float, float, float, float]:
    """Sea state and depth at a passing, in the order that the ship's kernels take them."""
    return (
        conditions[_HEIGHT_M, n],
        conditions[_PERIOD_S, n],
        math.degrees(math.atan2(conditions[_FROM_EAST, n], conditions[_FROM_NORTH, n])),
        math.hypot(conditions[_WIND_U, n], conditions[_WIND_V, n]),
        math.degrees(math.atan2(-conditions[_WIND_U, n], -conditions[_WIND_V, n])),
        depth_m,
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _fill_deep(
    ship: KernelParameters,
    ready: Floats,
    conditions: Floats,
    course: Floats,
    speeds_kn: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Speed through the water [kn] and fuel [t/h] of each ordered speed in deep water."""
    scalars = ship.scalars
    seas, total_n = work[:SEA_ROWS], work[WORK_ROWS:]
    _set_seas(ship, conditions, course, total_n[0], seas)
    for s in range(speeds_kn.size):
        terms = _terms(ready, s)
        add_resistance(scalars, terms, seas, total_n[s])
        fuel_of_resistance(scalars, terms, total_n[s], fuel_per_h[s])
        through_kn[s] = speeds_kn[s]
    _hold_back(scalars, ready, seas, total_n, through_kn, fuel_per_h, work)
    _slow_for_motions(ship, conditions, course, through_kn, fuel_per_h)


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _terms(ready: Floats, s: int) -> tuple[float, float, float, float, float]:
    """Terms of a speed alone, as the batch kernels take them."""
    return ready[s, 0], ready[s, 1], ready[s, 2], ready[s, 3], ready[s, 4]


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _set_seas(
    ship: KernelParameters, conditions: Floats, course: Floats, off_bow_deg: Floats, seas: Floats
) -> None:
    """Fill ``seas`` with what is met as it is felt on a course, ``off_bow_deg`` with where the
    waves come from: a loop for each, that the compiler turns into vector instructions."""
    for n in range(off_bow_deg.size):
        off_bow_deg[n] = _arccosine_deg(_off_bow_cosine(conditions, course, n))
    for n in range(off_bow_deg.size):
        wave = k.wave_cubic(
            ship, conditions[_HEIGHT_M, n], conditions[_PERIOD_S, n], off_bow_deg[n]
        )
        for power in range(4):
            seas[WAVES + power, n] = wave[power]
    for n in range(off_bow_deg.size):
        u, v, east, north = (
            conditions[_WIND_U, n],
            conditions[_WIND_V, n],
            course[0, n],
            course[1, n],
        )
        seas[ALONG_MS, n], seas[ACROSS_MS, n] = -(u * east + v * north), u * north - v * east


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _off_bow_cosine(conditions: Floats, course: Floats, n: int) -> float:
    """Cosine of the angle between a passing's course and where its waves come from."""
    east, north = conditions[_FROM_EAST, n], conditions[_FROM_NORTH, n]
    length = math.sqrt(east * east + north * north)
    cosine = (east * course[0, n] + north * course[1, n]) / max(length, 1e-9)
    return float(min(max(cosine, -1.0), 1.0))


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _arccosine_deg(cosine: float) -> float:
    """Angle [deg, 0..180] within 2e-6 deg (Abramowitz and Stegun 1964, eq. 4.4.46), which vector
    instructions work out of several cosines at once, as they don't the library's."""
    x = abs(cosine)
    series = 0.0308918810 + x * (-0.0170881256 + x * (0.0066700901 - x * 0.0012624911))
    series = -0.2145988016 + x * (0.0889789874 + x * (-0.0501743046 + x * series))
    angle = math.sqrt(1.0 - x) * (1.5707963050 + x * series)
    return _DEGREES * (angle if cosine >= 0.0 else math.pi - angle)


@njit(cache=True, nogil=True, error_model="numpy")
def _hold_back(
    scalars: Floats,
    ready: Floats,
    seas: Floats,
    total_n: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Hold the speeds that the engine doesn't allow to the most that it does at each time.

    That speed and what it burns are read off between the two of the speeds about it, or found
    where it lies under them all.
    """
    over, under = work[SEA_ROWS], work[SEA_ROWS + 1]
    times, last = through_kn.shape[1], through_kn.shape[0] - 1
    engine_limit_ratio(scalars, _terms(ready, last), total_n[last], over)
    for s in range(last, 0, -1):
        if not over.max() > 1.0:
            return
        engine_limit_ratio(scalars, _terms(ready, s - 1), total_n[s - 1], under)
        for n in range(times):
            if over[n] > 1.0 >= under[n]:
                share = (over[n] - 1.0) / max(over[n] - under[n], 1e-9)
                slower_kn = share * (through_kn[s, n] - through_kn[s - 1, n])
                saved = share * (fuel_per_h[s, n] - fuel_per_h[s - 1, n])
                through_kn[s:, n] = through_kn[s, n] - slower_kn
                fuel_per_h[s:, n] = fuel_per_h[s, n] - saved
        over, under = under, over
    for n in range(times):
        if over[n] > 1.0:
            most_kn, fuel = _find_most(scalars, seas[:, n], ready[0, SPEED_TERM], over[n])
            through_kn[:, n], fuel_per_h[:, n] = most_kn, fuel


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _find_most(scalars: Floats, sea: Floats, speed_ms: float, strain: float) -> tuple[float, float]:
    """The most that the engine allows in a sea [kn], and what it burns then [t/h].

    ``speed_ms`` takes ``strain`` of what is allowed, which is more than 1. The secant method:
    the strain is about linear in the speed.
    """
    least_ms = min(scalars[k.SPEED_MIN_MS], speed_ms)
    before_ms, before = speed_ms, strain
    at_ms, fuel = max(speed_ms / strain, least_ms), 0.0
    for _ in range(_MOST_STEPS):
        resistance_n = _resistance_n(scalars, sea, at_ms)
        power_kw, rpm, fuel = k.power_for_resistance(scalars, at_ms, resistance_n)
        here = max((power_kw / scalars[k.MCR_KW]) ** (1.0 / 3.0), rpm / scalars[k.RPM_MAX])
        if abs(here - 1.0) < _STRAIN_TOLERANCE or before_ms == at_ms:
            break
        next_ms = at_ms + (1.0 - here) * (before_ms - at_ms) / (before - here)
        before_ms, before = at_ms, here
        at_ms = min(max(next_ms, least_ms), speed_ms)
        if at_ms == before_ms:
            break
    return at_ms / KNOT_MS, fuel


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _resistance_n(scalars: Floats, sea: Floats, speed_ms: float) -> float:
    """Resistance at a speed in deep water [N], in a sea as ``batch`` lays it out."""
    held_ms = min(max(speed_ms, scalars[k.SPEED_MIN_MS]), scalars[k.SPEED_MAX_MS])
    cubic = sea[WAVES : WAVES + 4]
    waves_n = cubic[0] + held_ms * (cubic[1] + held_ms * (cubic[2] + held_ms * cubic[3]))
    calm_n = k.calm_resistance_n(scalars, speed_ms)
    total_n = calm_n + max(waves_n, 0.0)
    if sea[ALONG_MS] != 0.0 or sea[ACROSS_MS] != 0.0:
        total_n += k.wind_resistance_n(scalars, speed_ms, sea[ALONG_MS], sea[ACROSS_MS])
    return float(max(total_n, k.RESISTANCE_FLOOR * calm_n))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _slow_for_motions(
    ship: KernelParameters,
    conditions: Floats,
    course: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
) -> None:
    """Hold the speeds to the most whose motions the master accepts at each time."""
    last = through_kn.shape[0] - 1
    for n in range(through_kn.shape[1]):
        height_m, period_s = conditions[_HEIGHT_M, n], conditions[_PERIOD_S, n]
        if through_kn[last, n] <= k.least_voluntary_speed_kn(ship, height_m):
            continue
        off_bow_deg = _arccosine_deg(_off_bow_cosine(conditions, course, n))
        safe_kn = k.voluntary_speed_kn(ship, height_m, period_s, off_bow_deg)
        if through_kn[last, n] <= safe_kn:
            continue
        sea = _sea(conditions, n, math.inf)
        course_deg = math.degrees(math.atan2(course[0, n], course[1, n]))
        fuel = k.fuel_rate(ship, safe_kn, course_deg, *sea)[2]
        for s in range(last + 1):
            if through_kn[s, n] > safe_kn:
                through_kn[s, n], fuel_per_h[s, n] = safe_kn, fuel
