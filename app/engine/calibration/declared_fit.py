"""Fit of a ship's model to its declared speeds and consumptions; implausible points."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from app.engine.calibration.calibrating import calibrate, compare_with_estimate
from app.engine.calibration.declared import as_reports, find_declared_fuel
from app.engine.particulars import DeclaredPoint, MeasuredResponse, ShipParticulars
from app.engine.vessel.plausibility import Implausible

#: Plausible declared speeds over the service speed, and draughts over the design draught.
_DECLARED_SPEEDS, _DECLARED_DRAFTS = (0.3, 1.4), (0.25, 1.25)
#: Greatest plausible logarithm of declared consumption over the estimate: a factor of four.
_DECLARED_REACH: Final = 1.386


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
