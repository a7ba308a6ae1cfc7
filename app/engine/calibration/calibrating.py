"""A ship's calibration: fitted to her reports, judged on the latest that the fit has not seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from app.engine.calibration import filtering
from app.engine.calibration.filtering import Outlier
from app.engine.calibration.fitting import Fit, Observations, fit
from app.engine.calibration.parameters import (
    DRAFT,
    FUEL,
    LEVEL,
    MONTH_H,
    NAMES,
    NO_TREND,
    PRIORS,
    SCALARS,
    TREND_SD_PER_ROOT_MONTH,
    WEATHER,
    Estimate,
    find_measurable,
    lay_trend,
)
from app.engine.calibration.progress import Progress, Tick, no_progress, no_tick
from app.engine.calibration.reports import (
    Floats,
    ShipReports,
    find_response,
    fuel_of_power,
)
from app.engine.particulars import MeasuredResponse, ShipParticulars

#: Share of the reports, the latest, that are held out to judge the fit.
HELD_OUT_SHARE: Final = 0.30
#: Fewest reports of steady sailing that are fitted; fewest to judge by.
FEWEST, FEWEST_HELD_OUT = 2, 3
#: Residual over the scale from which a report is an outlier.
_OUTLIER: Final = 5.0
#: Two-sided 90 % of the normal distribution.
_Z_90: Final = 1.6449
#: Hours of used records that make a day worth judging.
_JUDGED_H: Final = 4.0

#: The ship as her particulars say.
_AS_ESTIMATED: Final = Fit(np.zeros(SCALARS), np.zeros((SCALARS, SCALARS)), NO_TREND, 1.0, 1.0)


class NotEnoughReports(ValueError):
    """Too few reports of steady sailing to fit anything; the message says what was left out."""


class HeldOut(NamedTuple):
    """Errors [%] of fuel per day on days that the fit has not seen, estimated less reported.

    ``before`` by the ship's particulars alone, ``after`` calibrated: median of absolute errors
    and median of signed ones; ``coverage_pct`` is the share of days inside the 90 % interval.
    """

    days: int
    before_median_abs_pct: float
    before_bias_pct: float
    after_median_abs_pct: float
    after_bias_pct: float
    coverage_pct: float

    @property
    def is_better(self) -> bool:
        """Return whether the calibration has proved itself."""
        return self.after_median_abs_pct < self.before_median_abs_pct


@dataclass(frozen=True)
class Calibration:
    """What reports measure of a ship.

    ``days_sd`` is the standard deviation of the logarithm of a day's fuel about the fit;
    ``held_out`` is ``None`` where there were too few reports to judge by. ``voyage_error`` is
    the relative standard error of a voyage's fuel: that of the fit and ``days_sd`` together, for
    the days of one voyage, in one weather and loading, err alike. ``days`` have reports used.
    """

    fit: Fit
    estimates: tuple[Estimate, ...]
    last_h: float
    days_sd: float
    records: int
    used: int
    outliers: tuple[Outlier, ...]
    held_out: HeldOut | None
    voyage_error: float = PRIORS[LEVEL].sd
    days: int = 0

    def response(self, at_h: float | None = None) -> MeasuredResponse:
        """What was measured of the ship, for her particulars.

        ``at_h`` is a time of the reports' epoch [h]; ``None`` is that of the last report.
        """
        values = self.fit.values
        level = float(values[LEVEL])
        if self.fit.trend.times_h.size:
            before, after, share = self.fit.trend.locate(
                np.array([self.last_h if at_h is None else at_h])
            )
            knots = values[SCALARS:]
            level += float(((1.0 - share) * knots[before] + share * knots[after])[0])
        return MeasuredResponse(
            calm=float(np.exp(level)),
            draft_exponent=float(values[DRAFT]),
            weather=float(np.exp(values[WEATHER])),
            fuel=float(np.exp(values[FUEL])),
            standard_error=self.voyage_error,
            rests_on=self._rests_on,
        )

    @property
    def _rests_on(self) -> str:
        if not self.used:
            return "declared speed and consumption"
        return f"{self.days} day{'s' if self.days > 1 else ''} of the ship's own reports"

    @property
    def level_standard_error(self) -> float:
        """Standard error of the logarithm of calm-water resistance at the last report."""
        slope = np.zeros(self.fit.values.size)
        slope[LEVEL] = 1.0
        if self.fit.trend.times_h.size:
            slope[-1] = 1.0
        return float(np.sqrt(slope @ self.fit.covariance @ slope))

    def residuals(self, particulars: ShipParticulars, reports: ShipReports) -> Floats:
        """Logarithm of reported fuel over that expected by the fit, shape (n,)."""
        seen = observe(particulars, reports)
        return np.asarray(np.log(reports.fuel_t_per_h) - self.fit.log_fuel(seen))

    def standard_error(self, seen: Observations) -> Floats:
        """Relative standard error of the fuel expected of n reports, shape (n,)."""
        slope = self.fit.jacobian(seen)
        variance = np.einsum("ij,jk,ik->i", slope, self.fit.covariance, slope)
        months = np.maximum(seen.reports.times_h - self.last_h, 0.0) / MONTH_H
        return np.asarray(np.sqrt(variance + TREND_SD_PER_ROOT_MONTH**2 * months))


def calibrate(
    particulars: ShipParticulars,
    reports: ShipReports,
    *,
    dockings_h: Sequence[float] = (),
    declared: ShipReports | None = None,
    on_progress: Callable[[float, str], None] = no_progress,
) -> Calibration:
    """Fit a ship's response to her reports and judge it on the latest of them.

    The judgement is of a fit to the earlier reports alone; the calibration returned is fitted to
    all. It is to be proposed only where ``held_out.is_better``. ``on_progress`` receives the
    fraction done (0..1) and the stage, and may raise, which ends the calibration.

    Raises
    ------
    NotEnoughReports
        Fewer than two reports of steady sailing, and no declared points.
    """
    progress = Progress(on_progress)
    progress.stage("Checking reports", 0.1)
    order = np.argsort(reports.times_h, kind="stable")
    left_out = filtering.find_implausible(particulars, reports)
    used = np.array([i for i in order.tolist() if i not in left_out], dtype=np.int64)
    left_out |= _find_wrong_units(particulars, reports, used, progress)
    used = used[[i not in left_out for i in used.tolist()]]
    reports = _with_true_power(particulars, reports)
    extra = 0 if declared is None else declared.times_h.size
    if used.size + extra < FEWEST:
        raise NotEnoughReports(
            f"{used.size} of {reports.times_h.size} reports are of steady sailing; "
            f"at least {FEWEST} are needed. {_summarise(left_out)}"
        )
    dockings = np.array(sorted(dockings_h), dtype=np.float64)
    progress.stage("Fitting the earlier reports", 0.4)
    held_out = _hold_out(particulars, reports.take(used), dockings, declared, progress)
    progress.stage("Fitting all reports", 0.9)
    found, dropped = _fit_cleaned(particulars, reports, used, dockings, declared, progress)
    left_out |= {int(used[i]): reason for i, reason in dropped.items()}
    used = used[[i not in dropped for i in range(used.size)]]
    chosen = reports.take(used)
    progress.stage("Estimating errors", 1.0)
    seen = observe(particulars, chosen, progress.tick)
    known = find_measurable(chosen, particulars.draft_design_m)
    errors = np.sqrt(np.diag(found.covariance))
    calibration = Calibration(
        fit=found,
        estimates=tuple(
            Estimate(
                NAMES[i],
                float(found.values[i]),
                float(errors[i]) if known[i] else PRIORS[i].sd,
                known[i],
            )
            for i in range(SCALARS)
        ),
        last_h=float(chosen.times_h[-1]) if used.size else 0.0,
        days_sd=_days_sd(found, seen),
        records=reports.times_h.size,
        used=used.size,
        outliers=tuple(Outlier(i, left_out[i]) for i in sorted(left_out)),
        held_out=held_out,
    )
    stated = seen if used.size or declared is None else observe(particulars, declared)
    error = float(np.median(calibration.standard_error(stated)))
    return replace(
        calibration,
        voyage_error=float(np.hypot(error, calibration.days_sd)),
        days=int(np.unique(chosen.days).size),
    )


def observe(
    particulars: ShipParticulars, reports: ShipReports, tick: Tick = no_tick
) -> Observations:
    """Reports with what the model from particulars finds for them."""
    log_draft = np.log(reports.draft_m / particulars.draft_design_m)
    return Observations(reports, find_response(particulars, reports, tick), np.asarray(log_draft))


def compare_with_estimate(
    particulars: ShipParticulars, reports: ShipReports, tick: Tick = no_tick
) -> Floats:
    """Logarithm of reported fuel over that expected from the particulars alone, shape (n,)."""
    seen = observe(particulars, reports, tick)
    return np.asarray(np.log(reports.fuel_t_per_h) - _AS_ESTIMATED.log_fuel(seen))


def _with_true_power(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    """The reports with shaft power only where it can be that of their fuel."""
    logged = np.flatnonzero(reports.power_kw > 0.0)
    apart = np.full(reports.times_h.size, np.nan)
    if logged.size:
        burnt = fuel_of_power(particulars, reports.power_kw[logged])
        with np.errstate(divide="ignore", invalid="ignore"):
            apart[logged] = np.log(reports.fuel_t_per_h[logged] / burnt)
    return filtering.ignore_false_power(reports, apart)


def _fit_once(
    particulars: ShipParticulars,
    reports: ShipReports,
    dockings_h: Floats,
    declared: ShipReports | None,
    progress: Progress,
) -> tuple[Fit, Observations]:
    known = find_measurable(reports, particulars.draft_design_m)
    trend = lay_trend(reports, dockings_h) if reports.times_h.size else NO_TREND
    if declared is not None:
        # what was declared is said of the ship as she is today
        today = reports.times_h[-1] if reports.times_h.size else 0.0
        declared = declared._replace(times_h=np.full(declared.times_h.size, today))
        reports = ShipReports(
            *(np.concatenate(pair) for pair in zip(reports, declared, strict=True))
        )
        loadings = np.unique(np.round(declared.draft_m, 1)).size
        known = (known[0], known[1] or loadings > 1, *known[2:])
    seen = observe(particulars, reports, progress.tick)
    return fit(seen, trend, known, progress.tick), seen


def _fit_cleaned(
    particulars: ShipParticulars,
    reports: ShipReports,
    used: np.ndarray,
    dockings_h: Floats,
    declared: ShipReports | None,
    progress: Progress,
) -> tuple[Fit, dict[int, str]]:
    """Fit, leave out what the fit shows to be wrong, fit again; indexes count in ``used``."""
    chosen = reports.take(used)
    found, seen = _fit_once(particulars, chosen, dockings_h, declared, progress)
    if not used.size:
        return found, {}
    residual = np.log(seen.reports.fuel_t_per_h) - found.log_fuel(seen)
    residual = residual[: used.size]
    dropped = dict.fromkeys(
        filtering.find_short_tons(residual), "fuel looks like short tons, not tonnes"
    )
    for i in np.flatnonzero(np.abs(residual) > _OUTLIER * max(found.scale, 0.03)).tolist():
        more = 100.0 * np.expm1(residual[i])
        dropped.setdefault(
            i, f"fuel is {abs(more):.0f} % {'above' if more > 0 else 'below'} the fit"
        )
    kept = np.array([i not in dropped for i in range(used.size)])
    if not dropped or kept.sum() < FEWEST:
        return found, {}
    return _fit_once(particulars, chosen.take(kept), dockings_h, declared, progress)[0], dropped


def _find_wrong_units(
    particulars: ShipParticulars, reports: ShipReports, used: np.ndarray, progress: Progress
) -> dict[int, str]:
    """Reports whose fuel is given in another unit, by index, with the reason."""
    if not used.size:
        return {}
    chosen = reports.take(used)
    compared = compare_with_estimate(particulars, chosen, progress.tick)
    units = filtering.name_fuel_units(compared)
    return {int(used[i]): f"fuel looks like {unit}, not t/h" for i, unit in units.items()}


def _hold_out(
    particulars: ShipParticulars,
    reports: ShipReports,
    dockings_h: Floats,
    declared: ShipReports | None,
    progress: Progress,
) -> HeldOut | None:
    """Judge a fit to the earlier reports by the latest."""
    first = round((1.0 - HELD_OUT_SHARE) * reports.times_h.size)
    if reports.times_h.size - first < FEWEST_HELD_OUT or first < FEWEST:
        return None
    early, late = reports.take(slice(0, first)), reports.take(slice(first, None))
    found, dropped = _fit_cleaned(
        particulars, early, np.arange(first), dockings_h, declared, progress
    )
    early = early.take(np.array([i not in dropped for i in range(first)]))
    progress.stage("Judging the fit", 0.65)
    return judge(particulars, found, early, late, progress.tick)


def judge(
    particulars: ShipParticulars,
    found: Fit,
    early: ShipReports,
    late: ShipReports,
    tick: Tick = no_tick,
) -> HeldOut:
    """Errors per day of a fit on reports that it has not seen, and of the particulars alone."""
    seen = observe(particulars, late, tick)
    before = _daily_errors(seen, _AS_ESTIMATED.log_fuel(seen))
    after = _daily_errors(seen, found.log_fuel(seen))
    spread = _days_sd(found, observe(particulars, early, tick))
    known = Calibration(found, (), float(early.times_h[-1]), spread, 0, 0, (), None)
    error = float(np.median(known.standard_error(seen)))
    reach = _Z_90 * float(np.hypot(spread, error))
    return HeldOut(
        days=after.size,
        before_median_abs_pct=100.0 * float(np.median(np.abs(np.expm1(before)))),
        before_bias_pct=100.0 * float(np.median(np.expm1(before))),
        after_median_abs_pct=100.0 * float(np.median(np.abs(np.expm1(after)))),
        after_bias_pct=100.0 * float(np.median(np.expm1(after))),
        coverage_pct=100.0 * float(np.mean(np.abs(after) <= reach)),
    )


def _daily_errors(seen: Observations, log_fuel: Floats) -> Floats:
    """Logarithm of expected over reported fuel, day by day; a report of a day is a day."""
    reports = seen.reports
    _, day = np.unique(reports.days, return_inverse=True)
    hours = np.bincount(day, reports.hours)
    expected = np.bincount(day, reports.hours * np.exp(log_fuel))
    reported = np.bincount(day, reports.hours * reports.fuel_t_per_h)
    is_judged = hours >= min(_JUDGED_H, float(hours.max()))
    return np.asarray(np.log(expected[is_judged] / reported[is_judged]))


def _days_sd(found: Fit, seen: Observations) -> float:
    """Standard deviation of a day's fuel about the fit, from the reach of nine days in ten."""
    if not seen.reports.times_h.size:
        return found.scale
    errors = np.abs(_daily_errors(seen, found.log_fuel(seen)))
    if errors.size < 2 * FEWEST_HELD_OUT:
        return found.scale
    return max(float(np.quantile(errors, 0.9)) / _Z_90, 0.01)


def _summarise(left_out: dict[int, str]) -> str:
    """How many reports were left out for which reason."""
    reasons = list(left_out.values())
    counts = {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}
    return "; ".join(f"{count}: {reason}" for reason, count in counts.items())
