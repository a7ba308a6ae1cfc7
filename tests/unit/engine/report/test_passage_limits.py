"""Warnings of passages that are too small for the ship, at the ends of a voyage."""

from dataclasses import replace

import pytest

from app.engine.codes import WarningCode
from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX

pytestmark = pytest.mark.atlas

#: From a berth two thirds up the channel of Santos, which takes 15 m draught.
REQUEST = VoyageRequest(
    departure=Position(-23.95, -46.3),
    arrival=Position(-25.0, -44.0),
    departs_at=DEPARTS_AT,
    ship=replace(KAMSARMAX, depth_m=24.0, draft_design_m=16.0, draft_scantling_m=18.0),
    loading=Loading(14.0, 0.0, 60_000.0),
    speed_min_kn=10.0,
    speed_max_kn=12.0,
)


def test_a_passage_that_shares_its_water_with_a_smaller_one_is_not_warned_of(
    sea: SeaAtlas,
) -> None:
    ship = replace(
        KAMSARMAX, loa_m=280.0, lbp_m=270.0, breadth_m=45.0, depth_m=24.0, dwt_t=150_000.0
    )
    colon, balboa = Position(9.42, -79.93), Position(8.9, -79.5)
    request = replace(REQUEST, departure=colon, arrival=balboa, ship=ship)
    plan = plan_voyage(replace(request, loading=Loading(12.5, 0.0, 100_000.0)), sea)
    assert "Panama Canal, Neopanamax locks" in {waypoint.passage for waypoint in plan.waypoints}
    assert [w.detail for w in plan.warnings if w.code is WarningCode.PASSAGE_LIMIT] == []


@pytest.mark.parametrize(("draft_m", "names"), [(14.0, []), (16.5, ["Santos channel"])])
def test_a_plan_warns_of_the_channel_of_its_own_berth_if_the_ship_is_too_deep_for_it(
    sea: SeaAtlas, draft_m: float, names: list[str]
) -> None:
    plan = plan_voyage(replace(REQUEST, loading=Loading(draft_m, 0.0, 60_000.0)), sea)
    warned = [w.detail for w in plan.warnings if w.code is WarningCode.PASSAGE_LIMIT]
    assert [detail.partition(" along ")[2].partition(",")[0] for detail in warned] == names
    for detail in warned:
        assert "takes at most 15 m draught; this ship has 16.5 m" in detail
