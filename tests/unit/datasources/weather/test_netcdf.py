"""NetCDF files: what their names and times mean, and files that are damaged."""

from datetime import UTC, datetime, timedelta

import netCDF4
import numpy as np
import pytest

from app.datasources.weather.fields import Quantity
from app.datasources.weather.layer_filling import FileKind, decode, find_kind
from app.datasources.weather.netcdf import survey_netcdf

from .making import REFERENCE, netcdf

LATS, LNGS = np.arange(30.0, 40.1, 1.0), np.arange(-20.0, -9.9, 1.0)


def write(path, variables, **options):
    """A file of variables, each a name with its value, standard name and unit."""
    shape = (len(options.get("hours", (0, 3))), LATS.size, LNGS.size)
    made = {
        name: ({"standard_name": standard, "units": unit}, np.full(shape, value))
        for name, (value, standard, unit) in variables.items()
    }
    return netcdf(path, made, lats=LATS, lngs=LNGS, **options)


def write_forecast(path, *, n_reference=1, n_period=1, with_valid_time=True):
    """Wind along reference times a day apart and periods 6 h apart from 48 h, as cfgrib writes."""
    with netCDF4.Dataset(path, "w") as data:
        sizes = {"time": n_reference, "step": n_period, "latitude": LATS.size}
        for name, size in {**sizes, "longitude": LNGS.size}.items():
            data.createDimension(name, size)
        references, periods = 24.0 * np.arange(n_reference), 48.0 + 6.0 * np.arange(n_period)
        since = f"hours since {REFERENCE:%Y-%m-%d %H:%M:%S}"
        axes = (
            ("time", ("time",), since, "forecast_reference_time", references),
            ("step", ("step",), "hours", "forecast_period", periods),
            ("valid_time", ("time", "step"), since, "time", references[:, None] + periods),
            ("latitude", ("latitude",), "degrees_north", "latitude", LATS),
            ("longitude", ("longitude",), "degrees_east", "longitude", LNGS),
        )
        for name, dims, units, standard, values in axes:
            if with_valid_time or name != "valid_time":
                axis = data.createVariable(name, "f8", dims)
                axis.units, axis.standard_name, axis[:] = units, standard, values
        wind = data.createVariable("u10", "f4", ("time", "step", "latitude", "longitude"))
        wind.setncatts({"units": "m s-1", "standard_name": "eastward_wind"})
        wind[:] = np.arange(wind.size).reshape(wind.shape)
    return path


def means(path):
    """Mean of each field in the engine's unit, by name."""
    fields = survey_netcdf(path).fields
    return {f.name: f.offset + f.scale * values.mean() for f, values in decode(path, fields)}


def moments(path):
    return [datetime.fromtimestamp(3600.0 * f.time_h, UTC) for f in survey_netcdf(path).fields]


def test_a_direction_to_which_waves_run_is_read_from_where_they_come(tmp_path):
    names = {
        "dir": (90.0, "sea_surface_wave_to_direction", "degree"),
        "sw": (45.0, "sea_surface_swell_wave_to_direction", "degree"),
    }
    path = write(tmp_path / "w.nc", names)
    assert means(path) == {"dir": 270.0, "sw": 225.0}
    quantities = {field.quantity for field in survey_netcdf(path).fields}
    assert quantities == {Quantity.WAVE_FROM, Quantity.SWELL_FROM}


@pytest.mark.parametrize(
    ("name", "standard", "unit"),
    [
        ("dir", "wind_from_direction", "degree"),
        ("tp", "sea_surface_wind_wave_period", "s"),
        ("hs", "sea_surface_wave_significant_height standard_error", "m"),
    ],
)
def test_a_short_name_does_not_overrule_a_standard_name(tmp_path, name, standard, unit):
    survey = survey_netcdf(write(tmp_path / "w.nc", {name: (5.0, standard, unit)}))
    assert survey.fields == []
    assert survey.left_out == [f"w.nc: variables of other kinds ({name} is {standard})"]


@pytest.mark.parametrize("standard", ["", "unknown"])
def test_a_short_name_counts_where_the_standard_name_is_unknown(tmp_path, standard):
    assert means(write(tmp_path / "w.nc", {"swh": (2.0, standard, "m")})) == {"swh": 2.0}


def test_wind_that_its_name_puts_at_another_height_than_ten_metres_is_left_out(tmp_path):
    names = dict.fromkeys(("u100", "u10", "u_80m", "u"), (9.0, "eastward_wind", "m s-1"))
    survey = survey_netcdf(write(tmp_path / "w.nc", names))
    assert {field.name for field in survey.fields} == {"u10"}
    assert survey.left_out[:-1] == [
        f"w.nc: {name}: its name gives a height of {height} m; wind at 10 m is read"
        for name, height in (("u100", 100), ("u_80m", 80))
    ]


@pytest.mark.parametrize("order", [("VHM0", "VHM0_SW1"), ("waves", "hs"), ("hs", "a")])
def test_of_two_variables_of_a_quantity_the_one_with_a_usual_name_counts(tmp_path, order):
    standard = "sea_surface_wave_significant_height"
    heights = {name: (2.0 + len(name), standard, "m") for name in order}
    path, usual = write(tmp_path / "w.nc", heights), next(n for n in order if n in ("VHM0", "hs"))
    assert means(path) == {usual: 2.0 + len(usual)}
    first, second = sorted(order)
    assert survey_netcdf(path).left_out == [
        f"w.nc: {first} and {second} hold significant wave height;"
        f" significant wave height is read from {usual}"
    ]


@pytest.mark.parametrize("names", [("total", "swell"), ("hs", "swh"), ("hs_1", "hs_2")])
def test_variables_of_a_quantity_that_nothing_tells_apart_are_left_out(tmp_path, names):
    standard = "sea_surface_wave_significant_height"
    survey = survey_netcdf(write(tmp_path / "w.nc", dict.fromkeys(names, (2.0, standard, "m"))))
    first, second = sorted(names)
    assert survey.fields == []
    assert survey.left_out == [
        f"w.nc: {first} and {second} hold significant wave height; give the one that is meant"
    ]


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_a_netcdf_file_made_from_grib_is_read_as_netcdf(tmp_path, form):
    path = write(tmp_path / "w.nc", {"swh": (2.0, "unknown", "m")}, form=form)
    with netCDF4.Dataset(path, "a") as data:
        data.GRIB_centre = "ecmf"
    assert find_kind(path) is FileKind.NETCDF
    assert means(path) == {"swh": 2.0}


@pytest.mark.parametrize(("n_reference", "n_period"), [(1, 1), (1, 3), (3, 1)])
def test_a_forecast_by_reference_time_and_period_is_read_at_its_valid_times(
    tmp_path, n_reference, n_period
):
    path = write_forecast(tmp_path / "w.nc", n_reference=n_reference, n_period=n_period)
    step_h = 6 if n_period > 1 else 24
    expected = [REFERENCE + timedelta(hours=48 + step_h * n) for n in range(n_reference * n_period)]
    assert moments(path) == expected
    fields = survey_netcdf(path).fields
    assert {field.reference_time for field in fields} == {REFERENCE}
    firsts = [values[0, 0] for _, values in decode(path, fields)]
    assert firsts == [n * LATS.size * LNGS.size for n in range(len(expected))]


def test_a_forecast_whose_valid_times_are_not_known_is_left_out(tmp_path):
    several = write_forecast(tmp_path / "s.nc", n_reference=2, n_period=3)
    assert "several reference times" in survey_netcdf(several).left_out[0]
    undated = write_forecast(tmp_path / "u.nc", n_period=3, with_valid_time=False)
    assert "no coordinate says when it is valid along step" in survey_netcdf(undated).left_out[0]
    both = write_forecast(tmp_path / "b.nc")
    with netCDF4.Dataset(both, "a") as data:
        data["time"].standard_name = "time"
    assert "times and forecast periods" in survey_netcdf(both).left_out[0]


def test_times_counted_in_days_from_the_year_one_are_read_to_the_second(tmp_path):
    """GrADS servers count so; 739951 days of CF's standard calendar end on 30 November 2026."""
    days = tuple(739_951.0 + hour / 24.0 for hour in range(24))
    path = write(
        tmp_path / "w.nc",
        {"hs": (2.0, "", "m")},
        hours=days,
        time_units="days since 1-1-1 00:00:0.0",
    )
    first = datetime(2026, 11, 30, tzinfo=UTC)
    assert moments(path) == [first + timedelta(hours=hour) for hour in range(24)]


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        ("calendar", "360_day", "the calendar '360_day' is not that of dates"),
        ("calendar", 1, "the calendar '1' is not that of dates"),
        ("units", "hours since 2026-13-45", "the time axis cannot be read"),
        ("units", 1, "it has 2 values along time, which is not known"),
    ],
)
def test_a_time_axis_that_cannot_be_read_leaves_out_its_variables(
    tmp_path, attribute, value, reason
):
    path = write(tmp_path / "w.nc", {"hs": (2.0, "", "m")})
    with netCDF4.Dataset(path, "a") as data:
        data["time"].setncattr(attribute, value)
    assert reason in survey_netcdf(path).left_out[0]


@pytest.mark.parametrize("hour", [1e30, np.nan])
def test_a_time_beyond_the_calendar_leaves_out_its_variables(tmp_path, hour):
    path = write(tmp_path / "w.nc", {"hs": (2.0, "", "m")}, hours=(0.0, hour))
    assert "the time axis cannot be read" in survey_netcdf(path).left_out[0]


def test_an_axis_whose_unit_is_a_number_leaves_out_its_variables(tmp_path):
    path = write(tmp_path / "w.nc", {"hs": (2.0, "", "m")})
    with netCDF4.Dataset(path, "a") as data:
        data["latitude"].units = 1
    assert "it has 11 values along latitude" in survey_netcdf(path).left_out[0]


@pytest.mark.parametrize("axis", ["time", "latitude", "longitude"])
def test_an_axis_without_a_unit_is_named(tmp_path, axis):
    path = write(tmp_path / "w.nc", {"hs": (2.0, "", "m")})
    with netCDF4.Dataset(path, "a") as data:
        data[axis].delncattr("units")
    (reason,) = survey_netcdf(path).left_out
    assert f"the units attribute of its axis {axis} is missing" in reason


def test_a_file_with_a_damaged_name_is_refused(tmp_path):
    path = write(tmp_path / "w.nc", {"hs": (2.0, "", "m")}, form="NETCDF3_CLASSIC")
    path.write_bytes(path.read_bytes().replace(b"units", b"unit\xe5"))
    (reason,) = survey_netcdf(path).left_out
    assert reason.startswith("w.nc: cannot be read as NetCDF, it may be cut short or damaged")
