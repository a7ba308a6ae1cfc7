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

    ``rows`` has shape (5, n): the factor of the significant wave height, the factor of the wind
    speed, the angle by which the directions of both turn clockwise [deg], and how far north and
    east [deg] of a place lies what comes there instead. Wave periods go with the root of the
    height, which keeps the waves as steep as they are.
    """

    rows: Floats

    @classmethod
    def none(cls, count: int) -> Self:
        """Return deviations that change nothing."""
        rows = np.zeros((5, count))
        rows[:2] = 1.0
        return cls(rows)

    def displace(self, lats: Floats, lngs: Floats) -> tuple[Floats, Floats]:
        """Return the places [deg] whose weather comes to these."""
        return lats + self.rows[3], lngs + self.rows[4]

    def apply(self, met: WeatherSamples) -> WeatherSamples:
        """Return samples of the displaced places with the other deviations."""
        higher, stronger, turned_deg = self.rows[:3]
        return replace(
            met,
            wave_height_m=met.wave_height_m * higher,
            wave_period_s=met.wave_period_s * np.sqrt(higher),
            wave_from_deg=(met.wave_from_deg + turned_deg) % 360.0,
            wind_speed_ms=met.wind_speed_ms * stronger,
            wind_from_deg=(met.wind_from_deg + turned_deg) % 360.0,
        )
