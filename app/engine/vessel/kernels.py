"""Compiled ship model: power and fuel for the inner loops of the search.

:class:`KernelParameters` are built once for a ship and loading; the functions take them with plain
floats and allocate nothing. They compute the results of
:meth:`app.engine.vessel.ship.Ship.performance` from fitted polynomials and tables instead of the
formulas; a property test compares the two.
"""

import math
from typing import Final, NamedTuple

from app.engine.arrays import Floats
from app.engine.compiled import njit_borrowing
from app.engine.units import KNOT_MS
from app.engine.vessel.drift import drift_resistance_n
from app.engine.vessel.machinery import sfoc_over_base
from app.engine.vessel.relative_sea import RelativeSea
from app.engine.vessel.rolling import safe_speed_before_sea_kn, wavelength_m
from app.engine.vessel.shallow_water import deep_water_speed_ms

#: Degrees of the fitted polynomials.
CALM_DEGREE: Final = 14
PROPELLER_DEGREE: Final = 6

#: Indices of the scalars in ``KernelParameters.scalars``.
(
    SPEED_MIN_MS,
    SPEED_MAX_MS,
    SPEED_CENTRE_MS,
    SPEED_HALF_SPAN_MS,
    LOADING_SCALE,
    LOADING_ROOT_MAX,
    POWER_SCALE,
    RPM_SCALE,
    FUEL_SCALE,
    MCR_KW,
    RPM_MAX,
    WIND_PRESSURE_AREA,
    SIDE_PRESSURE_AREA,
    LIFT_SLOPE,
    STILL_AIR_COEFFICIENT,
    BEAM_AHEAD,
    BEAM_ASTERN,
    MIDSHIP_AREA_M2,
    DEPTH_LIMIT_M,
    PERIOD_MIN_S,
    PERIOD_STEP_S,
    HEADING_STEP_DEG,
    WIND_AHEAD,
    WIND_ASTERN,
) = (*range(23), 25)
CALM: Final = 28
TORQUE: Final = CALM + CALM_DEGREE + 1
REVOLUTIONS: Final = TORQUE + PROPELLER_DEGREE + 1
(LENGTH_M, DRAFT_M, SERVICE_KN, VOLUNTARY_FROM_KN, VOLUNTARY_TO_KN, SCALARS) = range(
    REVOLUTIONS + PROPELLER_DEGREE + 1, REVOLUTIONS + PROPELLER_DEGREE + 7
)

#: Steps of the table of allowed heights, whose periods begin at the least one, and of the lower
#: bound of voluntary speeds, whose heights begin at 0.
VOLUNTARY_PERIOD_STEP_S: Final = 1.0
VOLUNTARY_HEIGHT_STEP_M: Final = 0.5

#: Greatest significant height over the wavelength of the spectrum's peak; the average limit of
#: DNV-RP-C205, 3.5.5, is 1/15. Higher waves count as this high.
_STEEPEST: Final = 0.1

#: cos 80 deg: within 10 deg of the beam the wind coefficient is linear.
BEAM_COSINE: Final = math.cos(math.radians(80.0))

#: Speed to which the engine's limits slow a ship at most [kn]: the advance that the guidelines on
#: minimum propulsion power, MEPC.1/Circ.850/Rev.3, ask of it in adverse conditions.
LEAST_HEADWAY_KN: Final = 2.0

#: Precision of the attainable speed [kn].
_SPEED_STEP_KN: Final = 0.005

#: Least total resistance over that of calm water: the propeller must stay loaded for the engine to
#: control the speed.
RESISTANCE_FLOOR: Final = 0.10


class KernelParameters(NamedTuple):
    """Parameters of a ship and loading as arrays.

    ``scalars`` has shape (SCALARS,), with the index constants of this module. ``waves`` has shape
    (periods, headings, 4): added resistance over squared significant height [N/m2] as a cubic in
    the speed [m/s], for peak periods and headings (0 ahead .. 180 astern) in even steps.
    ``voluntary`` has shape (periods, headings, speeds): the greatest significant height [m] with
    acceptable motions by :mod:`.voluntary_speed`, at even speeds, which does not rise with speed;
    ``voluntary_least``, shape (heights,), is a lower bound of the voluntary speed [kn].
    """

    scalars: Floats
    waves: Floats
    voluntary: Floats
    voluntary_least: Floats


@njit_borrowing(cache=True, error_model="numpy")
def calm_resistance_n(scalars: Floats, speed_ms: float) -> float:
    """Return the calm deep-water resistance [N], outside the fitted speeds proportional to V^2."""
    clipped = min(max(speed_ms, scalars[SPEED_MIN_MS]), scalars[SPEED_MAX_MS])
    x = (clipped - scalars[SPEED_CENTRE_MS]) / scalars[SPEED_HALF_SPAN_MS]
    value = scalars[CALM + CALM_DEGREE]
    for power in range(CALM_DEGREE - 1, -1, -1):
        value = value * x + scalars[CALM + power]
    return float(value * speed_ms * speed_ms)


@njit_borrowing(cache=True, error_model="numpy", forceinline=True)
def wave_cubic(
    parameters: KernelParameters, height_m: float, period_s: float, off_bow: float
) -> tuple[float, float, float, float]:
    """Return the coefficients of added resistance [N] as a cubic in speed [m/s], constant first.

    Bilinear in period and heading off the bow [deg, 0..180], clipped to the table; a negative value
    of the cubic means zero.
    """
    scalars, waves = parameters.scalars, parameters.waves
    p = max((period_s - scalars[PERIOD_MIN_S]) / scalars[PERIOD_STEP_S], 0.0)
    h = off_bow / scalars[HEADING_STEP_DEG]
    i, j = min(int(p), waves.shape[0] - 2), min(int(h), waves.shape[1] - 2)
    u, v = min(p - i, 1.0), h - j
    squared = height_m * height_m
    a, b = (1.0 - u) * (1.0 - v) * squared, (1.0 - u) * v * squared
    c, d = u * (1.0 - v) * squared, u * v * squared
    w, x, y, z = waves[i, j], waves[i, j + 1], waves[i + 1, j], waves[i + 1, j + 1]
    return (
        a * w[0] + b * x[0] + c * y[0] + d * z[0],
        a * w[1] + b * x[1] + c * y[1] + d * z[1],
        a * w[2] + b * x[2] + c * y[2] + d * z[2],
        a * w[3] + b * x[3] + c * y[3] + d * z[3],
    )


@njit_borrowing(cache=True, error_model="numpy")
def wave_resistance_n(
    parameters: KernelParameters, speed_ms: float, height_m: float, period_s: float, off_bow: float
) -> float:
    """Return the added resistance in waves [N] from a heading off the bow [deg, 0..180]."""
    scalars = parameters.scalars
    c0, c1, c2, c3 = wave_cubic(parameters, height_m, period_s, off_bow)
    clipped = min(max(speed_ms, scalars[SPEED_MIN_MS]), scalars[SPEED_MAX_MS])
    return float(max(c0 + clipped * (c1 + clipped * (c2 + clipped * c3)), 0.0))


@njit_borrowing(cache=True, error_model="numpy", forceinline=True)
def least_voluntary_speed_kn(parameters: KernelParameters, height_m: float) -> float:
    """Return a lower bound of the speed [kn] that motions allow in seas of a height [m]."""
    least = parameters.voluntary_least
    return float(least[min(int(height_m / VOLUNTARY_HEIGHT_STEP_M) + 1, least.size - 1)])


@njit_borrowing(cache=True, error_model="numpy")
def voluntary_speed_kn(
    parameters: KernelParameters, height_m: float, period_s: float, off_bow: float
) -> float:
    """Return the greatest speed [kn] with acceptable motions in a sea; infinite if not limited.

    Significant height [m], peak period [s], heading off the bow [deg, 0..180]. Heights allowed are
    interpolated, not speeds, which fall from the greatest to the least where slowing down does not
    help.
    """
    scalars = parameters.scalars
    height_m = min(height_m, _STEEPEST * wavelength_m(period_s))
    speed_kn = min(
        _speed_by_motions_kn(parameters, height_m, period_s, off_bow),
        safe_speed_before_sea_kn(
            scalars[LENGTH_M], scalars[SERVICE_KN], off_bow, height_m, period_s
        ),
    )
    if speed_kn >= scalars[VOLUNTARY_TO_KN]:
        return math.inf
    return float(max(speed_kn, scalars[VOLUNTARY_FROM_KN]))


@njit_borrowing(cache=True, error_model="numpy")
def _speed_by_motions_kn(
    parameters: KernelParameters, height_m: float, period_s: float, off_bow: float
) -> float:
    """Return the greatest speed [kn] of the table at which a significant height is allowed."""
    scalars, table = parameters.scalars, parameters.voluntary
    p = max((period_s - scalars[PERIOD_MIN_S]) / VOLUNTARY_PERIOD_STEP_S, 0.0)
    h = off_bow / scalars[HEADING_STEP_DEG]
    i, j = min(int(p), table.shape[0] - 2), min(int(h), table.shape[1] - 2)
    u, v = min(p - i, 1.0), h - j
    last = table.shape[2] - 1
    step_kn = (scalars[VOLUNTARY_TO_KN] - scalars[VOLUNTARY_FROM_KN]) / last
    faster_m = 0.0
    for s in range(last, -1, -1):
        near_m = (1.0 - v) * table[i, j, s] + v * table[i, j + 1, s]
        far_m = (1.0 - v) * table[i + 1, j, s] + v * table[i + 1, j + 1, s]
        allowed_m = (1.0 - u) * near_m + u * far_m
        if height_m <= allowed_m:
            over = 0.0 if s == last else (allowed_m - height_m) / (allowed_m - faster_m)
            return float(scalars[VOLUNTARY_FROM_KN] + (s + over) * step_kn)
        faster_m = allowed_m
    return float(scalars[VOLUNTARY_FROM_KN])


@njit_borrowing(cache=True, error_model="numpy")
def wind_resistance_n(scalars: Floats, speed_ms: float, along_ms: float, across_ms: float) -> float:
    """Return the resistance of wind over that of still air, with leeway [N].

    ``along_ms`` is the true wind's component from ahead, ``across_ms`` from abeam.
    """
    ahead = speed_ms + along_ms
    squared = ahead * ahead + across_ms * across_ms
    apparent = math.sqrt(squared) + 1e-9
    cosine = ahead / apparent
    if abs(cosine) < BEAM_COSINE:
        share = 0.5 * (1.0 + cosine / BEAM_COSINE)
        coefficient = scalars[BEAM_ASTERN] + share * (scalars[BEAM_AHEAD] - scalars[BEAM_ASTERN])
    else:
        at = WIND_AHEAD if cosine > 0.0 else WIND_ASTERN
        sine = abs(across_ms) / apparent
        coefficient = cosine * (
            scalars[at]
            + scalars[at + 1] * sine * sine * (1.0 - 0.5 * cosine * cosine)
            + scalars[at + 2] * sine * cosine * cosine
        )
    side_n = scalars[SIDE_PRESSURE_AREA] * apparent * abs(across_ms)
    sailing_ms = max(speed_ms, scalars[SPEED_MIN_MS])
    return float(
        scalars[WIND_PRESSURE_AREA]
        * (coefficient * squared - scalars[STILL_AIR_COEFFICIENT] * speed_ms * speed_ms)
        + drift_resistance_n(side_n, scalars[LIFT_SLOPE] * sailing_ms * sailing_ms)
    )


@njit_borrowing(cache=True, error_model="numpy", forceinline=True)
def power_for_resistance(
    scalars: Floats, speed_ms: float, resistance_n: float
) -> tuple[float, float, float]:
    """Return brake power [kW], shaft speed [rpm] and fuel [t/h] for a resistance at a speed."""
    root = math.sqrt(resistance_n * scalars[LOADING_SCALE]) / speed_ms
    clipped = min(root, scalars[LOADING_ROOT_MAX])
    torque = scalars[TORQUE + PROPELLER_DEGREE]
    revolutions = scalars[REVOLUTIONS + PROPELLER_DEGREE]
    for power in range(PROPELLER_DEGREE - 1, -1, -1):
        torque = torque * clipped + scalars[TORQUE + power]
        revolutions = revolutions * clipped + scalars[REVOLUTIONS + power]
    # beyond the open-water curve torque and revolutions are extrapolated as at bollard pull
    over = root / clipped if clipped > 0.0 else 1.0
    power_kw = scalars[POWER_SCALE] * torque * over**3 * speed_ms**3
    rpm = scalars[RPM_SCALE] * revolutions * over * speed_ms
    return power_kw, rpm, fuel_of_power(scalars, power_kw)


@njit_borrowing(cache=True, error_model="numpy", forceinline=True)
def fuel_of_power(scalars: Floats, power_kw: float) -> float:
    """Return the fuel rate [t/h] at a brake power [kW]."""
    return float(scalars[FUEL_SCALE] * power_kw * sfoc_over_base(power_kw / scalars[MCR_KW]))


@njit_borrowing(cache=True, error_model="numpy")
def fuel_rate_within_limits(
    parameters: KernelParameters, speed_kn: float, sea: RelativeSea
) -> tuple[float, float, float]:
    """Return brake power [kW], shaft speed [rpm] and fuel [t/h], at most the engine's.

    Beyond its limits the shaft turns as fast as they allow, with power by the cube of its speed,
    as at bollard pull; the ship is slower then than ``speed_kn``.
    """
    scalars = parameters.scalars
    power_kw, rpm, fuel = fuel_rate(parameters, speed_kn, sea)
    excess = max((power_kw / scalars[MCR_KW]) ** (1.0 / 3.0), rpm / scalars[RPM_MAX])
    if excess <= 1.0:
        return power_kw, rpm, fuel
    power_kw /= excess**3
    return power_kw, rpm / excess, fuel_of_power(scalars, power_kw)


@njit_borrowing(cache=True, error_model="numpy")
def fuel_rate(
    parameters: KernelParameters, speed_kn: float, sea: RelativeSea
) -> tuple[float, float, float]:
    """Return brake power [kW], shaft speed [rpm] and fuel [t/h] at a speed in a sea.

    ``speed_kn`` is through the water [kn], above zero.
    """
    scalars = parameters.scalars
    speed_ms = speed_kn * KNOT_MS
    calm_n = calm_resistance_n(scalars, speed_ms)
    deep_n = calm_n
    if sea.depth_m < scalars[DEPTH_LIMIT_M]:
        deep_ms = deep_water_speed_ms(speed_ms, sea.depth_m, scalars[MIDSHIP_AREA_M2])
        calm_n = calm_resistance_n(scalars, deep_ms) * deep_ms / speed_ms
    total_n = calm_n
    if sea.wave_height_m > 0.0:
        total_n += wave_resistance_n(
            parameters, speed_ms, sea.wave_height_m, sea.wave_period_s, sea.off_bow_deg
        )
    if abs(sea.ahead_ms) + sea.abeam_ms > 0.0:
        total_n += wind_resistance_n(scalars, speed_ms, sea.ahead_ms, sea.abeam_ms)
    return power_for_resistance(scalars, speed_ms, max(total_n, RESISTANCE_FLOOR * deep_n))


@njit_borrowing(cache=True, error_model="numpy")
def is_within_engine_limits(ship: KernelParameters, power_kw: float, rpm: float) -> bool:
    """Return whether a power and a shaft speed are within the engine's limits."""
    return bool(power_kw <= ship.scalars[MCR_KW] and rpm <= ship.scalars[RPM_MAX])


@njit_borrowing(cache=True, error_model="numpy")
def _is_attainable(ship: KernelParameters, speed_kn: float, sea: RelativeSea) -> bool:
    power_kw, rpm, _ = fuel_rate(ship, speed_kn, sea)
    return is_within_engine_limits(ship, power_kw, rpm)


@njit_borrowing(cache=True, error_model="numpy")
def attainable_speed_kn(ship: KernelParameters, ordered_kn: float, sea: RelativeSea) -> float:
    """Return the highest speed through the water up to the ordered speed [kn].

    Power, shaft speed and motions limit it, the engine to no less than ``LEAST_HEADWAY_KN``, at
    which the limits may be exceeded.
    """
    safe_kn = voluntary_speed_kn(ship, sea.wave_height_m, sea.wave_period_s, sea.off_bow_deg)
    high = min(ordered_kn, safe_kn)
    if _is_attainable(ship, high, sea):
        return high
    low = min(LEAST_HEADWAY_KN, high)
    while high - low > _SPEED_STEP_KN:
        middle = 0.5 * (low + high)
        if _is_attainable(ship, middle, sea):
            low = middle
        else:
            high = middle
    return float(low)
