"""Which reports are of steady sailing, and which are left out, each with its reason.

The idea of ISO 19030-2:2016, clause 6: only records of a steady state say something of the hull.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.calibration.reports import Flags, Floats, ShipReports
from app.engine.particulars import ShipParticulars

#: Noon reports cover a day; a report of this length or more must be mostly under way [h].
_NOON_FROM_H, _STEAMING_H = 12.0, 20.0
#: Speed over the service speed of steady sailing.
_SLOW, _FAST = 0.45, 1.25
#: Draught over the design draught, and trim over the length, that a ship can have.
_LIGHT, _DEEP, _TRIMMED = 0.25, 1.25, 0.03
#: Greatest speed change of a record shorter than a noon report about its neighbours' median.
_UNSTEADY, _NEIGHBOURS, _STEADY_H = 0.10, 5, 6.0
#: Greatest significant wave height and wind that are not a sensor's fault [m], [m/s].
_WAVE_MAX_M, _WIND_MAX_MS = 20.0, 60.0
#: A sensor that repeats one value so often, and so long [h], with less than this chance, is dead.
_FROZEN_RECORDS, _FROZEN_H, _FROZEN_CHANCE, _FROZEN_SHARE = 6, 1.0, 1e-3, 0.3
#: Fuel per power is no further from the engine's [logarithm]; fits believe 0.25.
_SFOC_REACH: Final = 0.35
#: A logarithm this near to that of a unit's factor means the unit; the ship's own share is less.
_UNIT_REACH: Final = 0.40
#: A ship's own fuel lies no further from the expected one [logarithm].
_OWN_LEVEL: Final = 0.7

#: Fuel given in another unit, over its value in t/h.
FUEL_UNITS: Final = {
    "lb/h": 2204.6,
    "kg/h": 1000.0,
    "kg/day": 24_000.0,
    "t/day": 24.0,
    "kg/min": 1000.0 / 60.0,
}
#: Speed given in another unit, over its value in kn.
SPEED_UNITS: Final = {"km/h": 1.852}
#: A short ton [t], and how near to its factor a run of reports must lie.
_SHORT_TON_T, _SHORT_TON_REACH, _SHORT_TON_RUN = 0.907185, 0.03, 8


@dataclass(frozen=True, slots=True)
class Outlier:
    """A report left out: its index, and why."""

    index: int
    reason: str


def find_implausible(particulars: ShipParticulars, reports: ShipReports) -> dict[int, str]:
    """Reports that say nothing of steady sailing, by index, with the reason."""
    found: dict[int, str] = {}
    for reason, broken in _list_checks(particulars, reports):
        for index in np.flatnonzero(broken).tolist():
            found.setdefault(index, reason)
    return found


def _list_checks(given: ShipParticulars, reports: ShipReports) -> Iterator[tuple[str, Flags]]:
    values = np.column_stack([v for n, v in reports._asdict().items() if n not in _MAY_LACK])
    yield "a figure is missing", ~np.isfinite(values).all(axis=1)
    yield "fuel is not above 0", ~(reports.fuel_t_per_h > 0.0)
    share = reports.speed_kn / given.service_speed_kn
    in_knots = share / SPEED_UNITS["km/h"]
    is_kmh = (share > _FAST) & (in_knots > _SLOW) & (in_knots < _FAST)
    yield "speed looks like km/h, not kn", is_kmh
    yield "speed is above what the ship reaches", share > _FAST
    yield "the ship was not under way at sea speed", (share < _SLOW) | (reports.hours <= 0.0)
    is_noon = reports.hours >= _NOON_FROM_H
    yield f"fewer than {_STEAMING_H:g} h under way", is_noon & (reports.hours < _STEAMING_H)
    draft = reports.draft_m / given.draft_design_m
    yield "draught is not one of this ship", (draft < _LIGHT) | (draft > _DEEP)
    yield "trim is more than a ship has", np.abs(reports.trim_m) > _TRIMMED * given.lbp_m
    waves, wind = reports.wave_height_m, reports.wind_speed_ms
    yield (
        "weather is beyond what occurs",
        (waves > _WAVE_MAX_M) | (wind > _WIND_MAX_MS) | (waves < 0.0) | (wind < 0.0),
    )
    yield "speed was changing", ~is_noon & _is_unsteady(reports)
    yield "the log stands still", ~is_noon & _is_frozen(reports.speed_kn, reports.hours)
    yield "the fuel meter stands still", ~is_noon & _is_frozen(reports.fuel_t_per_h, reports.hours)


_MAY_LACK: Final = ("power_kw", "noise")


def _is_unsteady(reports: ShipReports) -> Flags:
    """Mask of records whose speed differs much from the median of those around them."""
    size = reports.times_h.size
    if size < 2 * _NEIGHBOURS + 1:
        return np.zeros(size, dtype=np.bool_)
    padded = np.pad(reports.speed_kn, _NEIGHBOURS, mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
    middle = np.median(around, axis=1)
    # neighbours hours away belong to another state of the voyage
    is_dense = np.gradient(reports.times_h) * _NEIGHBOURS <= _STEADY_H
    apart_kn = np.abs(reports.speed_kn - middle)
    return np.asarray(is_dense & (apart_kn > _UNSTEADY * middle))


def _is_frozen(values: Floats, hours: Floats) -> Flags:
    """Mask of runs of one value that are too long to be chance in readings of this resolution.

    Readings repeat with the share of runs that have more than one: runs as long as these would
    come once in ``1 / _FROZEN_CHANCE`` such series.
    """
    starts = np.flatnonzero(values != np.concatenate([[np.nan], values[:-1]]))
    lengths = np.diff(starts, append=values.size)
    repeated = float(np.mean(lengths > 1)) if lengths.size else 1.0
    if not 0.0 < repeated < 1.0:
        return np.zeros(values.size, dtype=np.bool_)
    chance = starts.size * repeated ** (lengths - 1.0)
    durations_h = np.add.reduceat(hours, starts)
    is_long = (lengths >= _FROZEN_RECORDS) & (durations_h >= _FROZEN_H)
    frozen = np.repeat(is_long & (chance < _FROZEN_CHANCE), lengths)
    # where most of a series repeats, that is how it was kept and no fault
    return frozen if frozen.mean() < _FROZEN_SHARE else np.zeros_like(frozen)


def ignore_false_power(reports: ShipReports, log_sfoc_ratio: Floats) -> ShipReports:
    """The reports without shaft powers that cannot be those of their fuel.

    ``log_sfoc_ratio`` is the logarithm of fuel over what the engine burns for the logged power,
    shape (n,). Such a torque meter, or such a unit, says nothing of the hull.
    """
    is_false = ~(np.abs(log_sfoc_ratio) <= _SFOC_REACH)
    return reports._replace(power_kw=np.where(is_false, np.nan, reports.power_kw))


def name_fuel_units(log_ratio: Floats) -> dict[int, str]:
    """Reports whose fuel over the expected one [logarithm] is that of another unit, by index.

    Judged about the ship's own level where that is not itself another unit's.
    """
    names = list(FUEL_UNITS)
    factors = np.log(np.array(list(FUEL_UNITS.values())))
    level = float(np.median(log_ratio))
    log_ratio = log_ratio - (level if abs(level) < _OWN_LEVEL else 0.0)
    apart = np.abs(log_ratio[:, None] - factors)
    nearest = np.argmin(apart, axis=1)
    is_unit = apart[np.arange(log_ratio.size), nearest] < _UNIT_REACH
    is_unit &= np.abs(log_ratio) > apart[np.arange(log_ratio.size), nearest]
    return {i: names[nearest[i]] for i in np.flatnonzero(is_unit).tolist()}


def find_common_unit(log_ratio: Floats) -> str | None:
    """The unit in which most of the fuel is given where that is not t/h [logarithms]."""
    units = list(name_fuel_units(log_ratio).values())
    most = max(units, key=units.count, default=None)
    return most if most is not None and 2 * units.count(most) > log_ratio.size else None


def find_short_tons(residual: Floats) -> list[int]:
    """Reports of runs that lie a short ton's factor above all others [residuals, logarithms].

    A hull does not change from one day to the next, and back, by just that factor.
    """
    step = -math.log(_SHORT_TON_T)
    size = residual.size
    if size < 3 * _SHORT_TON_RUN:
        return []
    window = np.lib.stride_tricks.sliding_window_view(residual, _SHORT_TON_RUN)
    medians = np.median(window, axis=1)
    base = float(np.median(residual))
    raised = np.zeros(size, dtype=np.bool_)
    for start in np.flatnonzero(np.abs(medians - base - step) < _SHORT_TON_REACH).tolist():
        raised[start : start + _SHORT_TON_RUN] |= (
            residual[start : start + _SHORT_TON_RUN] - base > 0.5 * step
        )
    if not 0 < raised.sum() < 0.4 * size:
        return []
    return _edges_jump(residual, raised, base, step)


def _edges_jump(residual: Floats, raised: Flags, base: float, step: float) -> list[int]:
    """The raised reports of runs that begin or end with a jump, not with a slow rise."""
    out: list[int] = []
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], raised, [False]]).astype(int)))
    for start, end in bounds.reshape(-1, 2).tolist():
        if end - start < _SHORT_TON_RUN:
            continue
        outside = [
            residual[max(start - _SHORT_TON_RUN, 0) : start],
            residual[end : end + _SHORT_TON_RUN],
        ]
        levels = [float(np.median(side)) for side in outside if side.size]
        if levels and all(level - base < 0.35 * step for level in levels):
            out += list(range(start, end))
    return out
