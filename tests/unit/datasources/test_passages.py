import json
from itertools import pairwise
from pathlib import Path

import pytest

from app.datasources.passages import InvalidPassage, load_passages


def _feature(coordinates=((0.0, 50.0), (1.0, 50.0)), **changes):
    properties = {
        "id": "narrows",
        "name": "The Narrows",
        "kind": "STRAIT",
        "half_width_m": 500,
        "source": "Sailing directions",
        "quality": "PUBLISHED",
    }
    geometry = {"type": "LineString", "coordinates": [list(point) for point in coordinates]}
    return {"type": "Feature", "properties": properties | changes, "geometry": geometry}


def _load(tmp_path: Path, *features):
    collection = {"type": "FeatureCollection", "features": list(features)}
    (tmp_path / "region.geojson").write_text(json.dumps(collection), encoding="utf-8")
    return load_passages(tmp_path)


def test_a_line_is_read_with_latitude_first_and_unknown_limits_as_none(tmp_path):
    (passage,) = _load(tmp_path, _feature(max_draft_m=9.5, remarks="mind the bar"))
    assert passage.centre_line[1].lat == 50.0
    assert passage.centre_line[1].lng == 1.0
    assert passage.max_draft_m == 9.5
    assert passage.depth_m is None


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"kind": "PUDDLE"}, "PUDDLE"),
        ({"quality": "GUESSED"}, "GUESSED"),
        ({"half_width_m": 0}, "half_width_m"),
        ({"half_width_m": None}, "half_width_m"),
        ({"half_width_m": True}, "half_width_m"),
        ({"max_draft_m": -3.0}, "max_draft_m"),
        ({"max_draft_m": 12.0, "depth_m": 11.0}, "max_draft_m 12.0 is more"),
        ({"waiting_h": -1.0}, "waiting_h"),
        ({"one_way": "no"}, "one_way"),
        ({"source": " "}, "source"),
        ({"max_draught_m": 9.0}, "unknown field max_draught_m"),
        ({"coordinates": [(0.0, 50.0)]}, "two points"),
        ({"coordinates": [(0.0, 50.0), (0.0, 50.0)]}, "twice in a row"),
        ({"coordinates": [(0.0, 91.0), (0.0, 50.0)]}, "not on the earth"),
        ({"coordinates": [(180.0, 50.0), (179.0, 50.0)]}, "not on the earth"),
    ],
)
def test_an_impossible_passage_is_refused_with_its_file_and_id(tmp_path, changes, complaint):
    with pytest.raises(InvalidPassage, match=complaint) as refusal:
        _load(tmp_path, _feature(**changes))
    assert "region.geojson" in str(refusal.value)
    assert "narrows" in str(refusal.value)


def test_a_missing_field_is_named(tmp_path):
    feature = _feature()
    del feature["properties"]["source"]
    with pytest.raises(InvalidPassage, match="source missing"):
        _load(tmp_path, feature)


def test_two_passages_of_one_id_or_one_name_are_refused(tmp_path):
    with pytest.raises(InvalidPassage, match="share the id narrows"):
        _load(tmp_path, _feature(), _feature(name="Other"))
    with pytest.raises(InvalidPassage, match="share the name The Narrows"):
        _load(tmp_path, _feature(), _feature(id="other"))


def test_a_broken_file_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(InvalidPassage, match="no passage files"):
        load_passages(tmp_path)
    (tmp_path / "broken.geojson").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidPassage, match=r"broken\.geojson"):
        load_passages(tmp_path)


def test_the_canals_and_gates_that_decide_routes_are_there():
    ids = {passage.id for passage in load_passages()}
    assert ids >= {
        "suez-canal",
        "panama-canal",
        "panama-canal-neopanamax",
        "kiel-canal",
        "bosphorus",
        "dardanelles",
        "oresund-drogden",
        "great-belt",
        "malacca-strait",
        "singapore-strait-raffles-eastbound",
        "singapore-strait-raffles-westbound",
    }


def test_every_passage_stands_in_the_documentation():
    page = Path("docs/method/passages.md").read_text(encoding="utf-8")
    missing = [passage.id for passage in load_passages() if f"| {passage.name} |" not in page]
    assert missing == []


def test_a_fairway_of_unknown_depth_leads_in_by_no_water_whose_limits_are_known():
    passages = load_passages()
    unknown = [p for p in passages if p.max_draft_m is None and p.depth_m is None and not p.one_way]
    known = [p for p in passages if p.deepest_draft_m is not None]
    stretches = {p.id: set(pairwise(p.centre_line)) for p in known}
    shared = [
        (a.name, b.name)
        for a in unknown
        for b in known
        if stretches[b.id] & set(pairwise(a.centre_line))
    ]
    assert shared == []
