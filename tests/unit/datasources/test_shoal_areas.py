import json
from pathlib import Path

import pytest

from app.datasources.shoal_areas import InvalidShoal, load_shoal_areas

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


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"kind": "PUDDLE"}, "PUDDLE"),
        ({"quality": "GUESSED"}, "GUESSED"),
        ({"least_depth_m": 0.0}, "least_depth_m"),
        ({"least_depth_m": True}, "least_depth_m"),
        ({"source": " "}, "source"),
        ({"depth": 3.0}, "depth"),
        ({"ring": [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]}, "simple ring"),
        ({"ring": [[179.0, 0.0], [181.0, 0.0], [180.0, 1.0], [179.0, 0.0]]}, "leaves the map"),
    ],
)
def test_an_impossible_shoal_is_refused_with_its_id(tmp_path, changes, complaint):
    with pytest.raises(InvalidShoal, match=complaint) as refusal:
        _load(tmp_path, _feature(**changes))
    assert "bank" in str(refusal.value)


def test_two_shoals_of_one_id_are_refused(tmp_path):
    with pytest.raises(InvalidShoal, match="share the id bank"):
        _load(tmp_path, _feature(), _feature())


def test_every_shoal_that_is_held_says_where_it_is_from():
    areas = load_shoal_areas()
    assert len(areas) > 100
    assert all(area.source for area in areas)


def test_the_list_of_narrow_waters_names_sixty_with_lines_and_sources():
    waters = json.loads(Path("tests/data/narrow_waters.json").read_text(encoding="utf-8"))["waters"]
    assert len({water["name"] for water in waters}) == len(waters) >= 60
    assert all(len(water["line"]) >= 2 and water["source"] for water in waters)
    assert all(0.0 < water["max_draft_m"] < 30.0 for water in waters)
