"""Weather on a grid, for maps."""

from dataclasses import replace

import numpy as np

from app.engine.times import moment_at
from app.engine.weather import Group, WeatherField, layer_from_values
from app.services.weather.weather_chart import chart
from tests.unit.engine.weather.seas import EPOCH_H, uniform_climatology

EDGES = {"south": 0.0, "north": 10.0, "west": -30.0, "step": 10.0}


def test_waves_and_currents_are_none_where_they_are_not_known() -> None:
    sea = uniform_climatology()
    layers = {}
    for group, row in ((Group.WAVE, (2.0, 7.0, -1.0, 0.0)), (Group.CURRENT, (0.5, 0.0))):
        layer = sea.layers[group]
        values = np.broadcast_to(np.array(row), (12, 18, 36, len(row))).copy()
        values[:, :, layer.grid.lngs() > 0.0] = np.nan
        layers[group] = layer_from_values(group, layer.grid, layer.times_h, values, cyclic=True)
    field = WeatherField(replace(sea, layers={**sea.layers, **layers}))
    both = chart(field, moment_at(EPOCH_H), **EDGES, east=60.0)
    for name in ("waveHeightM", "waveDirDeg", "currentU", "currentV"):
        assert both[name][0] is not None
        assert both[name][-1] is None
    assert None not in both["windU"]
    assert set(both["sources"].values()) == {"CLIMATOLOGY"}
    inland = chart(field, moment_at(EPOCH_H), **EDGES | {"west": 50.0}, east=60.0)
    assert inland["sources"] == {"wave": None, "wind": "CLIMATOLOGY", "current": None}
