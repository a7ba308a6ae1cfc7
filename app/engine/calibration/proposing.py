"""Reasons why a calibration is not proposed."""

from collections.abc import Iterator
from typing import Final

from app.engine.calibration.calibrating import Calibration
from app.engine.calibration.parameters import PRIORS
from app.engine.particulars import ShipParticulars
from app.engine.vessel import fuel_standard_error

#: Fewest days held out that show whether a calibration is better.
_FEWEST_DAYS: Final = 5
#: Distance of a logarithm from its bound at which the fit stopped there.
_AT_BOUND: Final = 1e-3


def explain_not_better(particulars: ShipParticulars, found: Calibration) -> tuple[str, ...]:
    """Return the reasons why a calibration is no better than the particulars; none if it is.

    It must reduce the error on enough days held out, keep its estimates within their bounds, and
    have a smaller standard error than that of the particulars.
    """
    return tuple(_list_reasons(particulars, found))


def _list_reasons(particulars: ShipParticulars, found: Calibration) -> Iterator[str]:
    held_out, known = found.held_out, fuel_standard_error(particulars)
    days = 0 if held_out is None else held_out.days
    if held_out is None or days < _FEWEST_DAYS:
        yield f"{days} days could be held out; at least {_FEWEST_DAYS} are needed"
    elif not held_out.is_better:
        yield (
            f"the median error on the days held out is {held_out.after_median_abs_pct:.1f} %, and"
            f" {held_out.before_median_abs_pct:.1f} % by the particulars alone"
        )
    for estimate, prior in zip(found.estimates, PRIORS, strict=True):
        bound = prior.low if estimate.value < prior.mean else prior.high
        if estimate.is_measured and abs(estimate.value - bound) < _AT_BOUND:
            yield (
                f"the estimate of {estimate.name} is at its bound ({bound:+g}): the reports or the"
                " particulars are probably wrong"
            )
    if found.voyage_error > known:
        yield (
            f"the standard error of a voyage's fuel is {100.0 * found.voyage_error:.1f} %, and"
            f" {100.0 * known:.1f} % by the particulars alone"
        )
