"""The limits of a strait hold over its whole cross-section, from shore to shore."""

from itertools import pairwise

import numpy as np
import pytest
from shapely.geometry import LineString

from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize

pytestmark = pytest.mark.atlas

GLADSTONE, SINGAPORE = Position(-23.83, 151.3), Position(1.2, 103.9)
#: From Cape York to New Guinea.
TORRES = LineString([(142.4, -10.8), (142.4, -9.1)])


def sail(sea: SeaAtlas, draft_m: float) -> LineString:
    ship = ShipSize(draft_m, breadth_m=32.2, loa_m=190.0, required_depth_m=draft_m + 1.5)
    path = sea.find_paths(GLADSTONE, SINGAPORE, ship=ship, most=1)[0]
    return LineString(np.column_stack([path.lngs, path.lats]))


def test_a_ship_at_the_limit_takes_the_torres_strait(sea: SeaAtlas) -> None:
    assert sail(sea, 12.2).intersects(TORRES)


@pytest.mark.parametrize("draft_m", [12.3, 14.2, 17.0])
def test_a_deeper_ship_does_not_pass_next_to_the_channel(sea: SeaAtlas, draft_m: float) -> None:
    track = sail(sea, draft_m)
    assert not any(LineString(leg).intersects(TORRES) for leg in pairwise(track.coords))


def test_the_gate_of_a_limited_strait_runs_from_mainland_to_mainland(sea: SeaAtlas) -> None:
    index = [passage.id for passage in sea.passages].index("torres")
    _, south, _, north = sorted_by_lat(sea.gates[index])
    assert south < -10.75
    assert north > -9.4


def sorted_by_lat(gate: np.ndarray) -> tuple[float, float, float, float]:
    ends = sorted([(gate[1], gate[0]), (gate[3], gate[2])])
    return ends[0][1], ends[0][0], ends[1][1], ends[1][0]
