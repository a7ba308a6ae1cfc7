"""Chart, weather table and data sources of the passage plan."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.engine.area import AreaKind
from app.models import ChartingRevision
from app.pages.charts.chart_print import PrintedChart, draw_chart
from app.pages.presenters.provenance import describe_provenance, name_run
from app.pages.views.passage_plan import KIND_WORDS, sample_weather
from app.records.instants import format_instant
from app.services.plan_codec import write_plan
from tests.builders import north_pacific_plan, panama_plan

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiles")


def drawn(tiles: Path, plan: Any = None, points: Any = ()) -> PrintedChart:
    written = write_plan(plan or north_pacific_plan())
    return draw_chart(tiles, written["plan"]["waypoints"], points)


def test_a_route_across_the_antimeridian_is_drawn_in_one_line(tiles: Path) -> None:
    chart = drawn(tiles)
    xs = [float(x) for x in re.findall(r"[ML](\S+) ", chart.route)]
    assert chart.route.count("M") == 1
    assert all(before <= after for before, after in pairwise(xs))
    assert 0 < xs[0] < xs[-1] < chart.width


def test_waypoints_and_points_lie_on_the_route_wherever_their_longitude_is_counted(
    tiles: Path,
) -> None:
    points = [{"lat": 46.0, "lng": -170.0, "severity": "caution"}]
    chart = drawn(tiles, points=points)
    (mark,) = chart.points
    assert (mark.numbers, mark.severity) == ((1,), "caution")
    assert (mark.x, mark.y) == chart.waypoints[3]


def test_critical_points_too_close_for_marks_of_their_own_share_one(tiles: Path) -> None:
    asked = {-170.0: "info", -169.9: "danger", -150.0: "info", -170.1: "caution"}
    points = [{"lat": 46.0, "lng": lng, "severity": level} for lng, level in asked.items()]
    marks = drawn(tiles, points=points).points
    assert [(mark.numbers, mark.severity) for mark in marks] == [
        ((1, 2, 4), "danger"),
        ((3,), "info"),
    ]


@pytest.mark.parametrize("plan", [north_pacific_plan(), panama_plan()], ids=["wide", "tall"])
def test_everything_lies_within_the_drawing(tiles: Path, plan: Any) -> None:
    chart = drawn(tiles, plan)
    assert 460 <= chart.height <= 861
    assert all(0 < x < chart.width and 0 < y < chart.height for x, y in chart.waypoints)
    assert all(tile.x < chart.width and tile.y < chart.height for tile in chart.tiles)
    assert any(tile.land for tile in chart.tiles)


def test_the_antimeridian_and_the_equator_have_no_letter(tiles: Path) -> None:
    assert "180°" in [line.label for line in drawn(tiles).meridians]
    assert {"140°E", "140°W"} <= {line.label for line in drawn(tiles).meridians}


def test_areas_are_drawn_where_they_reach_into_the_drawing(tiles: Path) -> None:
    def area(west: float, east: float, *, avoided: bool) -> dict[str, Any]:
        ring = [[40, west], [50, west], [50, east], [40, east], [40, west]]
        return {"avoided": avoided, "rings": [ring]}

    waypoints = write_plan(north_pacific_plan())["plan"]["waypoints"]
    areas = [area(-180, -170, avoided=True), area(0, 10, avoided=True)]
    chart = draw_chart(tiles, waypoints, (), [*areas, area(170, 175, avoided=False)])
    avoided, dashed = chart.areas
    assert avoided.surface.endswith("z")
    assert avoided.surface.count("L") == 4
    # The edge along the antimeridian is left out.
    assert (avoided.outline.count("M"), avoided.outline.count("L")) == (2, 3)
    assert dashed.surface == ""


def sail(hours: float) -> list[dict[str, Any]]:
    times = (START + timedelta(minutes=30 * i) for i in range(int(hours * 2) + 1))
    return [{"time": format_instant(time)} for time in times]


@pytest.mark.parametrize(("hours", "lines"), [(5, 6), (200, 35), (24 * 50, 51)])
def test_weather_is_reported_at_equal_hours_and_at_the_end(hours: float, lines: int) -> None:
    profile = sail(hours)
    kept = sample_weather(profile)
    assert len(kept) == lines
    assert (kept[0], kept[-1]) == (profile[0], profile[-1])


def test_without_a_profile_no_weather_is_reported() -> None:
    assert sample_weather([]) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gfs-20260114T06Z-3f9c0a1b2d", "GFS 14 Jan 06:00 UTC"),
        ("climatology-18d4754ab8", "monthly averages"),
        ("made-run", "made-run"),
    ],
)
def test_a_run_is_named_by_its_source_and_time(name: str, words: str) -> None:
    assert name_run(name) == words


def test_every_kind_of_area_has_a_name() -> None:
    assert set(KIND_WORDS) == set(AreaKind)


def test_a_regional_run_is_named_with_its_area() -> None:
    run = "made-20260301T06Z-0a"
    area = {"south": 30.0, "west": -30.0, "north": 70.0, "east": 10.0}
    revision = ChartingRevision(
        revision=1, provenance={"weatherRuns": [run], "weatherAreas": {run: area}}
    )
    words = dict(describe_provenance(revision))["Weather"]
    assert words.endswith("UTC (30° N to 70° N, 30° W to 10° E only)")
