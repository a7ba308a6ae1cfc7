"""Deviations from the weather of a field along a track."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from app.engine.arrays import Floats
from app.engine.weather.field import WeatherSamples


@dataclass(frozen=True, slots=True)
class WeatherDeviations:
    """Deviations of the weather at n places and times.

    ``rows`` has shape (5, n): the factor of the significant wave height, the factor of the wind
    speed, the clockwise change of both directions [deg], and the displacement north and east of
    the place whose waves and wind are used [deg]. Currents do not deviate. Wave periods are scaled
    with the root of the height, so that the steepness is unchanged.
    """

    rows: Floats

    @classmethod
    def none(cls, count: int) -> Self:
        """Return deviations of zero."""
        rows = np.zeros((5, count))
        rows[:2] = 1.0
        return cls(rows)

    @property
    def displacements_deg(self) -> Floats:
        """Displacement of waves and wind to north and east [deg], shape (2, n)."""
        return self.rows[3:]

    def apply(self, met: WeatherSamples) -> WeatherSamples:
        """Return samples of the displaced places with the other deviations applied."""
        wave_factor, wind_factor, turned_deg = self.rows[:3]
        return replace(
            met,
            wave_height_m=met.wave_height_m * wave_factor,
            wave_period_s=met.wave_period_s * np.sqrt(wave_factor),
            wave_from_deg=(met.wave_from_deg + turned_deg) % 360.0,
            wind_speed_ms=met.wind_speed_ms * wind_factor,
            wind_from_deg=(met.wind_from_deg + turned_deg) % 360.0,
        )
