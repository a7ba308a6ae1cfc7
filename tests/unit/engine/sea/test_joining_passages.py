"""A ship that starts or ends beside a passage does not double back to a point of its line."""

import pytest

from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath, ShipSize

pytestmark = pytest.mark.atlas

SHIP = ShipSize(draft_m=10.5, breadth_m=32.26, loa_m=229.0, required_depth_m=11.7)
#: In Unalaska Bay, between two points of the approach to Dutch Harbor that are seven miles apart.
ON_THE_LINE = Position(53.95, -166.5)
A_MILE_OFF = Position(53.95, -166.47)
PETROPAVLOVSK = Position(52.9, 158.7)


def find_path(sea: SeaAtlas, start: Position, end: Position) -> SeaPath:
    return sea.find_paths(start, end, ship=SHIP, most=1)[0]


def test_a_ship_on_the_centre_line_leaves_along_it(sea: SeaAtlas) -> None:
    path = find_path(sea, ON_THE_LINE, PETROPAVLOVSK)
    assert path.lats[:2] == pytest.approx([53.95, 54.05])
    assert path.uses[0].id == "dutch-harbor"


def test_a_ship_arrives_on_the_centre_line_without_passing_it(sea: SeaAtlas) -> None:
    path = find_path(sea, PETROPAVLOVSK, ON_THE_LINE)
    assert path.lats[-2:] == pytest.approx([54.05, 53.95])


def test_a_ship_off_the_line_joins_it_abeam(sea: SeaAtlas) -> None:
    path = find_path(sea, A_MILE_OFF, PETROPAVLOVSK)
    assert path.lats[:3] == pytest.approx([53.95, 53.95, 54.05], abs=1e-4)
    assert path.lngs[1] == pytest.approx(-166.5, abs=1e-3)


def test_a_ship_bound_for_the_berths_keeps_to_the_line(sea: SeaAtlas) -> None:
    path = find_path(sea, A_MILE_OFF, Position(53.905, -166.515))
    assert path.lats.max() <= 53.951
