"""Plausibility checks of noon reports: contradicting values and repeated times."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.records.noon_report import FIELDS, GRADES

Values = Mapping[str, Floats]

#: Ratio of a speed in km/h to the same in knots, and how far off it may be read.
_KM_PER_NM: Final = 1.852
_M_S_PER_KN: Final = 1852.0 / 3600.0
_NEAR: Final = 0.07
#: A mean speed over ground is distance over hours; officers round both [kn; share].
_SPEED_OFF_KN, _SPEED_OFF = 1.5, 0.12
#: A log and the ground differ by the current; beyond this it is another unit or a slip [kn].
_CURRENT_KN: Final = 5.0
#: Shortest time under way for which values are compared [h].
_LEAST_H: Final = 4.0
#: Largest ratio of a speed to the service speed; a speed in km/h exceeds it.
_OVER_SERVICE: Final = 1.45
#: A mean draught that is not that of fore and aft has another meaning [m].
_DRAFT_OFF_M: Final = 1.0
#: Grades that do not add up to the fuel [share; mt].
_FUEL_OFF, _FUEL_OFF_T = 0.05, 0.5


class Finding(NamedTuple):
    """A fault of the report at an index, from 0; ``field`` is the value to correct."""

    at: int
    field: str
    detail: str


def find_faults(
    seconds: Floats,
    values: Values,
    report_types: Sequence[str],
    rows: Sequence[int],
    service_speed_kn: float | None = None,
    *,
    row_word: str = "row",
) -> Iterator[Finding]:
    """Find contradictions within reports and repeated times, by index.

    ``values`` may lack fields, which are unknown then. Details name other reports by ``row_word``
    and number.
    """
    unknown = np.full(seconds.size, np.nan)
    values = {field.name: values.get(field.name, unknown) for field in FIELDS}
    yield from _find_repeats(seconds, rows, row_word)
    yield from _find_gaps(values, report_types)
    yield from _find_wrong_speeds(values, service_speed_kn)
    yield from _find_wrong_drafts(values)
    yield from _find_wrong_sums(values)


def _find_repeats(seconds: Floats, rows: Sequence[int], row_word: str) -> Iterator[Finding]:
    first: dict[float, int] = {}
    for index, second in enumerate(seconds.tolist()):
        if second != second:
            continue
        if second in first:
            other = f"{row_word} {rows[first[second]]}"
            detail = f"is the time of {other} again; each report has its own"
            yield Finding(index, "timestamp", detail)
        else:
            first[second] = index


def _find_gaps(values: Values, report_types: Sequence[str]) -> Iterator[Finding]:
    """Find reports at sea that lack fuel or speed."""
    at_sea = np.array([kind in ("NOON", "ARRIVAL") for kind in report_types], dtype=bool)
    at_sea &= ~(values["steamingHours"] == 0.0)
    fuels, speeds = ("fuel", *GRADES), ("speedThroughWater", "speedOverGround", "distance")
    needed = {"fuel": (fuels, "fuel"), "speedOverGround": (speeds, "speed and no distance")}
    for field, (choices, words) in needed.items():
        known = np.zeros(len(report_types), dtype=bool)
        for choice in choices:
            known |= np.isfinite(values[choice])
        for index in np.flatnonzero(at_sea & ~known):
            yield Finding(int(index), field, f"is blank: a report at sea that has no {words}")


def _find_wrong_speeds(values: Values, service_speed_kn: float | None) -> Iterator[Finding]:
    distance, hours = values["distance"], values["steamingHours"]
    with np.errstate(divide="ignore", invalid="ignore"):
        made = np.where((hours >= _LEAST_H) & (distance > 0.0), distance / hours, np.nan)
    for field in ("speedOverGround", "speedThroughWater"):
        speed = values[field]
        allowed = np.maximum(_SPEED_OFF_KN, _SPEED_OFF * made)
        if field == "speedThroughWater":
            allowed = np.maximum(_CURRENT_KN, allowed)
        for index in np.flatnonzero(np.abs(speed - made) > allowed):
            ran = f"{distance[index]:g} nm in {hours[index]:g} h"
            detail = _describe_ratio(speed[index], made[index], ran)
            yield Finding(int(index), field, detail)
        if service_speed_kn is None:
            continue
        is_fast = np.isnan(made) & (speed > _OVER_SERVICE * service_speed_kn)
        for index in np.flatnonzero(is_fast):
            yield Finding(int(index), field, _describe_fast(speed[index], service_speed_kn))


def _describe_ratio(speed: float, made: float, ran: str) -> str:
    """Describe why a speed is implausible, with the unit that would explain it.

    A form has no choice of units, so that the value in knots is the first advice.
    """
    fits = f"{ran} make {made:.1f} kn"
    if _is_near(speed, _KM_PER_NM * made):
        return f"looks like km/h given as knots: {fits}; give {made:.1f}, or the column's unit"
    if _is_near(_KM_PER_NM * speed, made):
        return f"looks like m/s, or the distance like km: {fits}; correct one of the three"
    if _is_near(speed, _M_S_PER_KN * made):
        return f"looks like m/s given as knots: {fits}; give {made:.1f}, or the column's unit"
    return f"does not fit distance and steaming hours: {fits}; correct one of the three"


def _is_near(value: float, other: float) -> bool:
    """Return whether two values differ by a small share; the other may be 0."""
    return abs(value - other) < _NEAR * other


def _describe_fast(speed: float, service_speed_kn: float) -> str:
    share = speed / service_speed_kn
    if share < _KM_PER_NM * 1.2:
        return (
            f"looks like km/h given as knots: the ship's service speed is {service_speed_kn:g} kn;"
            f" {speed:g} km/h are {speed / _KM_PER_NM:.1f} kn"
        )
    return f"is {share:.1f} times the ship's service speed of {service_speed_kn:g} kn"


def _find_wrong_drafts(values: Values) -> Iterator[Finding]:
    fore, aft = values["draftFore"], values["draftAft"]
    mean, between = values["draftMean"], 0.5 * (fore + aft)
    for index in np.flatnonzero(np.abs(mean - between) > _DRAFT_OFF_M):
        detail = (
            f"is not between fore and aft ({fore[index]:g} m and {aft[index]:g} m make"
            f" {between[index]:.2f} m)"
        )
        yield Finding(int(index), "draftMean", detail)


def _find_wrong_sums(values: Values) -> Iterator[Finding]:
    grades = np.array([values[grade] for grade in GRADES])
    known: Bools = np.isfinite(grades).any(axis=0)
    total, fuel = np.nansum(grades, axis=0), values["fuel"]
    off = np.abs(total - fuel) > np.maximum(_FUEL_OFF_T, _FUEL_OFF * fuel)
    for index in np.flatnonzero(known & off):
        detail = f"is not the sum of its grades, {total[index]:.1f} mt"
        yield Finding(int(index), "fuel", detail)
