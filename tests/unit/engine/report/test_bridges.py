"""A plan below bridges states their height, and warns if that of the ship is not known."""

from dataclasses import replace

import pytest

from app.engine.codes import WarningCode
from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
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


def test_a_trimmed_ship_is_as_high_as_at_the_end_that_draws_least(by_kiel: VoyageRequest) -> None:
    high = replace(by_kiel, ship=replace(by_kiel.ship, keel_to_mast_m=46.0))
    assert high.air_draft_m == 39.0
    assert replace(high, loading=replace(SMALL, trim_m=2.0)).air_draft_m == 40.0
    assert replace(high, loading=replace(SMALL, trim_m=-2.0)).air_draft_m == 40.0
    assert by_kiel.air_draft_m is None
