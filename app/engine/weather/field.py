"""Weather fields: forecast where available, else climatology."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.engine.arrays import Bools, Floats
from app.engine.request import Position
from app.engine.times import Times, hours_since_epoch, moment_at, times_as_hours
from app.engine.weather.groups import CHANNELS, Group
from app.engine.weather.kernels import WeatherArrays, sample_scalar_many, sample_weather_many
from app.engine.weather.layer import Layer, OpenLayer, no_layer
from app.engine.weather.records import Weather, WeatherSource

_Value = TypeVar("_Value")

#: Sources in the order of the codes in :class:`WeatherSamples`.
_SOURCES: Final = (WeatherSource.CLIMATOLOGY, WeatherSource.BLENDED, WeatherSource.FORECAST)


@dataclass(frozen=True)
class WeatherRun:
    """An immutable set of layers: a model run, or a climatology.

    ``name`` identifies its content permanently, for provenance. ``spliced`` are the names of the
    runs of which its layers were spliced.
    """

    name: str
    layers: Mapping[Group, Layer]
    reference_time: datetime | None = None
    spliced: tuple[str, ...] = ()


@dataclass(frozen=True)
class WeatherSamples:
    """Weather at ``n`` places and times, arrays of one shape.

    Directions are degrees true, wind and waves *from*, current *towards*. The weights are the
    share of the forecast in each group, 0 to 1. Unknown waves and currents are zero and from no
    source, as on inland waters.
    """

    wave_height_m: Floats
    wave_period_s: Floats
    wave_from_deg: Floats
    wind_speed_ms: Floats
    wind_from_deg: Floats
    current_speed_kn: Floats
    current_to_deg: Floats
    wave_weight: Floats
    wind_weight: Floats
    current_weight: Floats

    @property
    def wave_sources(self) -> list[WeatherSource | None]:
        """Sources of the wave values, ``None`` where these are unknown, flattened."""
        return known_or_none(_sources(self.wave_weight), self.has_waves)

    @property
    def has_waves(self) -> Bools:
        """Mask of the samples whose waves are known, flattened."""
        return ((self.wave_height_m > 0.0) | (self.wave_weight > 0.0)).ravel()

    @property
    def wind_sources(self) -> list[WeatherSource]:
        """Sources of the wind values, flattened."""
        return _sources(self.wind_weight)

    @property
    def has_current(self) -> Bools:
        """Mask of the samples whose current is known, flattened."""
        return ((self.current_speed_kn > 0.0) | (self.current_weight > 0.0)).ravel()

    @property
    def current_sources(self) -> list[WeatherSource | None]:
        """Sources of the current values, ``None`` where these are unknown, flattened."""
        return known_or_none(_sources(self.current_weight), self.has_current)

    @cached_property
    def records(self) -> list[Weather]:
        """The samples as records, flattened."""
        values = (
            self.wave_height_m,
            self.wave_period_s,
            self.wave_from_deg,
            self.wind_speed_ms,
            self.wind_from_deg,
        )
        columns = (column.ravel().tolist() for column in values)
        has_current = self.has_current
        speeds_kn = known_or_none(self.current_speed_kn.ravel().tolist(), has_current)
        directions_deg = known_or_none(self.current_to_deg.ravel().tolist(), has_current)
        sources = self.wave_sources, self.wind_sources, self.current_sources
        return list(map(Weather, *columns, speeds_kn, directions_deg, *sources))

    @property
    def is_forecast(self) -> Bools:
        """Mask of the samples whose wind, and waves if known, are forecast alone, flattened."""
        is_wave_forecast = ~self.has_waves | (self.wave_weight.ravel() >= 1.0)
        return np.asarray(is_wave_forecast & (self.wind_weight.ravel() >= 1.0))

    def forecast_coverage_pct(self, shares: ArrayLike | None = None) -> float:
        """Return the share of samples that are forecast [%].

        ``shares`` are weights of the samples, for instance their hours.
        """
        covered = self.is_forecast
        if covered.size == 0:
            return 0.0
        weights = None if shares is None else np.broadcast_to(shares, covered.shape)
        return float(100.0 * np.average(covered, weights=weights))


@dataclass(frozen=True)
class WeatherField:
    """Climatology with at most one forecast for each group of variables.

    For each group the first of ``forecasts`` with a layer is used; beyond its horizon and area it
    relaxes to ``climatology``. A field is immutable; layers in files are memory-mapped and pickle
    as their paths.
    """

    climatology: WeatherRun
    forecasts: Sequence[WeatherRun] = field(default=())

    @property
    def identity(self) -> str:
        """Names of all runs used, for provenance."""
        return " + ".join(self.run_names)

    @property
    def run_names(self) -> tuple[str, ...]:
        """Names of the runs used for some group, the climatology last."""
        return (*self.forecast_names, self.climatology.name)

    @property
    def forecast_names(self) -> tuple[str, ...]:
        """Names of the forecast runs used for some group."""
        used = [self.forecast_run(group) for group in Group]
        found = (run for run in self.forecasts if any(run is each for each in used))
        names = (name for run in found for name in run.spliced or (run.name,))
        return tuple(dict.fromkeys(names))

    @property
    def regional_bounds(self) -> dict[str, tuple[float, float, float, float]]:
        """South, west, north and east edge [deg] of each forecast run that is not global."""
        runs = ((group, self.forecast_run(group)) for group in (Group.WAVE, Group.WIND))
        grids = ((run.name, run.layers[group].grid) for group, run in runs if run is not None)
        return {name: grid.bounds for name, grid in grids if not grid.is_global}

    def forecast_run(self, group: Group) -> WeatherRun | None:
        """Return the forecast run used for a group, if any."""
        return next((run for run in self.forecasts if group in run.layers), None)

    def forecast_ends_at(self, group: Group) -> datetime | None:
        """Return the last time for which the forecast of a group is not blended, if any."""
        run = self.forecast_run(group)
        return None if run is None else moment_at(run.layers[group].times_h[-1])

    @cached_property
    def kernel_arrays(self) -> WeatherArrays:
        """Arrays of :func:`app.engine.weather.kernels.sample_weather`.

        Valid during the lifetime of this field, which owns the mapped arrays.
        """
        groups = (Group.WIND, Group.WAVE, Group.CURRENT)
        forecast = (self._open_forecast[group].address for group in groups)
        climatology = (self._open_climatology[group].address for group in groups)
        return WeatherArrays(*forecast, *climatology)

    def sample(
        self,
        lats: ArrayLike,
        lngs: ArrayLike,
        times: Times,
        is_inland: ArrayLike = False,
        displacements_deg: Floats | None = None,
    ) -> WeatherSamples:
        """Sample the weather at places [deg] and times (aware datetimes or hours since 1970).

        The places and times broadcast against each other; the result has their shape. On inland
        waters waves and current are unknown. ``displacements_deg``, shape (2, n), are those of
        waves and wind to north and east, as in
        :func:`~app.engine.weather.kernels.sample_displaced_weather`.
        """
        shape, places = _broadcast(lats, lngs, times)
        inland = np.broadcast_to(np.asarray(is_inland, dtype=np.bool_), shape).flatten()
        rows = np.empty((10, places[0].size))
        if displacements_deg is None:
            displacements_deg = np.zeros((2, places[0].size))
        sample_weather_many(self.kernel_arrays, *places, inland, displacements_deg, rows)
        return WeatherSamples(*rows.reshape(10, *shape))

    def at(self, position: Position, time: datetime) -> Weather:
        """Return the weather at one place and time."""
        return self.sample([position.lat], [position.lng], hours_since_epoch(time)).records[0]

    def sample_scalar(
        self, group: Group, lats: ArrayLike, lngs: ArrayLike, times: Times
    ) -> tuple[Floats, list[WeatherSource | None]]:
        """Sample ice fraction [1], pressure [hPa] or sea temperature [degC] at places and times.

        Values are from the forecast where known, else from the climatology; NaN without a source
        where neither knows them. They are not blended: maps and water properties do not need a
        smooth transition at the horizon.
        """
        shape, places = _broadcast(lats, lngs, times)
        forecast, climatology = np.empty(places[0].size), np.empty(places[0].size)
        sample_scalar_many(self._open_forecast[group].address, *places, forecast)
        sample_scalar_many(self._open_climatology[group].address, *places, climatology)
        channel = CHANNELS[group][0]
        packed = np.where(np.isnan(forecast), climatology, forecast)
        sources = known_or_none(_sources(1.0 - np.isnan(forecast)), ~np.isnan(packed))
        return (channel.offset + channel.scale * packed).reshape(shape), sources

    def sample_forecast(
        self, group: Group, lats: ArrayLike, lngs: ArrayLike, times: Times
    ) -> Floats:
        """Sample forecast values of a group's channels, shape ``(n_channel, *shape)``.

        In the units and order of :data:`~app.engine.weather.groups.CHANNELS`; NaN where no
        forecast knows them.
        """
        shape, places = _broadcast(lats, lngs, times)
        channels, run = CHANNELS[group], self.forecast_run(group)
        values = np.full((len(channels), places[0].size), np.nan)
        if run is not None:
            for index, channel in enumerate(channels):
                opened = run.layers[group].open(channel=index)
                sample_scalar_many(opened.address, *places, values[index])
                values[index] = channel.offset + channel.scale * values[index]
        return values.reshape(-1, *shape)

    def with_forecast(self, run: WeatherRun, blocks: dict[Path, NDArray[Any]]) -> "WeatherField":
        """Return this field with another forecast of higher priority.

        Files of this field, and those in ``blocks``, are not mapped again.
        """
        combined = WeatherField(self.climatology, (run, *self.forecasts))
        opened = {group: layer.open(blocks) for group, layer in run.layers.items()}
        # cached properties are stored under their names
        combined.__dict__["_open_climatology"] = self._open_climatology
        combined.__dict__["_open_forecast"] = {**self._open_forecast, **opened}
        return combined

    def __getstate__(self) -> dict[str, object]:
        """Exclude opened arrays: a copy in another process maps them again."""
        return {"climatology": self.climatology, "forecasts": tuple(self.forecasts)}

    @cached_property
    def _open_forecast(self) -> dict[Group, OpenLayer]:
        return _open({group: self.forecast_run(group) for group in Group})

    @cached_property
    def _open_climatology(self) -> dict[Group, OpenLayer]:
        return _open(dict.fromkeys(Group, self.climatology))


def _open(runs: Mapping[Group, WeatherRun | None]) -> dict[Group, OpenLayer]:
    blocks: dict[Path, NDArray[Any]] = {}
    return {
        group: no_layer()
        if run is None or group not in run.layers
        else run.layers[group].open(blocks)
        for group, run in runs.items()
    }


def _broadcast(
    lats: ArrayLike, lngs: ArrayLike, times: Times
) -> tuple[tuple[int, ...], tuple[Floats, Floats, Floats]]:
    """Return the shape to which places and times broadcast, and the arrays, flattened.

    The times are hours since 1970.
    """
    lat, lng, hours = np.broadcast_arrays(
        np.asarray(lats, dtype=np.float64),
        np.asarray(lngs, dtype=np.float64),
        times_as_hours(times),
    )
    return lat.shape, (lat.flatten(), lng.flatten(), hours.flatten())


def known_or_none(values: Sequence[_Value], is_known: Bools) -> list[_Value | None]:
    """Return values, ``None`` where a mask of the same length says that they are unknown."""
    return [value if known else None for value, known in zip(values, is_known, strict=True)]


def _sources(weights: Floats) -> list[WeatherSource]:
    flat = weights.ravel()
    numbers = (flat > 0.0).astype(np.int64) + (flat >= 1.0)
    return [_SOURCES[number] for number in numbers.tolist()]


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
