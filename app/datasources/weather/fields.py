"""Fields of a weather file: one quantity at one time on one grid, read on demand."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from app.engine.arrays import Floats
from app.engine.weather import RegularGrid


class Quantity(StrEnum):
    """Quantities taken from files, in the engine's units once decoded."""

    WIND_U = "eastward wind at 10 m"
    WIND_V = "northward wind at 10 m"
    WAVE_HEIGHT = "significant wave height"
    PEAK_PERIOD = "peak wave period"
    ENERGY_PERIOD = "energy wave period"
    ZERO_CROSSING_PERIOD = "zero-crossing wave period"
    WAVE_FROM = "wave direction (from)"
    CURRENT_U = "eastward current"
    CURRENT_V = "northward current"
    ICE = "sea ice fraction"
    PRESSURE = "pressure at sea level"
    SEA_TEMPERATURE = "sea surface temperature"
    SWELL_HEIGHT = "significant height of swell"
    SWELL_FROM = "swell direction (from)"


@dataclass(frozen=True)
class FileField:
    """One quantity at one time, still in its file.

    ``ordinal`` finds it there; ``preference`` ranks two fields of one quantity
    and time, the lower first (a mean direction before that of the primary wave).
    ``member`` is the number of an ensemble member, 0 that of the control and of
    whatever is of no ensemble.
    ``reference_time`` is the file's first time where it states none.
    ``scale`` and ``offset`` bring the file's unit to the engine's.
    """

    path: Path
    ordinal: int
    quantity: Quantity
    reference_time: datetime
    time_h: float
    grid: RegularGrid
    name: str
    preference: int = 0
    scale: float = 1.0
    offset: float = 0.0
    member: int = 0
    is_reference_stated: bool = True


@dataclass
class Survey:
    """Fields found in a file, and those left out with the reason."""

    fields: list[FileField] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


#: Values of one field, south to north and west to east, float64
#: ``(n_lat, n_lng)``, NaN where missing.
Values = Floats
