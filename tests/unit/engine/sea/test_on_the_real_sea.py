"""Well-known routes on the coast of the real world."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import CanalLimit, DraftTooDeep, NoRoute, PortOnLand
from app.engine.request import Limits, Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.leg_room import XTD_M, measure_leg_gap_m
from app.engine.sea.passages import PassageKind
from app.engine.sea.path import SeaPath, ShipSize
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.shoals import count_steps
from app.engine.units import wrap_longitude

pytestmark = pytest.mark.atlas

SMALL = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)
HANDYMAX = ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0)
ROTTERDAM, SINGAPORE = Position(51.9, 4.483), Position(1.283, 103.85)
PORT_SAID, CONSTANTA, BAKU = (
    Position(31.267, 32.3),
    Position(44.167, 28.65),
    Position(40.367, 49.883),
)


def ids(path: SeaPath) -> set[str]:
    return {use.id for use in path.uses}


def test_rotterdam_to_singapore_leads_by_suez_or_by_the_cape(sea: SeaAtlas) -> None:
    paths = sea.find_paths(ROTTERDAM, SINGAPORE, ship=SMALL)
    assert "suez-canal" in ids(paths[0])
    assert paths[0].distance_nm == pytest.approx(8340, rel=0.015)
    assert any("cape-of-good-hope" in ids(path) for path in paths[1:])


def test_a_leg_just_off_a_shoal_is_clear_however_far_the_land_is(sea: SeaAtlas) -> None:
    # its rhumb line passes a cell of 4 m in the Red Sea by 40 m
    start, end = Position(16.930805999768964, 40.48114326774129), Position(14.75, 42.25)
    conditions = NO_CONDITIONS._replace(depth_steps=count_steps(15.05))
    assert measure_leg_gap_m(sea.waters, conditions, start, end, XTD_M) == XTD_M


@pytest.mark.parametrize("lng", [0.0, 1e-7, 180.0, -180.0, 179.9999])
def test_antarctica_has_no_seam(sea: SeaAtlas, lng: float) -> None:
    assert not any(sea.is_water(lat, lng) for lat in (-80.0, -85.0, -89.0))


@pytest.mark.parametrize(
    ("port", "fairway"), [(Position(40.7, -74.017), "new-york"), (ROTTERDAM, "nieuwe-waterweg")]
)
def test_a_fairway_is_named_after_the_port_that_the_route_leads_to(
    sea: SeaAtlas, port: Position, fairway: str
) -> None:
    path = sea.find_paths(port, Position(49.8, -6.5), ship=SMALL, most=1)[0]
    rivers = {p.id for p in sea.passages if p.kind in (PassageKind.RIVER, PassageKind.APPROACH)}
    assert ids(path) & rivers == {fairway}


@pytest.mark.parametrize(
    ("port", "other"),
    [
        (Position(35.07, 128.8), Position(38.97, 117.8)),  # Busan New Port, Tianjin: not by Masan
        (Position(40.67, -74.05), Position(32.03, -80.85)),  # New York, Savannah: not by Albany
    ],
)
def test_a_passage_near_an_end_that_no_route_uses_refuses_no_ship(
    sea: SeaAtlas, port: Position, other: Position
) -> None:
    laden = ShipSize(draft_m=14.0, breadth_m=45.0, loa_m=290.0, required_depth_m=15.5)
    assert sea.find_paths(port, other, ship=laden, most=1)


def test_a_passage_that_is_too_small_is_named_for_the_port_up_it(sea: SeaAtlas) -> None:
    laden = ShipSize(draft_m=12.0, breadth_m=45.0, loa_m=290.0, required_depth_m=13.5)
    with pytest.raises(DraftTooDeep, match="Hudson to Albany, which takes at most"):
        sea.find_paths(ROTTERDAM, Position(42.6, -73.76), ship=laden)


def test_closing_suez_gives_the_cape_and_never_the_arctic(sea: SeaAtlas) -> None:
    shut = frozenset(["suez-canal"])
    for path in sea.find_paths(ROTTERDAM, SINGAPORE, ship=SMALL, avoid_passages=shut):
        assert "cape-of-good-hope" in ids(path)
        assert path.lats.max() < 60.0


def test_no_path_leads_around_the_end_of_a_closed_cape(sea: SeaAtlas) -> None:
    santos, durban = Position(-24.05, -46.3), Position(-29.9, 31.1)
    shut = frozenset(["cape-of-good-hope"])
    for path in sea.find_paths(santos, durban, ship=SMALL, avoid_passages=shut):
        assert "cape-of-good-hope" not in ids(path)
        assert ids(path) & {"suez-canal", "cape-leeuwin"}


HALIFAX, HAMBURG_ROADS = Position(44.6, -63.5), Position(53.9, 8.7)


@pytest.mark.parametrize(
    ("departure", "arrival", "side", "longer"),
    [
        (HALIFAX, HAMBURG_ROADS, "by the Channel", 1.04),
        (SINGAPORE, Position(31.0, 122.5), "east of Taiwan", 1.02),
        (Position(53.45, -3.2), HALIFAX, "by the Irish Sea", 1.01),
    ],
    ids=["Halifax to Hamburg", "Singapore to Shanghai", "Liverpool to Halifax"],
)
def test_a_route_on_the_other_side_of_land_is_an_alternative_if_it_is_little_longer(
    sea: SeaAtlas, departure: Position, arrival: Position, side: str, longer: float
) -> None:
    best, *others = sea.find_paths(departure, arrival, ship=SMALL)
    (other,) = [path for path in others if side in path.label]
    assert other.distance_nm / best.distance_nm == pytest.approx(longer, abs=0.01)


def test_a_route_on_the_other_side_of_land_is_no_alternative_if_it_is_much_longer(
    sea: SeaAtlas,
) -> None:
    mombasa, durban = Position(-4.1, 39.7), Position(-29.9, 31.1)
    assert len(sea.find_paths(durban, mombasa, ship=SMALL)) == 1


def test_the_northern_sea_route_is_used_on_request(sea: SeaAtlas) -> None:
    yokohama = Position(35.45, 139.583)
    path = sea.find_paths(ROTTERDAM, yokohama, ship=SMALL, limits=Limits(north_lat=80.0), most=1)[0]
    assert path.lats.max() > 72.0


def test_a_ship_too_large_for_panama_goes_another_route(sea: SeaAtlas) -> None:
    large = ShipSize(draft_m=18.0, breadth_m=60.0, loa_m=330.0)
    new_york, valparaiso = Position(40.5, -73.9), Position(-33.0, -71.65)
    path = sea.find_paths(new_york, valparaiso, ship=large, most=1)[0]
    assert not any(used.startswith("panama") for used in ids(path))


def test_constanta_lies_in_the_black_sea(sea: SeaAtlas) -> None:
    path = sea.find_paths(CONSTANTA, PORT_SAID, ship=SMALL, most=1)[0]
    assert {"bosphorus", "dardanelles"} <= ids(path)


def test_baku_lies_on_a_closed_sea(sea: SeaAtlas) -> None:
    with pytest.raises(NoRoute) as refusal:
        sea.find_paths(BAKU, PORT_SAID, ship=SMALL)
    assert refusal.value.data["closed"] == ["departure"]
    aktau = Position(43.6, 51.217)
    path = sea.find_paths(BAKU, aktau, ship=SMALL, most=1)[0]
    assert 203.0 < path.distance_nm < 260.0


@pytest.mark.parametrize(
    ("port", "by"),
    [
        (Position(43.617, -79.383), {"st-lawrence-seaway"}),
        (Position(46.767, -92.1), {"st-lawrence-seaway", "welland-canal", "st-marys-river"}),
    ],
    ids=["Toronto", "Duluth"],
)
def test_the_great_lakes_are_reached_by_the_locks_alone(
    sea: SeaAtlas, port: Position, by: set[str]
) -> None:
    assert by <= ids(sea.find_paths(PORT_SAID, port, ship=SMALL, most=1)[0])
    with pytest.raises(CanalLimit) as refusal:
        sea.find_paths(PORT_SAID, port, ship=HANDYMAX)
    worst = refusal.value.data["gate"]
    assert (worst["id"], worst["particular"]) == ("st-lawrence-seaway", "breadth_m")


def test_duluth_and_chicago_lie_on_lakes_that_ships_of_the_locks_at_the_sault_sail_between(
    sea: SeaAtlas,
) -> None:
    duluth, chicago = Position(46.767, -92.1), Position(41.883, -87.6)
    laker = ShipSize(draft_m=8.0, breadth_m=32.0, loa_m=304.0)
    path = sea.find_paths(duluth, chicago, ship=laker, most=1)[0]
    assert ids(path) == {"st-marys-river", "mackinac"}
    assert path.distance_nm == pytest.approx(808 / 1.1508, rel=0.03)


@pytest.mark.parametrize(
    ("port", "by"),
    [(Position(-32.317, -58.067), "uruguay"), (Position(-2.25, -49.5), "vila-do-conde")],
    ids=["Paysandu by the River Plate", "Cameta by the mouth of the Para"],
)
def test_a_port_on_an_upper_river_is_reached_by_the_lower_one(
    sea: SeaAtlas, port: Position, by: str
) -> None:
    assert by in ids(sea.find_paths(Position(0.0, -25.0), port, ship=SMALL, most=1)[0])


@pytest.mark.parametrize(
    ("port", "ship", "gate"),
    [
        (Position(59.9, 30.2), ShipSize(11.5, 32.2, 190.0), "st-petersburg"),
        (Position(-30.017, -51.217), HANDYMAX, "lagoa-dos-patos"),
        (Position(53.367, -60.3), HANDYMAX, "goose-bay"),
    ],
    ids=["St Petersburg", "Porto Alegre", "Goose Bay"],
)
def test_a_ship_too_deep_for_a_dredged_approach_is_not_led_in_next_to_it(
    sea: SeaAtlas, port: Position, ship: ShipSize, gate: str
) -> None:
    with pytest.raises(DraftTooDeep) as refusal:
        sea.find_paths(Position(45.0, -30.0), port, ship=ship)
    assert gate in {passage["id"] for passage in refusal.value.data["passages"]}


def test_a_refusal_names_the_river_that_is_too_shallow_not_the_mouth_of_a_canal_on_the_route(
    sea: SeaAtlas,
) -> None:
    ship = replace(HANDYMAX, required_depth_m=12.0)
    haldia, drobak = Position(22.017, 88.083), Position(59.66, 10.625)
    with pytest.raises(DraftTooDeep, match="Hooghly to Haldia, which takes at most 8 m draught"):
        sea.find_paths(haldia, drobak, ship=ship, most=1)


def test_a_refusal_names_the_strait_on_the_short_route_not_unknown_water_on_a_detour(
    sea: SeaAtlas,
) -> None:
    laden = ShipSize(draft_m=20.5, breadth_m=60.0, loa_m=333.0, required_depth_m=22.1241)
    with pytest.raises(DraftTooDeep, match=r"Malacca Strait, .* takes at most 19\.5 m draught"):
        sea.find_paths(Position(6.1, 95.2), Position(1.2, 103.9), ship=laden, most=1)


def test_the_sound_is_open_from_the_north_to_ships_too_deep_for_the_drogden(
    sea: SeaAtlas,
) -> None:
    skaw, copenhagen, rostock = (
        Position(57.9, 10.7),
        Position(55.7, 12.617),
        Position(54.18, 12.1),
    )
    assert ids(sea.find_paths(skaw, copenhagen, ship=HANDYMAX, most=1)[0]) == {
        "oresund-entrance-southbound",
        "oresund-helsingor-southbound",
        "oresund-helsingborg-southbound",
        "oresund-north",
    }
    assert "great-belt" in ids(sea.find_paths(copenhagen, rostock, ship=HANDYMAX, most=1)[0])


@pytest.mark.parametrize(
    ("a", "b", "length_nm"),
    [
        (Position(-18.133, 178.417), Position(-13.817, -171.767), 650.0),
        (Position(53.9, -166.53), Position(53.0, 158.65), 1320.0),
    ],
    ids=["Suva to Apia", "Dutch Harbor to Petropavlovsk"],
)
def test_the_antimeridian_is_crossed_in_one_short_line(
    sea: SeaAtlas, a: Position, b: Position, length_nm: float
) -> None:
    legs = sea.build_legs(sea.find_paths(a, b, ship=SMALL, most=1)[0], TrackKind.GREAT_CIRCLE)
    assert sum(leg.distance_nm for leg in legs) == pytest.approx(length_nm, rel=0.05)
    assert sum(abs(leg.end.lng - leg.start.lng) > 180.0 for leg in legs) == 1


def test_dikson_is_reached_from_murmansk_without_a_request(sea: SeaAtlas) -> None:
    murmansk, dikson = Position(68.983, 33.05), Position(73.5, 80.5)
    path = sea.find_paths(murmansk, dikson, ship=SMALL, most=1)[0]
    assert path.distance_nm < 1200.0


def test_the_refusal_of_a_deep_ship_in_the_black_sea_names_the_gate(
    sea: SeaAtlas,
) -> None:
    mariupol, istanbul = Position(47.05, 37.567), Position(41.017, 28.967)
    with pytest.raises((DraftTooDeep, CanalLimit)) as refusal:
        sea.find_paths(mariupol, istanbul, ship=ShipSize(10.5, 32.0, 190.0))
    assert refusal.value.data["passages"][0]["id"] == "kerch-strait"


def test_a_port_in_the_sahara_is_refused(sea: SeaAtlas) -> None:
    with pytest.raises(PortOnLand):
        sea.find_water(Position(23.0, 10.0))


def test_a_place_on_the_other_side_of_the_globe_is_in_no_passage(sea: SeaAtlas) -> None:
    for passage in sea.passages:
        lats, lngs = np.array(passage.centre_line).T
        middle = np.asarray(wrap_longitude(lngs[:-1] + 0.5 * wrap_longitude(np.diff(lngs)) + 180.0))
        assert passage.distances_m(0.5 * (lats[:-1] + lats[1:]), middle).min() > 1e6, passage.id


def test_an_area_that_leaves_no_route_is_named_where_it_is_met_across_the_antimeridian(
    sea: SeaAtlas,
) -> None:
    west = shapely.box(160.0, 8.0, 180.0, 30.0) - shapely.box(161.0, 9.0, 179.9, 29.0)
    ring = shapely.MultiPolygon([west, shapely.box(-180.0, 8.0, -179.8, 30.0)])
    area = Area("ring", "Ring", AreaKind.CONSTRAINT, AreaRule.NO_ENTRY, ring)
    with pytest.raises(NoRoute, match="the route without them enters Ring") as refused:
        sea.find_paths(Position(21.3, -157.9), Position(19.3, 166.9), ship=SMALL, areas=(area,))
    assert refused.value.data["areas"] == ["ring"]
