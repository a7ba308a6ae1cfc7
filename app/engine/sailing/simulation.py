"""Simulation of a ship along a track: times, speeds, power and fuel."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit_borrowing
from app.engine.errors import LimitsTooTight
from app.engine.formatting import format_position
from app.engine.sailing.track import Track
from app.engine.units import KNOT_MS
from app.engine.vessel import KernelParameters, Ship
from app.engine.vessel.kernels import (
    MCR_KW,
    RPM_MAX,
    SPEED_MIN_MS,
    fuel_rate,
    off_bow_deg,
    voluntary_speed_kn,
)
from app.engine.weather import (
    WeatherArrays,
    WeatherDeviations,
    WeatherField,
    WeatherSamples,
    sample_weather,
)
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]

#: Columns of the output of :func:`_simulate_segments`.
(_WAITED_H, _HOURS, _THROUGH_WATER_KN, _OVER_GROUND_KN, _POWER_KW, _RPM, _FUEL_T) = range(7)
_BY_MOTIONS: Final = 7

#: Precision to which the speed is found that power and shaft speed allow [kn].
_SPEED_STEP_KN: Final = 0.005
#: Interval of weather samples during a wait [h].
_WAIT_SAMPLE_H: Final = 0.5


@dataclass(frozen=True, slots=True)
class Simulation:
    """A track of n segments simulated in time.

    ``ordered_kn`` is one speed, or one per segment. ``hours`` since departure at its n + 1
    points; waiting counts to the segment that it precedes. Per segment, shape (n,): hours waited
    before it, whether for a passage or for a closure; speed through the water and over ground
    [kn], brake power [kW], shaft speed [1/min], fuel burnt [t]; whether motions, not power, limit
    the speed.
    """

    track: Track
    departs_at: datetime
    ordered_kn: float | Floats
    hours: Floats
    waited_h: Floats
    through_water_kn: Floats
    over_ground_kn: Floats
    power_kw: Floats
    rpm: Floats
    fuel_t: Floats
    is_slowed_for_motions: NDArray[np.bool_]

    @property
    def total_fuel_t(self) -> float:
        """Fuel for the whole track [t]."""
        return float(self.fuel_t.sum())

    @property
    def total_h(self) -> float:
        """Hours from departure to arrival, waiting included."""
        return float(self.hours[-1])

    @property
    def under_way_h(self) -> float:
        """Hours from departure to arrival without those spent waiting."""
        return self.total_h - float(self.waited_h.sum())

    @property
    def left_h(self) -> Floats:
        """Hours since departure at which each segment is entered, shape (n,)."""
        return np.asarray(self.hours[:-1] + self.waited_h)

    def time_at(self, point: int) -> datetime:
        """Return when the ship passes a point of the track, to the second."""
        return self.departs_at + timedelta(seconds=round(float(self.hours[point]) * 3600.0))

    def weather_at_points(self, weather: WeatherField) -> WeatherSamples:
        """Sample the weather at the n + 1 points when the ship passes them."""
        times_h = hours_since_epoch(self.departs_at) + self.hours
        return weather.sample(self.track.lats, self.track.lngs, times_h)

    def weather_at_middles(
        self, weather: WeatherField, deviations: WeatherDeviations | None = None
    ) -> WeatherSamples:
        """Sample the weather at the middles of the n segments when the ship is there."""
        middle_h = 0.5 * (self.left_h + self.hours[1:])
        times_h = hours_since_epoch(self.departs_at) + middle_h
        lats, lngs = self.track.middle_lats, self.track.middle_lngs
        if deviations is None:
            return weather.sample(lats, lngs, times_h)
        return deviations.apply(weather.sample(*deviations.displace(lats, lngs), times_h))

    def weather_at_wait(self, weather: WeatherField, point: int) -> WeatherSamples:
        """Sample the weather at a point each half hour of the wait there."""
        waited_h = float(self.waited_h[point])
        times_h = self.hours[point] + np.linspace(0.0, waited_h, 2 + int(waited_h / _WAIT_SAMPLE_H))
        lats, lngs = (np.full(times_h.size, at[point]) for at in (self.track.lats, self.track.lngs))
        return weather.sample(lats, lngs, hours_since_epoch(self.departs_at) + times_h)


class Simulator(Protocol):
    """Simulates a given track; as :func:`simulate_track`."""

    def __call__(
        self, ordered_kn: float | Floats, *, not_before_h: Floats | None = None
    ) -> Simulation:
        """Simulate at the speed ordered [kn], one for all or one per segment."""


def simulate_track(
    track: Track,
    ordered_kn: float | Floats,
    *,
    ship: Ship,
    departs_at: datetime,
    weather: WeatherField | None = None,
    depth_m: Floats | None = None,
    not_before_h: Floats | None = None,
    deviations: WeatherDeviations | None = None,
) -> Simulation:
    """Simulate a track at the speed ordered through the water, one for all or one per segment.

    Passages may prescribe less, the sea forces less where power or shaft speed runs out, and in
    heavy weather the master slows down. Without ``weather`` the sea is calm and still.
    ``depth_m``, shape (n,), slows the ship in shallow water; nan, unknown, counts as deep.
    ``not_before_h``, shape (n,), in hours since 1970: the ship waits before a segment until then.
    ``deviations`` change the weather met on each segment.

    Raises
    ------
    LimitsTooTight
        Where a current is stronger than the ship.
    """
    sailed = np.empty((track.distance_nm.size, 8))
    stuck = _simulate_segments(
        ship.kernel_parameters,
        None if weather is None else weather.kernel_arrays,
        hours_since_epoch(departs_at),
        np.stack([track.middle_lats, track.middle_lngs, track.course_deg, track.distance_nm]),
        np.minimum(ordered_kn, track.speed_cap_kn),
        track.wait_h,
        np.full(track.wait_h.shape, -np.inf) if not_before_h is None else not_before_h,
        _as_deep_if_unknown(track, depth_m),
        (WeatherDeviations.none(track.wait_h.size) if deviations is None else deviations).rows,
        sailed,
    )
    _work_through_ice(ship, track, sailed)
    if stuck >= 0:
        place = float(track.middle_lats[stuck]), float(track.middle_lngs[stuck])
        raise LimitsTooTight(
            f"At {np.max(ordered_kn):.1f} kn the ship cannot make headway against the current at "
            f"{format_position(*place)}. "
            "Allow a higher speed or leave at another time.",
            limit="speedRangeMax",
            lat=place[0],
            lng=place[1],
        )
    return Simulation(
        track=track,
        departs_at=departs_at,
        ordered_kn=ordered_kn,
        hours=np.concatenate([[0.0], np.cumsum(sailed[:, _HOURS])]),
        waited_h=sailed[:, _WAITED_H],
        through_water_kn=sailed[:, _THROUGH_WATER_KN],
        over_ground_kn=sailed[:, _OVER_GROUND_KN],
        power_kw=sailed[:, _POWER_KW],
        rpm=sailed[:, _RPM],
        fuel_t=sailed[:, _FUEL_T],
        is_slowed_for_motions=sailed[:, _BY_MOTIONS] > 0.0,
    )


def _work_through_ice(ship: Ship, track: Track, sailed: Floats) -> None:
    """Raise power and fuel in ice to those of service speed in open water.

    An allowance: what ice takes, more than slow steaming saves, is not modelled.
    """
    if not track.in_ice.any():
        return
    service = ship.performance(ship.particulars.service_speed_kn)
    hours = sailed[:, _HOURS] - sailed[:, _WAITED_H]
    in_ice = track.in_ice
    fuel_t, power_kw = service.fuel_t_per_h * hours, service.power_kw
    sailed[in_ice, _FUEL_T] = np.maximum(sailed[in_ice, _FUEL_T], fuel_t[in_ice])
    sailed[in_ice, _POWER_KW] = np.maximum(sailed[in_ice, _POWER_KW], power_kw)


def _as_deep_if_unknown(track: Track, depth_m: Floats | None) -> Floats:
    if depth_m is None:
        return np.full(track.distance_nm.shape, np.inf)
    return np.where(np.isnan(depth_m), np.inf, depth_m)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _simulate_segments(
    ship: KernelParameters,
    weather: WeatherArrays | None,
    departs_h: float,
    segments: Floats,
    ordered_kn: Floats,
    wait_h: Floats,
    not_before_h: Floats,
    depth_m: Floats,
    deviations: Floats,
    out: Floats,
) -> int:
    """Sail segment by segment, each in the weather of the time it is reached.

    ``segments`` has shape (4, n): latitude, longitude, course, distance; ``deviations`` is as
    in :class:`~app.engine.weather.WeatherDeviations`. Answers the first segment on which no
    headway can be made, -1 if there is none.
    """
    time_h = departs_h
    for k in range(out.shape[0]):
        lat, lng, course_deg, distance_nm = segments[:, k]
        waited_h = max(wait_h[k], not_before_h[k] - time_h)
        leaves_h = time_h + waited_h
        middle_h = leaves_h + 0.5 * distance_nm / ordered_kn[k]
        height = period = wave_from = wind = wind_from = current_u = current_v = 0.0
        if weather is not None:
            higher, stronger, turned_deg, north_deg, east_deg = deviations[:, k]
            met = sample_weather(weather, lat + north_deg, lng + east_deg, middle_h)
            height, period = met.wave_height_m * higher, met.wave_period_s * math.sqrt(higher)
            wave_from = math.degrees(math.atan2(met.wave_from_east, met.wave_from_north))
            wind = math.hypot(met.wind_u_ms, met.wind_v_ms) * stronger
            wind_from = math.degrees(math.atan2(-met.wind_u_ms, -met.wind_v_ms))
            wave_from, wind_from = wave_from + turned_deg, wind_from + turned_deg
            current_u, current_v = met.current_u_ms / KNOT_MS, met.current_v_ms / KNOT_MS
        sea = (height, period, wave_from, wind, wind_from, depth_m[k])
        speed_kn = safe_kn = min(ordered_kn[k], _safe_speed_kn(ship, course_deg, sea))
        power_kw, rpm, fuel_t_per_h = fuel_rate(ship, speed_kn, course_deg, *sea)
        if not _is_kept(ship, power_kw, rpm):
            speed_kn = attainable_speed_kn(ship, speed_kn, course_deg, sea)
            power_kw, rpm, fuel_t_per_h = fuel_rate(ship, speed_kn, course_deg, *sea)
        over_ground_kn = speed_over_ground_kn(speed_kn, course_deg, current_u, current_v)
        if not over_ground_kn > 0.0:
            return k
        under_way_h = distance_nm / over_ground_kn
        out[k, _WAITED_H] = waited_h
        out[k, _HOURS] = waited_h + under_way_h
        out[k, _THROUGH_WATER_KN] = speed_kn
        out[k, _OVER_GROUND_KN] = over_ground_kn
        out[k, _POWER_KW] = power_kw
        out[k, _RPM] = rpm
        out[k, _FUEL_T] = fuel_t_per_h * under_way_h
        out[k, _BY_MOTIONS] = 1.0 if speed_kn == safe_kn < ordered_kn[k] else 0.0
        time_h = leaves_h + under_way_h
    return -1


@njit_borrowing(cache=True, error_model="numpy")
def attainable_speed_kn(
    ship: KernelParameters,
    ordered_kn: float,
    course_deg: float,
    sea: tuple[float, float, float, float, float, float],
) -> float:
    """Return the ordered speed, or the greatest below it that is possible [kn].

    Power, shaft speed and motions limit it. ``sea`` is wave height [m], period [s] and direction,
    wind speed [m/s] and direction, depth [m]. Where no speed can be kept it is the lowest that
    the ship model covers.
    """
    high = min(ordered_kn, _safe_speed_kn(ship, course_deg, sea))
    if _can_keep(ship, high, course_deg, sea):
        return high
    low = min(ship.scalars[SPEED_MIN_MS] / KNOT_MS, high)
    while high - low > _SPEED_STEP_KN:
        middle = 0.5 * (low + high)
        if _can_keep(ship, middle, course_deg, sea):
            low = middle
        else:
            high = middle
    return float(low)


@njit_borrowing(cache=True, error_model="numpy")
def _safe_speed_kn(
    ship: KernelParameters,
    course_deg: float,
    sea: tuple[float, float, float, float, float, float],
) -> float:
    """Greatest speed [kn] whose motions the master accepts."""
    return float(voluntary_speed_kn(ship, sea[0], sea[1], off_bow_deg(sea[2], course_deg)))


@njit_borrowing(cache=True, error_model="numpy")
def _can_keep(
    ship: KernelParameters,
    speed_kn: float,
    course_deg: float,
    sea: tuple[float, float, float, float, float, float],
) -> bool:
    power_kw, rpm, _ = fuel_rate(ship, speed_kn, course_deg, *sea)
    return _is_kept(ship, power_kw, rpm)


@njit_borrowing(cache=True, error_model="numpy")
def _is_kept(ship: KernelParameters, power_kw: float, rpm: float) -> bool:
    """Return whether the engine allows a power and a shaft speed."""
    return bool(power_kw <= ship.scalars[MCR_KW] and rpm <= ship.scalars[RPM_MAX])


@njit_borrowing(cache=True, error_model="numpy")
def speed_over_ground_kn(
    through_water_kn: float, course_deg: float, current_u_kn: float, current_v_kn: float
) -> float:
    """Speed made good along a course, steering up against the current's set [kn].

    nan where the current sets across faster than the ship goes.
    """
    course = math.radians(course_deg)
    along = current_u_kn * math.sin(course) + current_v_kn * math.cos(course)
    across = current_u_kn * math.cos(course) - current_v_kn * math.sin(course)
    if abs(across) >= through_water_kn:
        return math.nan
    return along + math.sqrt(through_water_kn**2 - across**2)
