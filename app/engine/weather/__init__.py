"""Wind, waves and currents at any place and time, with the source of each value."""

from app.engine.weather.field import WeatherDeviations, WeatherField, WeatherRun, WeatherSamples
from app.engine.weather.grid import RegularGrid
from app.engine.weather.groups import Group
from app.engine.weather.kernels import (
    WeatherArrays,
    WeatherPoint,
    sample_displaced_weather,
    sample_weather,
    zero_if_unknown,
)
from app.engine.weather.layer import (
    Layer,
    layer_from_values,
    measure_coverage_h,
    step_reach_h,
)
