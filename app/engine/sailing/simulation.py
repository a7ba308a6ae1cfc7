"""Simulation of a ship along a track: times, speeds, power and fuel."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol, TypeVar

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit_borrowing
from app.engine.errors import LimitsTooTight
from app.engine.formatting import format_position
from app.engine.sailing.track import Track
from app.engine.times import add_each_hours, add_hours, hours_since_epoch
from app.engine.units import KNOT_MS
from app.engine.vessel import KernelParameters, Ship
from app.engine.vessel.kernels import (
    LEAST_HEADWAY_KN,
    attainable_speed_kn,
    fuel_rate,
    fuel_rate_within_limits,
    is_within_engine_limits,
    voluntary_speed_kn,
)
from app.engine.vessel.relative_sea import (
    RelativeSea,
    find_calm_sea,
    find_expected_sea,
    speed_over_ground_kn,
)
from app.engine.vessel.shaft_speed import speed_at_rpm_kn
from app.engine.weather import (
    WeatherArrays,
    WeatherDeviations,
    WeatherField,
    WeatherSamples,
    sample_displaced_weather,
    zero_if_unknown,
)

#: Columns of the output of :func:`_simulate_segments`.
(_WAITED_H, _HOURS, _THROUGH_WATER_KN, _OVER_GROUND_KN, _POWER_KW, _RPM, _FUEL_T) = range(7)
_BY_MOTIONS: Final = 7

_NO_NUMBERS: Final[Floats] = np.empty(0)

#: Interval of weather samples during a wait [h].
_WAIT_SAMPLE_H: Final = 0.5


@dataclass(frozen=True, slots=True)
class Simulation:
    """A track of n segments simulated in time.

    ``ordered_kn`` is one speed for all segments, or one for each, shape (n,). ``hours``, shape
    (n + 1,), are the times since departure at the track's points; a wait belongs to the segment
    after it.

    For each segment, shape (n,): ``waited_h`` is the wait before it, for a passage or a closure
    [h]; then speed through the water and over ground [kn], brake power [kW], shaft speed [1/min]
    and fuel [t]. ``is_slowed_for_motions`` is whether motions, and not power, limit the speed.
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
    is_slowed_for_motions: Bools

    @property
    def total_fuel_t(self) -> float:
        """Fuel for the whole track [t]."""
        return float(self.fuel_t.sum())

    @property
    def total_h(self) -> float:
        """Hours from departure to arrival, including waits."""
        return float(self.hours[-1])

    @property
    def under_way_h(self) -> float:
        """Hours from departure to arrival, without waits."""
        return self.total_h - float(self.waited_h.sum())

    @property
    def capped_kn(self) -> Floats:
        """Ordered speed on each segment, up to the track's highest allowed [kn], shape (n,)."""
        return np.asarray(np.minimum(self.ordered_kn, self.track.speed_cap_kn))

    @property
    def segment_h(self) -> Floats:
        """Hours under way on each segment, without the wait before it, shape (n,)."""
        return np.asarray(np.diff(self.hours) - self.waited_h)

    @property
    def is_headway_in_doubt(self) -> Bools:
        """Mask of the segments whose sea may be heavier than the engine can overcome.

        Its limits slow the ship to the least headway there.
        """
        least = self.through_water_kn <= LEAST_HEADWAY_KN
        return np.asarray(least & (self.through_water_kn < self.capped_kn))

    @property
    def left_h(self) -> Floats:
        """Hours since departure at the start of each segment, after any wait, shape (n,)."""
        return np.asarray(self.hours[:-1] + self.waited_h)

    def time_at(self, point: int) -> datetime:
        """Return the time at which the ship reaches a point of the track, to the second."""
        return add_hours(self.departs_at, self.hours[point])

    @property
    def times(self) -> list[datetime]:
        """Times at which the ship reaches the n + 1 points of the track, to the second."""
        return add_each_hours(self.departs_at, self.hours)

    @property
    def middle_times_h(self) -> Floats:
        """Times in the middle of the segments [h since 1970-01-01T00Z], shape (n,)."""
        return hours_since_epoch(self.departs_at) + 0.5 * (self.left_h + self.hours[1:])

    def weather_at_points(self, weather: WeatherField) -> WeatherSamples:
        """Sample the weather at the n + 1 points at the times when the ship reaches them."""
        times_h = hours_since_epoch(self.departs_at) + self.hours
        track = self.track
        return weather.sample(track.lats, track.lngs, times_h, track.points_inland)

    def weather_at_middles(
        self, weather: WeatherField, deviations: WeatherDeviations | None = None
    ) -> WeatherSamples:
        """Sample the weather in the middle of each segment at the time when the ship is there.

        ``deviations`` change the weather of each segment, if given.
        """
        times_h, track = self.middle_times_h, self.track
        where = track.middle_lats, track.middle_lngs, times_h, track.is_inland
        if deviations is None:
            return weather.sample(*where)
        return deviations.apply(weather.sample(*where, deviations.displacements_deg))

    def wait_times_h(self, point: int) -> Floats:
        """Return times during the wait at a point, both ends included, at most half an hour apart.

        They are hours since departure.
        """
        waited_h = float(self.waited_h[point])
        steps = 1 + int(waited_h / _WAIT_SAMPLE_H)
        return np.asarray(self.hours[point] + np.linspace(0.0, waited_h, 1 + steps))

    def weather_at_wait(self, weather: WeatherField, point: int) -> WeatherSamples:
        """Sample the weather at a point during the wait there, at most half an hour apart."""
        times_h = hours_since_epoch(self.departs_at) + self.wait_times_h(point)
        track = self.track
        return weather.sample(
            track.lats[point], track.lngs[point], times_h, track.points_inland[point]
        )


_OrderedT = TypeVar("_OrderedT", float, Floats)


class Simulator(Protocol):
    """Function that simulates a given track, as :func:`simulate_track` does."""

    def __call__(
        self,
        ordered_kn: float | Floats,
        *,
        not_before_h: Floats | None = None,
        kept_rpm: Floats | None = None,
    ) -> Simulation:
        """Simulate at one ordered speed [kn], or one for each segment, or at kept revolutions."""


def simulate_track(
    track: Track,
    ordered_kn: float | Floats,
    *,
    ship: Ship,
    departs_at: datetime,
    weather: WeatherField | None = None,
    depth_m: Floats | None = None,
    not_before_h: Floats | None = None,
    kept_rpm: Floats | None = None,
    deviations: WeatherDeviations | None = None,
) -> Simulation:
    """Simulate a track at one ordered speed through the water [kn], or one for each segment.

    The ship is slower where a passage prescribes it, where power or shaft speed is at its limit,
    and where the master reduces speed in heavy weather. Power never exceeds the engine's, nor does
    shaft speed. Without ``weather`` there are no waves, no wind and no current. ``depth_m``, shape
    (n,), is the depth of each segment; NaN, unknown, counts as deep. The ship does not start a
    segment before ``not_before_h``, shape (n,), in hours since 1970. ``kept_rpm``, shape (n,), are
    shaft speeds that the ship keeps outside ice [1/min]: it is faster or slower than ordered where
    the sea differs from the one for which they were ordered. ``deviations`` change the weather on
    each segment. Raise :class:`LimitsTooTight` if the ship cannot make headway against a
    current.
    """
    columns = np.empty((track.distance_nm.size, 8))
    stopped_at = _simulate_segments(
        ship.kernel_parameters,
        None if weather is None else weather.kernel_arrays,
        hours_since_epoch(departs_at),
        (track.middle_lats, track.middle_lngs, track.course_deg, track.distance_nm),
        track.is_inland,
        np.minimum(ordered_kn, track.speed_cap_kn),
        track.speed_cap_kn,
        _NO_NUMBERS if kept_rpm is None else np.where(track.in_ice, np.nan, kept_rpm),
        track.wait_h,
        np.full(track.wait_h.shape, -np.inf) if not_before_h is None else not_before_h,
        _fill_unknown_depth(track, depth_m),
        (WeatherDeviations.none(track.wait_h.size) if deviations is None else deviations).rows,
        columns,
    )
    if stopped_at >= 0:
        raise _explain_stop(track, ordered_kn, stopped_at)
    _apply_ice_power(ship, track, columns)
    return Simulation(
        track=track,
        departs_at=departs_at,
        ordered_kn=ordered_kn,
        hours=np.concatenate([[0.0], np.cumsum(columns[:, _HOURS])]),
        waited_h=columns[:, _WAITED_H],
        through_water_kn=columns[:, _THROUGH_WATER_KN],
        over_ground_kn=columns[:, _OVER_GROUND_KN],
        power_kw=columns[:, _POWER_KW],
        rpm=columns[:, _RPM],
        fuel_t=columns[:, _FUEL_T],
        is_slowed_for_motions=columns[:, _BY_MOTIONS] > 0.0,
    )


def simulate_if_headway(
    simulate: Callable[[_OrderedT], Simulation], ordered_kn: _OrderedT
) -> Simulation | None:
    """Simulate a track at ordered speeds [kn]; ``None`` if a current stops the ship."""
    try:
        return simulate(ordered_kn)
    except LimitsTooTight:
        return None


def _explain_stop(track: Track, ordered_kn: float | Floats, segment: int) -> LimitsTooTight:
    """Return the error for a ship that a current stops on a segment."""
    lat, lng = float(track.middle_lats[segment]), float(track.middle_lngs[segment])
    at_most_kn = np.minimum(ordered_kn, track.speed_cap_kn)[segment]
    return LimitsTooTight(
        f"At {at_most_kn:.1f} kn the ship cannot make headway against the current at "
        f"{format_position(lat, lng)}. "
        "Allow a higher speed or leave at another time.",
        limit="speedRangeMax",
        lat=lat,
        lng=lng,
    )


def _apply_ice_power(ship: Ship, track: Track, columns: Floats) -> None:
    """Raise power, shaft speed and fuel rate in ice to those at service speed in open water.

    They are at most the engine's. This is an allowance: the resistance of ice is not modelled.
    """
    in_ice = track.in_ice
    if not in_ice.any():
        return
    service_kn, calm_sea = ship.particulars.service_speed_kn, find_calm_sea(math.inf)
    power_kw, rpm, fuel_t_per_h = fuel_rate_within_limits(
        ship.kernel_parameters, service_kn, calm_sea
    )
    fuel_t = fuel_t_per_h * (columns[:, _HOURS] - columns[:, _WAITED_H])
    columns[in_ice, _FUEL_T] = np.maximum(columns[in_ice, _FUEL_T], fuel_t[in_ice])
    columns[in_ice, _POWER_KW] = np.maximum(columns[in_ice, _POWER_KW], power_kw)
    columns[in_ice, _RPM] = np.maximum(columns[in_ice, _RPM], rpm)


def _fill_unknown_depth(track: Track, depth_m: Floats | None) -> Floats:
    if depth_m is None:
        return np.full(track.distance_nm.shape, np.inf)
    return np.where(np.isnan(depth_m), np.inf, depth_m)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _simulate_segments(
    ship: KernelParameters,
    weather: WeatherArrays | None,
    departs_h: float,
    segments: tuple[Floats, Floats, Floats, Floats],
    is_inland: Bools,
    ordered_kn: Floats,
    speed_cap_kn: Floats,
    kept_rpm: Floats,
    wait_h: Floats,
    not_before_h: Floats,
    depth_m: Floats,
    deviations: Floats,
    out: Floats,
) -> int:
    """Simulate segment by segment, each in the weather at the time when the ship is there.

    ``segments`` are latitude, longitude, course and distance, shape (n,), ``is_inland`` is whether
    they lie on inland waters; ``kept_rpm`` is empty if no revolutions are kept, NaN where not;
    ``deviations`` are the rows of :class:`~app.engine.weather.WeatherDeviations`. Fills ``out``,
    shape (n, 8), and returns the first segment on which the ship makes no headway, -1 if there is
    none.
    """
    time_h = departs_h
    lats, lngs, courses_deg, distances_nm = segments
    for k in range(out.shape[0]):
        distance_nm, course_rad = distances_nm[k], math.radians(courses_deg[k])
        course = math.sin(course_rad), math.cos(course_rad)
        waited_h = max(wait_h[k], not_before_h[k] - time_h)
        leaves_h = time_h + waited_h
        order_kn = ordered_kn[k]
        middle_h = leaves_h + 0.5 * distance_nm / order_kn
        sea, current_kn = find_calm_sea(depth_m[k]), (0.0, 0.0)
        if weather is not None:
            place = lats[k], lngs[k], is_inland[k]
            sea, current_kn = _sample_sea(
                weather, place, middle_h, depth_m[k], course, deviations[:, k]
            )
        if kept_rpm.size > 0 and not math.isnan(kept_rpm[k]):
            order_kn = min(speed_at_rpm_kn(ship, kept_rpm[k], order_kn, sea), speed_cap_kn[k])
        safe_kn = voluntary_speed_kn(ship, sea.wave_height_m, sea.wave_period_s, sea.off_bow_deg)
        speed_kn = min(order_kn, safe_kn)
        power_kw, rpm, fuel_t_per_h = fuel_rate(ship, speed_kn, sea)
        if not is_within_engine_limits(ship, power_kw, rpm):
            speed_kn = attainable_speed_kn(ship, speed_kn, sea)
            power_kw, rpm, fuel_t_per_h = fuel_rate_within_limits(ship, speed_kn, sea)
        over_ground_kn = speed_over_ground_kn(speed_kn, course, current_kn)
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
        out[k, _BY_MOTIONS] = 1.0 if speed_kn == safe_kn < order_kn else 0.0
        time_h = leaves_h + under_way_h
    return -1


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _sample_sea(
    weather: WeatherArrays,
    place: tuple[float, float, bool],
    time_h: float,
    depth_m: float,
    course: tuple[float, float],
    deviation: Floats,
) -> tuple[RelativeSea, tuple[float, float]]:
    """Return the sea that a ship is expected to meet on a course, and the current [kn].

    ``place`` is latitude, longitude and whether it lies on inland waters. ``course`` and the
    current are components to east and north. ``deviation``, shape (5,), is a column of
    :class:`~app.engine.weather.WeatherDeviations`. Unknown waves and currents are none.
    """
    wave_factor, wind_factor, turned_deg, north_deg, east_deg = deviation
    lat, lng, is_inland = place
    displacement_deg = north_deg, east_deg
    here = sample_displaced_weather(weather, lat, lng, time_h, is_inland, displacement_deg)
    if turned_deg != 0.0:
        # to turn waves and wind is to turn the ship back
        course = _turn_back(course, turned_deg)
    sea = find_expected_sea(
        course,
        zero_if_unknown(here.wave_height_m) * wave_factor,
        zero_if_unknown(here.wave_period_s) * math.sqrt(wave_factor),
        (here.wave_from_east, here.wave_from_north),
        (here.wind_u_ms * wind_factor, here.wind_v_ms * wind_factor),
        depth_m,
    )
    u_ms, v_ms = zero_if_unknown(here.current_u_ms), zero_if_unknown(here.current_v_ms)
    return sea, (u_ms / KNOT_MS, v_ms / KNOT_MS)


@njit_borrowing(cache=True, error_model="numpy")
def _turn_back(course: tuple[float, float], turned_deg: float) -> tuple[float, float]:
    """Return a course turned to port, both as components to east and north."""
    (east, north), turned = course, math.radians(turned_deg)
    sine, cosine = math.sin(turned), math.cos(turned)
    return east * cosine - north * sine, north * cosine + east * sine
