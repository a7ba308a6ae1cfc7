"""Small synthetic weather fields for tests, and a reference implementation of the look-up."""

import math

import numpy as np

from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from app.engine.weather.groups import CHANNELS, MISSING, unpack
from app.engine.weather.layer import YEAR_H

EPOCH_H = 470_000.0


def from_unit(direction_deg):
    angle = np.radians(direction_deg)
    return np.sin(angle), np.cos(angle)


def uniform_climatology(
    wind=(5.0, 0.0), wave=(1.0, 6.0, 270.0), current=(0.1, 0.0), steadiness=1.0
):
    grid = RegularGrid(-85.0, 10.0, 18, -175.0, 10.0, 36)
    months_h = [(month + 0.5) * YEAR_H / 12 for month in range(12)]

    def layer(group, row):
        values = np.broadcast_to(np.array(row, float), (12, 18, 36, len(row)))
        return layer_from_values(group, grid, months_h, values, cyclic=True)

    east, north = from_unit(wave[2])
    return WeatherRun(
        "climatology-of-nowhere",
        {
            Group.WIND: layer(Group.WIND, wind),
            Group.WAVE: layer(Group.WAVE, (*wave[:2], steadiness * east, steadiness * north)),
            Group.CURRENT: layer(Group.CURRENT, current),
        },
    )


def forecast(group, grid, values, hours=(0.0, 3.0)):
    times = [EPOCH_H + hour for hour in hours]
    return WeatherRun("made-run", {group: layer_from_values(group, grid, times, values)})


def wind_field(grid, values, hours=(0.0, 3.0)):
    return WeatherField(uniform_climatology(), (forecast(Group.WIND, grid, values, hours),))


def reference_lookup(layer, lat, lng, time_h):
    """Return channel means and mean vector length, or None, by plain loops."""
    grid = layer.grid
    values = unpack(layer.group, layer.source)
    y = min(max((lat - grid.lat_first) / grid.lat_step, 0.0), grid.n_lat - 1.0)
    rows = [(math.floor(y), 1 - (y - math.floor(y))), (math.floor(y) + 1, y - math.floor(y))]
    x = ((lng - grid.lng_first) % 360.0) / grid.lng_step
    columns = [(math.floor(x), 1 - (x - math.floor(x))), (math.floor(x) + 1, x - math.floor(x))]
    times = np.array(layer.times_h)
    time_h = min(max(time_h, times[0]), times[-1])
    step = min(int(np.searchsorted(times, time_h, side="right")) - 1, len(times) - 2)
    later = (time_h - times[step]) / (times[step + 1] - times[step])
    total, channels, length = 0.0, np.zeros(len(CHANNELS[layer.group])), 0.0
    for at, share in ((step, 1 - later), (step + 1, later)):
        for row, row_share in rows:
            for column, column_share in columns:
                weight = share * row_share * column_share
                if weight == 0.0:
                    continue
                cell = min(row, grid.n_lat - 1) * grid.n_lng + column % grid.n_lng
                assert layer.source[at, cell, 0] != MISSING
                channels += weight * values[at, cell]
                length += weight * math.hypot(*values[at, cell, :2])
                total += weight
    return channels / total, length / total
