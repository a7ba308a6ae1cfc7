"""Lanes of traffic separation schemes: ships follow the lane of their direction.

IMO, Convention on the International Regulations for Preventing Collisions at Sea (COLREG), 1972,
rule 10 (b): proceed in the appropriate lane in its general direction of traffic flow.
"""

import pytest

from app.datasources.passages import load_passages
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.passages import Passage
from app.engine.sea.path import SeaPath, ShipSize

pytestmark = pytest.mark.atlas

LANES = [passage for passage in load_passages() if passage.gate is not None]
SHIP = ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0, required_depth_m=12.0)

ROTTERDAM, LISBON = Position(51.98, 4.0), Position(38.6, -9.4)
COLOMBO, SINGAPORE = Position(6.95, 79.8), Position(1.25, 103.9)
QINGDAO, TIANJIN = Position(36.0, 120.4), Position(38.9, 117.9)


def route(sea: SeaAtlas, start: Position, end: Position) -> SeaPath:
    return sea.find_paths(start, end, ship=SHIP, most=1)[0]


def list_lanes(path: SeaPath) -> set[str]:
    return {use.id for use in path.uses} & {lane.id for lane in LANES}


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.id)
def test_from_a_lanes_beginning_to_its_end_a_ship_follows_it(sea: SeaAtlas, lane: Passage) -> None:
    path = route(sea, lane.centre_line[0], lane.centre_line[-1])
    assert list_lanes(path) == {lane.id}


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.id)
def test_against_a_lanes_direction_a_ship_follows_another_or_goes_round(
    sea: SeaAtlas, lane: Passage
) -> None:
    path = route(sea, lane.centre_line[-1], lane.centre_line[0])
    assert lane.id not in list_lanes(path)


@pytest.mark.parametrize(
    ("start", "end", "lanes"),
    [
        (ROTTERDAM, LISBON, {"dover-south-west", "casquets-west", "ushant-south-west"}),
        (LISBON, ROTTERDAM, {"dover-north-east", "casquets-east", "ushant-north-east"}),
        (COLOMBO, SINGAPORE, {"dondra-head-east"}),
        (SINGAPORE, COLOMBO, {"dondra-head-west"}),
        (QINGDAO, TIANJIN, {"chengshan-jiao-north"}),
        (TIANJIN, QINGDAO, {"chengshan-jiao-south"}),
    ],
)
def test_voyages_take_the_lanes_of_their_direction(
    sea: SeaAtlas, start: Position, end: Position, lanes: set[str]
) -> None:
    assert lanes <= list_lanes(route(sea, start, end))
