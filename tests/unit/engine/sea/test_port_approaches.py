"""Ports behind narrow waters are reached by surveyed fairways, or refused with the limiting one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
import shapely

from app.engine.errors import CanalLimit, DraftTooDeep
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg, ShipSize
from benchmarks.seamanship import SHIPS, list_unproven_beyond, load_narrows

pytestmark = pytest.mark.atlas

PORTS = {
    "Jizan": ("handymax", Position(16.9, 42.483)),
    "Khalifa bin Salman": ("handymax", Position(26.25, 50.75)),
    "Dahej": ("handymax", Position(21.7, 72.533)),
    "Hazira": ("coaster", Position(21.083, 72.633)),
    "Guayaquil": ("coaster", Position(-2.2, -79.883)),
    "Bella Coola": ("coaster", Position(52.367, -126.8)),
    "Kemano": ("coaster", Position(53.483, -128.133)),
    "Naknek": ("coaster", Position(58.717, -157.017)),
    "Cametá": ("coaster", Position(-2.25, -49.5)),
    "San Lorenzo": ("handymax", Position(9.783, -71.067)),
    "Tianjin": ("handymax", Position(38.967, 117.833)),
    "Mina al Ahmadi": ("vlcc", Position(29.067, 48.167)),
    "Ko Si Chang": ("vlcc", Position(13.167, 100.817)),
    "Jizan's tanker terminal": ("vlcc", Position(16.9, 42.483)),
    "Batangas": ("vlcc", Position(13.75, 121.05)),
    "Qua Iboe": ("vlcc", Position(4.2333, 8.0333)),
}
#: In the open ocean, on the side of the port.
OCEANS = (
    Position(12.0, 64.0),
    Position(0.0, -25.0),
    Position(30.0, 140.0),
    Position(-5.0, -95.0),
    Position(40.0, -150.0),
    Position(5.0, 55.0),
    Position(33.0, -60.0),
)


def lay(sea: SeaAtlas, ship: str, start: Position, end: Position) -> Sequence[Leg]:
    path = sea.find_paths(start, end, ship=SHIPS[ship], most=1)[0]
    return sea.build_legs(path, TrackKind.GREAT_CIRCLE)


@pytest.mark.parametrize(("ship", "port"), PORTS.values(), ids=PORTS)
def test_no_unproven_water_lies_far_from_the_port(sea: SeaAtlas, ship: str, port: Position) -> None:
    ocean = min(OCEANS, key=lambda place: _gap(place, port))
    assert list_unproven_beyond(lay(sea, ship, port, ocean)) == []


@pytest.mark.parametrize("draft_m", [5.5, 7.0, 9.4])
def test_the_kiel_canal_is_reached_from_both_seas_at_any_draught_it_takes(
    sea: SeaAtlas, draft_m: float
) -> None:
    ship = ShipSize(
        draft_m=draft_m,
        breadth_m=22.0,
        loa_m=160.0,
        air_draft_m=36.0,
        required_depth_m=1.1 * draft_m + 0.3,
    )
    rotterdam, gdansk = Position(51.98, 4.0), Position(54.4, 18.8)
    path = sea.find_paths(rotterdam, gdansk, ship=ship, most=1)[0]
    assert path.label == "by Kiel"
    assert path.distance_nm < 660.0


@pytest.mark.parametrize(
    ("air_draft_m", "passes"), [(None, True), (39.9, True), (40.1, False), (64.9, False)]
)
def test_a_ship_higher_than_the_bridges_of_the_kiel_canal_goes_round_it(
    sea: SeaAtlas, air_draft_m: float | None, passes: bool
) -> None:
    ship = ShipSize(draft_m=7.0, breadth_m=22.0, loa_m=160.0, air_draft_m=air_draft_m)
    rotterdam, gdansk = Position(51.98, 4.0), Position(54.4, 18.8)
    path = sea.find_paths(rotterdam, gdansk, ship=ship, most=1)[0]
    assert ("Kiel" in path.label) is passes


def test_a_port_behind_a_bridge_that_is_too_low_is_refused_with_its_height(sea: SeaAtlas) -> None:
    ship = ShipSize(draft_m=7.0, breadth_m=22.0, loa_m=160.0, air_draft_m=70.0)
    with pytest.raises(CanalLimit, match=r"takes at most .* m air draught; this ship has 70 m"):
        sea.find_paths(OCEANS[0], Position(40.68, -74.15), ship=ship, most=1)


def _gap(a: Position, b: Position) -> float:
    return float((a.lat - b.lat) ** 2 + ((a.lng - b.lng + 180.0) % 360.0 - 180.0) ** 2)


def test_a_port_whose_approach_is_too_shallow_is_refused_by_its_name(sea: SeaAtlas) -> None:
    yingkou = Position(40.683, 122.233)
    with pytest.raises(DraftTooDeep, match=r"Liao River to Yingkou.* 4\.9 m of water"):
        lay(sea, "handymax", yingkou, OCEANS[2])


def test_a_ship_from_cherbourg_keeps_out_of_the_alderney_race(sea: SeaAtlas) -> None:
    legs = lay(sea, "handymax", Position(49.65, -1.633), OCEANS[1])
    track = shapely.LineString([(p.lng, p.lat) for leg in legs for p in (leg.start, leg.end)])
    (race,) = [each.line for each in load_narrows() if each.name == "Alderney Race"]
    assert not track.intersects(race)


def test_a_ship_too_deep_for_the_little_belt_leaves_fredericia_by_the_kattegat(
    sea: SeaAtlas,
) -> None:
    legs = lay(sea, "handymax", Position(55.567, 9.767), Position(37.0, 5.0))
    track = shapely.LineString([(p.lng, p.lat) for leg in legs for p in (leg.start, leg.end)])
    (belt,) = [each.line for each in load_narrows() if each.name == "Little Belt"]
    assert not track.intersects(belt)


def test_gwangyang_takes_a_tanker_as_deep_as_its_fairway(sea: SeaAtlas) -> None:
    gwangyang = Position(34.9, 127.75)
    tanker = ShipSize(draft_m=20.5, breadth_m=58.0, loa_m=330.0)
    assert sea.find_paths(OCEANS[2], gwangyang, ship=tanker, most=1)
    with pytest.raises(DraftTooDeep, match="Gwangyang"):
        sea.find_paths(OCEANS[2], gwangyang, ship=replace(tanker, draft_m=22.5), most=1)


@pytest.mark.parametrize(
    ("port", "name", "draft_m"),
    [
        (Position(43.38, -124.21), "Coos Bay", 11.5),
        (Position(53.53, 8.17), "Jade", 20.5),
    ],
    ids=["Coos Bay", "Wilhelmshaven"],
)
def test_a_ship_deeper_than_the_channel_is_refused_by_its_name(
    sea: SeaAtlas, port: Position, name: str, draft_m: float
) -> None:
    size = ShipSize(draft_m=draft_m, breadth_m=32.0, loa_m=200.0)
    with pytest.raises(DraftTooDeep, match=name):
        sea.find_paths(OCEANS[6], port, ship=size, most=1)


def test_a_ship_from_keppel_does_not_go_east_to_the_strait_before_it_goes_west(
    sea: SeaAtlas,
) -> None:
    coaster = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
    keppel, melaka = Position(1.28333, 103.85), Position(2.2, 102.25)
    path = sea.find_paths(keppel, melaka, ship=coaster, most=1)[0]
    assert path.lngs.max() < 103.91
    assert path.distance_nm < 131.0


def test_a_short_voyage_passes_close_outside_the_islands_off_melaka(sea: SeaAtlas) -> None:
    coaster = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
    off_karimun, melaka = Position(1.2, 103.4), Position(2.2, 102.25)
    path = sea.find_paths(off_karimun, melaka, ship=coaster, most=1)[0]
    assert path.distance_nm == pytest.approx(97.1, abs=0.5)


def test_a_surveyed_channel_is_preferred_to_unproven_water_beside_it(sea: SeaAtlas) -> None:
    coaster = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
    cochin, galle = Position(9.95, 76.2), Position(6.0, 80.2)
    path = sea.find_paths(cochin, galle, ship=coaster, most=1)[0]
    assert "kochi" in {use.id for use in path.uses}
