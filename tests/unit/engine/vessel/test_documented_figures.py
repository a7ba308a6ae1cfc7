"""The tables of docs/method/ship.md have the results of the model."""

import json
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

from app.engine.particulars import ShipParticulars
from app.engine.vessel import fuel_standard_error
from benchmarks.foc import ballast_ship, run, summarize
from benchmarks.seaway import (
    CASES,
    following_row,
    list_kept_rows,
    list_loss_rows,
    list_losses,
    weather_factor_row,
)
from tests.unit.engine.vessel.ships import CAPESIZE

TEXT = (Path(__file__).parents[4] / "docs" / "method" / "ship.md").read_text()
BY_NAME = {case.name: case for case in CASES}


def read_table(header: str) -> list[tuple[str, ...]]:
    """Return the rows of the table whose header begins with a text."""
    lines = TEXT.splitlines()
    (start,) = [n for n, line in enumerate(lines) if line.startswith(header)]
    rows = takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows]


def agree(documented: tuple[str, ...], found: tuple[str, ...], tolerance: float) -> bool:
    """Return whether two rows are equal, numbers within a tolerance."""
    cells = [(a, b) for a, b in zip(documented, found, strict=True) if a != b]
    numbers = [pair for a, b in cells for pair in zip(a.split(), b.split(), strict=True)]
    return all(
        a.lstrip("-")[:1].isdigit()
        and b.lstrip("-")[:1].isdigit()
        and abs(float(a) - float(b)) <= tolerance
        for a, b in numbers
    )


def test_losses_of_speed_are_those_of_the_model_and_of_kwon() -> None:
    found = {row[:2]: row for row in list_loss_rows(list(list_losses()))}
    rows = read_table("| ship | heading | Bf 5 |")
    assert len(rows) >= 20
    assert [row for row in rows if not agree(row, found[row[:2]], 0.11)] == []


@pytest.mark.parametrize("row", read_table("| ship | fuel, waves"), ids=lambda row: row[0])
def test_the_effects_of_following_seas_of_eight_metres_are_those_of_the_model(
    row: tuple[str, ...],
) -> None:
    assert agree(row, following_row(BY_NAME[row[0]]), 0.11), following_row(BY_NAME[row[0]])


@pytest.mark.parametrize("row", read_table("| ship | f_w |"), ids=lambda row: row[0])
def test_weather_factors_are_those_of_the_model_and_of_the_standard(row: tuple[str, ...]) -> None:
    assert agree(row, weather_factor_row(BY_NAME[row[0]]), 0.011)


@pytest.mark.parametrize(
    "row", read_table("| ship | loading | heading |"), ids=lambda row: " ".join(row[:3])
)
def test_voluntary_speeds_are_those_of_the_model(row: tuple[str, ...]) -> None:
    case = BY_NAME[row[0]]
    ship = case.laden if row[1] == "laden" else ballast_ship(case.particulars)
    (found,) = [each for each in list_kept_rows(*row[:2], ship) if each[2] == row[2]]
    assert agree(row, found, 0.11)


_WHAT_IS_KNOWN: dict[str, ShipParticulars] = {
    "type and dimensions": CAPESIZE,
    "and year, to 2011": replace(CAPESIZE, year_built=2011),
    "and year, later": replace(CAPESIZE, year_built=2016),
    "and year to 2011, and installed power": replace(
        CAPESIZE, year_built=2005, installed_power_kw=17_000.0
    ),
}


def test_the_standard_errors_by_evidence_are_those_of_the_model() -> None:
    documented = {name: float(error) for name, error in read_table("| known | standard error |")}
    found = {name: round(fuel_standard_error(ship), 3) for name, ship in _WHAT_IS_KNOWN.items()}
    assert documented == found


def test_the_errors_against_published_consumption_are_those_measured() -> None:
    cases = json.loads(Path("tests/data/published_consumption.json").read_text())["vessels"]
    found = summarize(run(cases))
    kinds = found["bias_by_type_pct"]
    figures = [
        found["median_abs_error_pct"],
        found["bias_pct"],
        found["max_abs_error_pct"],
        kinds["bulk carrier"],
        kinds["container ship"],
        (found["exponent_min"], found["exponent_max"]),
        found["ballast_median_abs_error_pct"],
        found["ballast_bias_pct"],
        found["interval_coverage_pct"],
        found["third_median_abs_error_pct"],
    ]
    for (name, documented), figure in zip(read_table("| | value |"), figures, strict=True):
        values = [float(word) for word in documented.strip(" %").replace("−", "-").split("–")]
        assert values == pytest.approx(np.atleast_1d(figure).tolist(), abs=0.051), name
