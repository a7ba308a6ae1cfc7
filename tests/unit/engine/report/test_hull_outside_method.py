"""A plan warns of a hull outside the range of the resistance method."""

from dataclasses import replace

import pytest

from app.engine.particulars import Loading, MeasuredResponse, ShipParticulars
from app.engine.planner import quote_voyage
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.test_planner import LISBON, PLYMOUTH, make_request

pytestmark = pytest.mark.atlas

REQUEST = make_request(PLYMOUTH, LISBON)
BROAD = replace(REQUEST.ship, breadth_m=REQUEST.ship.lbp_m / 3.5)


def list_details(
    sea: SeaAtlas, ship: ShipParticulars, loading: Loading = REQUEST.loading
) -> list[str]:
    """Details of the warning of a quote for a ship and its loading."""
    quote = quote_voyage(replace(REQUEST, ship=ship, loading=loading), sea)
    return [each.detail for each in quote.warnings if each.code == "HULL_OUTSIDE_METHOD"]


def test_a_broad_hull_is_warned_of_unless_reports_bind_it(sea: SeaAtlas) -> None:
    (detail,) = list_details(sea, BROAD)
    assert "length over breadth is 3.6, of its models 3.9 to 15" in detail
    assert not list_details(sea, replace(BROAD, response=MeasuredResponse(calm=1.1)))


def test_a_usual_hull_is_not_warned_of(sea: SeaAtlas) -> None:
    assert not list_details(sea, REQUEST.ship)


@pytest.mark.parametrize(
    ("loading", "used"),
    [
        (Loading(1.2, 0.0, 1.0), "{least_m:.2f} m with a trim of 0.00 m"),
        (Loading(6.0, 5.0, 20_000.0), "6.00 m with a trim of 3.60 m"),
    ],
)
def test_a_loading_that_the_ship_model_cannot_have_is_warned_of_with_the_one_used(
    sea: SeaAtlas, loading: Loading, used: str
) -> None:
    detail, *_ = list_details(sea, REQUEST.ship, loading)
    least_m = 0.3 * REQUEST.ship.draft_scantling_m
    assert f"Power and fuel are those at {used.format(least_m=least_m)}" in detail
