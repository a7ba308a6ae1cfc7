"""Routes keep to water of proven depth, except near the ends of the voyage."""

from itertools import pairwise

import numpy as np
import pytest

from app.engine.errors import DraftTooDeep
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.legs import build_legs
from app.engine.sea.path import Leg, ShipSize
from app.engine.sea.proving import build_proven_map, count_classes, list_class_steps
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import UNKNOWN, count_steps
from app.engine.sea.squares import restore_rows

pytestmark = pytest.mark.atlas

BOSTON, NEW_YORK = Position(42.35, -71.03), Position(40.67, -74.03)
HALIFAX = Position(44.65, -63.57)
JAKARTA, DARWIN = Position(-6.1, 106.9), Position(-12.45, 130.85)
ROTTERDAM, LISBON = Position(51.95, 4.1), Position(38.7, -9.15)
PUNTA_ARENAS, ABERDEEN = Position(-53.1667, -70.9), Position(57.15, -2.0833)
PUNTA_ARENAS, ABERDEEN = Position(-53.1667, -70.9), Position(57.15, -2.0833)
COLOMBO, CHENNAI = Position(6.95, 79.85), Position(13.1, 80.3)

#: Waters that strangers of any size keep out of, as boxes of south, west, north, east [deg]:
#: Nantucket Sound and Muskeget Channel, Sape Strait, Fromveur, Adam's Bridge.
CLOSED = {
    "Nantucket Sound": (41.33, -70.6, 41.62, -70.0),
    "Sape Strait": (-8.75, 119.2, -8.45, 119.45),
    "Passage du Fromveur": (48.40, -5.05, 48.47, -4.95),
    "Adam's Bridge": (8.9, 79.3, 9.3, 79.9),
}


def ship(draft_m: float) -> ShipSize:
    return ShipSize(draft_m, breadth_m=32.2, loa_m=190.0, required_depth_m=draft_m + 1.5)


def sail(sea: SeaAtlas, start: Position, end: Position, draft_m: float) -> tuple[Leg, ...]:
    path = sea.find_paths(start, end, ship=ship(draft_m), most=1)[0]
    return sea.build_legs(path, TrackKind.GREAT_CIRCLE)


def enters(legs: tuple[Leg, ...], box: tuple[float, float, float, float]) -> bool:
    south, west, north, east = box
    return any(
        south <= lat <= north and west <= lng <= east
        for leg in legs
        for lat, lng in zip(
            np.linspace(leg.start.lat, leg.end.lat, 50),
            np.linspace(leg.start.lng, leg.end.lng, 50),
            strict=True,
        )
    )


@pytest.mark.parametrize(
    ("start", "end", "draft_m", "water"),
    [
        (BOSTON, NEW_YORK, 12.2, "Nantucket Sound"),
        (NEW_YORK, HALIFAX, 12.2, "Nantucket Sound"),
        (JAKARTA, DARWIN, 10.5, "Sape Strait"),
        (ROTTERDAM, LISBON, 10.5, "Passage du Fromveur"),
        (COLOMBO, CHENNAI, 12.2, "Adam's Bridge"),
    ],
)
def test_a_deep_ship_keeps_out_of_shoal_and_narrow_water(
    sea: SeaAtlas, start: Position, end: Position, draft_m: float, water: str
) -> None:
    legs = sail(sea, start, end, draft_m)
    assert not enters(legs, CLOSED[water])
    ends = legs[0].start, legs[-1].end
    far = [
        leg
        for leg in legs
        if leg.is_unproven
        and min(distance_nm(*end, *point) for end in ends for point in (leg.start, leg.end)) > 25.0
    ]
    assert far == []


def test_a_long_leg_keeps_off_banks_along_its_great_circle(sea: SeaAtlas) -> None:
    # the line straight in degrees, hundreds of miles away, crosses the banks off Brazil
    legs = sail(sea, PUNTA_ARENAS, ABERDEEN, 7.5)
    assert max(leg.distance_nm for leg in legs) > 500.0
    assert all(leg.distance_nm < 10.0 for leg in legs if leg.is_unproven)


def test_unproven_legs_have_no_depth_and_stay_as_they_are(sea: SeaAtlas) -> None:
    legs = [leg for leg in sail(sea, BOSTON, NEW_YORK, 12.2) if leg.is_unproven]
    assert legs
    assert all(leg.min_depth_m is None and leg.passage is not None for leg in legs)


def test_small_craft_have_no_unproven_water(sea: SeaAtlas) -> None:
    path = sea.find_paths(BOSTON, NEW_YORK, ship=ship(2.0), most=1)[0]
    legs = build_legs(
        sea.waters, path.conditions, sea.depths, sea.passages, path, TrackKind.GREAT_CIRCLE
    )
    assert not any(leg.is_unproven for leg in legs)


def test_a_deeper_ship_never_has_more_open_water(sea: SeaAtlas) -> None:
    needs = [count_steps(draft_m) for draft_m in (3.0, 6.0, 9.0, 14.0, 23.5)]
    open_cells = [sea.waters.shoals >= need for need in needs]
    for shallow, deep in pairwise(open_cells):
        assert not (deep & ~shallow).any()
    ratings = [count_classes(need) for need in needs]
    assert ratings == sorted(ratings)


def test_proving_opens_nothing_that_is_charted_too_shallow(sea: SeaAtlas) -> None:
    waters = sea.waters
    assert (waters.shoals <= waters.charted).all()


def test_adding_land_never_opens_water(sea: SeaAtlas) -> None:
    rows, cols = slice(3500, 3700), slice(5700, 5900)
    field = restore_rows(sea.waters.field)
    before = np.full(field.shape, 240, dtype=np.uint8)
    before[rows, cols] = field[rows, cols]
    after = before.copy()
    after[3600, 5800] = 0
    for near in range(1, 9):
        window = slice(3600 - near, 3601 + near), slice(5800 - near, 5801 + near)
        after[window] = np.minimum(after[window], near * 15)
    assert (build_proven_map(after)[rows, cols] <= build_proven_map(before)[rows, cols]).all()


def test_open_water_is_open_to_every_class(sea: SeaAtlas) -> None:
    row, col = int((30.0 + 90.0) * 32), int((-40.0 + 180.0) * 32)
    assert build_proven_map(restore_rows(sea.waters.field))[row, col] == UNKNOWN
    assert max(list_class_steps()) < UNKNOWN


def test_the_deepest_ships_are_not_taken_far_by_water_of_unknown_depth(sea: SeaAtlas) -> None:
    tianjin, ras_tanura = Position(38.97, 117.75), Position(26.65, 50.17)
    with pytest.raises(DraftTooDeep) as refused:
        sea.find_paths(ras_tanura, tianjin, ship=ship(21.0), most=1)
    assert refused.value.data["gate"]["lat"] > 37.0
