"""No-go areas of a charting."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.engine.area import AreaKind, AreaRule
from app.services.areas.no_go_areas import parse_no_go_areas, refuse_unknown_members
from app.services.errors import Invalid

RING = [[0, 50], [2, 50], [2, 52], [0, 52]]
POLYGON = {"type": "Polygon", "coordinates": [[*RING, RING[0]]]}


def feature(**properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": POLYGON}


@pytest.mark.parametrize("sent", [POLYGON, RING, [*RING, RING[0]], feature()])
def test_every_shape_is_the_same_area(sent: Any) -> None:
    (area,) = parse_no_go_areas([sent])
    assert area.geometry.bounds == (0, 50, 2, 52)
    assert (area.kind, area.rule) == (AreaKind.NO_GO, AreaRule.NO_ENTRY)
    assert area.starts_at is area.ends_at is None


def test_a_features_dates_are_whole_days_both_ends_included() -> None:
    (area,) = parse_no_go_areas(
        [feature(name="Exercise", start_date="2026-03-01", end_date="2026-03-02")]
    )
    assert area.name == "Exercise"
    assert area.starts_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert area.ends_at == datetime(2026, 3, 2, 23, 59, 59, 999_999, tzinfo=UTC)


@pytest.mark.parametrize("last_day", ["9999-12-31", "2101-01-01"])
def test_a_last_day_beyond_all_voyages_is_no_end(last_day: str) -> None:
    (area,) = parse_no_go_areas([feature(end_date=last_day)])
    assert area.ends_at is None


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        (5, "/noGoAreas/1/type"),
        ([], "/noGoAreas/1"),
        ([[0, 0], [1, 91], [1, 0]], "/noGoAreas/1/1/1"),
        ({"type": "Feature", "geometry": None}, "/noGoAreas/1/geometry/type"),
        ({"type": "Feature", "properties": 5, "geometry": POLYGON}, "/noGoAreas/1/properties"),
        (feature(name=5), "/noGoAreas/1/properties/name"),
        (feature(name="two\nlines"), "/noGoAreas/1/properties/name"),
        (feature(start_date="1 March"), "/noGoAreas/1/properties/start_date"),
        (feature(start_date="2026-W09-7"), "/noGoAreas/1/properties/start_date"),
        (feature(start_date="2026-03-02", end_date="2026-03-01"),
         "/noGoAreas/1/properties/end_date"),
    ],
)  # fmt: skip
def test_a_fault_is_named_by_its_place(sent: Any, pointer: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_no_go_areas([POLYGON, sent])
    assert [fault.pointer for fault in refused.value.faults] == [pointer]


@pytest.mark.parametrize(
    ("sent", "pointer"),
    [
        (feature(startDate="2026-03-01"), "/noGoAreas/0/properties/startDate"),
        (feature() | {"start_date": "2026-03-01"}, "/noGoAreas/0/start_date"),
        (POLYGON | {"end_date": "2026-03-01"}, "/noGoAreas/0/end_date"),
        (feature() | {"geometry": POLYGON | {"a/b": 1}}, "/noGoAreas/0/geometry/a~1b"),
    ],
)
def test_a_member_that_is_not_understood_is_refused(sent: Any, pointer: str) -> None:
    with pytest.raises(Invalid) as refused:
        refuse_unknown_members([sent])
    assert [fault.pointer for fault in refused.value.faults] == [pointer]
    refuse_unknown_members([feature(name="a", start_date=None) | {"id": 7, "bbox": [0, 0, 1, 1]}])


def test_a_collection_is_refused_as_such() -> None:
    with pytest.raises(Invalid) as refused:
        refuse_unknown_members([{"type": "FeatureCollection", "features": [feature()]}])
    (fault,) = refused.value.faults
    assert fault.pointer == "/noGoAreas/0/type"
    assert fault.detail.endswith("not a FeatureCollection. Send its Features.")
