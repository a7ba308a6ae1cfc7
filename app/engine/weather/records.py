"""Records of the weather at one place and time."""

from dataclasses import dataclass
from enum import StrEnum


class WeatherSource(StrEnum):
    """Source of a weather value."""

    FORECAST = "FORECAST"
    BLENDED = "BLENDED"
    CLIMATOLOGY = "CLIMATOLOGY"


@dataclass(frozen=True, slots=True)
class Weather:
    """Sea state, wind and current at one place and time.

    The current and its source are ``None`` where it is unknown; the ship is simulated without one.
    Where the waves are unknown, as on rivers and canals, their source is ``None`` and their height
    0.
    """

    wave_height_m: float
    wave_period_s: float
    wave_from_deg: float
    wind_speed_ms: float
    wind_from_deg: float
    current_speed_kn: float | None
    current_to_deg: float | None
    wave_source: WeatherSource | None
    wind_source: WeatherSource
    current_source: WeatherSource | None
