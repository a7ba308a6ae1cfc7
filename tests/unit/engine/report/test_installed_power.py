"""A plan warns of an installed power that its hull and service speed cannot have."""

from dataclasses import replace

import pytest

from app.engine.planner import quote_voyage
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import expected_mcr_kw
from tests.unit.engine.test_planner import LISBON, PLYMOUTH, make_request

pytestmark = pytest.mark.atlas

REQUEST = make_request(PLYMOUTH, LISBON)
USUAL_KW = expected_mcr_kw(REQUEST.ship)


def list_details(sea: SeaAtlas, power_kw: float | None) -> list[str]:
    """Details of the warning of a quote for a ship with an installed power."""
    request = replace(REQUEST, ship=replace(REQUEST.ship, installed_power_kw=power_kw))
    quote = quote_voyage(request, sea)
    return [each.detail for each in quote.warnings if each.code == "POWER_DISAGREES"]


@pytest.mark.parametrize("slip", [0.1, 10.0])
def test_an_error_of_the_decimal_point_is_warned_of_with_the_usual_power(
    sea: SeaAtlas, slip: float
) -> None:
    (detail,) = list_details(sea, slip * USUAL_KW)
    assert f"is {slip * USUAL_KW:.0f} kW" in detail
    assert f"need about {round(USUAL_KW, -1):.0f} kW" in detail


def test_a_usual_or_unknown_power_is_not_warned_of(sea: SeaAtlas) -> None:
    assert not list_details(sea, None)
    assert not list_details(sea, 1.2 * USUAL_KW)
