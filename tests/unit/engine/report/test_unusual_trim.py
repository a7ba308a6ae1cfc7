"""A plan warns of a trim that such a ship seldom has."""

from dataclasses import replace

import pytest

from app.engine.particulars import Loading
from app.engine.planner import quote_voyage
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.test_planner import LISBON, PLYMOUTH, make_request

pytestmark = pytest.mark.atlas

REQUEST = make_request(PLYMOUTH, LISBON)


def list_details(sea: SeaAtlas, trim_m: float) -> list[str]:
    """Details of the warning of a quote for a trim."""
    request = replace(REQUEST, loading=Loading(12.2, trim_m, REQUEST.loading.deadweight_t))
    quote = quote_voyage(request, sea)
    return [each.detail for each in quote.warnings if each.code == "LOADING_DISAGREES"]


def test_a_trim_without_its_decimal_point_is_warned_of_with_both_draughts(sea: SeaAtlas) -> None:
    (detail,) = list_details(sea, 14.0)
    assert "14.00 m makes the draught 19.20 m aft and 5.20 m forward" in detail
    assert f"scantling draught of {REQUEST.ship.draft_scantling_m:.2f} m" in detail


def test_a_usual_trim_is_not_warned_of(sea: SeaAtlas) -> None:
    assert not list_details(sea, 1.4)
