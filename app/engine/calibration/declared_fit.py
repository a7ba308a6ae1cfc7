"""A ship's model fitted to her declared speed and consumption, and points that are not hers."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from app.engine.calibration.calibrating import calibrate, compare_with_estimate
from app.engine.calibration.declared import as_reports
from app.engine.particulars import DeclaredPoint, MeasuredResponse, ShipParticulars
from app.engine.vessel.plausibility import Implausible

#: Speeds of a declared table over the service speed, draughts over the design draught.
_DECLARED_SPEEDS, _DECLARED_DRAFTS = (0.3, 1.4), (0.25, 1.25)
#: Declared consumption is not more than four times the estimate, nor less than a quarter of it.
_DECLARED_REACH: Final = 1.386


def find_implausible_points(
    particulars: ShipParticulars, points: Sequence[DeclaredPoint]
) -> Iterator[tuple[int, Implausible]]:
    """Declared points that are not of this ship, by index; the particulars must be plausible."""
    for index, point in enumerate(points):
        found = _find_implausible(particulars, point)
        if found is not None:
            yield index, found


def _find_implausible(given: ShipParticulars, point: DeclaredPoint) -> Implausible | None:
    speed_kn, draft_m, fuel = point.speed_kn, point.draft_m, point.fuel_t_per_day
    low, high = (share * given.service_speed_kn for share in _DECLARED_SPEEDS)
    if not low <= speed_kn <= high:
        words = f"{speed_kn:g} kn is not a speed of this ship: {low:.1f} to {high:.1f} kn."
        return Implausible("speed", speed_kn, words)
    low, high = (share * given.draft_design_m for share in _DECLARED_DRAFTS)
    if draft_m is not None and not low <= draft_m <= high:
        words = f"{draft_m:g} m is not a draught of this ship: {low:.1f} to {high:.1f} m."
        return Implausible("draft", draft_m, words)
    apart = float(np.mean(compare_with_estimate(given, as_reports([point], given))))
    if abs(apart) > _DECLARED_REACH:
        usual = f"this ship burns about {fuel * np.exp(-apart):.3g} mt/day at {speed_kn:g} kn"
        return Implausible("focMtPerDay", fuel, f"{fuel:g} mt/day is implausible: {usual}.")
    return None


@lru_cache(maxsize=256)
def fit_declared(
    particulars: ShipParticulars, points: tuple[DeclaredPoint, ...]
) -> MeasuredResponse:
    """What a ship's declared speed and consumption say of her; remembered, for pages ask often."""
    declared = as_reports(points, particulars)
    nothing = declared.take(slice(0, 0))
    return calibrate(particulars, nothing, declared=declared).response()
