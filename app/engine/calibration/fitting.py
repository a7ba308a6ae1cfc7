"""Maximum a posteriori fit with Student's t, by iterated reweighting; Laplace covariance.

Residuals are logarithms of fuel, or of power and of fuel per power where power is logged.
Gauss-Newton steps on the reweighted sum of squares (Lange, Little and Taylor 1989, Robust
statistical modeling using the t distribution, JASA 84, eq. 8) are halved until the posterior
rises. Errors of reports on one day, and of consecutive days, are correlated: the likelihood is
tempered by the spread of the days' mean residuals and by their first-order autocorrelation r,
so that n (1 - r) / (1 + r) days count (Bayley and Hammersley 1946).
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.calibration.parameters import (
    DRAFT,
    FUEL,
    LEVEL,
    PRIORS,
    SCALARS,
    WEATHER,
    Trend,
    prior_mean,
    prior_precision,
)
from app.engine.calibration.reports import Response, ShipReports
from app.engine.progress import Tick, no_tick
from app.engine.vessel.kernels import RESISTANCE_FLOOR

#: Degrees of freedom of the residuals.
_DEGREES_OF_FREEDOM: Final = 4.0
#: Prior of the residual scale, and its weight in reports.
_SCALE_PRIOR: Final = 0.06
_SCALE_PRIOR_REPORTS: Final = 4.0
#: Standard deviation of a parameter that is fixed at 0.
_HELD_SD: Final = 1e-6
_STEPS: Final = 60
_TOLERANCE: Final = 1e-6
_PROBE: Final = 0.01
#: Numbers in a block of derivatives.
_BLOCK: Final = 4096
#: Fewest reports, and days with reports, from which correlation is estimated.
_FEW, _FEW_DAYS = 20, 10


class Observations(NamedTuple):
    """Data of a fit: reports, their resistances, logarithm of draught over design draught."""

    reports: ShipReports
    response: Response
    log_draft: Floats


@dataclass(frozen=True)
class Fit:
    """Parameters and their covariance, scale of the residuals and share of independent reports.

    ``values``, shape (4 + m,), are the scalars and the trend's knots; ``covariance`` has shape
    (4 + m, 4 + m).
    """

    values: Floats
    covariance: Floats
    trend: Trend
    scale: float
    independent: float

    def resistance(self, seen: Observations) -> tuple[Floats, Floats, Floats]:
        """Return the total resistance of n reports, and its calm-water and weather parts [N]."""
        before, after, share = self.trend.locate(seen.reports.times_h)
        level = self.values[LEVEL] + self.values[DRAFT] * seen.log_draft
        if self.trend.times_h.size:
            knots = self.values[SCALARS:]
            level = level + (1.0 - share) * knots[before] + share * knots[after]
            level = level + self.trend.fouling_since(seen.reports.times_h)
        calm_n = seen.response.calm_n * np.exp(level)
        weather_n = seen.response.weather_n * np.exp(self.values[WEATHER])
        return np.maximum(calm_n + weather_n, RESISTANCE_FLOOR * calm_n), calm_n, weather_n

    def log_fuel(self, seen: Observations) -> Floats:
        """Return the logarithm of the fuel [t/h] of n reports, expected by speed and weather."""
        _, fuel = seen.response.power_and_fuel(self.resistance(seen)[0])
        return np.asarray(np.log(fuel) + self.values[FUEL])

    def jacobian(self, seen: Observations) -> Floats:
        """Return the derivatives of :meth:`log_fuel` by the parameters, shape (n, 4 + m)."""
        return _derivatives(self, seen, by_fuel=True)


def fit(
    seen: Observations, trend: Trend, is_measured: tuple[bool, ...], tick: Tick = no_tick
) -> Fit:
    """Fit the parameters that the reports can measure, with the others fixed at 0."""
    prior = prior_precision(trend)
    precision, mean = prior.copy(), prior_mean(trend, is_measured)
    for place, measured in enumerate(is_measured):
        if not measured:
            precision[place, place] = _HELD_SD**-2
    start = Fit(mean.copy(), np.zeros_like(precision), trend, _SCALE_PRIOR, 1.0)
    found = _maximise_posterior(start, seen, mean, precision, tick)
    independent = _independent_share(seen, _residuals(found, seen)[0])
    if independent < 1.0:
        found = _maximise_posterior(
            replace(found, independent=independent), seen, mean, precision, tick
        )
    # the uncertainty of fixed parameters is that of their prior
    return replace(found, covariance=_covariance(found, seen, prior))


def _maximise_posterior(
    found: Fit, seen: Observations, mean: Floats, precision: Floats, tick: Tick
) -> Fit:
    low = np.array([prior.low for prior in PRIORS])
    high = np.array([prior.high for prior in PRIORS])
    log_posterior = _posterior(found, seen, mean, precision)
    for _ in range(_STEPS):
        tick()
        residual, noise, jacobian = _linearise(found, seen)
        weight = _weights(residual, noise, found)
        curvature, gradient = _normal_equations(jacobian, weight, residual)
        hessian = found.independent * curvature + precision
        slope = found.independent * gradient - precision @ (found.values - mean)
        step = np.linalg.solve(hessian, slope)
        for _ in range(12):
            values = found.values + step
            values[:SCALARS] = np.clip(values[:SCALARS], low, high)
            tried = replace(found, values=values)
            tried = replace(tried, scale=_scale(tried, seen))
            reached = _posterior(tried, seen, mean, precision)
            if reached >= log_posterior - 1e-9:
                break
            step = 0.5 * step
        moved = float(np.abs(tried.values - found.values).max())
        found, log_posterior = tried, reached
        if moved < _TOLERANCE:
            break
    return found


def _residuals(found: Fit, seen: Observations) -> tuple[Floats, Floats]:
    """Return observed less expected logarithms, by speed then by power, and their known noise."""
    reports, response = seen.reports, seen.response
    resistance = found.resistance(seen)[0]
    power, fuel = response.power_and_fuel(resistance)
    logged = np.isfinite(reports.power_kw)
    by_speed = np.where(
        logged,
        np.log(np.where(logged, reports.power_kw, 1.0)) - np.log(power),
        np.log(reports.fuel_t_per_h) - np.log(fuel) - found.values[FUEL],
    )
    at_power = reports.power_kw[logged]
    by_power = (
        np.log(reports.fuel_t_per_h[logged])
        - np.log(response.fuel_of_power(at_power))
        - found.values[FUEL]
    )
    noise = np.nan_to_num(reports.noise, nan=0.0)
    return np.concatenate([by_speed, by_power]), np.concatenate([noise, noise[logged]])


def _linearise(found: Fit, seen: Observations) -> tuple[Floats, Floats, Floats]:
    logged = np.isfinite(seen.reports.power_kw)
    jacobian = _derivatives(found, seen, by_fuel=False)
    jacobian[~logged] = _derivatives(found, seen, by_fuel=True)[~logged]
    of_fuel = np.zeros((int(logged.sum()), found.values.size))
    of_fuel[:, FUEL] = 1.0
    return *_residuals(found, seen), np.concatenate([jacobian, of_fuel])


def _derivatives(found: Fit, seen: Observations, *, by_fuel: bool) -> Floats:
    """Return the derivatives of the logarithm of power, or of fuel, by the parameters."""
    total, calm_n, weather_n = found.resistance(seen)
    which = 1 if by_fuel else 0
    here = seen.response.power_and_fuel(total)[which]
    there = seen.response.power_and_fuel(total * (1.0 + _PROBE))[which]
    elasticity = np.log(there / here) / np.log1p(_PROBE)
    of_calm, of_weather = elasticity * calm_n / total, elasticity * weather_n / total
    is_floor = calm_n + weather_n < total
    of_calm, of_weather = np.where(is_floor, elasticity, of_calm), np.where(is_floor, 0, of_weather)
    out = np.zeros((total.size, found.values.size))
    out[:, LEVEL], out[:, DRAFT] = of_calm, of_calm * seen.log_draft
    out[:, WEATHER] = of_weather
    if by_fuel:
        out[:, FUEL] = 1.0
    if found.trend.times_h.size:
        before, after, share = found.trend.locate(seen.reports.times_h)
        rows = np.arange(total.size)
        np.add.at(out, (rows, SCALARS + before), of_calm * (1.0 - share))
        np.add.at(out, (rows, SCALARS + after), of_calm * share)
    return out


def _weights(residual: Floats, noise: Floats, found: Fit) -> Floats:
    """Return the weights of squared residuals by Student's t at the current scale."""
    variance = np.where(noise > 0.0, noise**2, found.scale**2)
    return np.asarray(
        (_DEGREES_OF_FREEDOM + 1.0) / (_DEGREES_OF_FREEDOM + residual**2 / variance) / variance
    )


def _scale(found: Fit, seen: Observations) -> float:
    """Return the scale of the residuals of unknown noise, with its prior."""
    residual, noise = _residuals(found, seen)
    residual = residual[noise == 0.0]
    weight = (_DEGREES_OF_FREEDOM + 1.0) / (_DEGREES_OF_FREEDOM + (residual / found.scale) ** 2)
    total = float(np.sum(weight * residual**2)) + _SCALE_PRIOR_REPORTS * _SCALE_PRIOR**2
    return float(np.sqrt(total / (residual.size + _SCALE_PRIOR_REPORTS)))


def _posterior(found: Fit, seen: Observations, mean: Floats, precision: Floats) -> float:
    """Return the logarithm of the posterior density, except for a constant."""
    residual, noise = _residuals(found, seen)
    scale = np.where(noise > 0.0, noise, found.scale)
    tails = (
        0.5 * (_DEGREES_OF_FREEDOM + 1.0) * np.log1p((residual / scale) ** 2 / _DEGREES_OF_FREEDOM)
    )
    expected = _SCALE_PRIOR_REPORTS * (
        np.log(found.scale) + 0.5 * (_SCALE_PRIOR / found.scale) ** 2
    )
    off = found.values - mean
    likelihood = -float((tails + np.log(scale)).sum())
    return found.independent * (likelihood - float(expected)) - 0.5 * float(off @ precision @ off)


def _covariance(found: Fit, seen: Observations, precision: Floats) -> Floats:
    """Return the inverse of the posterior's expected curvature at its maximum."""
    residual, noise, jacobian = _linearise(found, seen)
    variance = np.where(noise > 0.0, noise**2, found.scale**2)
    information = (_DEGREES_OF_FREEDOM + 1.0) / (_DEGREES_OF_FREEDOM + 3.0) / variance
    curvature, _ = _normal_equations(jacobian, information, residual)
    return np.asarray(np.linalg.inv(found.independent * curvature + precision))


def _normal_equations(jacobian: Floats, weight: Floats, residual: Floats) -> tuple[Floats, Floats]:
    """Return J' W J and J' W r, computed in blocks small enough for BLAS to use one thread.

    For the whole product BLAS would use all cores. Where workers share the cores, its threads
    wait for each other actively, which takes five times the processor time.
    """
    size = jacobian.shape[1]
    curvature, gradient = np.zeros((size, size)), np.zeros(size)
    step = max(_BLOCK // size, 1)
    for start in range(0, residual.size, step):
        rows = slice(start, start + step)
        weighted = jacobian[rows].T * weight[rows]
        curvature += weighted @ jacobian[rows]
        gradient += weighted @ residual[rows]
    return curvature, gradient


def _independent_share(seen: Observations, residual: Floats) -> float:
    """Estimate the share of reports that are independent, from the correlation of residuals.

    The spread of the days' mean residuals gives the correlation within days, their
    autocorrelation that between consecutive days.
    """
    size = seen.reports.times_h.size
    days, day = np.unique(seen.reports.days, return_inverse=True)
    if size < _FEW or days.size < _FEW_DAYS:
        return 1.0
    held = np.clip(residual[:size], -3.0 * np.std(residual), 3.0 * np.std(residual))
    held = held - held.mean()
    counts = np.bincount(day)
    means = np.bincount(day, held) / counts
    # variance of a day's mean if its reports were independent
    expected = float(np.mean(held**2) * np.mean(1.0 / counts))
    spread = max(float(np.mean(means**2)), 1e-12)
    within = min(expected / spread, 1.0)
    near: Bools = np.diff(days) <= 1.5 * np.median(np.diff(days))
    if near.sum() < _FEW_DAYS:
        return within
    between = float(np.mean(means[1:][near] * means[:-1][near])) / spread
    between = float(np.clip(between, 0.0, 0.99))
    return within * (1.0 - between) / (1.0 + between)
