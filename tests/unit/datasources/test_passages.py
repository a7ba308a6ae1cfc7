import json
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from shapely import LineString

from app.datasources.passages import load_passages
from app.engine.arrays import Floats
from app.engine.constants import DEGREE_M
from app.engine.sea.passage_limits import exceeded_limits, find_too_small, stack_limits
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import ShipSize
from tests.unit.built_sea import open_atlas

#: Fields that are lengths or speeds.
LENGTHS = (
    *("half_width_m", "max_draft_m", "max_breadth_m", "max_loa_m", "max_air_draft_m"),
    *("depth_m", "min_ukc_m", "speed_kn", "max_section_m2", "water_density_kgm3"),
)
#: Greatest change of course at a point of a centre line: more than this is a way in and out again.
SHARPEST_BEND_DEG = 125.0


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


def test_every_passage_is_possible():
    for passage in load_passages():
        values = {field.name: getattr(passage, field.name) for field in fields(passage)}
        lengths = [values[name] for name in LENGTHS if values[name] is not None]
        assert all(type(value) in (int, float) and value > 0.0 for value in lengths)
        assert passage.half_width_m is not None
        assert passage.source.strip()
        assert passage.waiting_h >= 0.0
        assert isinstance(passage.one_way, bool)
        assert isinstance(passage.through_traffic, bool)
        if passage.max_draft_m is not None and passage.depth_m is not None:
            assert passage.max_draft_m <= passage.depth_m
        if passage.gate is not None:
            assert passage.is_scheme_lane
            assert passage.kind is PassageKind.LANE
            assert len(passage.gate) == 2


def test_every_line_of_a_passage_lies_on_the_earth_and_stands_nowhere_still():
    for passage in load_passages():
        for line in filter(None, (passage.centre_line, passage.gate)):
            assert len(line) >= 2
            assert all(abs(lat) <= 90.0 and -180.0 <= lng < 180.0 for lat, lng in line)
            assert all(start != end for start, end in pairwise(line))


def _measure_bends_deg(passage: Passage, tolerance_m: float) -> Floats:
    """Return the changes of course along a centre line, simplified to within a tolerance [deg]."""
    lats, lngs = np.array(passage.centre_line).T
    east = np.unwrap(lngs, period=360.0) * np.cos(np.radians(lats.mean()))
    line = LineString(np.column_stack([east, lats])).simplify(tolerance_m / DEGREE_M)
    legs = np.diff(np.asarray(line.coords), axis=0)
    courses = np.degrees(np.arctan2(legs[:, 0], legs[:, 1]))
    return np.abs((np.diff(courses) + 180.0) % 360.0 - 180.0)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_no_centre_line_folds_back_on_itself_even_when_drawn_to_its_half_width(share):
    folded = {
        passage.id: bends.max()
        for passage in load_passages()
        if (bends := _measure_bends_deg(passage, share * passage.half_width_m)).size
        and bends.max() > SHARPEST_BEND_DEG
    }
    assert folded == {}


def test_the_line_through_hormuz_begins_where_the_lane_into_it_ends():
    lines = {passage.id: passage.centre_line for passage in load_passages()}
    assert lines["hormuz"][-1] == lines["tunb-farur-east"][-1]


def test_no_two_passages_share_an_id_or_a_name():
    passages = load_passages()
    assert len({passage.id for passage in passages}) == len(passages)
    assert len({passage.name for passage in passages}) == len(passages)


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


@pytest.mark.parametrize(
    ("ship", "deepest_m"),
    [
        (ShipSize(19.5, breadth_m=60.0, loa_m=333.0), 16.77),
        (ShipSize(16.9, breadth_m=61.5, loa_m=399.9), 16.36),
        (ShipSize(20.1, breadth_m=50.0, loa_m=285.0), None),
        (ShipSize(16.3, breadth_m=61.5, loa_m=399.9), None),
        (ShipSize(10.0, breadth_m=60.0, loa_m=333.0), None),
    ],
    ids=["laden VLCC", "24,000 TEU, laden", "suezmax", "24,000 TEU", "VLCC in ballast"],
)
def test_broad_ships_pass_suez_at_less_draught(ship, deepest_m):
    suez = [passage for passage in load_passages() if passage.id == "suez-canal"]
    exceeded = exceeded_limits(suez[0], ship)
    assert {name: round(limit, 2) for name, (_, limit) in exceeded.items()} == (
        {} if deepest_m is None else {"draft_m": deepest_m}
    )
    assert find_too_small(stack_limits(suez), ship).tolist() == [deepest_m is not None]


@pytest.mark.parametrize(
    ("loa_m", "breadth_m", "deepest_m"),
    [
        # Wasserstraßen- und Schifffahrtsamt Nord-Ostsee-Kanal: sizes given, and its example of one
        # between them; 1,400 TEU container ships were held to 9.30 m for their size
        (160.0, 27.0, 9.5),
        (193.0, 20.0, 9.5),
        (175.0, 23.8, 9.5),
        (168.1, 26.8, 9.32),
        (235.0, 32.5, 7.0),
        (120.0, 16.0, 9.5),
    ],
)
def test_long_and_broad_ships_pass_the_kiel_canal_at_less_draught(loa_m, breadth_m, deepest_m):
    kiel = [passage for passage in load_passages() if passage.id == "kiel-canal"]
    for over_m, fits in ((-0.02, True), (0.02, False)):
        ship = ShipSize(deepest_m + over_m, breadth_m=breadth_m, loa_m=loa_m)
        assert (exceeded_limits(kiel[0], ship) == {}) is fits
        assert find_too_small(stack_limits(kiel), ship).tolist() == [not fits]


@pytest.mark.parametrize(("draft_m", "passes"), [(11.7, True), (11.8, False)])
def test_the_draughts_of_the_panama_canal_are_those_in_its_fresh_water(draft_m, passes):
    old_locks = [passage for passage in load_passages() if passage.id == "panama-canal"]
    ship = ShipSize(draft_m, breadth_m=32.2, loa_m=225.0)
    assert (exceeded_limits(old_locks[0], ship) == {}) is passes
    assert find_too_small(stack_limits(old_locks), ship).tolist() == [not passes]


@pytest.mark.atlas
def test_passages_of_the_atlas_are_those_of_their_files() -> None:
    assert set(open_atlas().passages) == set(load_passages())
