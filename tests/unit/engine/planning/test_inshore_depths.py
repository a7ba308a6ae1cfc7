"""Under-keel clearance of a short voyage inshore, where only a finer grid has depths."""

from dataclasses import replace

import pytest

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
