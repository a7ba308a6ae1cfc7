"""A ship under way finds a route from wherever its plan leads, as when its voyage is watched."""

import pytest

from app.engine.errors import DraftTooDeep
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from benchmarks.seamanship import list_unproven_beyond

pytestmark = pytest.mark.atlas

CHANNEL = "plate-buenos-aires"
OCEAN = Position(38.0, -35.0)
#: Within the channel to Buenos Aires; charts show 0 to 1 m of water there.
IN_CHANNEL = {
    "off the centre line": Position(-34.806, -57.277),
    "in the outer channel": Position(-35.137, -55.914),
    "at a bend": Position(-35.0, -56.6),
}


def build_ship(draft_m: float) -> ShipSize:
    return ShipSize(draft_m=draft_m, breadth_m=23.0, loa_m=160.0)


@pytest.mark.parametrize(
    ("draft_m", "place", "arrival"),
    [
        (13.0, Position(41.164, -67.479), Position(49.8, -6.5)),
        (10.0, Position(44.188, -58.344), Position(51.98, 4.05)),
        (16.0, Position(46.706, -50.703), Position(49.8, -6.5)),
        (16.0, Position(7.32, 77.314), Position(31.0, 122.6)),
        (10.0, Position(37.728, -74.288), Position(40.47, -73.9)),
    ],
    ids=["Georges Bank", "Sable Island", "Grand Banks", "Cape Comorin", "off Delaware"],
)
def test_from_deep_water_near_a_bank_a_route_leads_clear_of_it(
    sea: SeaAtlas, draft_m: float, place: Position, arrival: Position
) -> None:
    path = sea.find_paths(place, arrival, ship=build_ship(draft_m), most=1)[0]
    legs = sea.build_legs(path, TrackKind.GREAT_CIRCLE)
    assert list_unproven_beyond(legs) == []
    assert all(leg.min_depth_m is None or leg.min_depth_m >= draft_m for leg in legs)


@pytest.mark.parametrize("is_outbound", [True, False], ids=["outbound", "inbound"])
@pytest.mark.parametrize("place", IN_CHANNEL.values(), ids=IN_CHANNEL)
def test_from_within_a_dredged_channel_a_route_follows_it(
    sea: SeaAtlas, place: Position, is_outbound: bool
) -> None:
    ends = (place, OCEAN) if is_outbound else (OCEAN, place)
    path = sea.find_paths(*ends, ship=build_ship(9.0), most=1)[0]
    assert [use.id for use in path.uses][0 if is_outbound else -1] == CHANNEL
    legs = sea.build_legs(path, TrackKind.GREAT_CIRCLE)
    in_channel = legs[0] if is_outbound else legs[-1]
    assert in_channel.passage == "River Plate to Buenos Aires"
    assert in_channel.distance_nm > 1.0


def test_a_ship_too_deep_for_the_channel_it_lies_in_is_refused_by_its_name(sea: SeaAtlas) -> None:
    with pytest.raises(DraftTooDeep, match="River Plate to Buenos Aires"):
        sea.find_paths(IN_CHANNEL["in the outer channel"], OCEAN, ship=build_ship(14.0))


def test_a_refusal_names_the_locks_on_the_route_before_a_shoal_that_deeper_ships_avoid(
    sea: SeaAtlas,
) -> None:
    toronto = Position(43.6, -79.4)
    with pytest.raises(DraftTooDeep, match=r"St Lawrence Seaway, .* at most 8.08 m draught"):
        sea.find_paths(toronto, Position(38.0, -35.0), ship=build_ship(9.0))


@pytest.mark.parametrize(
    ("place", "port", "depth_m", "most_nm"),
    [
        (Position(50.6676, -0.4177), Position(50.7833, -0.5333), 9.0, 9.0),
        (Position(69.0895, -51.6822), Position(69.2167, -51.1), 13.5, 20.0),
        (Position(59.4714, 4.9384), Position(59.637, 6.341), 13.5, 47.0),
    ],
    ids=["Littlehampton", "Ilulissat", "Sauda"],
)
def test_a_ship_in_unproven_water_near_its_port_does_not_go_back_to_sea(
    sea: SeaAtlas, place: Position, port: Position, depth_m: float, most_nm: float
) -> None:
    ship = ShipSize(depth_m - 1.0, breadth_m=23.0, loa_m=150.0, required_depth_m=depth_m)
    for ends in ((place, port), (port, place)):
        assert sea.find_paths(*ends, ship=ship, most=1)[0].distance_nm < most_nm
