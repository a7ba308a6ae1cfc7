"""Groups of weather variables that are sampled together, and their packing.

A group is stored as 16-bit integers, ``value = offset + scale * packed``, with
:data:`MISSING` where no value is known (land, ice, outside a model's mask). The scales are fixed,
so that equal values of any runs are packed alike; their ranges exceed all natural values.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats

#: The packed integer that means "not known".
MISSING: Final = -32768


class Group(StrEnum):
    """Variables that come from one model on one grid and are sampled together."""

    WIND = "wind"
    WAVE = "wave"
    CURRENT = "current"
    ICE = "ice"
    PRESSURE = "pressure"
    SEA_TEMPERATURE = "sea_temperature"
    SWELL = "swell"


@dataclass(frozen=True, slots=True)
class Channel:
    """A packed variable: name, unit, packing and plausible range."""

    name: str
    unit: str
    scale: float
    offset: float
    least: float
    greatest: float


#: Packing steps [m/s, m and s, 1, m/s], shared with the compiled look-up.
WIND_SCALE: Final = 0.005
WAVE_SCALE: Final = 0.001
DIRECTION_SCALE: Final = 1.0 / 32000.0
CURRENT_SCALE: Final = 0.0005

#: Channels in the order in which they are stored. Wind and current are the eastward and northward
#: components of motion; the directions of waves and swell are unit vectors (east, north) towards
#: their origin. Plausible ranges: wind to 120 m/s, twice the strongest ten-minute mean at sea;
#: waves to 32 m, above the highest significant height measured (19 m, WMO 2016).
CHANNELS: Final[dict[Group, tuple[Channel, ...]]] = {
    Group.WIND: (
        Channel("wind_u", "m s-1", WIND_SCALE, 0.0, -120.0, 120.0),
        Channel("wind_v", "m s-1", WIND_SCALE, 0.0, -120.0, 120.0),
    ),
    Group.WAVE: (
        Channel("wave_height", "m", WAVE_SCALE, 0.0, 0.0, 32.0),
        Channel("wave_period", "s", WAVE_SCALE, 0.0, 0.0, 32.0),
        Channel("wave_from_east", "1", DIRECTION_SCALE, 0.0, -1.001, 1.001),
        Channel("wave_from_north", "1", DIRECTION_SCALE, 0.0, -1.001, 1.001),
    ),
    Group.CURRENT: (
        Channel("current_u", "m s-1", CURRENT_SCALE, 0.0, -10.0, 10.0),
        Channel("current_v", "m s-1", CURRENT_SCALE, 0.0, -10.0, 10.0),
    ),
    Group.ICE: (Channel("ice_fraction", "1", 0.0001, 0.0, 0.0, 1.001),),
    Group.PRESSURE: (Channel("pressure", "hPa", 0.01, 1000.0, 800.0, 1100.0),),
    Group.SEA_TEMPERATURE: (Channel("sea_temperature", "degC", 0.005, 0.0, -5.0, 45.0),),
    Group.SWELL: (
        Channel("swell_height", "m", WAVE_SCALE, 0.0, 0.0, 32.0),
        Channel("swell_from_east", "1", DIRECTION_SCALE, 0.0, -1.001, 1.001),
        Channel("swell_from_north", "1", DIRECTION_SCALE, 0.0, -1.001, 1.001),
    ),
}


def pack(group: Group, values: NDArray[np.floating]) -> NDArray[np.int16]:
    """Pack physical values of shape ``(..., n_channel)`` into 16-bit integers.

    A cell with a non-finite value in one channel is missing in all of them. Raise
    :class:`ValueError` if a value is outside the channel's plausible range.
    """
    known = np.isfinite(values).all(axis=-1)
    packed = np.stack(
        [pack_channel(group, index, values[..., index]) for index in range(values.shape[-1])],
        axis=-1,
    )
    packed[~known] = MISSING
    return packed


def pack_channel(group: Group, index: int, values: NDArray[np.floating]) -> NDArray[np.int16]:
    """Pack the values of one channel, of any shape; raises ValueError as :func:`pack`."""
    channel = CHANNELS[group][index]
    known = np.isfinite(values)
    _check_range(channel, values[known])
    scaled = (np.where(known, values, 0.0) - channel.offset) / channel.scale
    return np.where(known, np.rint(scaled), MISSING).astype(np.int16)


def unpack(group: Group, packed: NDArray[np.int16]) -> Floats:
    """Unpack integers to physical values of shape ``(..., n_channel)``, NaN where missing."""
    channels = CHANNELS[group]
    scale = np.array([channel.scale for channel in channels])
    offset = np.array([channel.offset for channel in channels])
    return np.where(packed == MISSING, np.nan, offset + scale * packed)


def _check_range(channel: Channel, values: NDArray[np.floating]) -> None:
    if values.size == 0:
        return
    least, greatest = float(values.min()), float(values.max())
    if least < channel.least or greatest > channel.greatest:
        raise ValueError(
            f"{channel.name} from {least:.6g} to {greatest:.6g} {channel.unit} "
            f"is outside {channel.least:g} to {channel.greatest:g}"
        )
