"""A ship in the weather: the medium of a search at sea."""

import math
from typing import Any, Final, NamedTuple

from numba import types
from numba.extending import overload

from app.engine.arrays import Floats
from app.engine.compiled import BORROWING, njit_borrowing
from app.engine.optimise.medium import WORK_ROWS, fill_rates, prepare_speeds, sample
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
from app.engine.vessel.relative_sea import RelativeSea, find_expected_sea
from app.engine.weather import WeatherArrays, sample_weather

#: Rows of the conditions: significant wave height [m], peak period [s] and the vector towards
#: where waves come from, whose length is the steadiness of waves and wind; the vectors of wind
#: [m/s] and current [kn], towards where they go.
_HEIGHT_M, _PERIOD_S, _FROM_EAST, _FROM_NORTH = range(4)
_WIND_U, _WIND_V, _CURRENT_U, _CURRENT_V = range(4, 8)
_DEGREES: Final = 180.0 / math.pi
#: Most steps to find the attainable speed, and the tolerance of its engine limit ratio.
_MAX_STEPS: Final = 6
_LOAD_TOLERANCE: Final = 0.001


class Ocean(NamedTuple):
    """A ship, the weather, and the limits of wave height [m] and wind speed [m/s].

    Times are hours since 1970-01-01T00Z.
    """

    ship: KernelParameters
    weather: WeatherArrays
    wave_limit_m: float
    wind_limit_ms: float

    @property
    def is_limited(self) -> bool:
        """Return whether waves or wind are limited."""
        return self.wave_limit_m < math.inf or self.wind_limit_ms < math.inf


@overload(prepare_speeds, jit_options=BORROWING)
def _prepare_at_sea(medium, speeds_kn, prepared) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def prepare(medium, speeds_kn, prepared):  # type: ignore[no-untyped-def]
        for s in range(speeds_kn.size):
            terms = speed_terms(medium.ship.scalars, speeds_kn[s] * KNOT_MS)
            for n, term in enumerate(terms):
                prepared[s, n] = term

    return prepare


@overload(sample, jit_options=BORROWING)
def _sample_at_sea(medium, lat, lng, time_h, is_inland, conditions) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def sample_here(medium, lat, lng, time_h, is_inland, conditions):  # type: ignore[no-untyped-def]
        here = sample_weather(medium.weather, lat, lng, time_h, is_inland)
        conditions[_HEIGHT_M], conditions[_PERIOD_S] = here.wave_height_m, here.wave_period_s
        conditions[_FROM_EAST], conditions[_FROM_NORTH] = here.wave_from_east, here.wave_from_north
        conditions[_WIND_U], conditions[_WIND_V] = here.wind_u_ms, here.wind_v_ms
        conditions[_CURRENT_U] = here.current_u_ms / KNOT_MS
        conditions[_CURRENT_V] = here.current_v_ms / KNOT_MS
        wind_squared = here.wind_u_ms * here.wind_u_ms + here.wind_v_ms * here.wind_v_ms
        limit_squared = medium.wind_limit_ms * medium.wind_limit_ms
        return not (here.wave_height_m > medium.wave_limit_m or wind_squared > limit_squared)

    return sample_here


@overload(fill_rates, jit_options=BORROWING)
def _fill_rates_at_sea(  # type: ignore[no-untyped-def]
    medium, prepared, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
) -> Any:
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Ocean):
        return None

    def fill(  # type: ignore[no-untyped-def]
        medium, prepared, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
    ):
        if depth_m < medium.ship.scalars[k.DEPTH_LIMIT_M]:
            _fill_shallow(
                medium.ship, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h
            )
        else:
            _fill_deep(
                medium.ship, prepared, conditions, course, speeds_kn, ground_kn, fuel_per_h, work
            )
        _add_current(conditions, course, ground_kn)

    return fill


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _add_current(conditions: Floats, course: Floats, speed_kn: Floats) -> None:
    """Change speeds through the water to speeds over ground [kn], shape (m, n).

    A ship that the current carries off its course gets -1.
    """
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
    """Fill speed through the water [kn] and fuel rate [t/h] of the speeds in shallow water."""
    for n in range(conditions.shape[1]):
        sea = _find_sea(conditions, n, course, depth_m)
        attainable_kn = k.attainable_speed_kn(ship, speeds_kn[-1], sea)
        for s in range(speeds_kn.size):
            through_kn[s, n] = min(speeds_kn[s], attainable_kn)
            fuel_per_h[s, n] = k.fuel_rate(ship, through_kn[s, n], sea)[2]


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _find_sea(conditions: Floats, n: int, course: Floats, depth_m: float) -> RelativeSea:
    """Return the sea that the ship is expected to meet in column n."""
    return find_expected_sea(
        (course[0, n], course[1, n]),
        conditions[_HEIGHT_M, n],
        conditions[_PERIOD_S, n],
        (conditions[_FROM_EAST, n], conditions[_FROM_NORTH, n]),
        (conditions[_WIND_U, n], conditions[_WIND_V, n]),
        depth_m,
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _fill_deep(
    ship: KernelParameters,
    prepared: Floats,
    conditions: Floats,
    course: Floats,
    speeds_kn: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Fill speed through the water [kn] and fuel rate [t/h] of the speeds in deep water."""
    scalars = ship.scalars
    seas, total_n = work[:SEA_ROWS], work[WORK_ROWS:]
    _compute_seas(ship, conditions, course, total_n[0], seas)
    for s in range(speeds_kn.size):
        terms = _read_terms(prepared, s)
        add_resistance(scalars, terms, seas, total_n[s])
        fuel_of_resistance(scalars, terms, total_n[s], fuel_per_h[s])
        through_kn[s] = speeds_kn[s]
    _limit_by_engine(scalars, prepared, seas, total_n, through_kn, fuel_per_h, work)
    _limit_by_motions(ship, conditions, course, through_kn, fuel_per_h)


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _read_terms(prepared: Floats, s: int) -> tuple[float, float, float, float, float]:
    """Return the prepared values of speed ``s`` as the tuple that the batch kernels take."""
    return prepared[s, 0], prepared[s, 1], prepared[s, 2], prepared[s, 3], prepared[s, 4]


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _compute_seas(
    ship: KernelParameters, conditions: Floats, course: Floats, off_bow_deg: Floats, seas: Floats
) -> None:
    """Fill ``seas`` for ``add_resistance``, and ``off_bow_deg`` with the waves' angle off the bow.

    There is one loop for each quantity, so that the compiler uses vector instructions.
    """
    for n in range(off_bow_deg.size):
        off_bow_deg[n] = _arccosine_deg(_off_bow_cosine(conditions, course, n))
    for n in range(off_bow_deg.size):
        wave = k.wave_cubic(
            ship, conditions[_HEIGHT_M, n], conditions[_PERIOD_S, n], off_bow_deg[n]
        )
        for power in range(4):
            seas[WAVES + power, n] = wave[power]
    for n in range(off_bow_deg.size):
        u, v = conditions[_WIND_U, n], conditions[_WIND_V, n]
        from_east, from_north = conditions[_FROM_EAST, n], conditions[_FROM_NORTH, n]
        steadiness = math.sqrt(from_east * from_east + from_north * from_north)
        along = -steadiness * (u * course[0, n] + v * course[1, n])
        seas[ALONG_MS, n] = along
        seas[ACROSS_MS, n] = math.sqrt(max(u * u + v * v - along * along, 0.0))


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _off_bow_cosine(conditions: Floats, course: Floats, n: int) -> float:
    """Return the expected cosine of the angle off the bow from which waves come in column n."""
    east, north = conditions[_FROM_EAST, n], conditions[_FROM_NORTH, n]
    return float(min(max(east * course[0, n] + north * course[1, n], -1.0), 1.0))


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _arccosine_deg(cosine: float) -> float:
    """Return the angle of a cosine in 0..180 [deg], within 2e-6 deg.

    Abramowitz and Stegun (1964), eq. 4.4.46. Vector instructions compute it, unlike ``acos``.
    """
    x = abs(cosine)
    series = 0.0308918810 + x * (-0.0170881256 + x * (0.0066700901 - x * 0.0012624911))
    series = -0.2145988016 + x * (0.0889789874 + x * (-0.0501743046 + x * series))
    angle = math.sqrt(1.0 - x) * (1.5707963050 + x * series)
    return _DEGREES * (angle if cosine >= 0.0 else math.pi - angle)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _limit_by_engine(
    scalars: Floats,
    prepared: Floats,
    seas: Floats,
    total_n: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Reduce the speeds that exceed an engine limit to the attainable speed, in each column.

    That speed and its fuel rate are interpolated between the speeds on both sides of it. If it is
    below all of them, it is computed.
    """
    ratio, slower_ratio = work[SEA_ROWS], work[SEA_ROWS + 1]
    times, last = through_kn.shape[1], through_kn.shape[0] - 1
    engine_limit_ratio(scalars, _read_terms(prepared, last), total_n[last], ratio)
    for s in range(last, 0, -1):
        if not _exceeds_one(ratio):
            return
        engine_limit_ratio(scalars, _read_terms(prepared, s - 1), total_n[s - 1], slower_ratio)
        for n in range(times):
            if ratio[n] > 1.0 >= slower_ratio[n]:
                share = (ratio[n] - 1.0) / max(ratio[n] - slower_ratio[n], 1e-9)
                slower_kn = share * (through_kn[s, n] - through_kn[s - 1, n])
                saved = share * (fuel_per_h[s, n] - fuel_per_h[s - 1, n])
                through_kn[s:, n] = through_kn[s, n] - slower_kn
                fuel_per_h[s:, n] = fuel_per_h[s, n] - saved
        ratio, slower_ratio = slower_ratio, ratio
    for n in range(times):
        if ratio[n] > 1.0:
            attainable_kn, fuel = _find_attainable_speed(
                scalars, seas[:, n], prepared[0, SPEED_TERM], ratio[n]
            )
            through_kn[:, n], fuel_per_h[:, n] = attainable_kn, fuel


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _exceeds_one(ratio: Floats) -> bool:
    """Return whether any ratio exceeds 1; counting them all takes vector instructions."""
    count = 0
    for n in range(ratio.size):
        count += ratio[n] > 1.0
    return count > 0


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _find_attainable_speed(
    scalars: Floats, sea: Floats, speed_ms: float, ratio: float
) -> tuple[float, float]:
    """Return the speed at the engine's limit in a sea [kn], and its fuel rate [t/h].

    ``ratio`` is the engine limit ratio at ``speed_ms``, above 1. The secant method converges fast
    because the ratio is almost linear in the speed. At the least headway the fuel is that of the
    power needed, beyond the engine's, so that the search avoids such seas.
    """
    min_ms = min(k.LEAST_HEADWAY_KN * KNOT_MS, speed_ms)
    previous_ms, previous_ratio = speed_ms, ratio
    at_ms, fuel = max(speed_ms / ratio, min_ms), 0.0
    for _ in range(_MAX_STEPS):
        resistance_n = _resistance_n(scalars, sea, at_ms)
        power_kw, rpm, fuel = k.power_for_resistance(scalars, at_ms, resistance_n)
        at_ratio = max((power_kw / scalars[k.MCR_KW]) ** (1.0 / 3.0), rpm / scalars[k.RPM_MAX])
        if abs(at_ratio - 1.0) < _LOAD_TOLERANCE or previous_ms == at_ms:
            break
        next_ms = at_ms + (1.0 - at_ratio) * (previous_ms - at_ms) / (previous_ratio - at_ratio)
        previous_ms, previous_ratio = at_ms, at_ratio
        at_ms = min(max(next_ms, min_ms), speed_ms)
        if at_ms == previous_ms:
            break
    return at_ms / KNOT_MS, fuel


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _resistance_n(scalars: Floats, sea: Floats, speed_ms: float) -> float:
    """Return the total resistance at a speed in deep water [N]; ``sea`` is a column of ``seas``."""
    clamped_ms = min(max(speed_ms, scalars[k.SPEED_MIN_MS]), scalars[k.SPEED_MAX_MS])
    cubic = sea[WAVES : WAVES + 4]
    waves_n = cubic[0] + clamped_ms * (cubic[1] + clamped_ms * (cubic[2] + clamped_ms * cubic[3]))
    calm_n = k.calm_resistance_n(scalars, speed_ms)
    total_n = calm_n + max(waves_n, 0.0)
    if sea[ALONG_MS] != 0.0 or sea[ACROSS_MS] != 0.0:
        total_n += k.wind_resistance_n(scalars, speed_ms, sea[ALONG_MS], sea[ACROSS_MS])
    return float(max(total_n, k.RESISTANCE_FLOOR * calm_n))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _limit_by_motions(
    ship: KernelParameters,
    conditions: Floats,
    course: Floats,
    through_kn: Floats,
    fuel_per_h: Floats,
) -> None:
    """Reduce the speeds to the highest at which the master accepts the motions, in each column."""
    last = through_kn.shape[0] - 1
    for n in range(through_kn.shape[1]):
        height_m, period_s = conditions[_HEIGHT_M, n], conditions[_PERIOD_S, n]
        if through_kn[last, n] <= k.least_voluntary_speed_kn(ship, height_m):
            continue
        off_bow_deg = _arccosine_deg(_off_bow_cosine(conditions, course, n))
        safe_kn = k.voluntary_speed_kn(ship, height_m, period_s, off_bow_deg)
        if through_kn[last, n] <= safe_kn:
            continue
        fuel = k.fuel_rate(ship, safe_kn, _find_sea(conditions, n, course, math.inf))[2]
        for s in range(last + 1):
            if through_kn[s, n] > safe_kn:
                through_kn[s, n], fuel_per_h[s, n] = safe_kn, fuel
