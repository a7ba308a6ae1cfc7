"""Legs keep out of forbidden areas where the meridians are close."""

import numpy as np
import pytest

from app.engine.area import AreaRule
from app.engine.errors import VoyageError
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.geodesy.shapes import find_stretches
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from tests.unit.engine.sailing_builders import make_area

pytestmark = pytest.mark.atlas

SHIP = ShipSize(3.0, 10.0, 60.0, None, 3.5)
VOYAGES = 25


@pytest.mark.parametrize(
    ("lat", "west", "east"), [(60, -38, -12), (70, -8, 14), (79, 32, 58), (-65, -120, -90)]
)
def test_no_leg_enters_an_area_that_the_great_circle_grazes(
    sea: SeaAtlas, lat: float, west: float, east: float
) -> None:
    random = np.random.default_rng(1)
    planned = 0
    for _ in range(VOYAGES):
        start, end = (Position(lat + random.uniform(-1.0, 1.0), lng) for lng in (west, east))
        lats, lngs = sample_leg(start, end, LegGeometry.GREAT_CIRCLE, 1.0)
        at = random.integers(len(lats) // 3, 2 * len(lats) // 3)
        half, off = random.uniform(0.02, 0.2), random.uniform(-0.004, 0.004)
        south = lats[at] + off if random.random() < 0.5 else lats[at] - off - half
        area = make_area(lngs[at] - half, south, lngs[at] + half, south + half)
        assert area.rule is AreaRule.NO_ENTRY
        try:
            (path,) = sea.find_paths(start, end, ship=SHIP, areas=[area], most=1)
        except VoyageError:
            continue
        planned += 1
        for leg in sea.build_legs(path, TrackKind.GREAT_CIRCLE):
            line = sample_leg(leg.start, leg.end, leg.geometry, 0.05)
            inside = find_stretches(area.geometry, *line)
            assert list(inside) == []
    assert planned > VOYAGES / 2
