"""Under-keel clearance of a short voyage inshore, where only a finer grid has depths."""

from dataclasses import replace

import pytest

from app.engine.codes import WarningCode
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.report.explanation import explain
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import FIELD_CELLS
from app.engine.sea.shoals import STEPS_PER_M
from app.engine.sea.squares import restore_rows, store_in_squares
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

#: Five miles in the English Channel, ten miles off the coast.
REQUEST = replace(make_crossing(), departure=Position(50.1, -4.0), arrival=Position(50.15, -4.1))


def with_charted_depth(sea: SeaAtlas, depth_m: float) -> SeaAtlas:
    """Return the sea with one depth charted from 50 to 51 N and 5 to 3 W, as by a finer grid."""
    charted = restore_rows(sea.waters.charted)
    rows = slice(140 * FIELD_CELLS, 141 * FIELD_CELLS)
    charted[rows, 175 * FIELD_CELLS : 177 * FIELD_CELLS] = depth_m * STEPS_PER_M
    charted = store_in_squares(charted)
    charted.flags.writeable = False  # as in an atlas, for which the kernels are compiled
    return replace(sea, waters=sea.waters._replace(charted=charted))


def assert_no_water_is_unproven(plan: RoutePlan) -> None:
    assert plan.summary.distance_nm == pytest.approx(5.0, abs=0.5)
    assert plan.summary.unproven_nm == 0.0


def test_the_clearance_is_given_where_a_finer_grid_has_the_depth(sea: SeaAtlas) -> None:
    plan = plan_voyage(REQUEST, with_charted_depth(sea, 40.0))
    assert_no_water_is_unproven(plan)
    assert plan.waypoints[-1].min_depth_m == 40.0
    assert plan.summary.min_ukc_m == plan.waypoints[-1].ukc_m
    assert 26.0 < plan.summary.min_ukc_m < 40.0 - REQUEST.loading.draft_m


def test_without_any_depth_the_clearance_is_unknown_and_the_explanation_says_why(
    sea: SeaAtlas,
) -> None:
    plan = plan_voyage(REQUEST, sea)
    assert_no_water_is_unproven(plan)
    assert plan.summary.min_ukc_m is None
    assert (
        "No depth is known along the route, so the least under-keel clearance is unknown: check"
        " each leg on the chart." in explain(plan, REQUEST)
    )


def test_a_passage_without_known_limits_counts_as_unproven(sea: SeaAtlas) -> None:
    """Through the Uraga Channel, of which neither depth nor draught limit is known."""
    request = replace(REQUEST, departure=Position(35.3, 139.72), arrival=Position(34.9, 139.75))
    plan = plan_voyage(request, sea)
    in_channel = [each for each in plan.waypoints if "Uraga" in str(each.passage)]
    assert sum(each.leg_distance_nm for each in in_channel) > 5.0
    assert all(each.is_unproven for each in in_channel)
    assert plan.summary.unproven_nm > 5.0
    assert plan.summary.min_ukc_m is None


def test_miles_of_unknown_depth_in_wide_water_are_warned_of(sea: SeaAtlas) -> None:
    """West of Gibraltar, where no depth is known within 12 nm of land."""
    request = replace(REQUEST, departure=Position(35.95, -5.75), arrival=Position(36.5, -8.0))
    plan = plan_voyage(request, sea)
    (warning,) = [each for each in plan.warnings if each.code is WarningCode.DEPTH_UNKNOWN]
    assert plan.summary.unproven_nm == 0.0
    assert f"for {plan.summary.depth_unknown_nm:.1f} nm" in warning.detail
    assert "in water wide enough to be taken as deep enough" in warning.detail
    assert "passages" not in warning.detail


def test_a_passage_charted_deeper_than_its_least_depth_resists_no_more_than_the_open_sea(
    sea: SeaAtlas,
) -> None:
    """By the lane off Fuerteventura: 30 m or more throughout, and charted deeper than 1,000 m."""
    request = replace(REQUEST, departure=Position(29.0, -14.6), arrival=Position(27.2, -15.4))
    plan = plan_voyage(replace(request, speed_min_kn=13.0, speed_max_kn=13.0), sea)
    inside = [each for each in plan.waypoints if "Fuerteventura" in str(each.passage)]
    outside = [each for each in plan.waypoints[1:] if each.passage is None]
    assert {each.min_depth_m for each in inside} == {30.0}
    assert inside[0].power_kw == pytest.approx(outside[0].power_kw, rel=1e-3)


def test_miles_of_unknown_depth_in_rivers_are_not_called_wide(sea: SeaAtlas) -> None:
    """Up the Seine, of which only the greatest draught is known."""
    (seine,) = [each for each in sea.passages if each.name == "Seine to Rouen"]
    start, *_, end = seine.centre_line[-6:-1]
    loading = replace(REQUEST.loading, draft_m=10.0)
    request = replace(REQUEST, departure=start, arrival=end, loading=loading)
    plan = plan_voyage(request, sea)
    (warning,) = [each for each in plan.warnings if each.code is WarningCode.DEPTH_UNKNOWN]
    assert "in passages of which only the greatest draught is known" in warning.detail
    assert "wide enough" not in warning.detail
