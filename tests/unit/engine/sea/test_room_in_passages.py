"""Legs in passages claim no more room than the coast leaves them."""

from dataclasses import replace

import pytest

from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.leg_room import measure_coast_gap_m
from app.engine.sea.legs import find_xtd_in_passage_m
from app.engine.sea.path import Leg, ShipSize
from benchmarks.atlas import SMALL_SHIP

pytestmark = pytest.mark.atlas

VOYAGES = {
    "Dardanelles": (Position(39.8, 25.8), Position(40.6, 27.6)),
    "Beagle Channel": (Position(-56.0, -65.0), Position(-54.82, -68.25)),
    "Hjeltefjord": (Position(61.0, 3.5), Position(60.4, 5.28)),
}


def lay(sea: SeaAtlas, start: Position, end: Position, ship: ShipSize = SMALL_SHIP) -> list[Leg]:
    path = sea.find_paths(start, end, ship=ship, most=1)[0]
    widths_m = {passage.name: passage.half_width_m for passage in sea.passages}
    legs = [leg for leg in sea.build_legs(path, TrackKind.WEATHER) if leg.passage in widths_m]
    assert len(legs) > 2
    return legs


@pytest.mark.parametrize("ends", VOYAGES.values(), ids=VOYAGES)
def test_no_leg_on_a_centre_line_claims_water_beyond_the_shore(
    sea: SeaAtlas, ends: tuple[Position, Position]
) -> None:
    for leg in lay(sea, *ends):
        clear_m = measure_coast_gap_m(sea.waters, leg.start, leg.end, 5_000.0)
        assert clear_m == 0.0 or leg.xtd_m <= max(clear_m, 25.0), leg


def test_a_canal_that_the_coastline_lacks_keeps_its_half_width(sea: SeaAtlas) -> None:
    canal = next(passage for passage in sea.passages if passage.id == "kiel-canal")
    assert find_xtd_in_passage_m(canal, off_m=0.0, gap_m=0.0, coast_m=0.0) == canal.half_width_m
    legs = lay(sea, Position(53.9, 8.7), Position(54.55, 10.3), replace(SMALL_SHIP, draft_m=5.0))
    ashore = [
        leg
        for leg in legs
        if leg.passage == canal.name
        and measure_coast_gap_m(sea.waters, leg.start, leg.end, 5_000.0) == 0.0
    ]
    assert ashore
    assert {leg.xtd_m for leg in ashore} == {canal.half_width_m}
