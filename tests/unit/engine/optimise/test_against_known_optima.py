"""The search against problems whose optimum is known in closed form."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.analytic import solve

CASES = json.loads(
    (Path(__file__).parents[3] / "data" / "known_optima.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_search_finds_the_known_optimum(case: dict[str, Any]) -> None:
    assert solve(case) == pytest.approx(case["expect"]["value"], rel=2e-3)
