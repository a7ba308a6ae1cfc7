"""A captain is told of a detour around water that is too narrow for an unknown depth."""

from dataclasses import replace

import pytest

from app.engine.codes import WarningCode
from app.engine.planner import plan_voyage, quote_voyage
from app.engine.report.explanation import explain
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

#: From Auckland to Tauranga, around Great Barrier Island or by the Colville Channel.
REQUEST = replace(
    make_crossing(),
    departure=Position(-36.83, 174.8),
    arrival=Position(-37.6, 176.25),
    areas=(),
    arrive_by=None,
)


def test_both_distances_of_a_detour_are_warned_of_and_it_is_not_called_direct(
    sea: SeaAtlas,
) -> None:
    plan = plan_voyage(REQUEST, sea)
    (warning,) = [each for each in plan.warnings if each.code is WarningCode.DEPTH_DETOUR]
    assert f"{plan.summary.distance_nm:.1f} nm is a detour" in warning.detail
    assert "One of 133." in warning.detail
    assert "no depth is known" in warning.detail
    text = explain(plan, REQUEST)
    assert "around unproven water:" in text
    assert "direct" not in text


def test_a_ship_without_a_detour_is_not_warned_of_one(sea: SeaAtlas) -> None:
    small = replace(REQUEST.loading, draft_m=2.5)
    for request in (
        replace(REQUEST, loading=small),
        replace(REQUEST, departure=Position(-33.0, 160.0), arrival=Position(-33.0, 165.0)),
    ):
        warned = [each.code for each in quote_voyage(request, sea).warnings]
        assert WarningCode.DEPTH_DETOUR not in warned
