"""Members made from typical forecast error, for forecasts that come without an ensemble.

The error of a forecast grows with its lead time and is alike over hundreds of miles and for a day
or two. A member is the forecast with one such error, drawn by a seed: systems lie elsewhere, and
waves and wind are higher or lower by a smooth random factor and turned by a smooth random
angle. Beyond the forecast the factor is the variability of the climate about its mean.

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
- Rahimi & Recht (2007), Random features for large-scale kernel machines, alg. 1: a Gaussian
  process with a squared exponential covariance as a sum of cosines.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.constants import EARTH_MEAN_RADIUS_M
from app.engine.weather import Group, WeatherDeviations, WeatherField, WeatherSamples
from app.engine.weather.layer import unit_vectors
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]

#: Lead times [h] of the errors below.
_LEAD_H: Final = (0.0, 24.0, 48.0, 72.0, 96.0, 120.0, 144.0, 168.0, 192.0, 216.0, 240.0)
#: Standard deviation over the mean (scatter index) of significant wave height and wind speed at
#: these lead times: approximate course of the published verification of ECMWF's forecasts (Bidlot
#: 2017; WMO Lead Centre). The buoys' own error is left in.
_WAVE_ERROR: Final = (0.11, 0.13, 0.155, 0.18, 0.22, 0.26, 0.31, 0.36, 0.41, 0.45, 0.48)
_WIND_ERROR: Final = (0.16, 0.18, 0.21, 0.25, 0.30, 0.35, 0.40, 0.44, 0.47, 0.49, 0.51)
#: The share of the error's variance that is amplitude; the rest is displacement (Hoffman et al.
#: 1995 find the two of like size).
_AMPLITUDE: Final = 0.5
#: Standard deviation of the displacement along each axis at these lead times [deg of latitude]:
#: four fifths of the mean separation of storms (Froude et al. 2007), as of a Rayleigh distribution.
_DISPLACEMENT_DEG: Final = (0.3, 0.6, 1.1, 1.6, 2.2, 2.8, 3.4, 4.0, 4.3, 4.5, 4.5)
#: The same of a month's winds about their mean: Rayleigh's, sqrt(4 / pi - 1). Waves grow in
#: proportion to the wind at a given fetch (Shore Protection Manual, 1984, eq. 3-33), so theirs is
#: taken as the same; swell, steadier than that, makes it an upper estimate.
_CLIMATE_ERROR: Final = math.sqrt(4.0 / math.pi - 1.0)

#: Distance [m] and time [h] by which correlation falls to exp(-1/2). Errors are alike over a few
#: hundred kilometres at short lead times and more at long ones (Greenslade & Young 2005), and for
#: about as long as a depression lives: a system that is misplaced or too weak stays so.
_ALIKE_M: Final = 8.0e5
_ALIKE_H: Final = 48.0
#: Cosines in a smooth random function: enough for values close to normally distributed.
_COSINES: Final = 64

#: Pseudo-members: ten lie outside P10 to P90 on average.
MEMBER_COUNT: Final = 50


@dataclass(frozen=True)
class _SmoothNoise:
    """A smooth random function of place and time: mean 0, standard deviation 1."""

    seed: int

    @cached_property
    def _waves(self) -> tuple[Floats, Floats, Floats]:
        """Wave numbers over unit vectors (K, 3), rates [1/h] and phases (K,)."""
        random = np.random.default_rng(self.seed)
        scale = EARTH_MEAN_RADIUS_M / _ALIKE_M
        return (
            scale * random.standard_normal((_COSINES, 3)),
            random.standard_normal(_COSINES) / _ALIKE_H,
            random.uniform(0.0, 2.0 * math.pi, _COSINES),
        )

    def at(self, points: Floats, times_h: Floats) -> Floats:
        """Return values at unit vectors (n, 3) and times [h] (n,)."""
        numbers, rates, phases = self._waves
        angles = points @ numbers.T + times_h[:, None] * rates + phases
        values: Floats = math.sqrt(2.0 / _COSINES) * np.cos(angles).sum(axis=1)
        return values


@dataclass(frozen=True)
class ForecastError:
    """One draw of the error of a forecast; ``sign`` -1 is the opposite of the same draw."""

    seed: int
    sign: float
    wave_from_h: float
    wind_from_h: float

    def deviations(
        self, lats: Floats, lngs: Floats, times_h: Floats, met: WeatherSamples
    ) -> WeatherDeviations:
        """Return the deviations at places [deg] and times [h since 1970], where ``met`` is met."""
        points, since_h = unit_vectors(lats, lngs), times_h - self.wave_from_h
        along, across, north, east = (
            self.sign * _SmoothNoise(4 * self.seed + part).at(points, since_h) for part in range(4)
        )
        wave = _variation(_WAVE_ERROR, since_h, met.wave_weight)
        wind = _variation(_WIND_ERROR, times_h - self.wind_from_h, met.wind_weight)
        away_deg = met.wave_weight * np.interp(since_h, _LEAD_H, _DISPLACEMENT_DEG)
        rows = [
            _factor(wave, along),
            _factor(wind, along),
            np.degrees(np.arctan(wind * across)),
            away_deg * north,
            away_deg * east / np.cos(np.radians(lats)),
        ]
        return WeatherDeviations(np.stack(rows))


def _variation(errors: Sequence[float], lead_h: Floats, weight: Floats) -> Floats:
    """Return the coefficient of variation: the forecast's by its weight, else the climate's."""
    forecast = math.sqrt(_AMPLITUDE) * np.interp(lead_h, _LEAD_H, errors)
    return np.asarray(weight * forecast + (1.0 - weight) * _CLIMATE_ERROR)


def _factor(variation: Floats, normal: Floats) -> Floats:
    """Return log-normal factors of mean 1 and the given coefficient of variation."""
    variance = np.log1p(variation**2)
    return np.asarray(np.exp(np.sqrt(variance) * normal - 0.5 * variance))


def draw_errors(weather: WeatherField, count: int = MEMBER_COUNT) -> list[ForecastError]:
    """Draw errors of a field's forecast, the same ones each time; each has its opposite.

    Opposites (antithetic variates) make what is linear in the error exact with few draws.
    """
    wave_h, wind_h = (_reference_h(weather, group) for group in (Group.WAVE, Group.WIND))
    return [
        ForecastError(number // 2, 1.0 if number % 2 == 0 else -1.0, wave_h, wind_h)
        for number in range(count)
    ]


def _reference_h(weather: WeatherField, group: Group) -> float:
    """Return the time [h since 1970] that lead times count from; any where there is no forecast."""
    run = weather.forecast_run(group)
    if run is None:
        return 0.0
    if run.reference_time is None:
        return run.layers[group].times_h[0]
    return hours_since_epoch(run.reference_time)
