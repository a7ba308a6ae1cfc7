"""A track is shortened by chords across its corners, though they touch capes and shoals."""

import pytest

from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize

pytestmark = pytest.mark.atlas


@pytest.mark.parametrize(
    ("one", "two", "depth_m", "most_nm"),
    [
        # by the edge of the shoals off Nantucket, which a chord from afar touches
        ((41.7, -71.167), (44.133, -68.867), 9.0, 372.0),
        # round the Cape of Good Hope, close by which the track doubles back
        ((-34.185, 18.437), (-22.95, 14.5), 13.5, 784.0),
        # by Backstairs Passage and Bass Strait, whose centre lines are shorter than rows of cells
        ((-34.967, 137.767), (-37.833, 144.967), 13.5, 549.0),
    ],
    ids=["Nantucket", "Cape of Good Hope", "Bass Strait"],
)
def test_a_track_that_touches_a_cape_is_as_short_in_either_direction(
    sea: SeaAtlas,
    one: tuple[float, float],
    two: tuple[float, float],
    depth_m: float,
    most_nm: float,
) -> None:
    ship = ShipSize(depth_m - 1.0, breadth_m=20.0, loa_m=130.0, required_depth_m=depth_m)
    for start, end in ((one, two), (two, one)):
        (path,) = sea.find_paths(Position(*start), Position(*end), ship=ship, most=1)
        assert path.distance_nm < most_nm
