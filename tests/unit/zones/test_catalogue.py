import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, box
from shapely.validation import explain_validity

from app.engine.area import AreaKind
from app.zones.catalogue import ZONE_KINDS, ZONES_DIR, Boundary, BoundaryQuality, Zone, load_zones

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}
PARTS = [{"part": "outline", "quality": "verbatim", "source": "A circular"}]


#: Properties that a feature of the files may have.
PROPERTIES = {
    *("id", "name", "kind", "boundaries", "in_force_from", "in_force_until", "months", "yearly"),
    *("hazard", "ice_class", "port_calls", "margin_nm", "pollutants", "remarks"),
}


def _feature(**changes):
    properties = {"id": "area", "name": "Area", "kind": "ECA", "boundaries": PARTS} | changes
    return {"type": "Feature", "properties": properties, "geometry": SQUARE}


def _load(tmp_path, *features):
    collection = {"type": "FeatureCollection", "features": list(features)}
    (tmp_path / "z.geojson").write_text(json.dumps(collection))
    return load_zones(tmp_path)


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
    feature = _feature(in_force_from="2027-03-01", in_force_until="2028-03-01")
    (zone,) = _load(tmp_path, feature).zones
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


@pytest.mark.parametrize("zone", load_zones().zones, ids=lambda zone: zone.id)
def test_every_zone_is_possible(zone):
    west, south, east, north = zone.geometry.bounds
    assert zone.geometry.is_valid, explain_validity(zone.geometry)
    assert -180.0 <= west < east <= 180.0
    assert -90.0 <= south < north <= 90.0
    assert zone.kind in ZONE_KINDS
    assert zone.boundaries
    assert set(zone.months) <= set(range(1, 13))
    assert (zone.kind is AreaKind.ICE) == (zone.ice is not None)
    if zone.in_force_from is not None and zone.in_force_until is not None:
        assert zone.in_force_from < zone.in_force_until


def test_no_two_zones_share_an_id_and_no_field_is_unknown():
    zones = load_zones().zones
    assert len({zone.id for zone in zones}) == len(zones)
    for file in ZONES_DIR.glob("*.geojson"):
        for feature in json.loads(file.read_text(encoding="utf-8"))["features"]:
            assert feature["properties"].keys() <= PROPERTIES, feature["properties"]["id"]


def test_the_version_changes_with_the_zones_and_not_with_the_layout(tmp_path):
    one = _load(tmp_path, _feature(), _feature(id="b")).version
    two = _load(tmp_path, _feature(id="b"), _feature()).version
    three = _load(tmp_path, _feature(), _feature(id="c")).version
    assert one == two
    assert one != three


def test_a_zone_is_verbatim_only_where_every_part_is():
    part = Boundary("closure", BoundaryQuality.APPROXIMATE, "our own")
    assert _zone().quality is BoundaryQuality.VERBATIM
    assert _zone(boundaries=(*_zone().boundaries, part)).quality is BoundaryQuality.APPROXIMATE


def test_locks_shut_from_day_to_day_every_winter(tmp_path):
    shut = {"kind": "SEASON", "yearly": {"from": "12-31", "until": "03-22"}}
    (zone,) = _load(tmp_path, _feature(**shut)).zones
    start, end = datetime(2027, 2, 10, tzinfo=UTC), datetime(2029, 1, 5, tzinfo=UTC)
    assert list(zone.windows_between(start, end)) == [
        (start, datetime(2027, 3, 22, tzinfo=UTC)),
        (datetime(2027, 12, 31, tzinfo=UTC), datetime(2028, 3, 22, tzinfo=UTC)),
        (datetime(2028, 12, 31, tzinfo=UTC), end),
    ]
    assert zone.is_in_force(datetime(2031, 1, 15, tzinfo=UTC))
    assert not zone.is_in_force(datetime(2031, 3, 22, tzinfo=UTC))
