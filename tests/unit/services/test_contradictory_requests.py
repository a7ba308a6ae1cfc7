"""Contradictions within a request: errors with the value and what would be right."""

from typing import Any

import pytest

from app.records.charting import ChartingSchema
from app.services import charting_request
from app.services.errors import Invalid
from tests.integration.client import CHARTING


@pytest.mark.parametrize(
    ("asked", "pointer", "said"),
    [
        (
            {"speedRangeMin": 14.5, "speedRangeMax": 12},
            "/speedRangeMin",
            "14.5 kn is above the highest speed, 12 kn. Give that or less.",
        ),
        (
            {"startDate": "2026-12-01T06:00:00Z", "endDate": "2026-12-01T05:00:00Z"},
            "/endDate",
            "Tue 1 Dec 2026 05:00 UTC is not later than the departure, Tue 1 Dec 2026 06:00 UTC."
            " Give a later time.",
        ),
        (
            {"startDate": "1979-12-31T23:00:00Z"},
            "/startDate",
            "Mon 31 Dec 1979 23:00 UTC lies outside the years 1980 to 2099.",
        ),
        (
            {"endDate": "2100-01-01T00:00:00Z"},
            "/endDate",
            "Fri 1 Jan 2100 00:00 UTC lies outside the years 1980 to 2099.",
        ),
        (
            {"nidFrom": "XXXXX"},
            "/nidFrom",
            "'XXXXX' is neither a UN/LOCODE, such as NLRTM, nor the id of a port of GET /v1/ports."
            " Leave it out where there is none.",
        ),
        (
            {"maxNorthLat": -40, "maxSouthLat": 45},
            "/maxSouthLat",
            "45.0° N is not south of the northern limit, 40.0° S. Give a latitude south of it.",
        ),
    ],
)
def test_a_contradiction_is_refused_without_the_names_of_other_fields(
    asked: dict[str, Any], pointer: str, said: str
) -> None:
    request = ChartingSchema().load(CHARTING | {"vesselId": "a vessel"} | asked)
    with pytest.raises(Invalid) as refused:
        charting_request.normalise(request)
    assert [tuple(error) for error in refused.value.faults] == [(pointer, said)]
