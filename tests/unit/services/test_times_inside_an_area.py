"""Times and distance of a voyage inside an area."""

from datetime import UTC, datetime
from typing import Any

from shapely import MultiPolygon, box

from app.services.areas.area_impact import measure_crossing


def _sail(lngs: list[float]) -> list[dict[str, Any]]:
    """A voyage along the equator, a degree an hour."""
    return [
        {
            "lat": 0.0,
            "lng": lng,
            "cumulativeNm": 60.0 * hour,
            "time": f"2026-01-14T{hour:02d}:00:00Z",
        }
        for hour, lng in enumerate(lngs)
    ]


def test_a_voyage_is_inside_between_the_points_around_its_crossing() -> None:
    inside = measure_crossing(_sail([0.0, 1.0, 2.0, 3.0]), MultiPolygon([box(1.25, -1, 1.75, 1)]))
    assert inside == (_at(1), _at(2), 30.0)


def test_an_area_at_180_degrees_is_crossed_in_either_direction() -> None:
    strip = MultiPolygon([box(179.75, -1, 180, 1), box(-180, -1, -179.75, 1)])
    for lngs in ([178.5, 179.5, -179.5, -178.5], [-178.5, -179.5, 179.5, 178.5]):
        assert measure_crossing(_sail(lngs), strip) == (_at(1), _at(2), 30.0)


def test_an_area_elsewhere_is_not_crossed() -> None:
    away = MultiPolygon([box(1.25, 2, 1.75, 3)])
    assert measure_crossing(_sail([0.0, 1.0, 2.0, 3.0]), away) is None


def _at(hour: int) -> datetime:
    return datetime(2026, 1, 14, hour, tzinfo=UTC)
