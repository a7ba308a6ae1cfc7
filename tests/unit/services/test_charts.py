"""Electronic charts: import, and conversion to areas."""

from pathlib import Path

import pytest

from app.datasources.enc import write_cell
from app.engine.area import AreaKind, AreaRule
from app.engine.codes import FailureCode
from app.services.areas import charts
from tests.unit.datasources.test_enc import KEY_WEST, make_cell


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(charts, "charts_dir", lambda: tmp_path / "charts")
    return tmp_path / "charts"


def test_without_charts_no_water_is_closed_by_one(folder: Path) -> None:
    assert list(charts.list_chart_areas(10.0)) == []


def test_a_chart_closes_what_is_too_shallow_and_is_named_with_its_edition(folder: Path) -> None:
    write_cell(make_cell(), folder)
    (area,) = charts.list_chart_areas(9.0)
    assert (area.kind, area.rule) == (AreaKind.CHART, AreaRule.AVOID_UNLESS_ENDPOINT)
    assert area.name == "ENC XX5TEST1, edition 3.1 of 20260301"
    (smaller,) = charts.list_chart_areas(4.0)
    assert smaller.geometry.area < area.geometry.area


def test_an_update_of_a_chart_is_seen_at_once(folder: Path) -> None:
    write_cell(make_cell(), folder)
    assert len(list(charts.list_chart_areas(9.0))) == 1
    write_cell(make_cell(update=2, shallows=()), folder)
    assert list(charts.list_chart_areas(9.0)) == []


@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"name": "XX5TE', b"\xff", None])
def test_a_chart_that_cannot_be_read_is_named_and_not_left_out(
    folder: Path, content: bytes | None
) -> None:
    write_cell(make_cell(), folder)
    damaged = folder / "US5TEST.json"
    damaged.mkdir() if content is None else damaged.write_bytes(content)
    with pytest.raises(charts.ChartUnreadable, match="chart US5TEST cannot be read") as raised:
        list(charts.list_chart_areas(9.0))
    assert raised.value.code == FailureCode.DATA_MISSING


def test_charts_whose_folder_cannot_be_read_are_not_left_out(folder: Path) -> None:
    folder.write_text("no folder")
    with pytest.raises(charts.ChartUnreadable, match="folder of electronic charts cannot be read"):
        list(charts.list_chart_areas(9.0))


def test_importing_a_cell_again_replaces_a_chart_that_cannot_be_read(folder: Path) -> None:
    write_cell(make_cell(), folder)
    (folder / "XX5TEST1.json").write_text("{}")
    assert write_cell(make_cell(), folder)
    assert len(list(charts.list_chart_areas(9.0))) == 1


def test_taking_a_cell_in_says_what_it_was(folder: Path) -> None:
    if not KEY_WEST.is_file():
        pytest.skip(f"no chart at {KEY_WEST}")
    (line,) = charts.import_cells([KEY_WEST])
    assert line == "ENC US5FL4DQ, edition 2.0 of 20231016: 182 areas imported"
    assert (folder / "US5FL4DQ.json").is_file()
