"""Deviations of the weather met from that of a field, along a track."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.engine.weather.field import WeatherSamples

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeatherDeviations:
    """What the weather at n places and times is changed by.

    ``rows`` has shape (3, n): the factor of the significant wave height, the factor of the wind
    speed, and the angle by which the directions of both turn clockwise [deg]. Wave periods go
    with the root of the height, which keeps the waves as steep as they are.
    """

    rows: Floats

    @classmethod
    def none(cls, count: int) -> Self:
        """Return deviations that change nothing."""
        rows = np.ones((3, count))
        rows[2] = 0.0
        return cls(rows)

    def apply(self, met: WeatherSamples) -> WeatherSamples:
        """Return samples at the same places and times with the deviations."""
        higher, stronger, turned_deg = self.rows
        return replace(
            met,
            wave_height_m=met.wave_height_m * higher,
            wave_period_s=met.wave_period_s * np.sqrt(higher),
            wave_from_deg=(met.wave_from_deg + turned_deg) % 360.0,
            wind_speed_ms=met.wind_speed_ms * stronger,
            wind_from_deg=(met.wind_from_deg + turned_deg) % 360.0,
        )
