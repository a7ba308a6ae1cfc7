import json
import os
import shutil

import numpy as np
import pytest

from app.datasources.weather.run_writer import Block, LayerAxes, RunWriter
from app.datasources.weather.store import (
    RunUnreadable,
    check_arrays,
    list_runs,
    open_run,
    remove_run,
    summarise_run,
)
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun
from app.engine.weather.groups import CHANNELS, MISSING
from tests.unit.datasources.weather.making import REFERENCE
from tests.unit.engine.weather.seas import uniform_climatology

GRID = RegularGrid(-90.0, 10.0, 19, -180.0, 10.0, 36)
HOURS = tuple(REFERENCE.timestamp() / 3600.0 + step for step in (0.0, 3.0))
WIND_ALONE = {Group.WIND: LayerAxes(GRID, HOURS)}


def write_run(parent, value=400, **options):
    with RunWriter(parent) as writer:
        writer.add_layers(WIND_ALONE)[Group.WIND][:] = value
        return writer.finish("made", REFERENCE, ("a note",), {"f.grib2": "0" * 64}, **options)


def test_a_run_says_what_it_is(tmp_path):
    run = write_run(tmp_path)
    summary = summarise_run(tmp_path / run.name)
    assert summary.name.startswith("made-20260110T00Z-")
    assert (summary.reference_time, summary.groups) == (REFERENCE, (Group.WIND,))
    assert summary.notes == ("a note",)
    assert summary.origins == {"f.grib2": "0" * 64}
    assert summary.size_bytes > 2 * 2 * GRID.n_cell * 2


def test_another_content_is_another_run(tmp_path):
    assert write_run(tmp_path, 400).name != write_run(tmp_path, 401).name
    assert len(list(list_runs(tmp_path))) == 2


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    def fail_halfway():
        with RunWriter(tmp_path) as writer:
            writer.add_layers(WIND_ALONE)[Group.WIND][:] = 1
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        fail_halfway()
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_run_is_not_listed_and_is_swept_after_a_day(tmp_path):
    left = tmp_path / ".making-left"
    left.mkdir()
    (left / "manifest.json").write_text("{}")
    assert list(list_runs(tmp_path)) == []
    write_run(tmp_path)
    assert left.exists()
    os.utime(left, (0, 0))
    write_run(tmp_path, 402)
    assert not left.exists()


def test_a_field_that_is_open_outlives_its_run(tmp_path):
    run = write_run(tmp_path)
    field = WeatherField(WeatherRun("none", {}), (run,))
    before = field.sample(0.0, 0.0, HOURS[0]).wind_speed_ms
    remove_run(tmp_path / run.name)
    assert list(tmp_path.iterdir()) == []
    assert field.sample(0.0, 0.0, HOURS[0]).wind_speed_ms == before == pytest.approx(np.sqrt(8.0))


def test_a_named_folder_is_replaced_whole(tmp_path):
    write_run(tmp_path, 400, folder_name="climatology")
    replaced = write_run(tmp_path, 800, folder_name="climatology")
    assert open_run(tmp_path / "climatology").name == replaced.name
    assert [path.name for path in tmp_path.iterdir()] == ["climatology"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": 99}, "format 99"),
        ({"layers": {"wind": {"channels": [{"name": "u", "scale": 1, "offset": 0}]}}}, "another"),
    ],
)
def test_a_run_of_another_make_is_refused(tmp_path, change, told):
    folder = tmp_path / write_run(tmp_path).name
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | change))
    with pytest.raises(RunUnreadable, match=told):
        open_run(folder)


def test_a_folder_without_a_manifest_is_no_run(tmp_path):
    folder = tmp_path / write_run(tmp_path).name
    shutil.copytree(folder, tmp_path / "copy", ignore=lambda *_: ["manifest.json"])
    with pytest.raises(RunUnreadable, match="holds no weather run"):
        open_run(tmp_path / "copy")
    assert len(list(list_runs(tmp_path))) == 1


@pytest.mark.parametrize("size_bytes", [0, 5000, None])
def test_a_run_is_unreadable_where_an_array_is_cut_short_or_missing(tmp_path, size_bytes):
    run = write_run(tmp_path)
    check_arrays(run)
    array = run.layers[Group.WIND].source
    array.unlink() if size_bytes is None else os.truncate(array, size_bytes)
    with pytest.raises(RunUnreadable, match=run.name):
        check_arrays(run)


@pytest.mark.parametrize("size_bytes", [5000, None])
def test_a_damaged_run_is_replaced_when_its_files_are_imported_again(tmp_path, size_bytes):
    array = write_run(tmp_path).layers[Group.WIND].source
    array.unlink() if size_bytes is None else os.truncate(array, size_bytes)
    check_arrays(write_run(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [array.parent.name]


def test_a_run_that_cannot_be_read_is_not_listed(tmp_path):
    unreadable, run = write_run(tmp_path, 402), write_run(tmp_path)
    (tmp_path / unreadable.name / "manifest.json").write_text("{")
    assert [listed.name for listed in list_runs(tmp_path)] == [run.name]


def test_a_run_of_the_first_layout_is_read_still(tmp_path):
    folder = tmp_path / write_run(tmp_path).name
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["layers"].values():
        del entry["block"], entry["first_value"]
    (folder / "manifest.json").write_text(json.dumps(manifest | {"format": 1}))
    field = WeatherField(WeatherRun("none", {}), (open_run(folder),))
    assert field.sample(0.0, 0.0, HOURS[0]).wind_speed_ms == pytest.approx(np.sqrt(8.0))


def made_values(rng, group):
    """Packed values with gaps, waves with more of them than wind."""
    values = rng.integers(1, 4000, (len(HOURS), 19, 36, len(CHANNELS[group])), dtype=np.int16)
    values[rng.random(values.shape[:3]) < (0.3 if group is Group.WAVE else 0.02)] = MISSING
    return values


@pytest.mark.parametrize("current_hours", [HOURS, (HOURS[0], HOURS[0] + 1.0)])
def test_layers_that_share_a_block_answer_as_layers_apart(tmp_path, current_hours):
    rng = np.random.default_rng(11)
    axes = {group: LayerAxes(GRID, HOURS) for group in (Group.WIND, Group.WAVE)}
    axes[Group.CURRENT] = LayerAxes(GRID, current_hours)
    values = {group: made_values(rng, group) for group in axes}
    apart = []
    for group in axes:
        with RunWriter(tmp_path / group) as writer:
            writer.add_layers({group: axes[group]})[group][:] = values[group]
            apart.append(writer.finish("apart", REFERENCE))
    with RunWriter(tmp_path / "beside") as writer:
        for group, room in writer.add_layers(axes).items():
            room[:] = values[group]
        beside = writer.finish("beside", REFERENCE)
    blocks = {layer.source.name for layer in beside.layers.values()}
    shared = current_hours == HOURS
    assert blocks == ({"wind-wave-current.npy"} if shared else {"wind-wave.npy", "current.npy"})
    places = (
        rng.uniform(-90, 90, 500),
        rng.uniform(-180, 180, 500),
        HOURS[0] + rng.uniform(-1, 4, 500),
    )
    climatology = uniform_climatology()
    found = [WeatherField(climatology, runs).sample(*places) for runs in ((beside,), apart)]
    for name in vars(found[0]):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), abs=1e-12), name


def test_a_file_has_its_room_on_the_disk_before_it_is_filled(tmp_path):
    """A full disk would end a process that writes to a mapped file."""
    file = tmp_path / "wind.npy"
    axes = LayerAxes(RegularGrid(-90.0, 1.0, 181, -180.0, 1.0, 360), (0.0,))
    Block((Group.WIND,), axes).allocate(file)
    assert 512 * file.stat().st_blocks >= file.stat().st_size > 200_000
