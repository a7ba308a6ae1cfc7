"""Next to quays, shoals and gates a track has no more legs than it needs."""

import pytest

from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg
from benchmarks.seamanship import SHIPS

pytestmark = pytest.mark.atlas

ATLANTIC = Position(36.0, -25.0)
#: Behind a channel 60 m wide, behind one between charted shoals, and in a dock.
PORTS = {
    "Helsinki": Position(60.166667, 24.966667),
    "Manama": Position(26.233333, 50.583333),
    "Zeebrugge": Position(51.333333, 3.2),
}


def lay(sea: SeaAtlas, start: Position, end: Position) -> tuple[Leg, ...]:
    path = sea.find_paths(start, end, ship=SHIPS["handymax"], most=1)[0]
    return sea.build_legs(path, TrackKind.WEATHER)


@pytest.mark.parametrize("port", PORTS.values(), ids=PORTS)
def test_a_straight_channel_is_one_leg(sea: SeaAtlas, port: Position) -> None:
    approach = lay(sea, port, ATLANTIC)[:12]
    assert sum(leg.distance_nm < 0.1 for leg in approach) <= 2
    assert all(leg.xtd_m >= 25.0 for leg in approach)


def test_a_leg_that_passes_the_end_of_a_gate_within_metres_is_not_split(sea: SeaAtlas) -> None:
    legs = lay(sea, Position(31.152045, 33.831078), Position(41.383333, -70.5))
    off_nantucket = [leg for leg in legs if leg.start.lng < -67.0 and leg.start.lat < 41.0]
    assert [leg.xtd_m for leg in off_nantucket if leg.distance_nm < 10.0 or leg.passage] == []
    assert off_nantucket
