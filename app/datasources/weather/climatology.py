"""The embedded climatology, built once from data sets of the system's packages.

Sources (packages ``ferret-datasets`` and ``libncarg-data``):

- COADS monthly climatology, 2 degrees (Slutz et al. 1985; Woodruff et al. 1987):
  scalar wind speed, sea-level pressure, sea-surface temperature.
- FNOC monthly winds 1982-1992, 2.5 degrees: vector means without gaps.
- A mean surface velocity field of the Parallel Ocean Program, about 1 degree:
  no seasons, weak boundary currents.
- ETOPO5 averaged to 20 minutes: what is sea.

Waves follow from the winds; see :mod:`app.engine.weather.wave_climate`.
"""

import hashlib
from pathlib import Path
from typing import Any, Final

import netCDF4
import numpy as np
from scipy.ndimage import gaussian_filter, median_filter  # type: ignore[attr-defined]
from scipy.spatial import KDTree

from app.datasources.weather.run_writer import LayerAxes, RunWriter
from app.datasources.weather.store import RunUnreadable, summarise_run
from app.engine.arrays import Bools, Floats, Ints
from app.engine.geodesy import unit_vectors
from app.engine.progress import Progress, no_progress
from app.engine.weather import Group, RegularGrid, WeatherRun, groups, layer, wave_climate
from app.engine.weather.groups import pack
from app.engine.weather.layer import YEAR_H
from app.engine.weather.wave_climate import WindClimate, compute_wave_climate

#: The climatology's grid: 1 degree, cell centres.
GRID: Final = RegularGrid(-89.5, 1.0, 180, -179.5, 1.0, 360)

#: Mid-months [h since the turn of the year].
MID_MONTHS_H: Final = tuple((month + 0.5) * YEAR_H / 12.0 for month in range(12))

FERRET_DATA: Final = Path("/usr/share/ferret-vis/data")
NCARG_DATA: Final = Path("/usr/share/ncarg/data/cdf")

#: A COADS cell further than this from the median of its surroundings [1] rests
#: on a handful of ships in a gale and is left out.
_OUTLIER: Final = 0.35

#: Farthest model point that speaks for a cell's current [km].
_CURRENT_REACH_KM: Final = 120.0

_FERRET_FILES: Final = ("coads_climatology.cdf", "monthly_navy_winds.cdf", "etopo20.cdf")
_CURRENT_FILE: Final = "pop.nc"

_NOTES: Final = (
    "wind speed: COADS scalar means; direction: FNOC vector means 1982-1992",
    "waves: derived from the winds by fetch, duration and swell along great circles",
    "current: annual mean of a coarse ocean model; boundary currents are too weak",
    "current: none in the northern Indian Ocean, where the monsoons reverse it",
)


def build_climatology(
    folder: Path,
    progress: Progress = no_progress,
    *,
    ferret_data: Path = FERRET_DATA,
    ncarg_data: Path = NCARG_DATA,
) -> WeatherRun:
    """Build the climatology in ``folder`` (made, or replaced whole when complete).

    Raise :class:`FileNotFoundError` if a data set is not installed.
    """
    progress(0.0, "winds")
    winds = _read_winds(ferret_data)
    progress(0.02, "waves")
    waves = compute_wave_climate(GRID, _read_sea(ferret_data), winds)
    progress(0.95, "currents, pressure and temperature")
    coads = ferret_data / "coads_climatology.cdf"
    # Winds over land are no winds at sea: coasts take values from the nearest water.
    wet = np.isfinite(waves.height_m[0])
    from_rad = np.radians(waves.from_deg)
    layers = {
        Group.WIND: np.where(wet[:, np.newaxis], _wind_channels(winds), np.nan),
        Group.WAVE: np.stack(
            [
                waves.height_m,
                waves.period_s,
                waves.steadiness * np.sin(from_rad),
                waves.steadiness * np.cos(from_rad),
            ],
            axis=-1,
        ),
        Group.CURRENT: _read_currents(ncarg_data / _CURRENT_FILE)[np.newaxis],
        Group.PRESSURE: _read_coads(coads, "SLP")[..., np.newaxis],
        Group.SEA_TEMPERATURE: _read_coads(coads, "SST")[..., np.newaxis],
    }
    with RunWriter(folder.parent, cyclic=True) as writer:
        rooms = writer.add_layers(
            {group: LayerAxes(GRID, MID_MONTHS_H[: len(v)]) for group, v in layers.items()}
        )
        for group, room in rooms.items():
            room[:] = pack(group, layers[group]).reshape(room.shape)
        origins = _origins(ferret_data, ncarg_data)
        return writer.finish("climatology", None, _NOTES, origins, folder_name=folder.name)


def is_current(
    folder: Path, *, ferret_data: Path = FERRET_DATA, ncarg_data: Path = NCARG_DATA
) -> bool:
    """Return whether ``folder`` holds a climatology made by this code from these data sets."""
    try:
        return summarise_run(folder).origins == _origins(ferret_data, ncarg_data)
    except (RunUnreadable, FileNotFoundError):
        return False


def _origins(ferret_data: Path, ncarg_data: Path) -> dict[str, str]:
    """SHA-256 of everything that decides what the climatology holds."""
    data = [ferret_data / name for name in _FERRET_FILES]
    code = [Path(module.__file__ or "") for module in (wave_climate, groups, layer)]
    files = [*data, ncarg_data / _CURRENT_FILE, *code, Path(__file__)]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _wind_channels(winds: WindClimate) -> Floats:
    """Vectors of the scalar mean's length in the vector mean's direction."""
    length = np.maximum(np.hypot(winds.u_ms, winds.v_ms), 1e-3)
    stretch = winds.speed_ms / length
    return np.stack([winds.u_ms * stretch, winds.v_ms * stretch], axis=-1)


def _read_winds(ferret_data: Path) -> WindClimate:
    """Monthly winds on :data:`GRID` without gaps.

    Where COADS is silent, the speed is what the vector mean and the variance
    about it at that latitude and month make of it.
    """
    u, v = _read_navy(ferret_data / "monthly_navy_winds.cdf")
    speed = _read_coads(ferret_data / "coads_climatology.cdf", "WSPD")
    speed = _without_outliers(speed)
    vector = np.hypot(u, v)
    variance = np.maximum(speed**2 - vector**2, 1.0)
    by_latitude = _filled_rows(_row_medians(variance))
    filled = np.sqrt(_with_rows(vector) ** 2 + by_latitude[..., np.newaxis]).reshape(speed.shape)
    merged = _with_rows(np.where(np.isnan(speed), filled, speed))
    smooth = gaussian_filter(merged, sigma=1.0, mode=("nearest", "wrap"), axes=(1, 2))
    # A scalar mean is never below the vector mean.
    return WindClimate(np.maximum(smooth.reshape(speed.shape), vector), u, v)


def _read_navy(path: Path) -> tuple[Floats, Floats]:
    with netCDF4.Dataset(path) as data:
        lats, lngs = data["FNOCY"][:].filled(), data["FNOCX"][:].filled()
        months = _calendar_months(data["TIME"])
        means = []
        for name in ("UWND", "VWND"):
            values = data[name][:].filled(np.nan).astype(float)
            monthly = np.stack([np.nanmean(values[months == m], axis=0) for m in range(12)])
            means.append(_on_grid(monthly, lats, lngs))
    return means[0], means[1]


def _calendar_months(time: "netCDF4.Variable[Any]") -> Ints:
    """Calendar month, 0 to 11, of each value of a CF time axis."""
    dates = netCDF4.num2date(time[:], time.units, only_use_cftime_datetimes=False)
    return np.array([date.month - 1 for date in np.asarray(dates)])


def _read_coads(path: Path, name: str) -> Floats:
    with netCDF4.Dataset(path) as data:
        values = data[name][:].filled(np.nan).astype(float)
        return _on_grid(values, data["COADSY"][:].filled(), data["COADSX"][:].filled())


def _on_grid(values: Floats, lats: Floats, lngs: Floats) -> Floats:
    """Interpolate ``(n_month, n_lat, n_lng)`` onto :data:`GRID`, ``(n_month, n_cell)``.

    Bilinear over the known corners; NaN where none is known.
    """
    rows = np.interp(GRID.lats(), lats, np.arange(lats.size))
    columns = ((GRID.lngs() - lngs[0]) % 360.0) / (lngs[1] - lngs[0])
    south, west = np.floor(rows).astype(int), np.floor(columns).astype(int)
    shape = (values.shape[0], GRID.n_lat, GRID.n_lng)
    total, weights = np.zeros(shape), np.zeros(shape)
    for row_step in (0, 1):
        row = np.minimum(south + row_step, lats.size - 1)
        row_weight = np.abs(1 - row_step - (rows - south))
        for column_step in (0, 1):
            column = (west + column_step) % lngs.size
            weight = np.outer(row_weight, np.abs(1 - column_step - (columns - west)))
            corner = values[:, row][:, :, column]
            known = np.isfinite(corner)
            total = total + np.where(known, corner, 0.0) * weight
            weights = weights + known * weight
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(weights > 0.0, total / weights, np.nan)
    return mean.reshape(values.shape[0], GRID.n_cell)


def _with_rows(values: Floats) -> Floats:
    return values.reshape(values.shape[0], GRID.n_lat, GRID.n_lng)


def _without_outliers(values: Floats) -> Floats:
    rows = _with_rows(values).copy()
    for month in rows:
        padded = np.where(np.isnan(month), np.nanmedian(month), month)
        round_the_earth = np.pad(padded, ((0, 0), (3, 3)), mode="wrap")
        median: Floats = median_filter(round_the_earth, size=7, mode="nearest")[:, 3:-3]
        month[np.abs(month - median) > _OUTLIER * median] = np.nan
    return rows.reshape(values.shape)


def _row_medians(values: Floats) -> Floats:
    """Median of each month and latitude ``(n_month, n_lat)``; NaN where all is unknown."""
    known = np.ma.masked_invalid(_with_rows(values))
    return np.asarray(np.ma.median(known, axis=2).filled(np.nan), dtype=np.float64)


def _filled_rows(by_latitude: Floats) -> Floats:
    """Carry the nearest known latitude's value over latitudes without any."""
    out = by_latitude.copy()
    for month in out:
        known = np.flatnonzero(np.isfinite(month))
        month[:] = np.interp(np.arange(month.size), known, month[known])
    return out


def _read_sea(ferret_data: Path) -> Bools:
    """Return the cells of :data:`GRID` that are mostly water."""
    with netCDF4.Dataset(ferret_data / "etopo20.cdf") as data:
        name = next(n for n, v in data.variables.items() if v.ndim == 2)
        height = data[name]
        lats = data[height.dimensions[0]][:].filled()
        lngs = data[height.dimensions[1]][:].filled()
        wet = np.asarray(height[:].filled(1.0) < 0.0, dtype=float)
    row = np.clip(np.floor(lats + 90.0).astype(int), 0, 179)
    column = np.floor((lngs + 180.0) % 360.0).astype(int)
    cell = (row[:, np.newaxis] * 360 + column).ravel()
    count = np.bincount(cell, minlength=GRID.n_cell)
    return np.bincount(cell, wet.ravel(), GRID.n_cell) > 0.5 * np.maximum(count, 1)


def _read_currents(path: Path) -> Floats:
    """Mean surface current [m/s] on :data:`GRID`, ``(n_cell, 2)``; NaN on land."""
    with netCDF4.Dataset(path) as data:
        lats, lngs = data["lat2d"][:].filled(np.nan), data["lon2d"][:].filled(np.nan)
        u, v = data["urot"][:].filled(np.nan) / 100.0, data["vrot"][:].filled(np.nan) / 100.0
    # The model's no-slip coast is written as exact zero: no water moves there,
    # which says nothing of the water a ship meets.
    known = np.isfinite(u) & (np.abs(u) < 5.0) & ((u != 0.0) | (v != 0.0))
    points = unit_vectors(lats[known].astype(float), lngs[known].astype(float))
    vectors = np.stack([u[known], v[known]], axis=-1).astype(float)
    distance, index = KDTree(points).query(
        unit_vectors(*GRID.cells()), k=4, distance_upper_bound=_CURRENT_REACH_KM / 6371.0
    )
    weight = np.where(np.isfinite(distance), 1.0 / np.maximum(distance, 1e-4) ** 2, 0.0)
    corners = np.append(vectors, [[0.0, 0.0]], axis=0)[index]
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (corners * weight[..., np.newaxis]).sum(axis=1) / total
    return np.asarray(mean * _seasonless(*GRID.cells())[:, np.newaxis])


def _seasonless(lats: Floats, lngs: Floats) -> Floats:
    """Weight of an annual mean, 0 to 1.

    The monsoons turn the currents of the northern Indian Ocean round twice a
    year; a mean of both promises a set that no ship meets. A current of zero counts as unknown.
    """
    indian = (lngs > 40.0) & (lngs < 100.0) & (lats < 26.0)
    return np.where(indian, np.clip((-5.0 - lats) / 5.0, 0.0, 1.0), 1.0)
