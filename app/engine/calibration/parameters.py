"""Parameters of a calibration, their priors, and the reports needed to measure them.

    R = R_calm exp(a + h(t)) (T / T0)^d + exp(w) (R_waves + R_wind),    fuel = exp(c) fuel(R)

``a`` is the level of calm-water resistance, ``h`` its trend by fouling since the first report or
the last docking, ``d`` a correction of its dependence on the draught T (T0 the design draught),
``w`` that of waves and wind, ``c`` that of the engine's consumption per power.
"""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import MeasuredResponse

#: Indices of the scalar parameters; the knots of the trend follow.
LEVEL, DRAFT, WEATHER, FUEL = range(4)
SCALARS: Final = 4
NAMES: Final = ("resistance", "draught", "weather", "consumption")


class Prior(NamedTuple):
    """Normal prior of a logarithm, and the bounds of its fit."""

    mean: float
    sd: float
    low: float
    high: float


#: The level's spread is that of published consumption about the model (`benchmarks.foc`); the
#: others are those of ships of one size: of the draught's exponent by hull forms, of weather by
#: superstructures and errors of the reported sea, of consumption by engine age.
PRIORS: Final = (
    Prior(0.0, 0.13, -0.35, 0.35),
    Prior(0.0, 0.2, -0.6, 0.6),
    Prior(0.0, 0.4, -0.9, 0.7),
    Prior(0.0, 0.08, -0.25, 0.25),
)

#: Standard deviation of the trend after one month; it grows with the root of time. Hulls lose
#: about 10 % of power in the five years between dockings (ISO 19030-1:2016, introduction).
TREND_SD_PER_ROOT_MONTH: Final = 0.01
#: Increase of resistance each month between dockings [logarithm]: power in service is 9 % above
#: that of a clean hull in the mean of five years (Fourth IMO GHG Study 2020, 2.2.3), so 18 % at
#: their end.
FOULING_PER_MONTH: Final = 0.003
#: Time between dry-dockings [months].
_DOCKING_INTERVAL_MONTHS: Final = 60.0
#: Standard deviation of the change of level by a docking or a cleaning.
DOCKING_SD: Final = 0.1
MONTH_H: Final = 365.25 * 2.0

#: Days with reports needed to measure each parameter: in all weather and rough weather; in ballast
#: and laden; with power. Time needed for a trend [h].
_WEATHER_DAYS, _ROUGH_DAYS = 10, 3
_LOADING_DAYS: Final = 3
_POWER_DAYS: Final = 5
_TREND_H: Final = 6.0 * MONTH_H
#: Lower bound of the mean wind of Beaufort 6 [m/s].
_BEAUFORT_6_MS: Final = 10.8
#: Greatest draught in ballast and least draught laden, over the design draught.
_BALLAST_SHARE, _LADEN_SHARE = 0.75, 0.85


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate of a parameter, a logarithm or exponent, with its standard error."""

    name: str
    value: float
    standard_error: float
    is_measured: bool


def continue_fouling(response: MeasuredResponse, time_h: float) -> MeasuredResponse:
    """Return a response at a later time [h since 1970], with the usual fouling since the reports.

    It grows no longer than ships sail between dry-dockings.
    """
    if response.measured_to_h is None:
        return response
    months = (time_h - response.measured_to_h) / MONTH_H
    growth = FOULING_PER_MONTH * min(max(months, 0.0), _DOCKING_INTERVAL_MONTHS)
    return replace(response, calm=response.calm * math.exp(growth))


class Trend(NamedTuple):
    """Knots of the trend: times [h], and indices of the segments between dockings, shape (m,)."""

    times_h: Floats
    segments: Ints

    def fouling_since(self, times_h: Floats) -> Floats:
        """Return the expected increase of resistance since the last knot [logarithm], (n,)."""
        if self.times_h.size == 0:
            return np.zeros(times_h.size)
        months = np.maximum(times_h - self.times_h[-1], 0.0) / MONTH_H
        return np.asarray(FOULING_PER_MONTH * months)

    def locate(self, times_h: Floats) -> tuple[Ints, Ints, Floats]:
        """Return the knots before and after each time, and the share of the later one, (n,)."""
        if self.times_h.size == 0:
            nothing = np.zeros(times_h.size, dtype=np.int64)
            return nothing, nothing, np.zeros(times_h.size)
        after = np.clip(np.searchsorted(self.times_h, times_h, side="right"), 1, None)
        after = np.minimum(after, self.times_h.size - 1)
        before = np.maximum(after - 1, 0)
        # between two segments the value is that of the last knot before
        is_across = self.segments[before] != self.segments[after]
        span = np.maximum(self.times_h[after] - self.times_h[before], 1e-9)
        share = np.clip((times_h - self.times_h[before]) / span, 0.0, 1.0)
        return before, after, np.where(is_across, (share >= 1.0).astype(float), share)


NO_TREND: Final = Trend(np.empty(0), np.empty(0, dtype=np.int64))


def build_trend(reports: ShipReports, dockings_h: Floats) -> Trend:
    """Build knots a month apart from the first report to the last, in segments between dockings.

    There are none in less than six months without a docking, when weather would mask a trend.
    """
    first, last = float(reports.times_h[0]), float(reports.times_h[-1])
    inside = np.sort(dockings_h[(dockings_h > first) & (dockings_h < last)])
    if last - first < _TREND_H and inside.size == 0:
        return NO_TREND
    bounds = [first, *inside.tolist(), last]
    knots: list[float] = []
    segments: list[int] = []
    for number, (start, end) in enumerate(pairwise(bounds)):
        count = max(2, round((end - start) / MONTH_H) + 1)
        steps = np.linspace(start, end, count)
        steps[0] += 1e-6 if number else 0.0
        knots += steps.tolist()
        segments += [number] * count
    return Trend(np.array(knots), np.array(segments, dtype=np.int64))


def prior_mean(trend: Trend, is_measured: tuple[bool, ...]) -> Floats:
    """Return the prior mean of all parameters, shape (4 + m,), with fouling since each docking.

    A parameter that is not measured is fixed at 0.
    """
    scalars = [prior.mean if is_measured[i] else 0.0 for i, prior in enumerate(PRIORS)]
    first = np.searchsorted(trend.segments, trend.segments)
    months = (trend.times_h - trend.times_h[first]) / MONTH_H
    return np.concatenate([scalars, FOULING_PER_MONTH * months])


def prior_precision(trend: Trend) -> Floats:
    """Return the prior precision matrix of all parameters, shape (4 + m, 4 + m).

    The first knot is fixed at 0, the first of a later segment has the spread of a docking; the
    others follow a random walk.
    """
    size = SCALARS + trend.times_h.size
    precision = np.zeros((size, size))
    for place, prior in enumerate(PRIORS):
        precision[place, place] = prior.sd**-2
    for knot in range(trend.times_h.size):
        at = SCALARS + knot
        if knot == 0 or trend.segments[knot] != trend.segments[knot - 1]:
            precision[at, at] += (1e-6 if knot == 0 else DOCKING_SD) ** -2
            continue
        months = (trend.times_h[knot] - trend.times_h[knot - 1]) / MONTH_H
        step = 1.0 / (TREND_SD_PER_ROOT_MONTH**2 * max(months, 1e-6))
        precision[at - 1 : at + 1, at - 1 : at + 1] += step * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return precision


def find_measurable(reports: ShipReports, design_draft_m: float) -> tuple[bool, ...]:
    """Return, for each scalar parameter, whether the reports can measure it."""
    days = reports.days
    share = reports.draft_m / design_draft_m

    def count(chosen: Bools) -> int:
        return int(np.unique(days[chosen]).size)

    rough = count(reports.wind_speed_ms >= _BEAUFORT_6_MS)
    loadings = count(share <= _BALLAST_SHARE), count(share >= _LADEN_SHARE)
    return (
        True,
        min(loadings) >= _LOADING_DAYS,
        np.unique(days).size >= _WEATHER_DAYS and rough >= _ROUGH_DAYS,
        count(np.isfinite(reports.power_kw)) >= _POWER_DAYS,
    )
