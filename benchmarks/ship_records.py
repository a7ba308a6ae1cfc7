"""Records of a ship from a CSV file, with substitutes for missing values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from app.datasources.noon_reports.numbers import first_known
from app.engine.arrays import Bools, Floats
from app.engine.calibration.reports import ShipReports
from app.engine.geodesy import great_circle_course_deg
from app.engine.units import KNOT_MS
from app.engine.vessel.sea_state import BEAUFORT_MS, GROWN_SEA, usual_peak_period_s
from benchmarks.record_columns import (
    RecordsRefused,
    find_columns,
    is_mass,
    read_figure,
    read_hours,
    read_lines,
    read_mass_t,
)

#: Required columns, each with its substitutes.
_NEEDED: Final = (("time",), ("stw", "sog"), ("fuel", "main_fuel"))
#: Longest time that one record covers [h].
_LONGEST_H: Final = 26.0
#: Shortest time that a noon report covers [h].
_NOON_FROM_H: Final = 12.0
#: Fuel of less time than this [h] says nothing of a rate.
_LEAST_H: Final = 1e-3
#: A log further from the speed over ground than this is broken: no current is that strong.
_LOG_REACH, _LOG_REACH_KN = 0.4, 5.0
#: Wind of ordinary service [m/s], Beaufort 5, where a file says nothing of wind or waves.
_SERVICE_WIND_MS: Final = BEAUFORT_MS * 5.0**1.5

Table = Mapping[str, Floats]


def read_ship_records(path: Path) -> ShipReports:
    """Read a ship's records, in order of time; a cell that cannot be read is NaN.

    Speed over ground stands in for speed through the water where the log is missing or broken,
    the course made good for the heading, the last draught reported for one that is missing, a
    grown sea for waves, and waves for the wind; weather whose direction off the bow is not known
    comes from abeam. Draughts that are never given are NaN.

    Raises
    ------
    RecordsRefused
        The file is not CSV text, or has no column for a figure that is needed.
    """
    lines = read_lines(path)
    columns = find_columns(lines)
    for choices in _NEEDED:
        if not any(choice in columns for choice in choices):
            names = " or ".join(choice.replace("_", " ") for choice in choices)
            raise RecordsRefused(f"{path.name} has no column for {names}; it has {lines.headers}.")
    clock = columns.pop("time_of_day", None)
    times_h = read_hours(lines, columns.pop("time"), clock)
    order = np.argsort(times_h, kind="stable")
    table = {"time": times_h[order]}
    fuel = columns.pop("main_fuel", None) or columns["fuel"]
    columns.pop("fuel", None)
    table |= {name: read_figure(lines, name, at)[order] for name, at in columns.items()}
    table["hours"] = _find_hours(table)
    table["fuel"] = (
        read_mass_t(lines, "fuel", fuel)[order] / np.maximum(table["hours"], _LEAST_H)
        if is_mass(fuel.header)
        else read_figure(lines, "fuel", fuel)[order]
    )
    return _without_repeats(_as_reports(table))


def _without_repeats(reports: ShipReports) -> ShipReports:
    """Remove reports that repeat the previous one."""
    is_new = np.column_stack([_differs_from_before(values) for values in reports]).any(axis=1)
    return reports.take(np.asarray(is_new))


def _differs_from_before(values: Floats) -> Bools:
    before = np.concatenate([[np.inf], values[:-1]])
    return np.asarray((values != before) & ~(np.isnan(values) & np.isnan(before)))


def _as_reports(table: Table) -> ShipReports:
    unknown = np.full(table["time"].size, np.nan)
    over_ground = table.get("sog", unknown)
    speed = _speed_through_water(table.get("stw", unknown), over_ground)
    course = table.get("heading", unknown)
    if "lat" in table and "lng" in table:
        course = first_known(course, _courses(table["lat"], table["lng"]))
    is_lost = ~np.isfinite(course)
    course = np.nan_to_num(course)
    draft, trim = _draft_and_trim(table)
    wind, wind_from = _true_wind(table, course, first_known(over_ground, speed))
    waves = first_known(table.get("wave_height", unknown), GROWN_SEA * wind**2)
    period = table.get("wave_period", unknown)
    period = np.where(period > 0.0, period, usual_peak_period_s(waves))
    return ShipReports(
        times_h=table["time"],
        hours=table["hours"],
        speed_kn=speed,
        course_deg=course,
        draft_m=draft,
        trim_m=trim,
        wave_height_m=waves,
        wave_period_s=period,
        # directions say nothing where the ship's own is not known
        wave_from_deg=np.where(
            is_lost, course + 90.0, first_known(table.get("wave_from", unknown), wind_from)
        ),
        wind_speed_ms=wind,
        wind_from_deg=np.where(is_lost, course + 90.0, wind_from),
        fuel_t_per_h=table["fuel"],
        power_kw=table.get("power", unknown),
        noise=unknown,
        is_noon=table["hours"] >= _NOON_FROM_H,
    )


def _speed_through_water(log_kn: Floats, over_ground_kn: Floats) -> Floats:
    """Speed by the log [kn]; that over ground where the log is silent or broken."""
    apart_kn = np.abs(log_kn - over_ground_kn)
    is_broken = apart_kn > np.minimum(_LOG_REACH * over_ground_kn, _LOG_REACH_KN)
    return first_known(np.where(is_broken, np.nan, log_kn), over_ground_kn)


def _draft_and_trim(table: Table) -> tuple[Floats, Floats]:
    """Mean draught [m] and trim [m], each as last reported; on an even keel where none was."""
    unknown = np.full(table["time"].size, np.nan)
    fore, aft = table.get("draft_fore", unknown), table.get("draft_aft", unknown)
    mean = first_known(0.5 * (fore + aft), table.get("draft_mean", unknown), fore, aft)
    return _hold_last(mean), np.nan_to_num(_hold_last(aft - fore))


def _hold_last(values: Floats) -> Floats:
    """Each unknown value as the last one known before it, the first ones as the first known."""
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return values
    at = np.searchsorted(known, np.arange(values.size), side="right") - 1
    return np.asarray(values[known[np.maximum(at, 0)]])


def _true_wind(table: Table, course: Floats, ground_kn: Floats) -> tuple[Floats, Floats]:
    """True wind [m/s] and its direction [deg]; abeam where no direction is given."""
    unknown = np.full(course.size, np.nan)
    relative_from = table.get("wind_from_relative", unknown)
    angle = np.radians(np.where(np.isfinite(relative_from), relative_from, 90.0))
    apparent = table.get("wind_speed_relative", unknown)
    ahead, abeam = apparent * np.cos(angle) - ground_kn * KNOT_MS, apparent * np.sin(angle)
    reckoned_from = course + np.degrees(np.arctan2(abeam, ahead))
    own = first_known(
        table.get("wind_speed", unknown),
        BEAUFORT_MS * np.maximum(table.get("beaufort", unknown), 0.0) ** 1.5,
    )
    height = np.maximum(table.get("wave_height", unknown), 0.0)
    wind = first_known(own, np.hypot(ahead, abeam), np.sqrt(height / GROWN_SEA))
    if not np.isfinite(wind).any():
        wind = np.full(course.size, _SERVICE_WIND_MS)
    wind_from = first_known(
        table.get("wind_from", unknown),
        np.where(np.isfinite(own), course + relative_from, reckoned_from),
        table.get("wave_from", unknown),
        course + 90.0,
    )
    return wind, wind_from % 360.0


def _courses(lats: Floats, lngs: Floats) -> Floats:
    """Course made good [deg] from each position to the next; the last holds the one before."""
    if lats.size < 2:
        return np.zeros(lats.size)
    courses = great_circle_course_deg(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    return np.append(courses, courses[-1])


def _find_hours(table: Table) -> Floats:
    """Hours that each record covers: as reported, else since the previous record."""
    times_h = table["time"]
    stated = table.get("hours", np.full(times_h.size, np.nan))
    gaps = np.diff(times_h)
    gaps = gaps[gaps > 0.0]
    usual = min(float(np.median(gaps)), _LONGEST_H) if gaps.size else 24.0
    since = np.diff(times_h, prepend=np.nan)
    near = (since > 0.0) & (since <= min(1.5 * usual, _LONGEST_H))
    is_stated = (stated >= 0.0) & (stated <= _LONGEST_H)
    return np.where(is_stated, stated, np.where(near, since, usual))
