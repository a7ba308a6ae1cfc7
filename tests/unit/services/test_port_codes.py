"""Codes of ports that do not fit the positions of a request."""

from typing import Any

import pytest

from app.services.chartings.request_warnings import find_port_mismatches

REQUEST: dict[str, Any] = {
    "latFrom": 51.98, "lngFrom": 4.0, "nidFrom": "NLRTM", "latTo": 38.7, "lngTo": -9.2,
    "nidTo": "PTLIS", "isAlterFrom": False,
}  # fmt: skip


def warnings_of(**changes: Any) -> list[str]:
    return [warning.detail for warning in find_port_mismatches(REQUEST | changes)]


def test_a_code_whose_port_lies_elsewhere_is_named_with_its_distance() -> None:
    (detail,) = warnings_of(nidTo="JPTYO")
    assert detail.startswith("nidTo JPTYO is Tokyo Ko, Japan, 60")
    assert "nm from the arrival given" in detail


@pytest.mark.parametrize("changes", [{}, {"nidTo": None}, {"nidTo": "PTXXX"}, {"latTo": 39.5}])
def test_a_code_that_fits_or_is_not_known_is_not_warned_of(changes: dict[str, Any]) -> None:
    assert warnings_of(**changes) == []


def test_a_departure_under_way_may_be_far_from_its_port() -> None:
    assert len(warnings_of(latFrom=45.0, lngFrom=-20.0)) == 1
    assert warnings_of(latFrom=45.0, lngFrom=-20.0, isAlterFrom=True) == []
