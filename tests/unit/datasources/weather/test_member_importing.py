from datetime import timedelta

import netCDF4
import numpy as np
import pytest

from app.datasources.weather import member_importing
from app.datasources.weather.importing import import_files
from app.datasources.weather.layer_filling import WeatherRefused
from app.datasources.weather.regions import Region
from app.datasources.weather.store import open_members, open_run
from app.engine.weather import Group, WeatherField
from tests.unit.datasources.weather.making import NOW, REFERENCE, grib2, write
from tests.unit.engine.weather.seas import uniform_climatology

CLIMATOLOGY = WeatherField(uniform_climatology())
SHAPE = (37, 72)
HOURS = (0, 6, 12)


def fields_of(member, wind_ms, wave_m, hours=HOURS, **where):
    """Messages of a uniform west wind and westerly sea; those of the control for ``None``."""
    for hour in hours:
        for name, value in (("10u", wind_ms), ("10v", 0.0)):
            yield grib2(name, np.full(SHAPE, value), hour, member=member, **where)
        for name, value in (("swh", wave_m), ("pp1d", 8.0), ("mwd", 270.0)):
            yield grib2(name, np.full(SHAPE, value), hour, member=member, **where)


def control(**where):
    return list(fields_of(None, 8.0, 2.0, **where))


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


@pytest.fixture
def take(runs):
    def take(*paths, now=NOW, **options):
        options = {"source": "test", **options}
        return import_files(list(paths), runs, CLIMATOLOGY, now=now, **options)

    return take


def members_at(runs, report, lat=30.0, lng=200.0, hours=6.0):
    """Wind speed and wave height of each member by its number."""
    folder = runs / report.run.name
    field = WeatherField(uniform_climatology(), (open_run(folder),))
    found = {}
    for member in open_members(folder):
        met = field.with_forecast(member.run, {}).sample(
            lat, lng, REFERENCE + timedelta(hours=hours)
        )
        found[member.number] = (float(met.wind_speed_ms), float(met.wave_height_m))
    return found


def test_members_and_their_control_in_one_file_make_one_run(tmp_path, runs, take):
    messages = [*control(), *fields_of(1, 10.0, 3.0), *fields_of(2, 12.0, 4.0)]
    report = take(write(tmp_path / "ens.grib2", messages))
    assert report.run.members == (1, 2)
    assert report.left_out == ()
    found = members_at(runs, report)
    assert found == {
        1: pytest.approx((10.0, 3.0), abs=0.01),
        2: pytest.approx((12.0, 4.0), abs=0.01),
    }
    alone = WeatherField(uniform_climatology(), (open_run(runs / report.run.name),))
    assert alone.sample(0.0, 0.0, REFERENCE).wind_speed_ms == pytest.approx(8.0, abs=0.01)


def test_members_that_come_later_join_the_run_of_their_time(tmp_path, runs, take):
    first = take(write(tmp_path / "c.grib2", control()))
    assert first.run.members == ()
    later = take(write(tmp_path / "m.grib2", fields_of(9, 11.0, 3.5)))
    assert later.run.name == first.run.name
    assert later.run.members == (9,)
    assert later.run.size_bytes > first.run.size_bytes


def test_members_without_their_control_are_refused_by_their_time(tmp_path, runs, take):
    with pytest.raises(WeatherRefused, match=r"no run test of 2026-01-10 00:00Z in the store"):
        take(write(tmp_path / "m.grib2", fields_of(1, 11.0, 3.5)))
    assert list(runs.iterdir()) == []


def test_members_of_another_reference_time_are_refused(tmp_path, runs, take):
    older = fields_of(4, 11.0, 3.5, reference=REFERENCE - timedelta(hours=12))
    path = write(tmp_path / "mixed.grib2", [*control(), *fields_of(1, 9.0, 2.0), *older])
    said = r"mixed.grib2: member 4 is of the run of 2026-01-09 12:00Z, not of 2026-01-10 00:00Z"
    with pytest.raises(WeatherRefused, match=said):
        take(path)
    assert not runs.exists() or list(runs.iterdir()) == []


def test_a_member_that_is_not_whole_is_left_out_and_named(tmp_path, take):
    messages = [*control(), *fields_of(1, 10.0, 3.0), *fields_of(2, 10.0, 3.0)]
    messages += fields_of(3, 12.0, 4.0, hours=(0, 6))
    messages += [grib2("10u", np.full(SHAPE, 9.0), hour, member=5) for hour in HOURS]
    report = take(write(tmp_path / "ens.grib2", messages))
    assert report.run.members == (1, 2)
    assert "member 3: wind: 2 steps, others have 3" in report.left_out
    assert "member 5: wind: northward wind at 10 m is missing" in report.left_out
    assert "member 5: wind is missing" in report.left_out


def test_a_member_without_values_is_left_out_and_the_others_are_kept(tmp_path, take):
    messages = [*control(), *fields_of(1, 10.0, 3.0), *fields_of(2, np.nan, 3.0)]
    report = take(write(tmp_path / "ens.grib2", messages))
    assert report.run.members == (1,)
    assert "member 2: wind: no step holds any value" in report.left_out


def test_global_members_are_kept_every_half_degree_and_six_hours(tmp_path, runs, take):
    calm = np.zeros((361, 720))
    messages = [
        grib2(name, calm, hour, step=0.5, member=member)
        for member in (None, 1)
        for hour in (0, 3, 6)
        for name in ("10u", "10v")
    ]
    report = take(write(tmp_path / "ens.grib2", messages))
    layer = open_members(runs / report.run.name)[0].run.layers[Group.WIND]
    assert layer.grid.lng_step == 0.5
    assert len(layer.times_h) == 2
    assert len(open_run(runs / report.run.name).layers[Group.WIND].times_h) == 3


def test_members_are_kept_of_a_region_alone_and_their_control_of_the_globe(tmp_path, runs, take):
    messages = [*control(), *fields_of(1, 10.0, 3.0)]
    report = take(write(tmp_path / "ens.grib2", messages), region=Region(20.0, 150.0, 50.0, -120.0))
    assert members_at(runs, report) == {1: pytest.approx((10.0, 3.0), abs=0.01)}
    run, (member,) = open_run(runs / report.run.name), open_members(runs / report.run.name)
    for group in (Group.WIND, Group.WAVE):
        assert run.layers[group].grid.wraps
        south, west, north, east = member.run.layers[group].grid.bounds
        assert (south, north) == (20.0, 50.0)
        assert 145.0 <= west <= 150.0
        assert -120.0 <= east <= -110.0


@pytest.mark.parametrize("template", [2, 5, 6, 9])
def test_means_probabilities_and_percentiles_of_an_ensemble_are_no_control(
    tmp_path, take, template
):
    field = rewrite(grib2("10u", np.zeros(SHAPE)), {"productDefinitionTemplateNumber": template})
    report = take(write(tmp_path / "m.grib2", [field, *control()]))
    assert report.left_out == ("m.grib2: 1 × eastward wind at 10 m derived from an ensemble",)


@pytest.mark.parametrize("kind", ["em", "es"])
def test_the_mean_and_spread_of_an_ensemble_in_grib_1_are_no_control(tmp_path, take, kind):
    from app.datasources.weather.grib import eccodes

    sample = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib1")
    field = rewrite(
        eccodes.codes_get_message(sample), {"stream": "enfo", "type": kind, "shortName": "10u"}
    )
    eccodes.codes_release(sample)
    report = take(write(tmp_path / "m.grib1", [field]), write(tmp_path / "c.grib2", control()))
    assert report.left_out == ("m.grib1: 1 × eastward wind at 10 m derived from an ensemble",)


def rewrite(message, keys):
    from app.datasources.weather.grib import eccodes

    handle = eccodes.codes_new_from_message(message)
    for key, value in keys.items():
        eccodes.codes_set(handle, key, value)
    changed = eccodes.codes_get_message(handle)
    eccodes.codes_release(handle)
    return changed


def test_every_file_may_be_a_member_numbered_in_their_order(tmp_path, runs, take):
    take(write(tmp_path / "c.grib2", control()))
    files = [
        write(tmp_path / f"{name}.grib2", fields_of(None, speed, 3.0))
        for name, speed in (("a", 10.0), ("b", 11.0))
    ]
    report = take(*files, is_member_each=True)
    found = members_at(runs, report)
    assert list(found) == [1, 2]
    assert found[2][0] == pytest.approx(11.0, abs=0.01)


def netcdf_members(path, dimension="number", numbers=(0, 1, 2), attributes=None):
    """Winds of 8 m/s and 1 m/s more for each further place along the members' axis."""
    lats, lngs, hours = np.arange(30.0, 50.1, 1.0), np.arange(-30.0, 0.1, 1.0), (0, 6)
    sizes = {
        dimension: len(numbers),
        "time": len(hours),
        "latitude": lats.size,
        "longitude": lngs.size,
    }
    with netCDF4.Dataset(path, "w") as data:
        for name, size in sizes.items():
            data.createDimension(name, size)
        axes = {
            "time": (f"hours since {REFERENCE:%Y-%m-%d %H:%M:%S}", hours),
            "latitude": ("degrees_north", lats),
            "longitude": ("degrees_east", lngs),
        }
        for name, (units, values) in axes.items():
            axis = data.createVariable(name, "f8", (name,))
            axis.units, axis[:] = units, values
        if numbers[0] is not None:
            axis = data.createVariable(dimension, "f8", (dimension,))
            axis.setncatts(attributes or {})
            axis[:] = numbers
        speeds = 8.0 + np.arange(len(numbers))
        for name, factor in (("u10", 1.0), ("v10", 0.0)):
            variable = data.createVariable(name, "f4", tuple(sizes))
            variable.units = "m s-1"
            variable[:] = factor * speeds[:, None, None, None]
    return path


@pytest.mark.parametrize("dimension", ["number", "member", "realization", "ensemble"])
def test_a_netcdf_files_member_axis_is_read_with_0_as_the_control(tmp_path, runs, take, dimension):
    report = take(netcdf_members(tmp_path / "e.nc", dimension))
    assert report.run.members == (1, 2)
    winds = {n: wind for n, (wind, _) in members_at(runs, report, 40.0, -15.0).items()}
    assert winds == {1: pytest.approx(9.0, abs=0.01), 2: pytest.approx(10.0, abs=0.01)}


def test_an_axis_of_cf_realizations_is_one_of_members_whatever_its_name(tmp_path, take):
    path = netcdf_members(tmp_path / "e.nc", "run", attributes={"standard_name": "realization"})
    assert take(path).run.members == (1, 2)


def test_members_without_numbers_are_numbered_from_1(tmp_path, take):
    take(netcdf_members(tmp_path / "c.nc", numbers=(0,)))
    report = take(netcdf_members(tmp_path / "m.nc", numbers=(None, None)))
    assert report.run.members == (1, 2)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 1, 1), "number has a number more than once"),
        ((0, 1.5, 2), "number does not number members by whole numbers from 0"),
        ((0, np.nan, 2), "number does not number members by whole numbers from 0"),
        ((0, -3, 2), "number does not number members by whole numbers from 0"),
    ],
)
def test_members_with_ambiguous_numbers_are_left_out(tmp_path, take, numbers, said):
    with pytest.raises(WeatherRefused) as refused:
        take(netcdf_members(tmp_path / "e.nc", numbers=numbers))
    assert f"e.nc: u10: {said}" in refused.value.left_out


def test_more_members_than_any_centre_has_are_refused_before_they_are_stored(tmp_path, runs, take):
    with pytest.raises(WeatherRefused, match="130 members; up to 101 are read"):
        take(netcdf_members(tmp_path / "e.nc", numbers=range(131)))
    assert not runs.exists()


def test_members_that_would_fill_the_store_are_refused_before_they_are(
    tmp_path, runs, take, monkeypatch
):
    monkeypatch.setattr(member_importing, "MOST_BYTES", 1000)
    with pytest.raises(WeatherRefused, match="the members would take"):
        take(netcdf_members(tmp_path / "e.nc"))
    assert list(runs.iterdir()) == [] if runs.exists() else True


@pytest.mark.parametrize("seed", range(6))
def test_a_mutated_file_of_members_gives_a_run_or_a_named_refusal(tmp_path, runs, take, seed):
    rng = np.random.default_rng(seed)
    names = ("10u", "10v", "swh", "pp1d", "mwd")
    messages = [
        grib2(name, rng.uniform(1.0, 9.0, SHAPE), hour, member=member)
        for member in (None, 1, 2)
        for hour in HOURS
        for name in names
    ]
    whole = bytearray(b"".join(messages))
    for place in rng.integers(0, len(whole), 20):
        whole[place] = rng.integers(0, 256)
    path = write(tmp_path / "broken.grib2", [bytes(whole)])
    try:
        members = set(take(path).run.members)
    except WeatherRefused:
        assert not runs.exists() or list(runs.iterdir()) == []
    else:
        assert members <= {1, 2}
