"""Directions of the climatology, and their steadiness."""

from dataclasses import replace
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.weather.field import WeatherField
from app.engine.weather.groups import DIRECTION_SCALE, MISSING, Group
from app.engine.weather.kernels import sample_scalar_many

#: First of the two channels of a wave layer that hold the vector of direction.
_FROM_EAST: Final = 2


def sample_steadiness(weather: WeatherField, lats: Floats, lngs: Floats, times_h: Floats) -> Floats:
    """Sample the steadiness of the climatology's directions [1], shape (n,); 1 where unknown.

    It is the expected cosine of the angle between the mean direction and that of a sea of the
    month.
    """
    layer = weather.climatology.layers[Group.WAVE]
    east, north = np.empty(lats.size), np.empty(lats.size)
    for channel, values in enumerate((east, north), _FROM_EAST):
        opened = layer.open(channel=channel)
        sample_scalar_many(opened.address, lats, lngs, times_h, values)
    return np.nan_to_num(DIRECTION_SCALE * np.hypot(east, north), nan=1.0)


def with_steady_directions(weather: WeatherField) -> WeatherField:
    """Return a field whose climatology comes from its mean direction at all times.

    Waves and wind of the climatology then count in full from that direction, instead of at the
    angle off the bow that is expected of a month's directions.
    """
    run = weather.climatology
    layer = run.layers[Group.WAVE]
    packed = np.array(layer.open().arrays[0])
    vectors = packed[..., layer.first_value + _FROM_EAST :][..., :2]
    known = (vectors != MISSING).all(axis=-1)
    lengths = np.hypot(vectors[known, 0].astype(float), vectors[known, 1])[:, None]
    vectors[known] = np.rint(vectors[known] / np.maximum(lengths, 1.0) / DIRECTION_SCALE)
    steady = replace(layer, source=packed)
    return replace(weather, climatology=replace(run, layers={**run.layers, Group.WAVE: steady}))
