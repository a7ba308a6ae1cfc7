from datetime import timedelta

import eccodes
import netCDF4
import numpy as np
import pytest

from app.datasources.netcdf_classic import find_missing_bytes
from app.datasources.weather.grib import decode_grib, survey_grib
from app.datasources.weather.importing import import_files
from app.datasources.weather.layer_filling import FileDamaged, WeatherRefused
from app.datasources.weather.store import list_runs, open_run
from app.engine.weather import Group, WeatherField
from app.engine.weather.records import WeatherSource
from tests.unit.datasources.weather.making import (
    NOW,
    REFERENCE,
    grib2,
    netcdf,
    wave_messages,
    wind_messages,
    write,
)
from tests.unit.engine.weather.seas import uniform_climatology

CLIMATOLOGY = WeatherField(uniform_climatology())


@pytest.fixture
def take(tmp_path):
    def take(*paths, now=NOW, climatology=CLIMATOLOGY):
        runs = tmp_path / "runs"
        report = import_files(list(paths), runs, climatology, source="test", now=now)
        run = open_run(runs / report.run.name)
        return report, WeatherField(uniform_climatology(), (run,))

    return take


def stored(tmp_path):
    return [run.name for run in list_runs(tmp_path / "runs")]


def test_values_come_back_where_and_when_they_were(tmp_path, take):
    wind = np.zeros((37, 72))
    wind[26, 4] = 12.0  # 40N 20E
    messages = [grib2("10u", wind, 6), grib2("10v", np.zeros((37, 72)), 6)]
    _, field = take(write(tmp_path / "w.grib2", messages))
    found = field.sample([40.0, 40.0, 35.0], [20.0, 22.5, 20.0], REFERENCE + timedelta(hours=6))
    assert found.wind_speed_ms == pytest.approx([12.0, 6.0, 0.0], abs=0.01)
    assert found.wind_from_deg[0] == pytest.approx(270.0, abs=0.01)


def test_wind_and_waves_make_one_run_that_names_its_time_and_groups(tmp_path, take):
    path = write(tmp_path / "w.grib2", [*wind_messages(), *wave_messages()])
    report, field = take(path)
    assert report.run.groups == (Group.WIND, Group.WAVE)
    assert report.run.reference_time == REFERENCE
    assert report.run.valid_to == REFERENCE + timedelta(hours=6)
    assert report.left_out == ()
    found = field.sample(-30.0, 200.0, REFERENCE + timedelta(hours=3))
    assert found.wave_sources == found.wind_sources == [WeatherSource.FORECAST]


def test_the_same_files_make_the_same_run(tmp_path, take):
    path = write(tmp_path / "w.grib2", wind_messages())
    assert take(path)[0].run.name == take(path)[0].run.name
    assert len(stored(tmp_path)) == 1


def test_a_file_cut_in_half_gives_its_whole_messages_and_says_so(tmp_path, take):
    messages = list(wind_messages(hours=(0, 3, 6, 9)))
    half = b"".join(messages[:4]) + messages[4][:-100]
    report, _ = take(write(tmp_path / "half.grib2", [half]))
    assert report.run.valid_to == REFERENCE + timedelta(hours=3)
    assert report.left_out == ("half.grib2: the file is cut short after 4 whole messages",)


@pytest.mark.parametrize("place", [7, 12, 19, 20, 40, 174])
def test_messages_before_one_whose_sections_do_not_fill_it_are_taken(tmp_path, take, place):
    """ecCodes may end the process where the lengths of sections lead out of a message."""
    damaged = bytearray(grib2("10u", np.zeros((37, 72)), 3))
    damaged[place] ^= 0x40
    report, _ = take(write(tmp_path / "w.grib2", [*wind_messages(hours=(0,)), bytes(damaged)]))
    (reason,) = report.left_out
    assert reason.startswith("w.grib2: ")
    assert reason.endswith(" after 2 whole messages")


def test_a_grib_1_message_whose_sections_do_not_fill_it_is_refused(tmp_path, take):
    from app.datasources.weather.grib import eccodes

    sample = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib1")
    damaged = bytearray(eccodes.codes_get_message(sample))
    eccodes.codes_release(sample)
    damaged[8 + 2] += 1
    with pytest.raises(WeatherRefused) as refused:
        take(write(tmp_path / "w.grib1", [bytes(damaged)]))
    assert refused.value.left_out == ("w.grib1: a message is damaged after 0 whole messages",)


@pytest.mark.parametrize("sample", ["regular_ll_sfc_grib1", "reduced_gg_sfc_grib2"])
def test_a_message_with_flipped_bits_is_refused_by_its_file(tmp_path, take, sample):
    """Of the second, ecCodes ends the process that reads its grid."""
    from app.datasources.weather.grib import eccodes

    message = eccodes.codes_grib_new_from_samples(sample)
    damaged = bytearray(eccodes.codes_get_message(message))
    eccodes.codes_release(message)
    damaged[75] ^= 0x40
    with pytest.raises(WeatherRefused) as refused:
        take(write(tmp_path / "w.grib", [bytes(damaged)]))
    (reason,) = refused.value.left_out
    assert reason.startswith("w.grib: ")


def test_a_field_whose_values_cannot_be_read_is_refused_with_its_file(tmp_path, take):
    damaged = bytearray(grib2("10u", np.full((37, 72), 5.0), 3))
    damaged[162] = 128  # bits of each value, of which no more than 64 are read
    path = write(tmp_path / "w.grib2", [bytes(damaged), grib2("10v", np.zeros((37, 72)), 3)])
    with pytest.raises(FileDamaged, match=r"w\.grib2: a field cannot be read: ") as refused:
        take(path)
    assert refused.value.path == path
    assert stored(tmp_path) == []


def test_headers_between_messages_are_passed_over(tmp_path, take):
    first, second = wind_messages(hours=(0,))
    header = b"\r\r\n001\r\r\nHTSG88 KWBC 100000\r\r\n" + 70_000 * b" "
    report, _ = take(write(tmp_path / "w.grib2", [header[:34], first, header, second, b"\r\r\n"]))
    assert report.left_out == ()
    assert report.run.groups == (Group.WIND,)


def test_an_unsupported_grid_is_refused_by_name(tmp_path, take):
    from app.datasources.weather.grib import eccodes

    message = eccodes.codes_grib_new_from_samples("polar_stereographic_sfc_grib2")
    keys = {
        "parameterCategory": 2,
        "parameterNumber": 2,
        "typeOfFirstFixedSurface": 103,
        "scaleFactorOfFirstFixedSurface": 0,
        "scaledValueOfFirstFixedSurface": 10,
    }
    for key, value in keys.items():
        eccodes.codes_set(message, key, value)
    path = write(tmp_path / "polar.grib2", [eccodes.codes_get_message(message)])
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert refused.value.left_out == ("polar.grib2: 1 × grid polar_stereographic is not supported",)
    assert stored(tmp_path) == []


def test_an_empty_file_is_refused_by_name(tmp_path, take):
    with pytest.raises(WeatherRefused) as refused:
        take(write(tmp_path / "nothing.grib2", []))
    assert refused.value.left_out == ("nothing.grib2: the file is empty",)


def test_a_text_file_is_refused_by_name(tmp_path, take):
    with pytest.raises(WeatherRefused) as refused:
        take(write(tmp_path / "notes.txt", [b"gale warning"]))
    assert refused.value.left_out == ("notes.txt: neither GRIB nor NetCDF",)


def test_a_run_is_as_old_as_the_older_of_its_wind_and_waves(tmp_path, take):
    older = REFERENCE - timedelta(days=2)
    calm = np.full((37, 72), 2.0)
    waves = [
        grib2(name, calm, step, reference=older)
        for name in ("swh", "pp1d", "mwd")
        for step in (0, 48)
    ]
    wind = write(tmp_path / "wind.grib2", wind_messages())
    report, _ = take(wind, write(tmp_path / "waves.grib2", waves))
    assert report.run.reference_time == older
    assert report.run.name.startswith("test-20260108T00Z-")
    expected = "wind of 2026-01-10 00:00Z, wave of 2026-01-08 00:00Z: the age of the run"
    assert any(note.startswith(expected) for note in report.run.notes)


def test_a_newer_analysis_does_not_make_an_old_forecast_new(tmp_path, take):
    older = REFERENCE - timedelta(days=8)
    old = write(tmp_path / "old.grib2", wind_messages((186, 192, 198, 204), reference=older))
    new = write(tmp_path / "new.grib2", wind_messages((0, 3)))
    report, _ = take(old, new)
    assert report.run.valid_to == REFERENCE + timedelta(hours=12)
    assert report.run.reference_time == older
    assert report.run.notes == (
        "wind: forecasts of 2026-01-02 00:00Z to 2026-01-10 00:00Z;"
        " its age is that of the one that reaches furthest",
    )


def test_analyses_of_many_runs_are_as_old_as_the_last(tmp_path, take):
    days = [REFERENCE - timedelta(days=day) for day in range(3)]
    paths = [
        write(tmp_path / f"{day:%d}.grib2", wind_messages((0, 3, 6), reference=day)) for day in days
    ]
    report, _ = take(*paths)
    assert report.run.reference_time == REFERENCE


def test_a_reference_time_in_the_future_is_refused(tmp_path, take):
    path = write(tmp_path / "w.grib2", wind_messages())
    with pytest.raises(WeatherRefused, match="2026-01-10 00:00Z lies in the future"):
        take(path, now=REFERENCE - timedelta(hours=3))
    assert stored(tmp_path) == []


def uniform_winds(speeds):
    """Winds from the west by hour; ``None`` for a step without values."""
    for hour, speed in speeds.items():
        value = np.nan if speed is None else speed
        yield grib2("10u", np.full((37, 72), value), hour)
        yield grib2("10v", np.full((37, 72), 0.0 * value), hour)


def test_a_step_without_values_is_named_and_bridged(tmp_path, take):
    winds = uniform_winds({0: 7.0, 3: None, 6: 9.0})
    report, field = take(write(tmp_path / "w.grib2", winds))
    assert report.left_out == ("wind: the step of 2026-01-10 03:00Z holds no value",)
    found = field.sample(0.0, 0.0, REFERENCE + timedelta(hours=3))
    assert found.wind_speed_ms == pytest.approx(8.0, abs=0.01)
    assert found.wind_weight == 1.0


def test_a_run_ends_with_its_last_step_that_holds_a_value(tmp_path, take):
    winds = uniform_winds({0: 7.0, 6: 7.0, 12: None, 18: None})
    report, field = take(write(tmp_path / "w.grib2", winds))
    assert report.run.valid_to == REFERENCE + timedelta(hours=6)
    # from there it fades over a day, without a step
    later = [REFERENCE + timedelta(hours=hours) for hours in (6, 12, 18, 30)]
    assert field.sample(0.0, 0.0, later).wind_weight == pytest.approx([1.0, 0.75, 0.5, 0.0])


def test_a_file_of_nothing_but_missing_values_is_refused(tmp_path, take):
    nothing = np.full((37, 72), np.nan)
    path = write(tmp_path / "w.grib2", [grib2("10u", nothing), grib2("10v", nothing)])
    with pytest.raises(WeatherRefused, match="wind: no step holds any value"):
        take(path)
    assert stored(tmp_path) == []


def test_a_wind_beyond_belief_is_refused_with_its_value(tmp_path, take):
    storm = np.full((37, 72), 300.0)
    path = write(tmp_path / "w.grib2", [grib2("10u", storm), grib2("10v", storm)])
    with pytest.raises(WeatherRefused, match="wind_u from 300 to 300 m s-1 is outside"):
        take(path)
    assert stored(tmp_path) == []
    assert [p.name for p in (tmp_path / "runs").iterdir()] == []


def test_a_component_alone_is_no_wind(tmp_path, take):
    path = write(tmp_path / "u.grib2", [grib2("10u", np.zeros((37, 72)))])
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert refused.value.left_out == ("wind: northward wind at 10 m is missing",)


def test_other_quantities_are_left_out_by_name(tmp_path, take):
    messages = [*wind_messages(hours=(0,)), grib2("t2m", np.full((37, 72), 280.0))]
    report, _ = take(write(tmp_path / "w.grib2", messages))
    assert report.left_out == ("w.grib2: 1 messages of other kinds (2t on heightAboveGround)",)


def test_a_height_alone_gets_its_period_and_the_climatologys_direction(tmp_path, take):
    path = write(tmp_path / "h.grib2", [grib2("swh", np.full((37, 72), 4.0))])
    report, field = take(path)
    found = field.sample(10.0, 10.0, REFERENCE)
    assert found.wave_period_s == pytest.approx(10.0, abs=0.01)
    assert found.wave_from_deg == pytest.approx(270.0, abs=0.1)
    assert report.run.notes == (
        "wave: peak period derived from the height",
        "wave: direction taken from the climatology",
    )


def test_waves_without_direction_come_from_where_the_wind_does(tmp_path, take):
    north_wind = [grib2("10u", np.zeros((37, 72))), grib2("10v", np.full((37, 72), -9.0))]
    waves = [grib2("swh", np.full((37, 72), 2.0))]
    _, field = take(write(tmp_path / "w.grib2", [*north_wind, *waves]))
    direction = float(field.sample(10.0, 10.0, REFERENCE).wave_from_deg)
    assert (direction + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=0.1)


def test_waves_beyond_the_wind_have_the_climatologys_direction(tmp_path, take):
    north_wind = [grib2("10u", np.zeros((37, 72))), grib2("10v", np.full((37, 72), -9.0))]
    waves = [grib2("swh", np.full((37, 72), 2.0), hours) for hours in (0, 12, 24, 36, 48)]
    report, field = take(write(tmp_path / "w.grib2", [*north_wind, *waves]))
    found = field.sample(10.0, 10.0, REFERENCE + timedelta(hours=36))
    assert found.wave_weight == pytest.approx(1.0)
    assert found.wave_height_m == pytest.approx(2.0, abs=0.01)
    assert found.wave_from_deg == pytest.approx(270.0, abs=0.1)
    assert report.left_out == ()
    assert report.run.notes[-1] == (
        "wave: direction taken from the wind, beyond its reach from the climatology"
    )


def test_waves_around_a_regional_wind_have_the_climatologys_direction(tmp_path, take):
    regional = {"south": 0.0, "west": 0.0}
    north_wind = [
        grib2(name, np.full((7, 7), v), **regional) for name, v in (("10u", 0.0), ("10v", -9.0))
    ]
    waves = [grib2("swh", np.full((37, 72), 2.0))]
    _, field = take(write(tmp_path / "w.grib2", [*north_wind, *waves]))
    found = field.sample([15.0, -40.0], [15.0, 100.0], REFERENCE)
    assert found.wave_weight == pytest.approx([1.0, 1.0])
    assert found.wave_from_deg[0] % 360.0 == pytest.approx(0.0, abs=0.1)
    assert found.wave_from_deg[1] == pytest.approx(270.0, abs=0.1)


def test_an_energy_period_becomes_a_peak_period_and_is_reported(tmp_path, take):
    fields = [("swh", 2.0), ("mwp", 8.0), ("mwd", 100.0)]
    messages = [grib2(name, np.full((37, 72), value)) for name, value in fields]
    report, field = take(write(tmp_path / "w.grib2", messages))
    assert field.sample(0.0, 0.0, REFERENCE).wave_period_s == pytest.approx(8.88, abs=0.01)
    assert report.run.notes == ("wave: peak period derived from the energy wave period",)


SWELL = {"swell 1": 2.0, "swdir 1": 300.0, "swell 2": 0.5, "swdir 2": 90.0}


def swell_at(field, lat, lng, hours=0.0):
    """Height [m] and direction it comes from [deg]."""
    time = REFERENCE + timedelta(hours=hours)
    height, east, north = field.sample_forecast(Group.SWELL, lat, lng, time)
    return float(height), float(np.degrees(np.arctan2(east, north)) % 360.0)


def test_of_several_swells_the_first_is_taken(tmp_path, take):
    messages = [grib2(name, np.full((37, 72), value)) for name, value in SWELL.items()]
    report, field = take(write(tmp_path / "w.grib2", reversed(messages)))
    assert report.run.groups == (Group.SWELL,)
    assert swell_at(field, 10.0, 10.0) == pytest.approx((2.0, 300.0), abs=0.01)


def test_all_swells_together_come_before_the_first_of_them(tmp_path, take):
    fields = SWELL | {"shts": 3.0, "mdts": 350.0}
    messages = [grib2(name, np.full((37, 72), value)) for name, value in fields.items()]
    _, field = take(write(tmp_path / "w.grib2", messages))
    assert swell_at(field, 10.0, 10.0) == pytest.approx((3.0, 350.0), abs=0.01)


def test_swell_is_interpolated_across_north_and_unknown_outside_its_forecast(tmp_path, take):
    lats, lngs = np.arange(30.0, 40.1, 0.5), np.arange(-20.0, -9.9, 0.5)
    ones = np.ones((2, lats.size, lngs.size))
    directions = np.array([350.0, 10.0])[:, None, None] * ones
    names = {
        "VHM0_SW1": ({"units": "m"}, ones),
        "VMDR_SW1": ({"units": "degree"}, directions),
    }
    _, field = take(netcdf(tmp_path / "s.nc", names, lats=lats, lngs=lngs))
    height, from_deg = swell_at(field, 35.0, -15.0, 1.5)
    assert height == pytest.approx(1.0, abs=0.01)
    assert min(from_deg, 360.0 - from_deg) == pytest.approx(0.0, abs=0.1)
    assert np.isnan(swell_at(field, 0.0, 0.0)[0])


def test_a_swell_without_direction_is_left_out_by_name(tmp_path, take):
    messages = [*wind_messages(hours=(0,)), grib2("shts", np.full((37, 72), 2.0))]
    report, _ = take(write(tmp_path / "w.grib2", messages))
    assert report.run.groups == (Group.WIND,)
    assert report.left_out == ("swell: swell direction (from) is missing",)


def test_a_fine_global_grid_is_thinned_to_half_a_degree_and_three_hours(tmp_path, take):
    calm = np.zeros((721, 1440))
    messages = [grib2(n, calm, hour, step=0.25) for hour in range(5) for n in ("10u", "10v")]
    report, field = take(write(tmp_path / "w.grib2", messages))
    layer = field.forecasts[0].layers[Group.WIND]
    assert (layer.grid.n_lat, layer.grid.n_lng) == (361, 720)
    assert len(layer.times_h) == 2
    assert report.run.notes == ("wind: every 2. point of a 0.25 degree grid",)


def test_copernicus_currents_are_taken_with_their_fill(tmp_path, take):
    lats, lngs = np.arange(30.0, 40.1, 0.5), np.arange(-20.0, -9.9, 0.5)
    eastward = np.full((2, lats.size, lngs.size), 0.5)
    eastward[:, :, -3:] = np.nan
    names = {
        "uo": ({"standard_name": "eastward_sea_water_velocity", "units": "m s-1"}, eastward),
        "vo": ({"standard_name": "northward_sea_water_velocity", "units": "m s-1"}, 0 * eastward),
    }
    report, field = take(netcdf(tmp_path / "c.nc", names, lats=lats, lngs=lngs))
    found = field.sample(35.0, [-15.0, -11.2], REFERENCE)
    assert found.current_speed_kn == pytest.approx([0.5 / 0.514444] * 2, abs=0.02)
    assert report.run.groups == (Group.CURRENT,)


def test_era5_names_and_a_northern_first_row_are_understood(tmp_path, take):
    lats, lngs = np.arange(60.0, 29.9, -1.0), np.arange(0.0, 359.9, 1.0)
    u10 = np.broadcast_to(lats[:, np.newaxis] / 10.0, (2, lats.size, lngs.size))
    names = {"u10": ({"units": "m s**-1"}, u10), "v10": ({"units": "m s**-1"}, 0.0 * u10)}
    _, field = take(netcdf(tmp_path / "e.nc", names, lats=lats, lngs=lngs))
    found = field.sample([40.0, 55.0], 100.0, REFERENCE + timedelta(hours=1))
    assert found.wind_speed_ms == pytest.approx([4.0, 5.5], abs=0.01)


def vectors(u, v, *levels, axis="height", **attributes):
    """A file's wind or current at some levels, the first component as many m/s as given."""
    lats, lngs = np.arange(30.0, 40.1, 1.0), np.arange(-20.0, -9.9, 1.0)
    shape = (2, lats.size, lngs.size)
    columns = np.stack([np.full(shape, value) for _, value in levels], axis=1)
    dims = ("time", axis, "latitude", "longitude")
    return {
        "variables": {u: ({"units": "m s-1"}, columns), v: ({"units": "m s-1"}, 0.0 * columns)},
        "lats": lats,
        "lngs": lngs,
        "dims": dims,
        "levels": (axis, attributes, [level for level, _ in levels]),
    }


def test_wind_is_read_at_ten_metres_and_currents_at_the_surface(tmp_path, take):
    wind = vectors("u10", "v10", (2.0, 4.0), (10.0, 6.0), (100.0, 9.0), units="m")
    _, field = take(netcdf(tmp_path / "w.nc", **wind))
    assert field.sample(35.0, -15.0, REFERENCE).wind_speed_ms == pytest.approx(6.0, abs=0.01)
    current = vectors("uo", "vo", (1000.0, 0.1), (100.0, 0.4), (0.5, 1.5), axis="depth", units="m")
    _, field = take(netcdf(tmp_path / "c.nc", **current))
    found = field.sample(35.0, -15.0, REFERENCE)
    assert found.current_speed_kn == pytest.approx(1.5 / 0.514444, abs=0.02)


@pytest.mark.parametrize(
    ("axis", "units", "levels", "reason"),
    [
        ("height", "m", ((100.0, 9.0),), "height has no level that counts"),
        ("isobaric", "Pa", ((25_000.0, 60.0),), "it is given at pressures (isobaric)"),
        ("class", "1", ((1.0, 5.0), (2.0, 6.0)), "it has 2 values along class"),
    ],
)
def test_wind_of_no_known_or_another_level_is_left_out(tmp_path, take, axis, units, levels, reason):
    wind = vectors("u10", "v10", *levels, axis=axis, units=units)
    with pytest.raises(WeatherRefused) as refused:
        take(netcdf(tmp_path / "w.nc", **wind))
    assert reason in refused.value.left_out[0]


def test_files_of_one_day_each_make_one_run_as_old_as_the_first(tmp_path, take):
    lats, lngs = np.arange(30.0, 40.1, 1.0), np.arange(-20.0, -9.9, 1.0)
    paths = []
    for day in range(3):
        hours, speed = (24.0 * day, 24.0 * day + 12.0), 5.0 + day
        values = np.full((2, lats.size, lngs.size), speed)
        names = {"u10": ({"units": "m s-1"}, values), "v10": ({"units": "m s-1"}, 0.0 * values)}
        paths.append(netcdf(tmp_path / f"{day}.nc", names, lats=lats, lngs=lngs, hours=hours))
    report, field = take(*paths)
    assert report.run.reference_time == REFERENCE
    days_later = [REFERENCE + timedelta(days=day) for day in range(3)]
    found = field.sample(35.0, -15.0, days_later)
    assert found.wind_speed_ms == pytest.approx([5.0, 6.0, 7.0], abs=0.01)


def test_a_file_that_begins_tomorrow_is_as_old_as_its_import(tmp_path, take):
    lats, lngs = np.arange(30.0, 40.1, 1.0), np.arange(-20.0, -9.9, 1.0)
    values = np.full((2, lats.size, lngs.size), 5.0)
    names = {"u10": ({"units": "m s-1"}, values), "v10": ({"units": "m s-1"}, 0.0 * values)}
    path = netcdf(tmp_path / "w.nc", names, lats=lats, lngs=lngs, hours=(30.0, 36.0))
    report, _ = take(path, now=NOW + timedelta(minutes=40))
    assert report.run.reference_time == NOW


@pytest.mark.parametrize("step", [5.0, 2.5])
def test_a_grid_whose_last_column_repeats_the_first_is_global(tmp_path, take, step):
    east = np.tile(np.arange(0.0, 360.1, step) / 30.0, (19, 1))
    east[:, -1] = east[:, 0]
    messages = [
        grib2(name, values, step=step, south=-9.0 * step)
        for name, values in (("10u", east), ("10v", 0.0 * east))
    ]
    _, field = take(write(tmp_path / "w.grib2", messages))
    found = field.sample(0.0, [90.0, 270.0, 359.9], REFERENCE)
    assert found.wind_speed_ms == pytest.approx([3.0, 9.0, 0.3], abs=0.3)
    assert field.forecasts[0].layers[Group.WIND].grid.wraps


def test_the_rest_of_a_message_of_two_fields_is_not_read_as_the_next_files(tmp_path):
    calm = np.zeros((37, 72))
    handle = eccodes.codes_grib_multi_new()
    for name in ("10u", "10v"):
        message = eccodes.codes_new_from_message(grib2(name, calm))
        eccodes.codes_grib_multi_append(message, 4, handle)
        eccodes.codes_release(message)
    both = tmp_path / "both.grib2"
    with both.open("wb") as file:
        eccodes.codes_grib_multi_write(handle, file)
    eccodes.codes_grib_multi_release(handle)
    first = survey_grib(both).fields[:1]
    assert [field.name for field, _ in decode_grib(both, first)] == ["10u"]
    waves = write(tmp_path / "waves.grib2", wave_messages((0,)))
    assert [field.name for field in survey_grib(waves).fields] == ["swh", "pp1d", "mwd"]


def test_an_uneven_grid_is_refused_by_its_axis(tmp_path, take):
    lats, lngs = [0.0, 1.0, 3.0, 4.0], np.arange(0.0, 10.0)
    values = np.zeros((2, 4, 10))
    names = {"u10": ({}, values), "v10": ({}, values)}
    with pytest.raises(WeatherRefused) as refused:
        take(netcdf(tmp_path / "e.nc", names, lats=lats, lngs=lngs))
    assert refused.value.left_out[0] == "e.nc: u10: a grid uneven in latitude is not supported"


def test_half_a_netcdf_file_is_refused_and_the_store_is_as_it_was(tmp_path, take):
    values = np.zeros((2, 40, 40))
    lats, lngs = np.arange(0.0, 40.0), np.arange(0.0, 40.0)
    path = netcdf(tmp_path / "e.nc", {"u10": ({}, values)}, lats=lats, lngs=lngs)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert "cannot be read as NetCDF" in refused.value.left_out[0]
    assert stored(tmp_path) == []


@pytest.mark.parametrize("is_unlimited", [True, False])
@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"])
def test_a_classic_netcdf_file_that_is_cut_short_is_refused_and_not_read_as_calm(
    tmp_path, take, form, is_unlimited
):
    wind = {name: ({"units": "m s-1"}, np.full((2, 40, 40), 7.5)) for name in ("u10", "v10")}
    axes = {"lats": np.arange(0.0, 40.0), "lngs": np.arange(0.0, 40.0)}
    path = netcdf(tmp_path / "e.nc", wind, **axes, form=form, is_unlimited=is_unlimited)
    report, _ = take(path)
    whole = path.read_bytes()
    lengths = [7, 11, 40, 200, *(len(whole) * share // 10 for share in range(1, 10))]
    for length in [*lengths, len(whole) - 4]:
        path.write_bytes(whole[:length])
        with pytest.raises(WeatherRefused) as refused:
            take(path)
        assert refused.value.left_out[0].startswith("e.nc: ")
        assert "cut short" in refused.value.left_out[0]
    assert "lacks 4 bytes" in refused.value.left_out[0]
    assert stored(tmp_path) == [report.run.name]


def test_a_netcdf_file_with_a_single_odd_record_variable_is_whole(tmp_path):
    path = tmp_path / "odd.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as data:
        data.createDimension("time", None)
        data.createVariable("quality", "i1", ("time",))[:] = np.ones(5, np.int8)
    assert find_missing_bytes(path) == 0
    path.write_bytes(path.read_bytes()[:-4])
    assert find_missing_bytes(path) > 0


def claiming(message, **keys):
    """A message that claims what it does not hold."""
    handle = eccodes.codes_new_from_message(message)
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    changed = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return changed


@pytest.mark.parametrize(
    "claim", [{"numberOfDataPoints": 2_000_000_000}, {"Ni": 60_000}, {"Ni": 30_000, "Nj": 30_000}]
)
def test_a_small_grib_file_that_claims_a_vast_grid_is_left_out_unread(tmp_path, take, claim):
    path = write(tmp_path / "vast.grib2", [claiming(grib2("10u", np.zeros((37, 72))), **claim)])
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert "too large" in refused.value.left_out[0]


def test_a_small_netcdf_file_that_claims_a_vast_grid_is_left_out_unread(tmp_path, take):
    path = tmp_path / "vast.nc"
    lats, lngs = np.linspace(-80, 80, 10_000), np.linspace(0, 359, 10_000)
    netcdf(path, {}, lats=lats, lngs=lngs)
    with netCDF4.Dataset(path, "a") as data:
        data.createVariable("u10", "f4", ("time", "latitude", "longitude"), zlib=True).units = "m/s"
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert "grid of 10000 by 10000 points is too large" in refused.value.left_out[0]


def test_a_grib_message_off_the_globe_is_left_out_in_words(tmp_path, take):
    message = grib2("10u", np.zeros((37, 72)))
    path = write(tmp_path / "off.grib2", [claiming(message, latitudeOfFirstGridPoint=190_000_000)])
    with pytest.raises(WeatherRefused) as refused:
        take(path)
    assert "exceed -90 to 90" in refused.value.left_out[0]
