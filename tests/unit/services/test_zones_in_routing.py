"""Voyages through the built-in zones, by the options of a request."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.report.explanation import explain
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.services.areas.areas_in_force import list_zones
from tests.unit.engine.test_planner import NEW_YORK, ROTTERDAM, SINGAPORE, make_request

pytestmark = pytest.mark.atlas

HAMMERFEST = Position(70.66667, 23.68333)
# along the coast, so that leaving the area early spares many miles of it
TORSHAVN = Position(62.0, -6.75)
BEFORE_THE_NORWEGIAN_ECA = datetime(2026, 12, 5, tzinfo=UTC)
SINCE_THE_NORWEGIAN_ECA = datetime(2027, 4, 5, tzinfo=UTC)
NO_WISHES = {"avoidEca": False, "avoidPiracyAreas": False, "avoidWarZones": False}


def order(
    departure: Position,
    arrival: Position,
    departs_at: datetime = BEFORE_THE_NORWEGIAN_ECA,
    **wishes: bool,
) -> VoyageRequest:
    """A request with the zones that its wishes and its date give."""
    asked = {"startDate": departs_at.isoformat(), **NO_WISHES, **wishes}
    return replace(
        make_request(departure, arrival), departs_at=departs_at, areas=tuple(list_zones(asked))
    )


def plan(sea: SeaAtlas, *ends: Position, **wishes: bool) -> RoutePlan:
    return plan_voyage(order(*ends, **wishes), sea)


def test_avoiding_ecas_leaves_the_american_one_by_a_short_route(sea: SeaAtlas) -> None:
    free = plan(sea, NEW_YORK, ROTTERDAM).summary
    shy = plan(sea, NEW_YORK, ROTTERDAM, avoidEca=True).summary
    assert shy.eca_distance_nm < 0.6 * free.eca_distance_nm
    spared_nm = free.eca_distance_nm - shy.eca_distance_nm
    assert 0.0 < shy.distance_nm - free.distance_nm <= 0.25 * spared_nm


def test_avoiding_ecas_never_leads_round_the_cape_to_miss_the_mediterranean(sea: SeaAtlas) -> None:
    shy = plan(sea, ROTTERDAM, SINGAPORE, avoidEca=True)
    assert shy.label == "by Suez"
    assert shy.summary.eca_distance_nm > 1_900.0


def test_the_norwegian_sea_counts_only_from_the_day_it_is_in_force(sea: SeaAtlas) -> None:
    before = order(HAMMERFEST, TORSHAVN, BEFORE_THE_NORWEGIAN_ECA, avoidEca=True)
    assert any(area.name == "Norwegian Sea ECA" and area.starts_at for area in before.areas)
    early = plan_voyage(before, sea).summary
    free = plan_voyage(order(HAMMERFEST, TORSHAVN, SINCE_THE_NORWEGIAN_ECA), sea).summary
    late = plan_voyage(
        order(HAMMERFEST, TORSHAVN, SINCE_THE_NORWEGIAN_ECA, avoidEca=True), sea
    ).summary
    assert early.eca_distance_nm == 0.0
    assert free.distance_nm - 1.0 < early.distance_nm < late.distance_nm - 1.0
    spared_nm = free.eca_distance_nm - late.eca_distance_nm
    assert spared_nm > 50.0
    assert late.distance_nm - free.distance_nm <= 0.25 * spared_nm


def test_by_default_the_route_to_singapore_is_the_cape_and_the_reader_learns_why(
    sea: SeaAtlas,
) -> None:
    asked = order(ROTTERDAM, SINGAPORE, avoidPiracyAreas=True, avoidWarZones=True)
    found = plan_voyage(asked, sea)
    assert found.label == "by the Cape of Good Hope"
    words = explain(found, asked)
    (closed,) = found.facts.closed_ways
    assert "Red Sea south of 18° N" in words
    assert "war-risk" in words
    assert f"{closed.extra_nm:.0f} nm" in words
    assert f"{closed.extra_fuel_t:.1f} mt of fuel" in words
