"""A plan below bridges states their height, and warns if that of the ship is not known."""

from dataclasses import replace

import pytest

from app.engine.codes import WarningCode
from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
from app.engine.report.critical_points import find_critical_points
from app.engine.report.explanation import explain
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

SMALL = Loading(7.0, 0.0, 30_000.0)


@pytest.fixture
def by_kiel() -> VoyageRequest:
    """From Kiel to the Elbe, for a ship that the canal admits."""
    request = replace(
        make_crossing(),
        departure=Position(54.5, 10.4),
        arrival=Position(54.1, 8.0),
        loading=SMALL,
        under_way=True,
    )
    return replace(request, ship=replace(request.ship, breadth_m=25.0, loa_m=170.0, lbp_m=165.0))


def test_a_ship_of_unknown_height_is_warned_of_bridges(
    sea: SeaAtlas, by_kiel: VoyageRequest
) -> None:
    plan = plan_voyage(by_kiel, sea)
    (warning,) = [each for each in plan.warnings if each.code is WarningCode.AIR_DRAFT_UNKNOWN]
    assert "Kiel Canal takes at most 40 m air draught." in warning.detail
    limits = {passage.name: passage.max_air_draft_m for passage in plan.facts.passages}
    assert limits["Kiel Canal"] == 40.0


@pytest.mark.parametrize(("keel_to_mast_m", "passes"), [(46.9, True), (47.1, False)])
def test_a_ship_of_known_height_passes_only_bridges_that_are_high_enough(
    sea: SeaAtlas, by_kiel: VoyageRequest, keel_to_mast_m: float, passes: bool
) -> None:
    high = replace(by_kiel, ship=replace(by_kiel.ship, keel_to_mast_m=keel_to_mast_m))
    plan = plan_voyage(high, sea)
    assert ("Kiel Canal" in {passage.name for passage in plan.facts.passages}) is passes
    assert WarningCode.AIR_DRAFT_UNKNOWN not in {each.code for each in plan.warnings}


def test_a_canal_that_is_too_small_for_the_ship_is_named_with_the_cost_of_avoiding_it(
    sea: SeaAtlas, by_kiel: VoyageRequest
) -> None:
    high = replace(by_kiel, ship=replace(by_kiel.ship, keel_to_mast_m=47.5))
    plan = plan_voyage(high, sea)
    (closed,) = plan.facts.closed_ways
    excess = "Kiel Canal takes at most 40 m air draught; this ship has 40.5 m"
    assert (closed.label, closed.reason) == ("by Kiel", excess)
    assert closed.extra_nm > 200.0
    stated = explain(plan, high)
    assert f"Sailing by Kiel is closed to this voyage: {excess}. Avoiding it costs" in stated
    assert plan_voyage(by_kiel, sea).facts.closed_ways == ()


#: Off the Skaw, in the bay of Kiel, and off Gdansk.
SKAW, KIEL, GDANSK = Position(57.8, 11.0), Position(54.5, 10.4), Position(54.6, 18.9)


def test_a_plan_names_the_bridges_that_it_passes_below_and_no_others_of_a_passage(
    sea: SeaAtlas, by_kiel: VoyageRequest
) -> None:
    deep = replace(by_kiel, loading=Loading(11.0, 0.0, 30_000.0))
    below = plan_voyage(replace(deep, departure=SKAW, arrival=KIEL), sea)
    (bridge,) = below.facts.bridges
    assert (bridge.name, bridge.max_air_draft_m) == ("Great Belt East Bridge", 65.0)
    assert bridge.passage == "Great Belt, Route T"
    assert (bridge.lat, bridge.lng) == pytest.approx((55.34, 11.04), abs=0.02)
    heights = {passage.name: passage.max_air_draft_m for passage in below.facts.passages}
    assert heights["Great Belt, Route T"] == 65.0
    (warning,) = [each for each in below.warnings if each.code is WarningCode.AIR_DRAFT_UNKNOWN]
    assert "Great Belt East Bridge takes at most 65 m air draught." in warning.detail
    points = find_critical_points(below, replace(deep, departure=SKAW, arrival=KIEL))
    stated = "Great Belt East Bridge. It takes at most 65 m air draught; this ship's is not known."
    (point,) = [each for each in points if stated in each.description]
    assert point.position == pytest.approx((bridge.lat, bridge.lng), abs=0.1)
    south = plan_voyage(replace(deep, departure=KIEL, arrival=GDANSK), sea)
    assert south.facts.bridges == ()
    assert {passage.max_air_draft_m for passage in south.facts.passages} <= {None}
    assert WarningCode.AIR_DRAFT_UNKNOWN not in {each.code for each in south.warnings}


def test_a_better_route_that_a_bridge_closes_is_named_with_the_bridge(
    sea: SeaAtlas, by_kiel: VoyageRequest
) -> None:
    request = replace(by_kiel, departure=SKAW, arrival=KIEL)
    high = replace(request, ship=replace(request.ship, keel_to_mast_m=75.0))
    plan = plan_voyage(high, sea)
    assert plan.facts.bridges == ()
    (closed,) = plan.facts.closed_ways
    assert closed.label == "by Great Belt East Bridge"
    assert closed.reason == (
        "Great Belt East Bridge takes at most 65 m air draught; this ship has 68 m"
    )
    assert closed.extra_nm > 20.0


def test_a_trimmed_ship_is_as_high_as_at_the_end_that_draws_least(by_kiel: VoyageRequest) -> None:
    high = replace(by_kiel, ship=replace(by_kiel.ship, keel_to_mast_m=46.0))
    assert high.air_draft_m == 39.0
    assert replace(high, loading=replace(SMALL, trim_m=2.0)).air_draft_m == 40.0
    assert replace(high, loading=replace(SMALL, trim_m=-2.0)).air_draft_m == 40.0
    assert by_kiel.air_draft_m is None
