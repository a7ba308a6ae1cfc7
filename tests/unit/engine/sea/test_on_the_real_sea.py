"""Ways that every navigator knows, on the world's own coast."""

import pytest

from app.engine.errors import CanalLimit, DraftTooDeep, NoRoute, PortOnLand
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath, ShipSize
from app.engine.voyage import Position

pytestmark = pytest.mark.atlas

SMALL = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
ROTTERDAM, SINGAPORE = Position(51.9, 4.483), Position(1.283, 103.85)
PORT_SAID, CONSTANTA, BAKU = (
    Position(31.267, 32.3),
    Position(44.167, 28.65),
    Position(40.367, 49.883),
)


def ids(path: SeaPath) -> set[str]:
    return {use.id for use in path.uses}


def test_rotterdam_to_singapore_goes_by_suez_and_else_by_the_cape(sea: SeaAtlas) -> None:
    paths = sea.find_paths(ROTTERDAM, SINGAPORE, ship=SMALL)
    assert "suez-canal" in ids(paths[0])
    assert paths[0].distance_nm == pytest.approx(8340, rel=0.015)
    assert any("cape-of-good-hope" in ids(path) for path in paths[1:])


def test_closing_suez_gives_the_cape_and_never_the_arctic(sea: SeaAtlas) -> None:
    shut = frozenset(["suez-canal"])
    for path in sea.find_paths(ROTTERDAM, SINGAPORE, ship=SMALL, avoid_passages=shut):
        assert "cape-of-good-hope" in ids(path)
        assert path.lats.max() < 60.0


def test_the_northern_sea_route_opens_when_asked_for(sea: SeaAtlas) -> None:
    yokohama = Position(35.45, 139.583)
    path = sea.find_paths(ROTTERDAM, yokohama, ship=SMALL, north_lat_limit=80.0, most=1)[0]
    assert path.lats.max() > 72.0


def test_a_ship_too_large_for_panama_goes_another_way(sea: SeaAtlas) -> None:
    large = ShipSize(draft_m=18.0, breadth_m=60.0, loa_m=330.0)
    new_york, valparaiso = Position(40.5, -73.9), Position(-33.0, -71.65)
    path = sea.find_paths(new_york, valparaiso, ship=large, most=1)[0]
    assert not any(used.startswith("panama") for used in ids(path))


def test_constanta_lies_in_the_black_sea(sea: SeaAtlas) -> None:
    path = sea.find_paths(CONSTANTA, PORT_SAID, ship=SMALL, most=1)[0]
    assert {"bosphorus", "dardanelles"} <= ids(path)


def test_baku_is_not_joined_to_the_ocean(sea: SeaAtlas) -> None:
    with pytest.raises((NoRoute, PortOnLand)):
        sea.find_paths(BAKU, PORT_SAID, ship=SMALL)


def test_dikson_is_reached_from_murmansk_without_asking(sea: SeaAtlas) -> None:
    murmansk, dikson = Position(68.983, 33.05), Position(73.5, 80.5)
    path = sea.find_paths(murmansk, dikson, ship=SMALL, most=1)[0]
    assert path.distance_nm < 1200.0


def test_a_ship_too_deep_for_the_black_seas_inner_ports_is_told_which_gate_stops_her(
    sea: SeaAtlas,
) -> None:
    mariupol, istanbul = Position(47.05, 37.567), Position(41.017, 28.967)
    with pytest.raises((DraftTooDeep, CanalLimit)) as refusal:
        sea.find_paths(mariupol, istanbul, ship=ShipSize(10.5, 32.0, 190.0))
    assert refusal.value.data["passages"][0]["id"] == "kerch-strait"


def test_a_port_in_the_sahara_is_refused(sea: SeaAtlas) -> None:
    with pytest.raises(PortOnLand):
        sea.find_water(Position(23.0, 10.0))
