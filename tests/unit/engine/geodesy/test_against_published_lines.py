"""Legs against GeographicLib's tables and lines computed to forty digits."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import (
    great_circle_course_deg,
    great_circle_distance_nm,
    rhumb_course_deg,
    rhumb_distance_nm,
)
from app.engine.units import direction_difference

CASES = json.loads((Path(__file__).parents[3] / "data" / "geodesy.json").read_text())


def by_id(case: dict[str, Any]) -> str:
    return case["id"]


@pytest.mark.parametrize("case", CASES["geodesics"], ids=by_id)
def test_a_great_circle_has_its_published_length(case: dict[str, Any]) -> None:
    length_m = float(great_circle_distance_nm(*case["from"], *case["to"])) * NAUTICAL_MILE_M
    assert length_m == pytest.approx(case["length_m"], abs=case["tolerance_m"])


@pytest.mark.parametrize(
    "case",
    [c for c in CASES["geodesics"] if c["azimuth_deg"] is not None and c["length_m"] > 1.0],
    ids=by_id,
)
def test_a_great_circle_starts_on_its_published_course(case: dict[str, Any]) -> None:
    course = float(great_circle_course_deg(*case["from"], *case["to"]))
    assert direction_difference(course, case["azimuth_deg"]) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("case", CASES["rhumbs"], ids=by_id)
def test_a_rhumb_line_has_its_length_and_course(case: dict[str, Any]) -> None:
    line = (*case["from"], *case["to"])
    assert float(rhumb_distance_nm(*line)) * NAUTICAL_MILE_M == pytest.approx(
        case["length_m"], abs=1e-3
    )
    course = float(rhumb_course_deg(*line))
    assert direction_difference(course, case["azimuth_deg"]) == pytest.approx(0.0, abs=1e-9)
