"""Small ships pass islets at half a mile where there is room, at hardly any extra distance."""

import pytest

from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.legs import UNNAMED_NARROWS
from app.engine.sea.path import ShipSize

pytestmark = pytest.mark.atlas

COASTER = ShipSize(draft_m=5.6, breadth_m=14.0, loa_m=90.0, required_depth_m=6.6)


@pytest.mark.parametrize(
    ("start", "end", "most_nm"),
    [
        ((-18.13, 178.42), (-13.82, -171.76), 638.5),  # Suva to Apia
        ((1.22, 103.85), (-6.9, 110.4), 639.1),  # Singapore to Semarang, by Gelasa Strait
        ((14.58, 120.95), (10.3, 123.92), 409.0),  # Manila to Cebu
    ],
)
def test_a_long_leg_over_open_water_keeps_half_a_mile_off(
    sea: SeaAtlas, start: tuple[float, float], end: tuple[float, float], most_nm: float
) -> None:
    (path,) = sea.find_paths(Position(*start), Position(*end), ship=COASTER, most=1)
    legs = sea.build_legs(path, TrackKind.GREAT_CIRCLE)
    long = [leg for leg in legs if leg.distance_nm > 4.0 and leg.passage in UNNAMED_NARROWS]
    assert all(leg.xtd_m > 830.0 for leg in long if not leg.is_unproven)
    assert path.distance_nm < most_nm
