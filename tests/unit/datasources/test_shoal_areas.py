import json
from pathlib import Path

import shapely

from app.datasources.shoal_areas import SHOALS_PATH, load_shoal_areas

RING = [[0.0, 50.0], [1.0, 50.0], [1.0, 51.0], [0.0, 50.0]]


def _feature(ring=RING, **changes):
    properties = {
        "id": "bank",
        "name": "The Bank",
        "kind": "CHARTED",
        "least_depth_m": 3.0,
        "source": "Sailing directions",
        "quality": "PUBLISHED",
    }
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "properties": properties | changes, "geometry": geometry}


def _load(tmp_path: Path, *features):
    path = tmp_path / "shoals.geojson"
    path.write_text(json.dumps({"features": features}), encoding="utf-8")
    return load_shoal_areas(path)


def test_an_outline_is_read_with_latitude_first(tmp_path):
    (area,) = _load(tmp_path, _feature())
    assert area.outline[1].lat == 50.0
    assert area.outline[1].lng == 1.0


def test_every_shoal_is_possible():
    for area in load_shoal_areas():
        assert type(area.least_depth_m) in (int, float)
        assert 0.0 < area.least_depth_m < 60.0
        assert all(abs(lat) <= 90.0 and -180.0 <= lng < 180.0 for lat, lng in area.outline)


def test_every_outline_of_a_shoal_is_a_simple_ring():
    for feature in json.loads(SHOALS_PATH.read_text(encoding="utf-8"))["features"]:
        outline = shapely.geometry.shape(feature["geometry"])
        assert isinstance(outline, shapely.Polygon), feature["properties"]["id"]
        assert outline.is_valid, feature["properties"]["id"]
        assert not outline.interiors, feature["properties"]["id"]


def test_no_two_shoals_share_an_id():
    areas = load_shoal_areas()
    assert len({area.id for area in areas}) == len(areas)


def test_every_shoal_that_is_held_says_where_it_is_from():
    areas = load_shoal_areas()
    assert len(areas) > 100
    assert all(area.source.strip() for area in areas)


def test_the_list_of_narrow_waters_names_sixty_with_lines_and_sources():
    waters = json.loads(Path("tests/data/narrow_waters.json").read_text(encoding="utf-8"))["waters"]
    assert len({water["name"] for water in waters}) == len(waters) >= 60
    assert all(len(water["line"]) >= 2 and water["source"] for water in waters)
    assert all(0.0 < water["max_draft_m"] < 30.0 for water in waters)
