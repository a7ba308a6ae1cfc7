"""Declared speeds and consumptions of owners and yards: plausibility, and a fit of the ship.

They are fitted as reports with their standard error.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np

from app.engine.calibration.calibrating import calibrate, compare_with_estimate
from app.engine.calibration.reports import ShipReports
from app.engine.constants import HOURS_PER_DAY
from app.engine.particulars import (
    Basis,
    DeclaredPoint,
    MeasuredResponse,
    PointSource,
    ShipParticulars,
)
from app.engine.vessel.foc import beaufort_weather, service_weather
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.loaded_ship import FOULING
from app.engine.vessel.plausibility import Implausible
from app.engine.weather.records import Weather

#: Relative standard error of declared consumption. Sea trials: ISO 15016:2015 corrects speed to
#: about 0.1 kn, some 2 % of power; charter parties say "about", by custom 5 % of consumption.
_NOISE: Final = {
    PointSource.SEA_TRIAL: 0.03,
    PointSource.CHARTER_PARTY: 0.05,
    PointSource.OWNER: 0.05,
}
#: Usual share of auxiliaries of unknown consumption in a point that includes them, and its error.
_AUXILIARY_SHARE, _AUXILIARY_NOISE = 0.08, 0.05
#: Directions off the bow of the declared weather, with equal weight [deg].
_DIRECTIONS: Final = (22.5, 67.5, 112.5, 157.5)
#: Share by which consumption may fall at a higher speed before two points contradict each other.
_CONTRADICTION: Final = 0.02
#: Plausible declared speeds over the service speed, and draughts over the design draught.
_DECLARED_SPEEDS, _DECLARED_DRAFTS = (0.3, 1.4), (0.25, 1.25)
#: Greatest plausible logarithm of declared consumption over the estimate: a factor of four.
_DECLARED_REACH: Final = 1.386


def as_reports(points: Sequence[DeclaredPoint], particulars: ShipParticulars) -> ShipReports:
    """Return each point as four reports of a day, in its weather from four directions, (4 n,).

    Their mean fuel is that declared; the ship as estimated has the same ratios between the four.
    The standard error of each is doubled, so that together they count as one point.
    """
    rows = [_as_rows(point, particulars) for point in points]
    table = np.concatenate(rows) if rows else np.empty((0, len(ShipReports._fields) - 1))
    is_noon = np.zeros(len(table), dtype=np.bool_)
    reports = ShipReports._make((*np.ascontiguousarray(table.T), is_noon))
    if not points:
        return reports
    estimate = reports.fuel_t_per_h * np.exp(-compare_with_estimate(particulars, reports))
    by_side = estimate.reshape(-1, len(_DIRECTIONS))
    share = (by_side / by_side.mean(axis=1, keepdims=True)).reshape(-1)
    return reports._replace(fuel_t_per_h=reports.fuel_t_per_h * share)


def find_declared_fuel(point: DeclaredPoint, given: ShipParticulars, fuel_ratio: float) -> float:
    """Return the consumption to declare [t/day] if the main engine burnt a multiple of its part."""
    main, auxiliaries = _split_fuel(point, given)
    if given.auxiliary_t_per_day is None:
        auxiliaries *= fuel_ratio
    return main * fuel_ratio + auxiliaries


def find_contradictions(points: Sequence[DeclaredPoint]) -> list[tuple[int, int]]:
    """Find pairs of points at one loading and weather of which the faster burns less, by index."""
    pairs = []
    for i, j in combinations(range(len(points)), 2):
        a, b = points[i], points[j]
        alike = replace(a, speed_kn=0.0, fuel_t_per_day=0.0) == replace(
            b, speed_kn=0.0, fuel_t_per_day=0.0
        )
        slow, fast = (a, b) if a.speed_kn <= b.speed_kn else (b, a)
        if alike and fast.fuel_t_per_day < (1.0 - _CONTRADICTION) * slow.fuel_t_per_day:
            pairs.append((i, j))
    return pairs


def _as_rows(point: DeclaredPoint, given: ShipParticulars) -> np.ndarray:
    """Return rows with the columns of ``ShipReports`` but the last."""
    fuel, _ = _split_fuel(point, given)
    noise = _NOISE[point.source]
    if point.with_auxiliaries and given.auxiliary_t_per_day is None:
        noise = math.hypot(noise, _AUXILIARY_NOISE)
    if _is_clean(point):
        # the model's hull has the mean fouling of service
        fuel *= FOULING
    draft_m = point.draft_m or (
        ballast_draft_m(given) if point.is_ballast else given.draft_design_m
    )
    trim_m = 0.01 * given.lbp_m if point.is_ballast else 0.0
    met = _find_weather(point, given)
    fuel_t_per_h = fuel / HOURS_PER_DAY
    return np.array(
        [
            (
                *(0.0, 24.0, point.speed_kn, 0.0, draft_m, trim_m),
                *(met.wave_height_m, met.wave_period_s, side, met.wind_speed_ms, side),
                *(fuel_t_per_h, math.nan, noise * math.sqrt(len(_DIRECTIONS))),
            )
            for side in _DIRECTIONS
        ]
    )


def _split_fuel(point: DeclaredPoint, given: ShipParticulars) -> tuple[float, float]:
    """Return the consumption of the main engine, above zero, and of auxiliaries [t/day]."""
    fuel, auxiliaries = point.fuel_t_per_day, 0.0
    if point.with_auxiliaries:
        known = given.auxiliary_t_per_day
        auxiliaries = _AUXILIARY_SHARE * fuel if known is None else known
    return max(fuel - auxiliaries, 1e-3), auxiliaries


def _is_clean(point: DeclaredPoint) -> bool:
    if point.basis is None:
        return point.source is PointSource.SEA_TRIAL
    return point.basis is Basis.CALM


def _find_weather(point: DeclaredPoint, given: ShipParticulars) -> Weather:
    """Return the weather to which a declared consumption applies, from ahead."""
    if point.basis is Basis.SERVICE:
        return service_weather(given.lbp_m, 0.0)
    return beaufort_weather(0.0 if point.basis is Basis.CALM else point.beaufort, 0.0)


def find_implausible_points(
    particulars: ShipParticulars, points: Sequence[DeclaredPoint]
) -> Iterator[tuple[int, Implausible]]:
    """Find declared points that are implausible for a ship of plausible particulars, by index."""
    for index, point in enumerate(points):
        found = _find_implausible(particulars, point)
        if found is not None:
            yield index, found


def _find_implausible(given: ShipParticulars, point: DeclaredPoint) -> Implausible | None:
    speed_kn, draft_m, fuel = point.speed_kn, point.draft_m, point.fuel_t_per_day
    low, high = (share * given.service_speed_kn for share in _DECLARED_SPEEDS)
    if not low <= speed_kn <= high:
        detail = f"{speed_kn:g} kn is implausible: expected {low:.1f} to {high:.1f} kn."
        return Implausible("speed", speed_kn, detail)
    low, high = (share * given.draft_design_m for share in _DECLARED_DRAFTS)
    if draft_m is not None and not low <= draft_m <= high:
        detail = f"{draft_m:g} m is implausible: expected {low:.1f} to {high:.1f} m."
        return Implausible("draft", draft_m, detail)
    apart = float(np.mean(compare_with_estimate(given, as_reports([point], given))))
    if abs(apart) > _DECLARED_REACH:
        expected = find_declared_fuel(point, given, float(np.exp(-apart)))
        usual = f"this ship burns about {expected:.3g} mt/day at {speed_kn:g} kn"
        return Implausible("focMtPerDay", fuel, f"{fuel:g} mt/day is implausible: {usual}.")
    return None


@lru_cache(maxsize=1024)
def fit_declared(
    particulars: ShipParticulars, points: tuple[DeclaredPoint, ...]
) -> MeasuredResponse:
    """Fit a ship's response to its declared points; cached, because pages need it often."""
    declared = as_reports(points, particulars)
    nothing = declared.take(slice(0, 0))
    return calibrate(particulars, nothing, declared=declared).response()
