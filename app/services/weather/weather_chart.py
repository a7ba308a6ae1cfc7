"""Weather over a part of the chart, for maps."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.weather import Group, WeatherField
from app.engine.weather.field import known_or_none
from app.engine.weather.records import WeatherSource
from app.engine.weather.stencil import RELAXATION_H
from app.records.instants import format_instant, write_instant
from app.services.errors import FieldError, Invalid, refuse
from app.services.weather.weather_area import describe_area

#: Largest number of points of one chart; a screen needs no more.
MOST_POINTS: Final = 20_000

# Sources from the most to the least certain; the least certain one is that of the chart.
_ORDER: Final = ("FORECAST", "BLENDED", "CLIMATOLOGY")


def chart(
    field: WeatherField,
    time: datetime,
    *,
    south: float,
    north: float,
    west: float,
    east: float,
    step: float,
) -> dict[str, Any]:
    """Sample weather on a grid: arrays of values, row by row from the north-west.

    Waves and currents are ``None`` where unknown, as inland, and so are their sources if they are
    unknown everywhere.

    Raise :class:`Invalid` if the area is reversed or the grid has too many points.
    """
    refuse(_find_faults(south, north, west, east))
    lats, lngs = _axis(north, south, -step), _axis(west, east, step)
    if lats.size * lngs.size > MOST_POINTS:
        detail = f"{lats.size * lngs.size} points; at most {MOST_POINTS}."
        raise Invalid.at("/step", detail)
    rows, columns = np.meshgrid(lats, lngs, indexing="ij")
    met = field.sample(rows, columns, time)
    wind_u, wind_v = _components(met.wind_speed_ms, met.wind_from_deg + 180.0)
    current_u, current_v = _components(met.current_speed_kn, met.current_to_deg)
    return {
        "lats": _rounded(lats, 4),
        "lngs": _rounded(lngs, 4),
        "windU": _rounded(wind_u, 2),
        "windV": _rounded(wind_v, 2),
        "waveHeightM": known_or_none(_rounded(met.wave_height_m, 2), met.has_waves),
        "waveDirDeg": known_or_none(_rounded(met.wave_from_deg, 0), met.has_waves),
        "currentU": known_or_none(_rounded(current_u, 2), met.has_current),
        "currentV": known_or_none(_rounded(current_v, 2), met.has_current),
        "sources": {
            "wave": _least_certain(met.wave_sources),
            "wind": _least_certain(met.wind_sources),
            "current": _least_certain(met.current_sources),
        },
        "weatherRuns": list(field.run_names),
    }


def list_pressures(
    field: WeatherField, time: datetime, lats: list[float], lngs: list[float]
) -> list[float | None]:
    """Sea-level pressure [hPa] at each grid point, row by row; ``None`` where unknown."""
    rows, columns = np.meshgrid(np.array(lats), np.array(lngs), indexing="ij")
    pressures, _ = field.sample_scalar(Group.PRESSURE, rows, columns, time)
    return _known(pressures)


def list_swell(
    field: WeatherField, time: datetime, lats: list[float], lngs: list[float]
) -> tuple[list[float | None], list[float | None]]:
    """Swell heights [m] and directions from which it comes [deg] at each grid point, row by row.

    Only forecasts have swell: monthly averages do not separate it from wind sea. ``None`` where
    unknown; empty after the end of the forecast.
    """
    ends_at = field.forecast_ends_at(Group.SWELL)
    if ends_at is None or time > ends_at:
        return [], []
    rows, columns = np.meshgrid(np.array(lats), np.array(lngs), indexing="ij")
    height, east, north = field.sample_forecast(Group.SWELL, rows, columns, time)
    from_deg = np.degrees(np.arctan2(east, north)) % 360.0
    return _known(height), _known(from_deg)


def _known(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values.ravel()]


def name_sources(field: WeatherField, time: datetime) -> dict[str, dict[str, str | None] | None]:
    """Forecast run of each group at a time, with its coverage and end.

    ``None`` for groups that come from monthly averages alone at that time.
    """

    def name(group: Group) -> dict[str, str | None] | None:
        run, ends_at = field.forecast_run(group), field.forecast_ends_at(group)
        if run is None or ends_at is None or time >= ends_at + timedelta(hours=RELAXATION_H):
            return None
        covers = describe_area([run.layers[group].grid])
        return {
            "run": run.name,
            "endsAt": format_instant(ends_at),
            "covers": covers,
            "issuedAt": write_instant(run.reference_time),
        }

    return {
        str(group): name(group)
        for group in (Group.WAVE, Group.WIND, Group.CURRENT, Group.PRESSURE, Group.SWELL)
    }


def _find_faults(south: float, north: float, west: float, east: float) -> Iterator[FieldError]:
    """Find the ends of an area that are on the wrong side of the other."""
    if north < south:
        detail = f"{north:g} is south of south, {south:g}. Give {south:g} or more."
        yield FieldError("/north", detail)
    if east < west:
        # the same meridian, counted on to the east of west
        eastward = west + (east - west) % 360.0
        detail = f"{east:g} is not east of west, {west:g}. Across 180° give {eastward:g}."
        yield FieldError("/east", detail)


def _axis(first: float, last: float, step: float) -> Floats:
    count = int(np.floor((last - first) / step + 1e-9)) + 1
    return first + step * np.arange(max(count, 0), dtype=np.float64)


def _components(speed: Floats, towards_deg: Floats) -> tuple[Floats, Floats]:
    angle = np.radians(towards_deg)
    return speed * np.sin(angle), speed * np.cos(angle)


def _rounded(values: Floats, decimals: int) -> list[float]:
    # adding zero turns a negative zero into a plain one
    return [float(value) for value in np.round(values, decimals).ravel() + 0.0]


def _least_certain(sources: Iterable[WeatherSource | None]) -> str | None:
    known = {str(source) for source in sources if source is not None}
    return max(known, key=_ORDER.index, default=None)
