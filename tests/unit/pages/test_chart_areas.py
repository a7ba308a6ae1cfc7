"""Areas on the chart."""

from datetime import UTC, datetime

from shapely.geometry import Point, Polygon

from app.models import ChartingRevision
from app.pages.charts.chart_areas import keep_in_force, list_kept_areas, list_zones_in_force

SQUARE = {"type": "Polygon", "coordinates": [[[0, 50], [1, 50], [1, 51], [0, 51], [0, 50]]]}


def test_the_north_sea_control_area_is_shown_round_the_dogger_bank() -> None:
    zones = list_zones_in_force(datetime(2026, 1, 14, tzinfo=UTC))
    control = [zone for zone in zones if zone["kind"] == "ECA"]
    holding = [zone for zone in control for ring in zone["rings"] if holds(ring, 54.7, 2.5)]
    assert [zone["name"] for zone in holding]
    assert not any(zone["avoided"] for zone in zones)


def test_a_zone_is_not_shown_before_it_is_in_force() -> None:
    def norwegian_sea(year: int) -> bool:
        zones = list_zones_in_force(datetime(year, 6, 1, tzinfo=UTC))
        return any(zone["kind"] == "ECA" and "Norwegian" in zone["name"] for zone in zones)

    assert not norwegian_sea(2026)
    assert norwegian_sea(2028)


def test_avoided_areas_are_distinct_from_reported_ones() -> None:
    kept = [
        {"name": "Range", "kind": "CONSTRAINT", "rule": "NO_ENTRY", "geometry": SQUARE},
        {"name": "Control", "kind": "ECA", "rule": "REPORTED", "geometry": SQUARE},
        {"name": "Winter ice", "kind": "ICE", "rule": "REPORTED", "geometry": SQUARE},
    ]
    shown = {area["name"]: area["avoided"] for area in list_kept_areas(kept)}
    assert shown == {"Range": True, "Control": False}


def test_an_area_that_is_in_force_only_outside_the_voyage_is_left_out() -> None:
    windows = {
        "Always": (None, None),
        "Ends on the way": ("2026-11-01T00:00:00Z", "2026-12-02T00:00:00Z"),
        "Over": ("2026-11-01T00:00:00Z", "2026-11-30T00:00:00Z"),
        "In January": ("2027-01-01T00:00:00Z", "2027-03-31T00:00:00Z"),
    }
    areas = [
        {"name": name, "startsAt": starts, "endsAt": ends}
        for name, (starts, ends) in windows.items()
    ]
    sailed = {"waypoints": [{"eta": "2026-12-01T00:00:00Z"}, {"eta": "2026-12-06T00:00:00Z"}]}
    planned = ChartingRevision(
        request={"startDate": "2026-12-01T00:00:00Z"}, plan=sailed | {"alternatives": []}
    )
    shown = [area["name"] for area in keep_in_force(areas, planned)]
    assert shown == ["Always", "Ends on the way"]


def holds(ring: list[list[float]], lat: float, lng: float) -> bool:
    return Polygon([(east, north) for north, east in ring]).contains(Point(lng, lat))
