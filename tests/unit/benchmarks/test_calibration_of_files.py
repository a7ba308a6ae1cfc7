"""A ship's records are calibrated from files of any columns and units, or the lack is said."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.calibration import run_files
from benchmarks.synthetic_reports import list_particulars, make_ship

KEYS = [
    *("records", "used", "before_median_abs_pct", "after_median_abs_pct"),
    *("before_bias_pct", "after_bias_pct", "interval_coverage_pct"),
]
PARTICULARS = list_particulars()[10]
VESSEL = {
    **{"type": 4, "dwt": 54_000, "loa": 225, "lbp": 215, "breadth": 36.6, "depth": None},
    **{"draftDesign": 11.6, "draftScant": 11.6, "serviceSpeed": 16.8, "fuelType": None},
}


def run(folder: Path, columns: dict[str, Any]) -> dict[str, Any]:
    records, vessel = folder / "records.csv", folder / "vessel.json"
    with records.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    vessel.write_text(json.dumps(VESSEL), encoding="utf-8")
    return run_files(records, vessel)


def as_columns(*, days: int = 365) -> dict[str, Any]:
    reports = make_ship(PARTICULARS, 5, days, with_power=True, with_faults=False).reports
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    return {
        "time": [(begin + timedelta(hours=float(h))).isoformat() for h in reports.times_h],
        "heading": reports.course_deg,
        "stw": reports.speed_kn,
        "draft_fore": reports.draft_m - 0.5 * reports.trim_m,
        "draft_aft": reports.draft_m + 0.5 * reports.trim_m,
        "power": reports.power_kw,
        "fuel_per_hour": reports.fuel_t_per_h,
        "wind_speed": reports.wind_speed_ms,
        "wind_from": reports.wind_from_deg,
        "wave_height": reports.wave_height_m,
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run(tmp_path_factory.mktemp("plain"), as_columns())


def test_a_year_of_records_betters_the_estimate(plain: dict[str, Any]) -> None:
    assert list(plain) == KEYS
    assert plain["used"] > 0.95 * plain["records"]
    assert plain["after_median_abs_pct"] < min(4.0, plain["before_median_abs_pct"])


def test_whole_columns_in_other_units_are_recognised(
    tmp_path: Path, plain: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    columns = as_columns()
    for name, factor in (("stw", 1.852), ("power", 0.001), ("fuel_per_hour", 1000.0)):
        columns[name] = factor * columns[name]
    columns["wind_speed"] = 1.94384 * columns["wind_speed"]
    found = run(tmp_path, columns)
    said = capsys.readouterr().out
    assert all(unit in said for unit in ("in km/h", "in MW", "in kg/h", "in kn"))
    assert found["after_median_abs_pct"] == pytest.approx(plain["after_median_abs_pct"], abs=0.05)


def test_missing_columns_and_cells_leave_a_judgement(tmp_path: Path) -> None:
    columns = as_columns()
    for name in ("power", "wave_height", "wind_from", "draft_fore", "heading"):
        del columns[name]
    columns["stw"] = np.where(np.arange(len(columns["stw"])) % 7, columns["stw"], np.nan)
    found = run(tmp_path, columns)
    assert found["used"] > 0.8 * found["records"]
    assert found["after_median_abs_pct"] < found["before_median_abs_pct"] + 0.5


def test_a_ship_that_lay_still_has_no_judgement(tmp_path: Path) -> None:
    columns = as_columns(days=20)
    columns["stw"] = 0.0 * columns["stw"]
    found = run(tmp_path, columns)
    assert (list(found), found["used"], found["after_median_abs_pct"]) == (KEYS, 0, None)
