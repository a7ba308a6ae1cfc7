"""Filters for reports of steady sailing; excluded reports have a reason.

After ISO 19030-2:2016, clause 6: only records of a steady state measure the hull's performance.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import ShipParticulars
from app.engine.vessel import TRIM_OF_LENGTH

#: Least time under way in a noon report [h].
_STEAMING_H: Final = 20.0
#: Range of speed over the service speed in steady sailing.
_SLOW, _FAST = 0.45, 1.25
#: Range of draught over the design draught.
_LIGHT, _DEEP = 0.25, 1.25
#: Greatest relative deviation of a speed from the median of its neighbours, their number on each
#: side, and the time within which they must lie [h]; for records shorter than noon reports.
_UNSTEADY, _NEIGHBOURS, _STEADY_H = 0.10, 5, 6.0
#: Greatest significant wave height [m] and wind [m/s] that can occur.
_WAVE_MAX_M, _WIND_MAX_MS = 20.0, 60.0
#: Frozen sensor: fewest equal readings, shortest time [h], greatest chance of such a run, and
#: greatest share of such readings in a series.
_FROZEN_RECORDS, _FROZEN_H, _FROZEN_CHANCE, _FROZEN_SHARE = 6, 1.0, 1e-3, 0.3
#: Greatest plausible logarithm of fuel per power over the engine's; the fit allows 0.25.
SFOC_REACH: Final = 0.35
#: Greatest difference of a logarithm from that of a unit's factor that identifies the unit.
_UNIT_REACH: Final = 0.40
#: Greatest plausible logarithm of a ship's fuel over the expected one.
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
#: A short ton [t], the tolerance of the logarithm of its factor, and the shortest run of reports.
_SHORT_TON_T, _SHORT_TON_REACH, _SHORT_TON_RUN = 0.907185, 0.03, 8


@dataclass(frozen=True, slots=True)
class Outlier:
    """An excluded report: its index and the reason."""

    index: int
    reason: str


def find_implausible(particulars: ShipParticulars, reports: ShipReports) -> dict[int, str]:
    """Find reports that are not of steady sailing, by index, with the reason."""
    found: dict[int, str] = {}
    for reason, broken in _list_checks(particulars, reports):
        for index in np.flatnonzero(broken).tolist():
            found.setdefault(index, reason)
    return found


def _list_checks(given: ShipParticulars, reports: ShipReports) -> Iterator[tuple[str, Bools]]:
    values = np.column_stack([v for n, v in reports._asdict().items() if n not in _MAY_LACK])
    yield "a figure is missing", ~np.isfinite(values).all(axis=1)
    yield "fuel is not above 0", ~(reports.fuel_t_per_h > 0.0)
    share = reports.speed_kn / given.service_speed_kn
    in_knots = share / SPEED_UNITS["km/h"]
    is_kmh = (share > _FAST) & (in_knots > _SLOW) & (in_knots < _FAST)
    yield "speed looks like km/h, not kn", is_kmh
    yield "speed is above what the ship reaches", share > _FAST
    yield "the ship was not under way at sea speed", (share < _SLOW) | (reports.hours <= 0.0)
    is_noon = reports.is_noon
    yield f"fewer than {_STEAMING_H:g} h under way", is_noon & (reports.hours < _STEAMING_H)
    draft = reports.draft_m / given.draft_design_m
    yield "draught is not one of this ship", (draft < _LIGHT) | (draft > _DEEP)
    yield "trim is more than a ship has", np.abs(reports.trim_m) > TRIM_OF_LENGTH * given.lbp_m
    waves, wind = reports.wave_height_m, reports.wind_speed_ms
    yield (
        "weather is beyond what occurs",
        (waves > _WAVE_MAX_M) | (wind > _WIND_MAX_MS) | (waves < 0.0) | (wind < 0.0),
    )
    yield "speed was changing", ~is_noon & _is_unsteady(reports)
    yield "the log stands still", ~is_noon & _is_frozen(reports.speed_kn, reports.hours)
    yield "the fuel meter stands still", ~is_noon & _is_frozen(reports.fuel_t_per_h, reports.hours)


_MAY_LACK: Final = ("power_kw", "noise")


def _is_unsteady(reports: ShipReports) -> Bools:
    """Mask of records whose speed differs much from the median of those around them."""
    size = reports.times_h.size
    if size < 2 * _NEIGHBOURS + 1:
        return np.zeros(size, dtype=np.bool_)
    padded = np.pad(reports.speed_kn, _NEIGHBOURS, mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
    middle = np.median(around, axis=1)
    # neighbours that are hours apart may be in another state of the voyage
    is_dense = np.gradient(reports.times_h) * _NEIGHBOURS <= _STEADY_H
    apart_kn = np.abs(reports.speed_kn - middle)
    return np.asarray(is_dense & (apart_kn > _UNSTEADY * middle))


def _is_frozen(values: Floats, hours: Floats) -> Bools:
    """Mask of runs of equal readings that are too long to occur by chance.

    The probability that a reading repeats is the share of runs longer than one; runs as long as
    these occur once in ``1 / _FROZEN_CHANCE`` such series.
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
    # a series in which most readings repeat was recorded that way
    return frozen if frozen.mean() < _FROZEN_SHARE else np.zeros_like(frozen)


def identify_fuel_units(log_ratio: Floats) -> dict[int, str]:
    """Identify reports whose fuel is in another unit, by index, from logarithms of fuel ratios.

    ``log_ratio`` is the logarithm of fuel over that expected, shape (n,); its median, the ship's
    level, is subtracted unless it is itself that of another unit.
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


def find_short_tons(residual: Floats) -> list[int]:
    """Find reports of runs whose residuals [logarithms] exceed the others by a short ton's factor.

    A hull's resistance does not change by that factor from one day to the next and back.
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
    return _select_abrupt_runs(residual, raised, base, step)


def _select_abrupt_runs(residual: Floats, raised: Bools, base: float, step: float) -> list[int]:
    """Select the raised reports of runs that begin or end abruptly, not with a slow rise."""
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
