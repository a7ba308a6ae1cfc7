"""Calibration of a ship: a fit to its reports, validated on the latest ones, held out."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.calibration import filtering
from app.engine.calibration.filtering import Outlier
from app.engine.calibration.fitting import Fit, Observations, fit
from app.engine.calibration.parameters import (
    DOCKING_SD,
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
    build_trend,
    find_measurable,
)
from app.engine.calibration.reports import ShipReports, find_response, fuel_of_power
from app.engine.particulars import MeasuredResponse, ShipParticulars
from app.engine.progress import Progress, ProgressReporter, Tick, no_progress, no_tick

#: Share of the reports, the latest, that are held out to validate the fit.
_HELD_OUT_SHARE: Final = 0.30
#: Fewest reports of steady sailing for a fit, and for a validation.
FEWEST, _FEWEST_HELD_OUT = 2, 3
#: Residual over the scale from which a report is an outlier.
_OUTLIER: Final = 5.0
#: Two-sided 90 % of the normal distribution.
_Z_90: Final = 1.6449
#: Least hours of used reports on a day of the validation.
_JUDGED_H: Final = 4.0

#: The ship as estimated from its particulars.
_AS_ESTIMATED: Final = Fit(np.zeros(SCALARS), np.zeros((SCALARS, SCALARS)), NO_TREND, 1.0, 1.0)


class NotEnoughReports(ValueError):
    """Too few reports of steady sailing for a fit; the message lists the reports excluded."""


class HeldOut(NamedTuple):
    """Errors [%] of fuel per day, estimated less reported, on days held out of the fit.

    ``before`` by the ship's particulars alone, ``after`` calibrated: medians of absolute and of
    signed errors; ``coverage_pct`` is the share of days inside the 90 % interval.
    """

    days: int
    before_median_abs_pct: float
    before_bias_pct: float
    after_median_abs_pct: float
    after_bias_pct: float
    coverage_pct: float

    @property
    def is_better(self) -> bool:
        """Return whether the calibration reduces the median error."""
        return self.after_median_abs_pct < self.before_median_abs_pct


@dataclass(frozen=True)
class Calibration:
    """Response of a ship as measured by reports.

    ``days_sd`` is the standard deviation of the logarithm of a day's fuel about the fit;
    ``held_out`` is ``None`` with too few reports for a validation. ``voyage_error`` is the
    relative standard error of a voyage's fuel: that of the fit and ``days_sd`` together, because
    the errors of a voyage's days, in similar weather and loading, are correlated. ``days`` is the
    number of days with reports used. ``docked_h`` is the time of the last docking after them.
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
    docked_h: float | None = None

    def response(self) -> MeasuredResponse:
        """Return the measured response, for the ship's particulars.

        It is that at the last report, or after a docking later than that. A docking takes the trend
        back to its prior, unless it is lower already.
        """
        values = self.fit.values
        trend, error, measured_to_h = 0.0, self.voyage_error, None
        if self.fit.trend.times_h.size:
            before, after, share = self.fit.trend.locate(np.array([self.last_h]))
            knots = values[SCALARS:]
            trend = float(((1.0 - share) * knots[before] + share * knots[after])[0])
            measured_to_h = self.last_h
        if self.docked_h is not None:
            trend, measured_to_h = min(trend, 0.0), self.docked_h
            error = math.hypot(error, DOCKING_SD)
        return MeasuredResponse(
            calm=float(np.exp(values[LEVEL] + trend)),
            draft_exponent=float(values[DRAFT]),
            weather=float(np.exp(values[WEATHER])),
            fuel=float(np.exp(values[FUEL])),
            standard_error=error,
            rests_on=self._rests_on,
            measured_to_h=measured_to_h,
        )

    @property
    def _rests_on(self) -> str:
        if not self.used:
            return "declared speed and consumption"
        return f"{self.days} day{'s' if self.days > 1 else ''} of the ship's own reports"

    def residuals(self, particulars: ShipParticulars, reports: ShipReports) -> Floats:
        """Return the logarithm of reported fuel over that expected by the fit, shape (n,)."""
        seen = observe(particulars, reports)
        return np.asarray(np.log(reports.fuel_t_per_h) - self.fit.log_fuel(seen))

    def standard_error(self, seen: Observations) -> Floats:
        """Return the relative standard error of the expected fuel of n reports, shape (n,)."""
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
    on_progress: Progress = no_progress,
) -> Calibration:
    """Fit a ship's response to its reports and validate it on the latest of them.

    The validation is of a fit to the earlier reports alone; the calibration returned is fitted to
    all. It should be proposed only without objections of :func:`.proposing.explain_not_better`.
    ``on_progress`` receives the fraction done (0..1) and the stage, and may raise, which ends the
    calibration. Raise :class:`NotEnoughReports` with fewer than two reports of steady sailing and
    declared points together.
    """
    progress = ProgressReporter(on_progress)
    progress.stage("Checking reports", 0.1)
    used, excluded = _select_steady(particulars, reports, progress)
    reports = _with_true_power(particulars, reports)
    extra = 0 if declared is None else declared.times_h.size
    if used.size + extra < FEWEST:
        raise NotEnoughReports(
            f"{used.size} of {reports.times_h.size} reports are of steady sailing; "
            f"at least {FEWEST} are needed. {_summarise(excluded)}"
        )
    dockings = np.array(sorted(dockings_h), dtype=np.float64)
    fitting, usable = _Fitting(particulars, dockings, declared, progress), reports.take(used)
    progress.stage("Fitting the earlier reports", 0.4)
    held_out = fitting.hold_out(usable)
    progress.stage("Fitting all reports", 0.9)
    found, dropped = fitting.fit_cleaned(usable)
    excluded |= {int(used[i]): reason for i, reason in dropped.items()}
    chosen = _drop(usable, dropped)
    progress.stage("Estimating errors", 1.0)
    seen = observe(particulars, chosen, progress.tick)
    last_h = float(chosen.times_h[-1]) if chosen.times_h.size else 0.0
    calibration = Calibration(
        fit=found,
        estimates=_list_estimates(found, find_measurable(chosen, particulars.draft_design_m)),
        last_h=last_h,
        days_sd=_days_sd(found, seen),
        records=reports.times_h.size,
        used=chosen.times_h.size,
        outliers=tuple(Outlier(i, excluded[i]) for i in sorted(excluded)),
        held_out=held_out,
        days=int(np.unique(chosen.days).size),
        docked_h=max(dockings[dockings > last_h].tolist(), default=None),
    )
    if not chosen.times_h.size and declared is not None:
        seen = observe(particulars, declared)
    error = float(np.median(calibration.standard_error(seen)))
    return replace(calibration, voyage_error=float(np.hypot(error, calibration.days_sd)))


def _select_steady(
    particulars: ShipParticulars, reports: ShipReports, progress: ProgressReporter
) -> tuple[Ints, dict[int, str]]:
    """Return the indices of usable reports in order of time, and why others are excluded."""
    order = np.argsort(reports.times_h, kind="stable")
    excluded = filtering.find_implausible(particulars, reports)
    used = np.array([i for i in order.tolist() if i not in excluded], dtype=np.int64)
    if used.size:
        compared = compare_with_estimate(particulars, reports.take(used), progress.tick)
        for i, unit in filtering.identify_fuel_units(compared).items():
            excluded[int(used[i])] = f"fuel looks like {unit}, not t/h"
    return used[[i not in excluded for i in used.tolist()]], excluded


def _list_estimates(found: Fit, is_measured: Sequence[bool]) -> tuple[Estimate, ...]:
    """List the estimates of the scalar parameters; those not measured have the prior's error."""
    errors = np.sqrt(np.diag(found.covariance))
    return tuple(
        Estimate(
            NAMES[i],
            float(found.values[i]),
            float(errors[i]) if is_measured[i] else PRIORS[i].sd,
            is_measured[i],
        )
        for i in range(SCALARS)
    )


def observe(
    particulars: ShipParticulars, reports: ShipReports, tick: Tick = no_tick
) -> Observations:
    """Return reports with the resistances of the model from particulars."""
    log_draft = np.log(reports.draft_m / particulars.draft_design_m)
    return Observations(reports, find_response(particulars, reports, tick), np.asarray(log_draft))


def compare_with_estimate(
    particulars: ShipParticulars, reports: ShipReports, tick: Tick = no_tick
) -> Floats:
    """Return the logarithm of reported fuel over that by particulars alone, shape (n,)."""
    seen = observe(particulars, reports, tick)
    return np.asarray(np.log(reports.fuel_t_per_h) - _AS_ESTIMATED.log_fuel(seen))


def _with_true_power(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    logged = np.flatnonzero(reports.power_kw > 0.0)
    apart = np.full(reports.times_h.size, np.nan)
    if logged.size:
        burnt = fuel_of_power(particulars, reports.power_kw[logged])
        with np.errstate(divide="ignore", invalid="ignore"):
            apart[logged] = np.log(reports.fuel_t_per_h[logged] / burnt)
    # the torque meter or the unit of a power that is inconsistent with its fuel is wrong
    is_false = ~(np.abs(apart) <= filtering.SFOC_REACH)
    return reports._replace(power_kw=np.where(is_false, np.nan, reports.power_kw))


@dataclass(frozen=True)
class _Fitting:
    """Fits of one ship to reports, which the declared points complete."""

    particulars: ShipParticulars
    dockings_h: Floats
    declared: ShipReports | None
    progress: ProgressReporter

    def hold_out(self, reports: ShipReports) -> HeldOut | None:
        """Validate a fit to the earlier reports on the latest; ``None`` with too few of them."""
        first = round((1.0 - _HELD_OUT_SHARE) * reports.times_h.size)
        if reports.times_h.size - first < _FEWEST_HELD_OUT or first < FEWEST:
            return None
        early, late = reports.take(slice(0, first)), reports.take(slice(first, None))
        found, dropped = self.fit_cleaned(early)
        self.progress.stage("Validating the fit", 0.65)
        return judge(self.particulars, found, _drop(early, dropped), late, self.progress.tick)

    def fit_cleaned(self, reports: ShipReports) -> tuple[Fit, dict[int, str]]:
        """Fit, drop outliers of the fit, fit again; return the fit, and reasons by index."""
        size = reports.times_h.size
        found, seen = self._fit_once(reports)
        if not size:
            return found, {}
        residual = (np.log(seen.reports.fuel_t_per_h) - found.log_fuel(seen))[:size]
        dropped = dict.fromkeys(
            filtering.find_short_tons(residual), "fuel looks like short tons, not tonnes"
        )
        for i in np.flatnonzero(np.abs(residual) > _OUTLIER * max(found.scale, 0.03)).tolist():
            more = 100.0 * np.expm1(residual[i])
            side = "above" if more > 0 else "below"
            dropped.setdefault(i, f"fuel is {abs(more):.0f} % {side} the fit")
        if not dropped or size - len(dropped) < FEWEST:
            return found, {}
        return self._fit_once(_drop(reports, dropped))[0], dropped

    def _fit_once(self, reports: ShipReports) -> tuple[Fit, Observations]:
        known = find_measurable(reports, self.particulars.draft_design_m)
        trend = build_trend(reports, self.dockings_h) if reports.times_h.size else NO_TREND
        if self.declared is not None:
            # declared points describe the ship at the time of the last report
            today = reports.times_h[-1] if reports.times_h.size else 0.0
            declared = self.declared._replace(times_h=np.full(self.declared.times_h.size, today))
            both = zip(reports, declared, strict=True)
            reports = ShipReports(*(np.concatenate(pair) for pair in both))
            loadings = np.unique(np.round(declared.draft_m, 1)).size
            known = (known[0], known[1] or loadings > 1, *known[2:])
        seen = observe(self.particulars, reports, self.progress.tick)
        return fit(seen, trend, known, self.progress.tick), seen


def _drop(reports: ShipReports, dropped: Collection[int]) -> ShipReports:
    """Return the reports without those of some indices."""
    return reports.take(np.delete(np.arange(reports.times_h.size), [*dropped]))


def judge(
    particulars: ShipParticulars,
    found: Fit,
    early: ShipReports,
    late: ShipReports,
    tick: Tick = no_tick,
) -> HeldOut:
    """Measure the errors per day of a fit, and of the particulars alone, on reports held out."""
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
    """Return the logarithm of expected over reported fuel for each day with enough hours."""
    reports = seen.reports
    _, day = np.unique(reports.days, return_inverse=True)
    hours = np.bincount(day, reports.hours)
    expected = np.bincount(day, reports.hours * np.exp(log_fuel))
    reported = np.bincount(day, reports.hours * reports.fuel_t_per_h)
    is_judged = hours >= min(_JUDGED_H, float(hours.max()))
    return np.asarray(np.log(expected[is_judged] / reported[is_judged]))


def _days_sd(found: Fit, seen: Observations) -> float:
    """Standard deviation of a day's fuel about the fit, from the 90 % quantile of errors."""
    if not seen.reports.times_h.size:
        return found.scale
    errors = np.abs(_daily_errors(seen, found.log_fuel(seen)))
    if errors.size < 2 * _FEWEST_HELD_OUT:
        return found.scale
    return max(float(np.quantile(errors, 0.9)) / _Z_90, 0.01)


def _summarise(excluded: dict[int, str]) -> str:
    reasons = list(excluded.values())
    counts = {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}
    return "; ".join(f"{count}: {reason}" for reason, count in counts.items())
