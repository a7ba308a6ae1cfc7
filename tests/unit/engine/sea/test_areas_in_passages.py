"""Forbidden areas in narrow waters of the real world."""

import pytest
import shapely
from shapely.geometry import MultiPolygon

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import NoRoute
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize

pytestmark = pytest.mark.atlas

HANDYMAX = ShipSize(draft_m=9.5, breadth_m=32.2, loa_m=190.0, required_depth_m=11.2)


def forbid(lat: float, lng: float, radius_deg: float, id: str = "z") -> Area:
    """Circular area that must not be entered."""
    circle = shapely.Point(lng, lat).buffer(radius_deg)
    return Area(id, f"area {id}", AreaKind.NO_GO, AreaRule.NO_ENTRY, MultiPolygon([circle]))


@pytest.mark.parametrize(
    ("departure", "arrival", "lat", "lng", "radius_deg"),
    [
        (Position(58.3, -134.42), Position(47.6, -122.4), 47.9626, -122.5663, 0.0075),
        (Position(1.25, 103.8), Position(14.55, 120.9), 14.3357, 120.6129, 0.03),
    ],
    ids=["Juneau to Seattle", "Singapore to Manila"],
)
def test_the_refusal_names_the_area_that_closes_the_approach_not_the_depth_beside_it(
    sea: SeaAtlas, departure: Position, arrival: Position, lat: float, lng: float, radius_deg: float
) -> None:
    with pytest.raises(NoRoute, match="area z") as caught:
        sea.find_paths(departure, arrival, ship=HANDYMAX, areas=(forbid(lat, lng, radius_deg),))
    assert caught.value.data["areas"] == ["z"]
