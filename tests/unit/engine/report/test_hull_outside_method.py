"""A plan warns of a hull outside the range of the resistance method."""

from dataclasses import replace

import pytest

from app.engine.particulars import MeasuredResponse, ShipParticulars
from app.engine.quote import quote_voyage
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.test_planner import LISBON, PLYMOUTH, make_request

pytestmark = pytest.mark.atlas

REQUEST = make_request(PLYMOUTH, LISBON)
BROAD = replace(REQUEST.ship, breadth_m=REQUEST.ship.lbp_m / 3.5)


def list_details(sea: SeaAtlas, ship: ShipParticulars) -> list[str]:
    """Details of the warning of a quote for a ship."""
    quote = quote_voyage(replace(REQUEST, ship=ship), sea)
    return [each.detail for each in quote.warnings if each.code == "HULL_OUTSIDE_METHOD"]


def test_a_broad_hull_is_warned_of_unless_reports_bind_it(sea: SeaAtlas) -> None:
    (detail,) = list_details(sea, BROAD)
    assert "length over breadth is 3.6, of its models 3.9 to 15" in detail
    assert not list_details(sea, replace(BROAD, response=MeasuredResponse(calm=1.1)))


def test_a_usual_hull_is_not_warned_of(sea: SeaAtlas) -> None:
    assert not list_details(sea, REQUEST.ship)
