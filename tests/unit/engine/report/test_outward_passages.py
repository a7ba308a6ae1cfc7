"""Direction in which a plan follows rivers and approaches."""

from dataclasses import replace

import pytest

from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
from app.engine.report.explanation import explain
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

OFF_ROTTERDAM, ROTTERDAM = Position(51.95, 3.5), Position(51.89, 4.29)
MONTREAL, HALIFAX = Position(45.55, -73.52), Position(44.6, -63.5)
HAMBURG, COPENHAGEN = Position(53.54, 9.93), Position(55.7, 12.65)
RIVER = "Nieuwe Waterweg to Rotterdam"


@pytest.mark.parametrize(
    ("departure", "arrival", "outward"),
    [
        (ROTTERDAM, OFF_ROTTERDAM, {RIVER: True}),
        (OFF_ROTTERDAM, ROTTERDAM, {RIVER: False}),
        (MONTREAL, HALIFAX, {"St Lawrence to Montreal": True, "Halifax approach": False}),
        (HAMBURG, COPENHAGEN, {"Elbe to Hamburg": True, "Kiel Canal": False}),
    ],
)
def test_a_passage_is_outward_if_the_ship_leaves_a_port_by_it(
    sea: SeaAtlas, departure: Position, arrival: Position, outward: dict[str, bool]
) -> None:
    request = replace(
        make_crossing(),
        departure=departure,
        arrival=arrival,
        loading=Loading(7.0, 0.0, 30_000.0),
    )
    plan = plan_voyage(request, sea)
    found = {passage.name: passage.is_outward for passage in plan.facts.passages}
    assert found.items() >= outward.items()
    stated = f"route: {RIVER.replace(' to ', ' from ')}" in explain(plan, request)
    assert stated == outward.get(RIVER, False)
