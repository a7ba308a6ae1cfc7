"""The bridges held: each lies across the water that its name says, from land to land."""

import json
from pathlib import Path

import pytest

from app.datasources.bridges import BRIDGES_PATH, load_bridges
from app.datasources.passages import load_passages
from app.engine.arrays import split_columns
from app.engine.geodesy import great_circle_distance_nm
from app.engine.sea.bridge_crossings import find_crossed, spans
from app.engine.sea.coast import is_land
from tests.unit.built_sea import open_atlas

BRIDGES = {bridge.id: bridge for bridge in load_bridges()}
PASSAGES = {passage.id: passage for passage in load_passages()}
#: Passages with a height of their own: a rule for all of it, bridges all along, or bridges whose
#: place is not known well enough.
WITH_HEIGHT = {
    *("bosphorus", "chao-phraya", "chesapeake-delaware-canal", "corinth-canal", "euripus"),
    *("hudson", "kerch-strait", "kiel-canal", "malaren", "manchester-ship-canal", "mokpo"),
    *("oude-maas", "panama-canal", "panama-canal-neopanamax", "parana", "parana-santa-fe"),
    *("sabine-neches", "sacramento", "seto-west", "skjerstadfjord", "st-lawrence-seaway"),
    *("st-marys-river", "suez-canal", "welland-canal", "yangtze-wuhan"),
}


def test_a_line_is_read_with_latitude_first(tmp_path: Path) -> None:
    properties = {
        "id": "arch",
        "name": "The Arch",
        "max_air_draft_m": 30.0,
        "source": "Sailing directions",
        "quality": "PUBLISHED",
        "remarks": "At high water.",
    }
    geometry = {"type": "LineString", "coordinates": [[1.0, 50.0], [2.0, 51.0]]}
    path = tmp_path / "bridges.geojson"
    path.write_text(json.dumps({"features": [{"properties": properties, "geometry": geometry}]}))
    (bridge,) = load_bridges(path)
    assert bridge.ends[0].lat == 50.0
    assert bridge.line == (1.0, 50.0, 2.0, 51.0)
    assert bridge.max_air_draft_m == 30.0


def test_every_bridge_is_possible() -> None:
    for bridge in BRIDGES.values():
        assert 15.0 <= bridge.max_air_draft_m <= 80.0, bridge.id
        assert bridge.source.strip()
        (lat0, lng0), (lat1, lng1) = bridge.ends
        # the longest leads from the old shore of Nanhui over Lingang, which the coastline lacks
        assert 0.1 < great_circle_distance_nm(lat0, lng0, lat1, lng1) < 19.0, bridge.id


def test_no_two_bridges_share_an_id_or_a_name() -> None:
    features = json.loads(BRIDGES_PATH.read_text(encoding="utf-8"))["features"]
    assert len(features) == len(BRIDGES)
    assert len({bridge.name for bridge in BRIDGES.values()}) == len(BRIDGES)
    assert not {*BRIDGES} & {passage.id for passage in load_passages() if passage.max_air_draft_m}


def test_heights_lie_on_bridges_where_their_places_are_known() -> None:
    assert {p.id for p in PASSAGES.values() if p.max_air_draft_m is not None} == WITH_HEIGHT


@pytest.mark.parametrize(
    ("passage", "bridges"),
    [
        ("great-belt", {"great-belt-east"}),
        ("oresund-flint", {"oresund"}),
        ("oresund-drogden", set()),
        ("bergen-south", {"bergen-sotra", "bergen-askoy"}),
        ("bergen-north", set()),
        ("seine", {"seine-normandie", "seine-tancarville", "seine-brotonne"}),
        ("thames", {"thames-dartford"}),
        ("tagus", {"tagus-25-de-abril"}),
        ("humber", {"humber"}),
        ("forth", set()),
        ("rion", {"rion"}),
        ("dardanelles", {"dardanelles-canakkale"}),
        ("marmara", set()),
        ("izmit", {"izmit-osmangazi"}),
        ("st-lawrence", {"quebec", "laviolette"}),
        ("new-york", {"new-york-verrazzano"}),
        ("newark", {"new-york-verrazzano", "new-york-bayonne"}),
        ("delaware", {"delaware-memorial", "delaware-commodore-barry"}),
        ("chesapeake", {"chesapeake-bay"}),
        (
            "mississippi",
            {"mississippi-crescent-city", "mississippi-huey-long", "mississippi-luling"},
        ),
        ("houston", {"houston-fred-hartman", "houston-beltway"}),
        ("columbia-portland", {"columbia-astoria", "columbia-longview", "willamette-st-johns"}),
        (
            "columbia-the-dalles",
            {"columbia-astoria", "columbia-longview", "columbia-bridge-of-the-gods"},
        ),
        ("golden-gate", {"golden-gate", "san-francisco-oakland"}),
        ("narragansett", {"newport-pell"}),
        ("potomac", {"potomac-nice"}),
        ("calcasieu", {"calcasieu-lake-charles"}),
        ("coos-bay", {"coos-bay-mccullough"}),
        ("fraser", {"fraser-alex-fraser"}),
        ("gironde", {"gironde-aquitaine"}),
        ("vitoria", {"vitoria-terceira-ponte"}),
        ("saigon", {"saigon-phu-my"}),
        ("shantou", {"shantou-bay"}),
        ("cebu-north", {"cebu-cordova"}),
        ("seto-east", {"akashi", "great-seto"}),
        ("kanmon", {"kanmon"}),
        ("yangtze-nanjing", {"yangtze-sutong", "yangtze-jiangyin"}),
        ("penang", {"penang", "penang-second"}),
    ],
)
def test_bridges_lie_across_the_centre_lines_of_their_passages(
    passage: str, bridges: set[str]
) -> None:
    centre_line = split_columns(PASSAGES[passage].centre_line)
    crossed = find_crossed(BRIDGES.values(), *centre_line)
    assert {crossing.bridge.id for crossing in crossed} == bridges


@pytest.mark.atlas
@pytest.mark.parametrize("id", BRIDGES)
def test_a_bridge_leads_from_land_to_land_beyond_the_water_of_its_passages(id: str) -> None:
    bridge, waters = BRIDGES[id], open_atlas().waters
    assert all(is_land(waters, *end) for end in bridge.ends)
    for passage in PASSAGES.values():
        if spans(bridge, passage):
            gaps_m = [passage.distance_m(*end) for end in bridge.ends]
            assert min(gaps_m) > passage.half_width_m, passage.id


@pytest.mark.atlas
def test_bridges_of_the_atlas_are_those_of_their_file() -> None:
    assert set(open_atlas().bridges) == set(load_bridges())
