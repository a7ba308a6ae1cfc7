"""Noon reports of a vessel for calibration, with the weather along each leg.

Weather comes from the store's runs; where no run covers a report, from the report itself; else
from the climatology. Each record has the origin.
"""

from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.datasources.noon_reports.numbers import first_known
from app.engine.arrays import Bools, Floats, Ints
from app.engine.calibration.reports import ShipReports
from app.engine.constants import HOURS_PER_DAY
from app.engine.geodesy import great_circle_course_deg, interpolate_great_circle
from app.engine.telemetry.reports import LONGEST_PERIOD_H, find_periods_h
from app.engine.times import hours_since_epoch
from app.engine.vessel.sea_state import BEAUFORT_MS, GROWN_SEA, usual_peak_period_s
from app.engine.weather.field import WeatherSamples
from app.models import Vessel
from app.records.noon_report import FIELDS
from app.services.sea.sea_scales import douglas_height_m
from app.services.vessels import noon_reports
from app.services.weather.past_weather import sample_past


class WeatherOrigin(IntEnum):
    """Origin of a report's weather, from the most to the least certain."""

    STORE = 0
    REPORT = 1
    CLIMATOLOGY = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """Reports for a calibration, and the less certain origin of each one's wind and waves."""

    reports: ShipReports
    origins: NDArray[np.int64]

    def take(self, index: Ints) -> Self:
        """Return some of the reports."""
        return type(self)(self.reports.take(index), self.origins[index])


#: Points along its leg at which a report's weather is sampled, as shares of its time.
_ALONG: Final = np.array([0.125, 0.375, 0.625, 0.875])


class _Weather(NamedTuple):
    """Wind [m/s, deg] and waves [m, s, deg] of n reports; NaN is unknown."""

    wind_speed_ms: Floats
    wind_from_deg: Floats
    wave_height_m: Floats
    wave_period_s: Floats
    wave_from_deg: Floats


def gather(session: Session, vessel: Vessel) -> Evidence:
    """Gather all noon reports of a vessel for calibration, in order of time."""
    rows = noon_reports.list_all(session, vessel)
    table = {
        field.name: np.array(
            [np.nan if (value := read(row)) is None else value for row in rows], dtype=np.float64
        )
        for field in FIELDS
        for read in (attrgetter(field.column),)
    }
    times_h = np.array([hours_since_epoch(row.timestamp) for row in rows])
    steaming_h = table["steamingHours"]
    periods_h = find_periods_h(times_h, steaming_h)
    hours = first_known(steaming_h, periods_h)
    legs = _Legs(times_h, hours, table["latitude"], table["longitude"])
    course = first_known(table["heading"], legs.courses_deg)
    own = _read_own(table, course)
    found, stored = _sample_store(session, legs, own)
    return Evidence(
        _as_reports(table, times_h, hours, course, found, is_noon=_are_of_noons(periods_h)),
        np.maximum(
            find_origins(stored[0], np.isfinite(own.wind_speed_ms)),
            find_origins(stored[1], np.isfinite(own.wave_height_m)),
        ),
    )


def _are_of_noons(periods_h: Floats) -> bool:
    """Return whether most reports are of half a day or more: some ships report every few hours."""
    return bool(np.count_nonzero(periods_h >= HOURS_PER_DAY / 2.0) >= periods_h.size / 2.0)


class _Legs:
    """Positions of the ship in the hours that each report covers."""

    def __init__(self, times_h: Floats, hours: Floats, lats: Floats, lngs: Floats) -> None:
        gaps = np.diff(times_h, prepend=np.nan)
        before = np.roll(np.arange(times_h.size), 1)
        follows = (gaps > 0.0) & (gaps <= LONGEST_PERIOD_H) & np.isfinite(lats[before])
        start = np.where(follows, before, np.arange(times_h.size)).astype(np.int64)
        back_h = np.where(follows, gaps, np.maximum(hours, 0.0))
        shares = np.broadcast_to(_ALONG, (times_h.size, _ALONG.size))
        lat, lng = interpolate_great_circle(
            lats[start, None], lngs[start, None], lats[:, None], lngs[:, None], shares
        )
        self.lats, self.lngs = np.asarray(lat), np.asarray(lng)
        self.times_h = times_h[:, None] - back_h[:, None] * (1.0 - shares)
        courses = great_circle_course_deg(lats[start], lngs[start], lats, lngs)
        self.courses_deg = np.where(follows, courses, np.nan)

    def is_known(self) -> Bools:
        """Mask of reports whose positions are known."""
        return np.asarray(np.isfinite(self.lats).all(axis=1))


def _read_own(table: dict[str, Floats], course: Floats) -> _Weather:
    """Reported weather; the sea is fully developed where wind, but no sea is reported.

    A swell adds to that sea, not to a significant wave height, which includes it.
    """
    force = BEAUFORT_MS * table["windBeaufort"] ** 1.5
    wind = first_known(table["windSpeed"], force)
    wind_from = first_known(table["windFrom"], (course + table["windFromRelative"]) % 360.0)
    wind = np.where(np.isfinite(wind_from), wind, np.nan)
    sea = first_known(douglas_height_m(table["seaState"]), GROWN_SEA * wind**2)
    swell = np.where(table["swellHeight"] > 0.0, table["swellHeight"], np.nan)
    both = np.where(np.isfinite(swell), np.hypot(np.nan_to_num(sea), swell), sea)
    height = first_known(table["waveHeight"], both)
    is_swell = np.nan_to_num(swell) > np.nan_to_num(sea)
    higher_from = np.where(is_swell, table["swellFrom"], wind_from)
    from_deg = first_known(table["waveFrom"], higher_from, table["swellFrom"], wind_from)
    height = np.where(np.isfinite(from_deg), height, np.nan)
    period = usual_peak_period_s(height)
    return _Weather(wind, wind_from, height, period, from_deg)


def _sample_store(
    session: Session, legs: _Legs, own: _Weather
) -> tuple[_Weather, tuple[Bools, Bools]]:
    """Weather of each report, and masks of reports whose wind and waves come from the store."""
    size, known = legs.times_h.shape[0], legs.is_known()
    stored = (np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_))
    found = _Weather(*(values.copy() for values in own))
    sampled = sample_past(session, legs.lats[known], legs.lngs[known], legs.times_h[known])
    if sampled is None:
        return found, stored
    for mask, weight in zip(stored, (sampled.wind_weight, sampled.wave_weight), strict=True):
        mask[known] = (weight >= 1.0).all(axis=1)
    lacking = (~np.isfinite(own.wind_speed_ms), ~np.isfinite(own.wave_height_m))
    wanted = (known & (stored[0] | lacking[0]), known & (stored[1] | lacking[1]))
    _fill(found, sampled, known, wanted)
    return found, stored


def _fill(
    found: _Weather, sampled: WeatherSamples, chosen: Bools, wanted: tuple[Bools, Bools]
) -> None:
    """Fill the mean of samples into the reports whose wind or waves are wanted.

    Wind is the mean vector's direction at the mean speed; resistance goes with the square of
    wave height, whose mean is therefore quadratic.
    """
    wind, waves = (mask[chosen] for mask in wanted)
    found.wind_speed_ms[wanted[0]] = sampled.wind_speed_ms.mean(axis=1)[wind]
    mean_from = _mean_direction(sampled.wind_from_deg, sampled.wind_speed_ms)
    found.wind_from_deg[wanted[0]] = mean_from[wind]
    height = np.sqrt((sampled.wave_height_m**2).mean(axis=1))
    found.wave_height_m[wanted[1]] = height[waves]
    found.wave_period_s[wanted[1]] = sampled.wave_period_s.mean(axis=1)[waves]
    mean_from = _mean_direction(sampled.wave_from_deg, sampled.wave_height_m**2)
    found.wave_from_deg[wanted[1]] = mean_from[waves]


def _mean_direction(directions_deg: Floats, weights: Floats) -> Floats:
    angles = np.radians(directions_deg)
    east = (weights * np.sin(angles)).sum(axis=1)
    north = (weights * np.cos(angles)).sum(axis=1)
    return np.asarray(np.degrees(np.arctan2(east, north)) % 360.0)


def find_origins(is_stored: Bools, is_reported: Bools) -> NDArray[np.int64]:
    """Origin of each report's weather: the store where it has it, else the report itself."""
    otherwise = np.where(is_reported, WeatherOrigin.REPORT, WeatherOrigin.CLIMATOLOGY)
    return np.where(is_stored, WeatherOrigin.STORE, otherwise)


def _as_reports(
    table: dict[str, Floats],
    times_h: Floats,
    hours: Floats,
    course: Floats,
    found: _Weather,
    *,
    is_noon: bool,
) -> ShipReports:
    with np.errstate(divide="ignore", invalid="ignore"):
        made = np.where(hours > 0.0, table["distance"] / hours, np.nan)
        fuel = np.where(hours > 0.0, table["fuel"] / hours, np.nan)
    speed = first_known(table["speedThroughWater"], table["speedOverGround"], made)
    between = 0.5 * (table["draftFore"] + table["draftAft"])
    trim = table["draftAft"] - table["draftFore"]
    trim = first_known(trim, np.nan_to_num(table["trim"]))
    return ShipReports(
        times_h=times_h,
        hours=hours,
        speed_kn=speed,
        course_deg=course % 360.0,
        draft_m=first_known(between, table["draftMean"]),
        trim_m=trim,
        wave_height_m=found.wave_height_m,
        wave_period_s=found.wave_period_s,
        wave_from_deg=found.wave_from_deg % 360.0,
        wind_speed_ms=found.wind_speed_ms,
        wind_from_deg=found.wind_from_deg % 360.0,
        fuel_t_per_h=fuel,
        power_kw=table["power"],
        noise=np.full(times_h.size, np.nan),
        is_noon=np.full(times_h.size, is_noon),
    )


def exclude_overlaps(evidence: Evidence, telemetry_h: Floats) -> Evidence:
    """Remove reports whose period has telemetry, which is more accurate."""
    reports, sorted_h = evidence.reports, np.sort(telemetry_h)
    begun = np.searchsorted(sorted_h, reports.times_h - reports.hours, side="right")
    ended = np.searchsorted(sorted_h, reports.times_h, side="right")
    return evidence.take(np.flatnonzero(begun == ended))
