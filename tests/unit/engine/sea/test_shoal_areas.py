"""Shoal areas in the data reduce depths on both grids, and never increase them."""

import numpy as np
import pytest
import shapely

from app.datasources.shoal_areas import load_shoal_areas
from app.engine.errors import DraftTooDeep
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import FIELD_CELLS, FIELD_COLS, FIELD_ROWS
from app.engine.sea.depth import interpolate_grid
from app.engine.sea.leg_room import measure_depth_m
from app.engine.sea.path import ShipSize
from app.engine.sea.shoal_areas import ShoalArea, ShoalKind, apply_shoal_areas, find_cells
from app.engine.sea.shoals import STEPS_PER_M, UNKNOWN, count_steps
from app.engine.sea.squares import find_cell_place

BANK = ShoalArea(
    "bank",
    "the Bank",
    ShoalKind.CHARTED,
    (Position(10.0, 20.0), Position(10.0, 20.5), Position(10.5, 20.2)),
    6.0,
)


def test_a_shoal_lowers_every_cell_that_it_touches_and_no_other() -> None:
    charted = np.full((FIELD_ROWS, FIELD_COLS), UNKNOWN, dtype=np.uint8)
    proven = charted.copy()
    apply_shoal_areas(charted, proven, [BANK])
    polygon = shapely.Polygon([(place.lng, place.lat) for place in BANK.outline])
    low = charted < UNKNOWN
    for lat, lng in ((10.01, 20.1), (10.01, 20.45), (10.4, 20.2)):
        assert polygon.contains(shapely.Point(lng, lat))
        assert low[int((lat + 90.0) * FIELD_CELLS), int((lng + 180.0) * FIELD_CELLS)]
    assert set(np.unique(charted)) == {6 * STEPS_PER_M, UNKNOWN}
    assert low.sum() == len(find_cells(BANK)[0])
    assert (proven == UNKNOWN).all()


def test_a_shoal_never_deepens_shallower_charted_water() -> None:
    charted = np.full((FIELD_ROWS, FIELD_COLS), 3, dtype=np.uint8)
    apply_shoal_areas(charted, charted.copy(), [BANK])
    assert (charted == 3).all()


@pytest.mark.atlas
def test_no_cell_of_the_atlas_is_deeper_than_a_shoal_in_it(sea: SeaAtlas) -> None:
    for area in load_shoal_areas():
        if area.kind is ShoalKind.CHARTED:
            cells = find_cell_place(*find_cells(area))
            assert sea.waters.charted[cells].max() <= area.least_depth_m * STEPS_PER_M, area.id


@pytest.mark.atlas
def test_no_depth_shown_over_a_shoal_exceeds_the_least_charted_in_it(sea: SeaAtlas) -> None:
    for area in load_shoal_areas():
        if area.kind is ShoalKind.CHARTED:
            rows, cols = find_cells(area)
            lats, lngs = (rows + 0.5) / FIELD_CELLS - 90.0, (cols + 0.5) / FIELD_CELLS - 180.0
            shown = sea.depth_m(lats, lngs)
            # the grid may be less than half deeper where it has the bank itself
            assert np.nanmax(shown, initial=0.0) <= 1.5 * area.least_depth_m, area.id


@pytest.mark.atlas
def test_a_leg_over_a_bank_that_the_depth_grid_misses_has_the_depth_of_the_bank(
    sea: SeaAtlas,
) -> None:
    bank = next(area for area in load_shoal_areas() if area.id == "alphard-bank")
    lat, lng = np.array(bank.outline).mean(axis=0).tolist()
    leg = Position(lat - 0.2, lng), Position(lat + 0.2, lng)
    assert measure_depth_m(sea.waters, sea.depths, *leg) == bank.least_depth_m
    nodes = sea.depths[int((lat + 90.0) * 12) :, int((lng + 180.0) * 12) :][:2, :2]
    assert nodes.min() > 2.0 * bank.least_depth_m


@pytest.mark.atlas
def test_depths_of_cells_that_no_data_but_the_grid_lower_are_the_grids(sea: SeaAtlas) -> None:
    lats, lngs = np.linspace(55.0, 56.0, 33), np.linspace(5.0, 6.5, 33)
    rows, cols = (lats + 90.0) * 12, (lngs + 180.0) * 12
    expected = [interpolate_grid(sea.depths, *at) for at in zip(rows, cols, strict=True)]
    assert sea.depth_m(lats, lngs) == pytest.approx(expected)


RAS_TANURA, CHIBA = Position(26.64, 50.16), Position(35.5, 140.0)
GLADSTONE, SINGAPORE = Position(-23.83, 151.26), Position(1.25, 103.8)
MANILA, MOBILE, COLON = Position(14.55, 120.9), Position(30.2, -88.0), Position(9.4, -79.9)
SYDNEY, YOKOHAMA = Position(-33.95, 151.25), Position(35.3, 139.7)
BOSTON, NEW_YORK = Position(42.35, -71.03), Position(40.67, -74.03)
HALIFAX = Position(44.65, -63.57)


@pytest.mark.atlas
@pytest.mark.parametrize(
    ("start", "end", "draft_m"),
    [
        (BOSTON, NEW_YORK, 12.2),
        (NEW_YORK, HALIFAX, 12.2),
        (RAS_TANURA, CHIBA, 21.0),
        (GLADSTONE, SINGAPORE, 14.2),
        (SINGAPORE, MANILA, 10.5),
        (MOBILE, COLON, 10.5),
        (SYDNEY, YOKOHAMA, 12.2),
    ],
)
def test_a_deep_ship_keeps_off_every_shoal_in_the_data(
    sea: SeaAtlas, start: Position, end: Position, draft_m: float
) -> None:
    ship = ShipSize(draft_m, breadth_m=32.2, loa_m=190.0, required_depth_m=draft_m + 2.0)
    path = sea.find_paths(start, end, ship=ship, most=1)[0]
    need = count_steps(ship.least_depth_m)
    lines = [
        shapely.LineString([(leg.start.lng, leg.start.lat), (leg.end.lng, leg.end.lat)])
        for leg in sea.build_legs(path, TrackKind.RHUMB)
        if not leg.is_unproven
    ]
    for area in load_shoal_areas():
        if area.least_depth_m * STEPS_PER_M < need:
            outline = shapely.Polygon([(place.lng, place.lat) for place in area.outline])
            hit = [line for line in lines if line.intersects(outline)]
            assert not hit, (area.id, hit)


@pytest.mark.atlas
def test_a_ship_that_lies_on_a_charted_shoal_is_warned_of_it(sea: SeaAtlas) -> None:
    ship = ShipSize(12.0, breadth_m=32.2, loa_m=190.0)
    on_the_shoals = Position(40.95, -69.7)
    with pytest.raises(DraftTooDeep, match="shoal charted"):
        sea.find_paths(on_the_shoals, NEW_YORK, ship=ship)
