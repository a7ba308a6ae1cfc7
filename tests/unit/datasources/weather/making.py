"""Weather files for tests: GRIB by ecCodes, NetCDF by netCDF4."""

from datetime import UTC, datetime

import netCDF4
import numpy as np

from app.datasources.weather.grib import eccodes

REFERENCE = datetime(2026, 1, 10, 0, tzinfo=UTC)
NOW = datetime(2026, 1, 10, 6, tzinfo=UTC)

#: shortName -> (discipline, category, number, first fixed surface, level).
PARAMETERS = {
    "10u": (0, 2, 2, 103, 10),
    "10v": (0, 2, 3, 103, 10),
    "swh": (10, 0, 3, 1, 0),
    "pp1d": (10, 0, 34, 1, 0),
    "mwp": (10, 0, 15, 1, 0),
    "mwd": (10, 0, 14, 1, 0),
    "ucurr": (10, 1, 2, 160, 0),
    "vcurr": (10, 1, 3, 160, 0),
    "t2m": (0, 0, 0, 103, 2),
    "shts": (10, 0, 8, 1, 0),
    "mdts": (10, 0, 74, 1, 0),
    "swell 1": (10, 0, 8, 241, 1),
    "swdir 1": (10, 0, 7, 241, 1),
    "swell 2": (10, 0, 8, 241, 2),
    "swdir 2": (10, 0, 7, 241, 2),
}


def grib2(
    name, values, hours=0, *, south=-90.0, west=0.0, step=5.0, reference=REFERENCE, member=None
):
    """One GRIB 2 message on a regular grid; values ``(n_lat, n_lng)`` south to north.

    ``member`` is the number of a perturbed forecast.
    """
    n_lat, n_lng = values.shape
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    discipline, category, number, surface, level = PARAMETERS[name]
    of_member = {
        "productDefinitionTemplateNumber": 1,
        "typeOfEnsembleForecast": 3,
        "perturbationNumber": member,
        "numberOfForecastsInEnsemble": 50,
    }
    keys = {
        "discipline": discipline,
        **({} if member is None else of_member),
        "dataDate": int(reference.strftime("%Y%m%d")),
        "dataTime": int(reference.strftime("%H%M")),
        "Ni": n_lng,
        "Nj": n_lat,
        "latitudeOfFirstGridPointInDegrees": south + (n_lat - 1) * step,
        "latitudeOfLastGridPointInDegrees": south,
        "longitudeOfFirstGridPointInDegrees": west,
        "longitudeOfLastGridPointInDegrees": west + (n_lng - 1) * step,
        "iDirectionIncrementInDegrees": step,
        "jDirectionIncrementInDegrees": step,
        "parameterCategory": category,
        "parameterNumber": number,
        "typeOfFirstFixedSurface": surface,
        "scaleFactorOfFirstFixedSurface": 0,
        "scaledValueOfFirstFixedSurface": level,
        "stepUnits": 1,
        "forecastTime": hours,
    }
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    north_first = np.where(np.isnan(values), 9999.0, values)[::-1]
    eccodes.codes_set(message, "bitmapPresent", int(np.isnan(values).any()))
    eccodes.codes_set(message, "missingValue", 9999.0)
    eccodes.codes_set(message, "bitsPerValue", 16)
    eccodes.codes_set_values(message, north_first.ravel())
    data = eccodes.codes_get_message(message)
    eccodes.codes_release(message)
    return data


def wind_messages(hours=(0, 3, 6), *, n_lat=37, n_lng=72, **where):
    rng = np.random.default_rng(3)
    for hour in hours:
        for name in ("10u", "10v"):
            yield grib2(name, rng.normal(0, 6, (n_lat, n_lng)), hour, **where)


def wave_messages(hours=(0, 3, 6), names=("swh", "pp1d", "mwd"), **where):
    rng = np.random.default_rng(4)
    land = np.zeros((37, 72), dtype=bool)
    land[20:24, 10:20] = True
    ranges = {"swh": (0.5, 6), "pp1d": (5, 15), "mwp": (4, 12), "mwd": (0, 360)}
    for hour in hours:
        for name in names:
            values = rng.uniform(*ranges[name], land.shape)
            yield grib2(name, np.where(land, np.nan, values), hour, **where)


def write(path, messages):
    path.write_bytes(b"".join(messages))
    return path


def netcdf(
    path,
    variables,
    *,
    lats,
    lngs,
    hours=(0, 3),
    time_units=None,
    dims=None,
    form="NETCDF4",
    is_unlimited=False,
    levels=None,
):
    """A CF file; ``variables`` maps a name to ``(attributes, values)``.

    ``levels`` are name, attributes and values of one more axis.
    """
    with netCDF4.Dataset(path, "w", format=form) as data:
        n_time = None if is_unlimited else len(hours)
        sizes = (("time", n_time), ("latitude", len(lats)), ("longitude", len(lngs)))
        for name, size in sizes:
            data.createDimension(name, size)
        axes = (
            ("time", time_units or f"hours since {REFERENCE:%Y-%m-%d %H:%M:%S}", hours),
            ("latitude", "degrees_north", lats),
            ("longitude", "degrees_east", lngs),
        )
        for name, units, values in axes:
            axis = data.createVariable(name, "f8", (name,))
            axis.units, axis[:] = units, values
        if levels is not None:
            name, attributes, values = levels
            data.createDimension(name, len(values))
            axis = data.createVariable(name, "f8", (name,))
            axis.setncatts(attributes)
            axis[:] = values
        for name, (attributes, values) in variables.items():
            variable = data.createVariable(
                name, "f4", dims or ("time", "latitude", "longitude"), fill_value=-999.0
            )
            variable.setncatts(attributes)
            variable[:] = np.ma.masked_invalid(values)
    return path
