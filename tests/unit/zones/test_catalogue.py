import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, box

from app.engine.area import AreaKind
from app.zones import BoundaryQuality, InvalidZone, Zone, load_zones, zones_in_force
from app.zones.catalogue import Boundary

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}
BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}
OFF_MAP = {"type": "Polygon", "coordinates": [[[170, 0], [190, 0], [190, 2], [170, 2], [170, 0]]]}
PARTS = [{"part": "outline", "quality": "verbatim", "source": "A circular"}]


def _feature(geometry=SQUARE, **changes):
    properties = {"id": "area", "name": "Area", "kind": "ECA", "boundaries": PARTS} | changes
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def _write(path, *features):
    path.write_text(json.dumps({"type": "FeatureCollection", "features": list(features)}))
    return path


def _zone(**changes):
    part = Boundary("outline", BoundaryQuality.VERBATIM, "A circular")
    plain = {
        "id": "area",
        "name": "Area",
        "kind": AreaKind.ECA,
        "geometry": MultiPolygon([box(0, 0, 1, 1)]),
        "boundaries": (part,),
    }
    return Zone(**(plain | changes))


def test_a_zone_binds_from_its_first_day_to_the_day_before_its_end(tmp_path):
    file = _write(
        tmp_path / "z.geojson",
        _feature(in_force_from="2027-03-01", in_force_until="2028-03-01"),
    )
    (zone,) = load_zones(file).zones
    assert not zone.is_in_force(datetime(2027, 2, 28, 23, 59, tzinfo=UTC))
    assert zone.is_in_force(datetime(2027, 3, 1, tzinfo=UTC))
    assert zone.is_in_force(datetime(2028, 2, 29, 23, 59, tzinfo=UTC))
    assert not zone.is_in_force(datetime(2028, 3, 1, tzinfo=UTC))


def test_the_first_day_is_counted_in_utc_whatever_the_clock_aboard():
    zone = _zone(in_force_from=datetime(2027, 3, 1, tzinfo=UTC), months=(3,))
    tokyo = timezone(timedelta(hours=9))
    assert not zone.is_in_force(datetime(2027, 3, 1, 8, tzinfo=tokyo))
    assert zone.is_in_force(datetime(2027, 3, 1, 9, tzinfo=tokyo))


def test_a_seasonal_zone_opens_once_for_a_winter_that_spans_new_year():
    zone = _zone(months=(12, 1, 2))
    start, end = datetime(2026, 11, 20, tzinfo=UTC), datetime(2027, 4, 1, tzinfo=UTC)
    assert list(zone.windows_between(start, end)) == [
        (datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC))
    ]


@given(
    days=st.floats(0.0, 3650.0),
    hours=st.integers(1, 24 * 500),
    months=st.sets(st.integers(1, 12)),
    share=st.floats(0.001, 0.999),
)
def test_the_windows_of_a_voyage_agree_with_the_zone_at_any_moment(days, hours, months, share):
    start = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=days)
    zone = _zone(
        months=tuple(sorted(months)),
        in_force_from=datetime(2022, 5, 10, tzinfo=UTC),
        in_force_until=datetime(2027, 8, 20, tzinfo=UTC),
    )
    end = start + timedelta(hours=hours)
    at = start + share * (end - start)
    inside = any(a <= at < b for a, b in zone.windows_between(start, end))
    assert inside == zone.is_in_force(at)


@pytest.mark.parametrize(
    ("feature", "complaint"),
    [
        (_feature(BOW_TIE), "Self-intersection"),
        (_feature(OFF_MAP), "beyond the map"),
        (_feature({"type": "Point", "coordinates": [0, 0]}), "neither Polygon"),
        (_feature(None), "geometry"),
        (_feature(kind="NO_GO"), "not a kind of built-in zone"),
        (_feature(kind="SWAMP"), "SWAMP"),
        (_feature(boundaries=[]), "no boundary"),
        (_feature(boundaries=[{"part": "all", "quality": "sure", "source": "x"}]), "sure"),
        (_feature(months=[13]), "months"),
        (_feature(in_force_from="soon"), "soon"),
        (_feature(in_force_from="2027-01-01", in_force_until="2026-01-01"), "in force until"),
        (_feature(colour="red"), "unknown field colour"),
    ],
)
def test_an_impossible_zone_is_refused_with_its_file_and_id(tmp_path, feature, complaint):
    with pytest.raises(InvalidZone, match=complaint) as refusal:
        load_zones(_write(tmp_path / "z.geojson", feature))
    assert "z.geojson, feature 0 (area)" in str(refusal.value)


def test_two_zones_of_one_id_and_an_unreadable_file_are_refused(tmp_path):
    with pytest.raises(InvalidZone, match="share the id area"):
        load_zones(_write(tmp_path / "z.geojson", _feature(), _feature()))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidZone, match="no zone files"):
        load_zones(tmp_path / "empty")
    (tmp_path / "z.geojson").write_text("[]")
    with pytest.raises(InvalidZone, match="not a GeoJSON FeatureCollection"):
        load_zones(tmp_path / "z.geojson")


def test_the_version_changes_with_the_zones_and_not_with_the_layout(tmp_path):
    one = load_zones(_write(tmp_path / "a.geojson", _feature(), _feature(id="b"))).version
    two = load_zones(_write(tmp_path / "b.geojson", _feature(id="b"), _feature())).version
    three = load_zones(_write(tmp_path / "c.geojson", _feature(), _feature(id="c"))).version
    assert one == two
    assert one != three


def test_a_zone_is_verbatim_only_where_every_part_is():
    part = Boundary("closure", BoundaryQuality.APPROXIMATE, "our own")
    assert _zone().quality is BoundaryQuality.VERBATIM
    assert _zone(boundaries=(*_zone().boundaries, part)).quality is BoundaryQuality.APPROXIMATE


def test_only_what_is_in_force_is_kept_and_the_order_stays():
    early = _zone(id="early", in_force_until=datetime(2020, 1, 1, tzinfo=UTC))
    late = _zone(id="late")
    kept = zones_in_force((late, early), datetime(2026, 1, 1, tzinfo=UTC))
    assert [zone.id for zone in kept] == ["late"]


def test_locks_shut_from_day_to_day_every_winter(tmp_path):
    shut = {"kind": "SEASON", "yearly": {"from": "12-31", "until": "03-22"}}
    (zone,) = load_zones(_write(tmp_path / "z.geojson", _feature(**shut))).zones
    start, end = datetime(2027, 2, 10, tzinfo=UTC), datetime(2029, 1, 5, tzinfo=UTC)
    assert list(zone.windows_between(start, end)) == [
        (start, datetime(2027, 3, 22, tzinfo=UTC)),
        (datetime(2027, 12, 31, tzinfo=UTC), datetime(2028, 3, 22, tzinfo=UTC)),
        (datetime(2028, 12, 31, tzinfo=UTC), end),
    ]
    assert zone.is_in_force(datetime(2031, 1, 15, tzinfo=UTC))
    assert not zone.is_in_force(datetime(2031, 3, 22, tzinfo=UTC))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "ICE"}, "hazard"),
        ({"hazard": "PACK"}, "hazard"),
        ({"kind": "ICE", "hazard": "PACK", "ice_class": "PC9"}, "PC9"),
        ({"kind": "SEASON", "yearly": {"from": "02-29", "until": "03-05"}}, "day is out of range"),
    ],
)
def test_a_zone_of_ice_or_season_that_cannot_be_is_refused(tmp_path, changes, words):
    with pytest.raises(InvalidZone, match=words):
        load_zones(_write(tmp_path / "z.geojson", _feature(**changes)))
