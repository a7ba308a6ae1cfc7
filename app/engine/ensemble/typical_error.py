"""Members made from the typical forecast error, for forecasts without an ensemble.

The error of a forecast grows with the lead time, and is correlated over hundreds of miles and for a
day or two. A member is the forecast with one such error, drawn by a seed: weather systems are
displaced, wave height and wind speed are multiplied by a smooth random factor, and directions are
turned by a smooth random angle. Beyond the forecast the factor is the variability of the climate
about its mean.

References
----------
- Bidlot (2017), Twenty-one years of wave forecast verification, ECMWF Newsletter 150, and the WMO
  Lead Centre for Wave Forecast Verification: scatter index of significant wave height and wind
  speed against buoys by lead time.
- Hoffman et al. (1995), Distortion representation of forecast errors, Mon. Wea. Rev. 123, 2758:
  errors as displacement and amplification.
- Froude, Bengtsson & Hodges (2007), The predictability of extratropical storm tracks, Mon. Wea.
  Rev. 135, 2316: separation of forecast and analysed storms by lead time.
- Greenslade & Young (2005), Mon. Wea. Rev. 133, doi:10.1175/MWR2974.1: scale over which errors
  are alike, from forecast divergence.
- Cardone et al. (1995), cited there: most error of a wave forecast is error of its wind.
- Justus et al. (1978), J. Appl. Meteorol. 17: Rayleigh distribution of wind speeds.
- Mardia & Jupp (2000), Directional Statistics: the mean resultant length of a wrapped normal
  distribution is exp(-variance / 2).
- Rahimi & Recht (2007), Random features for large-scale kernel machines, alg. 1: a Gaussian
  process with a squared exponential covariance as a sum of cosines.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import EARTH_MEAN_RADIUS_M
from app.engine.geodesy import unit_vectors
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, WeatherDeviations, WeatherField
from app.engine.weather.steadiness import sample_steadiness
from app.engine.weather.wave_climate import RAYLEIGH_SPREAD

#: Lead times [h] of the errors below.
_LEAD_H: Final = (0.0, 24.0, 48.0, 72.0, 96.0, 120.0, 144.0, 168.0, 192.0, 216.0, 240.0)
#: Standard deviation over the mean (scatter index) of significant wave height and wind speed at
#: these lead times: approximate course of the published verification of ECMWF's forecasts (Bidlot
#: 2017; WMO Lead Centre). The buoys' own error is left in.
_WAVE_ERROR: Final = (0.11, 0.13, 0.155, 0.18, 0.22, 0.26, 0.31, 0.36, 0.41, 0.45, 0.48)
_WIND_ERROR: Final = (0.16, 0.18, 0.21, 0.25, 0.30, 0.35, 0.40, 0.44, 0.47, 0.49, 0.51)
#: Share of the error's variance that is amplitude; the rest is displacement (Hoffman et al. 1995
#: find both of similar size).
_AMPLITUDE_SHARE: Final = 0.5
#: Standard deviation of the displacement along each axis at these lead times [deg of latitude]:
#: four fifths of the mean separation of storms (Froude et al. 2007), as of a Rayleigh distribution.
_DISPLACEMENT_DEG: Final = (0.3, 0.6, 1.1, 1.6, 2.2, 2.8, 3.4, 4.0, 4.3, 4.5, 4.5)
#: Coefficient of variation of a month's winds, that of a Rayleigh distribution.
#: Waves grow in proportion to the wind at a given fetch (Shore Protection Manual, 1984, eq. 3-33)
#: and get the same; for swell, which is steadier, that is an upper estimate.
_CLIMATE_ERROR: Final = RAYLEIGH_SPREAD

#: Distance [m] and time [h] over which the correlation of errors falls to exp(-1/2). Errors are
#: correlated over a few hundred kilometres, more at long lead times (Greenslade & Young 2005), and
#: for about the lifetime of a depression: one that is misplaced or too weak stays so.
_CORRELATION_M: Final = 8.0e5
_CORRELATION_H: Final = 48.0
#: Number of cosines in a smooth random function, enough for a nearly normal distribution; and the
#: spacing of its samples as a share of the correlation scales.
_COSINES: Final = 64
_SAMPLE_SPACING: Final = 0.2
#: Row of a deviation's change of direction.
_TURN: Final = 2
#: Number of smooth functions in a draw: along and across the wind, to north and to east.
_PARTS: Final = 4

#: Least steadiness drawn from: below it all directions are about equally likely.
_LEAST_STEADINESS: Final = 0.03

#: Number of members: ten of them lie outside P10 to P90 on average.
MEMBER_COUNT: Final = 50


class _SmoothNoise:
    """Smooth random functions of place and time, one for each seed; mean 0, deviation 1."""

    def __init__(self, seeds: range) -> None:
        scale = EARTH_MEAN_RADIUS_M / _CORRELATION_M
        randoms = [np.random.default_rng(seed) for seed in seeds]
        self._numbers = np.concatenate(
            [scale * random.standard_normal((_COSINES, 3)) for random in randoms]
        )
        self._rates = np.concatenate(
            [random.standard_normal(_COSINES) / _CORRELATION_H for random in randoms]
        )
        self._phases = np.concatenate(
            [random.uniform(0.0, 2.0 * math.pi, _COSINES) for random in randoms]
        )

    def along(self, points: Floats, times_h: Floats) -> Floats:
        """Return values along a track, one row for each seed, shape (seeds, n).

        ``points``, shape (n, 3), are unit vectors and ``times_h``, shape (n,), times [h]. Values
        are sampled so densely that linear interpolation has an error of half a per cent.
        """
        steps_m = EARTH_MEAN_RADIUS_M * np.linalg.norm(np.diff(points, axis=0), axis=1)
        steps = np.hypot(steps_m / _CORRELATION_M, np.diff(times_h) / _CORRELATION_H)
        so_far = np.concatenate([[0.0], np.cumsum(steps)])
        samples = np.searchsorted(so_far, np.arange(0.0, so_far[-1], _SAMPLE_SPACING))
        samples = np.unique(np.append(samples, so_far.size - 1))
        values = self._at(points[samples], times_h[samples])
        # all rows at once: in a loop, a thread would wait for the interpreter lock at every row
        place = np.interp(so_far, so_far[samples], np.arange(samples.size))
        before = place.astype(np.int64)
        after = np.minimum(before + 1, samples.size - 1)
        rises = values[:, after] - values[:, before]
        return np.asarray(values[:, before] + (place - before) * rises)

    def _at(self, points: Floats, times_h: Floats) -> Floats:
        # not by a matrix product, whose threads keep the cores busy for a while after it
        angles = np.einsum("ni,si->ns", points, self._numbers)
        angles += times_h[:, None] * self._rates + self._phases
        # single precision is several times as fast and precise enough for errors
        sums = np.cos(angles.astype(np.float32)).reshape(times_h.size, -1, _COSINES).sum(axis=2)
        return np.asarray(math.sqrt(2.0 / _COSINES) * sums.T, dtype=np.float64)


#: Random functions by their seeds, kept because drawing their numbers takes longer than their use.
_make_noise: Final = lru_cache(maxsize=4)(_SmoothNoise)


def draw_deviations(
    weather: WeatherField,
    lats: Floats,
    lngs: Floats,
    times_h: Floats,
    count: int,
    *,
    has_forecast_error: bool = True,
) -> list[WeatherDeviations]:
    """Draw errors of a field's forecast along a track, the same for the same arguments.

    Positions [deg] and times [h since 1970] have shape (n,). Each draw is followed by its opposite:
    with such antithetic variates, means of linear functions of the error are exact. Without a
    forecast error, only the climate beyond the forecast varies. Without a forecast, times count
    from the first: other departures have the same draws, and differ only as the climate does.
    """
    here = weather.sample(lats, lngs, times_h)
    wave_lead_h, wind_lead_h = (
        times_h - _reference_h(weather, group, times_h[0]) for group in (Group.WAVE, Group.WIND)
    )
    noise = _make_noise(range(_PARTS * ((count + 1) // 2)))
    drawn = noise.along(unit_vectors(lats, lngs), wave_lead_h).reshape(-1, _PARTS, lats.size)
    share = float(has_forecast_error)
    wave = _coefficient_of_variation(_WAVE_ERROR, wave_lead_h, here.wave_weight, share)
    wind = _coefficient_of_variation(_WIND_ERROR, wind_lead_h, here.wind_weight, share)
    away_deg = share * here.wave_weight * np.interp(wave_lead_h, _LEAD_H, _DISPLACEMENT_DEG)
    shrink = np.cos(np.radians(lats))

    both = np.stack([drawn, -drawn], axis=1).reshape(-1, _PARTS, lats.size)[:count]
    along, across, north, east = np.moveaxis(both, 1, 0)
    turned_deg = np.degrees(np.arctan(wind * across))
    moved_deg = away_deg * north, away_deg * east / shrink
    factors = _lognormal_factor(wave, along), _lognormal_factor(wind, along)
    rows = np.stack([*factors, turned_deg, *moved_deg], axis=1)
    # in one layout, for which the kernels are compiled once
    return [WeatherDeviations(np.ascontiguousarray(each)) for each in rows]


def draw_climate(
    weather: WeatherField, lats: Floats, lngs: Floats, times_h: Floats, count: int
) -> list[WeatherDeviations]:
    """Draw courses of the climate's weather along a track, the same for the same arguments.

    They are deviations from a field with steady directions. Strengths vary as in
    :func:`draw_deviations`. Directions are turned from their mean by angles of a wrapped normal
    distribution whose mean cosine is the steadiness of the climatology.
    """
    strengths = draw_deviations(weather, lats, lngs, times_h, count, has_forecast_error=False)
    pairs = (count + 1) // 2
    noise = _make_noise(range(_PARTS * pairs, (_PARTS + 1) * pairs))
    turns = noise.along(unit_vectors(lats, lngs), times_h - times_h[0])
    steadiness = np.maximum(sample_steadiness(weather, lats, lngs, times_h), _LEAST_STEADINESS)
    deviation_deg = np.degrees(np.sqrt(-2.0 * np.log(np.minimum(steadiness, 1.0))))
    for number, drawn in enumerate(strengths):
        sign = 1.0 if number % 2 == 0 else -1.0
        drawn.rows[_TURN] = sign * deviation_deg * turns[number // 2]
    return strengths


def _coefficient_of_variation(
    errors: Sequence[float], lead_h: Floats, weight: Floats, share: float
) -> Floats:
    """Return the coefficient of variation: the mean of forecast's and climate's by weight.

    ``share`` of the forecast's counts.
    """
    forecast = share * math.sqrt(_AMPLITUDE_SHARE) * np.interp(lead_h, _LEAD_H, errors)
    return np.asarray(weight * forecast + (1.0 - weight) * _CLIMATE_ERROR)


def _lognormal_factor(variation: Floats, normal: Floats) -> Floats:
    """Return log-normal factors of mean 1 and the given coefficient of variation."""
    variance = np.log1p(variation**2)
    return np.asarray(np.exp(np.sqrt(variance) * normal - 0.5 * variance))


def _reference_h(weather: WeatherField, group: Group, first_h: float) -> float:
    """Return the time from which lead times count, ``first_h`` if no forecast [h since 1970]."""
    run = weather.forecast_run(group)
    if run is None:
        return first_h
    if run.reference_time is None:
        return run.layers[group].times_h[0]
    return hours_since_epoch(run.reference_time)
