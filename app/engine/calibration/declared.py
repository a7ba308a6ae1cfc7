"""Declared speed and consumption as reports: what an owner or a yard says, with its noise."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from app.engine.calibration.reports import ShipReports
from app.engine.particulars import DeclaredPoint, PointSource, ShipParticulars
from app.engine.vessel.foc import service_weather
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.loaded_ship import FOULING

#: Relative standard error of declared consumption. Sea trials: ISO 15016:2015 corrects speed to
#: about 0.1 kn, some 2 % of power; charter parties say "about", by custom 5 % of consumption.
_NOISE: Final = {
    PointSource.SEA_TRIAL: 0.03,
    PointSource.CHARTER_PARTY: 0.05,
    PointSource.OWNER: 0.05,
}
#: More where the point includes auxiliaries of unknown consumption, by their usual share.
_AUXILIARY_SHARE, _AUXILIARY_NOISE = 0.08, 0.05
#: Directions off the bow from which the declared weather comes, all alike [deg].
_DIRECTIONS: Final = (22.5, 67.5, 112.5, 157.5)
#: Wind [m/s] and significant wave height [m] of Beaufort 5, those of ordinary service.
_SERVICE_BEAUFORT: Final = 5.0
#: Consumption may fall by so much at a higher speed before two points contradict each other.
_CONTRADICTION: Final = 0.02


def as_reports(
    points: Sequence[DeclaredPoint], particulars: ShipParticulars, at_h: float = 0.0
) -> ShipReports:
    """Each point as reports of a day in its weather from all sides, shape (4 n,).

    A point met from four sides is one statement: each of the four carries twice its noise.
    """
    rows = [_as_rows(point, particulars, at_h) for point in points]
    table = np.concatenate(rows) if rows else np.empty((0, len(ShipReports._fields)))
    return ShipReports(*np.ascontiguousarray(table.T))


def find_contradictions(points: Sequence[DeclaredPoint]) -> list[tuple[int, int]]:
    """Pairs of points of one loading and weather of which the faster burns less, by index."""
    pairs = []
    for i, j in combinations(range(len(points)), 2):
        a, b = points[i], points[j]
        alike = (a.is_ballast, a.draft_m, a.beaufort, a.with_auxiliaries, a.source) == (
            b.is_ballast,
            b.draft_m,
            b.beaufort,
            b.with_auxiliaries,
            b.source,
        )
        slow, fast = (a, b) if a.speed_kn <= b.speed_kn else (b, a)
        if alike and fast.fuel_t_per_day < (1.0 - _CONTRADICTION) * slow.fuel_t_per_day:
            pairs.append((i, j))
    return pairs


def _as_rows(point: DeclaredPoint, given: ShipParticulars, at_h: float) -> np.ndarray:
    """Rows of ``ShipReports``, in the order of its fields."""
    fuel = point.fuel_t_per_day
    noise = _NOISE[point.source]
    if point.with_auxiliaries:
        known = given.auxiliary_t_per_day
        fuel -= _AUXILIARY_SHARE * fuel if known is None else known
        noise = math.hypot(noise, _AUXILIARY_NOISE) if known is None else noise
    if point.source is PointSource.SEA_TRIAL:
        # a trial's hull is clean, the model's fouled as in service
        fuel *= FOULING
    draft_m = point.draft_m or (
        ballast_draft_m(given) if point.is_ballast else given.draft_design_m
    )
    service = service_weather(given.lbp_m, 0.0)
    # wind goes with the Beaufort force to the power 1.5, wave height with the wind squared
    share = (point.beaufort / _SERVICE_BEAUFORT) ** 1.5
    height_m = service.wave_height_m * share**2
    trim_m = 0.01 * given.lbp_m if point.is_ballast else 0.0
    period_s = service.wave_period_s * share
    wind_ms = service.wind_speed_ms * share
    fuel_t_per_h = max(fuel, 1e-3) / 24.0
    return np.array(
        [
            (
                *(at_h, 24.0, point.speed_kn, 0.0, draft_m, trim_m),
                *(height_m, max(period_s, 1.0), side, wind_ms, side),
                *(fuel_t_per_h, math.nan, noise * math.sqrt(len(_DIRECTIONS))),
            )
            for side in _DIRECTIONS
        ]
    )
