import pickle

import pytest

from app.datasources.weather.importing import import_files
from app.datasources.weather.run_writer import MemberWriter
from app.datasources.weather.store import (
    MEMBERS,
    RunUnreadable,
    list_members,
    open_members,
    open_run,
    remove_run,
    summarise_run,
)
from app.engine.weather import Group, WeatherField
from tests.unit.datasources.weather.making import (
    NOW,
    REFERENCE,
    wave_messages,
    wind_messages,
    write,
)
from tests.unit.datasources.weather.making_members import store_members
from tests.unit.engine.weather.seas import uniform_climatology


@pytest.fixture
def stored_run(tmp_path):
    """The folder of a stored run of wind and waves, and the run itself."""
    path = write(tmp_path / "f.grib2", [*wind_messages(), *wave_messages()])
    runs = tmp_path / "runs"
    report = import_files([path], runs, None, source="test", now=NOW)
    return runs / report.run.name


def test_members_are_opened_by_number_with_the_groups_they_hold(stored_run):
    store_members(stored_run, {7: 12.0, 3: 9.0})
    members = open_members(stored_run)
    assert [member.number for member in members] == [3, 7]
    assert list(members[0].run.layers) == [Group.WIND]
    assert members[1].run.name == f"{stored_run.name} member 7"


def test_a_run_without_members_has_none(stored_run):
    assert open_members(stored_run) == ()
    assert list_members(stored_run) == ()


def test_a_member_speaks_for_its_groups_and_the_control_for_all_others(stored_run):
    store_members(stored_run, {1: 12.0})
    control = WeatherField(uniform_climatology(), (open_run(stored_run),))
    field = control.with_forecast(open_members(stored_run)[0].run, {})
    place = (-30.0, 200.0, REFERENCE)
    assert field.sample(*place).wind_speed_ms == pytest.approx(12.0, abs=0.01)
    assert field.sample(*place).wave_height_m == control.sample(*place).wave_height_m
    assert control.sample(*place).wind_speed_ms != pytest.approx(12.0, abs=0.01)


def test_members_map_what_they_share_once(stored_run):
    store_members(stored_run, {1: 12.0, 2: 13.0})
    control = WeatherField(uniform_climatology(), (open_run(stored_run),))
    blocks = {}
    fields = [control.with_forecast(member.run, blocks) for member in open_members(stored_run)]
    assert len(blocks) == 3  # a block for each, one table of nearest cells for both
    assert fields[0]._open_climatology is fields[1]._open_climatology


def test_a_members_field_pickles_as_paths(stored_run):
    store_members(stored_run, {1: 12.0})
    control = WeatherField(uniform_climatology(), (open_run(stored_run),))
    field = control.with_forecast(open_members(stored_run)[0].run, {})
    copy = pickle.loads(pickle.dumps(field))  # noqa: S301  its own
    assert copy.sample(0.0, 0.0, REFERENCE).wind_speed_ms == pytest.approx(12.0, abs=0.01)


def test_members_of_an_earlier_import_are_replaced(stored_run):
    store_members(stored_run, {1: 12.0})
    store_members(stored_run, {2: 13.0, 4: 14.0})
    assert list_members(stored_run) == (2, 4)
    assert summarise_run(stored_run).members == (2, 4)


def test_members_taken_away_stay_with_those_who_have_them_open(stored_run):
    store_members(stored_run, {1: 12.0})
    control = WeatherField(uniform_climatology(), (open_run(stored_run),))
    field = control.with_forecast(open_members(stored_run)[0].run, {})
    remove_run(stored_run / MEMBERS)
    assert list_members(stored_run) == ()
    assert field.sample(0.0, 0.0, REFERENCE).wind_speed_ms == pytest.approx(12.0, abs=0.01)


def test_a_writer_that_fails_leaves_nothing_behind(stored_run):
    with pytest.raises(RuntimeError), MemberWriter(stored_run.parent, {}):
        raise RuntimeError
    assert [path.name for path in stored_run.parent.iterdir()] == [stored_run.name]


def test_a_damaged_manifest_of_members_is_named_and_the_run_is_still_read(stored_run):
    store_members(stored_run, {1: 12.0})
    (stored_run / MEMBERS / "manifest.json").write_text('{"format": 2')
    with pytest.raises(RunUnreadable, match="members holds no weather run"):
        open_members(stored_run)
    assert summarise_run(stored_run).members == ()
