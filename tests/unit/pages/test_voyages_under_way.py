"""Rows of the list of voyages under way."""

from typing import Any

import numpy as np
import pytest

from app.engine.telemetry.records import VoyageRecords
from app.models import VoyageExecution
from app.pages.charts.voyage_chart import _list_places
from app.pages.views.voyages_under_way import _find_doubt

AS_PLANNED: dict[str, Any] = {
    "progress": {"offTrackNm": -2.0, "behindH": 1.0},
    "outlook": {"weather": "gfs 2026-03-01T06", "breaches": []},
}


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        pytest.param({}, None, id="as planned"),
        pytest.param({"outlook": None}, "No outlook yet", id="just started"),
        pytest.param({"outlook": {"weather": ""}}, "No forecast", id="climatology alone"),
        pytest.param(
            {"progress": {"offTrackNm": -80.0, "behindH": 30.0}}, "Off track", id="off track"
        ),
        pytest.param({"progress": {"offTrackNm": 1.0, "behindH": 30.0}}, "Behind", id="late"),
        pytest.param({"progress": {"offTrackNm": 1.0, "behindH": -9.0}}, "Ahead", id="early"),
    ],
)
def test_a_voyage_counts_as_planned_only_if_everything_is_known(
    change: dict[str, Any], doubt: str | None
) -> None:
    assert _find_doubt(VoyageExecution(**AS_PLANNED | change)) == doubt


def test_a_voyage_without_reports_has_no_track_made_good() -> None:
    assert _list_places(VoyageRecords(*(np.empty(0) for _ in VoyageRecords._fields))) == []
