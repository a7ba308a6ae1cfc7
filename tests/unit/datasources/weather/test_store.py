import json
import os
import shutil

import numpy as np
import pytest

from app.datasources.weather.store import (
    RunUnreadable,
    RunWriter,
    list_runs,
    open_run,
    remove_run,
    summarise_run,
)
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun
from tests.unit.datasources.weather.making import REFERENCE

GRID = RegularGrid(-90.0, 10.0, 19, -180.0, 10.0, 36)
HOURS = tuple(REFERENCE.timestamp() / 3600.0 + step for step in (0.0, 3.0))


def write_run(parent, value=400, **options):
    with RunWriter(parent) as writer:
        writer.add_layer(Group.WIND, GRID, HOURS)[:] = value
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
            writer.add_layer(Group.WIND, GRID, HOURS)[:] = 1
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
