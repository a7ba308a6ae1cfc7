"""Formatting of positions, times and numbers."""

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.formatting import format_miles
from app.pages.presenters import filters

ROOT = Path(__file__).parents[3]

POSITIONS = {
    (51.981666, 4.035): "51°58.900'N 004°02.100'E",
    (-33.9, -70.5): "33°54.000'S 070°30.000'W",
    (0.0, 0.0): "00°00.000'N 000°00.000'E",
    (59.9999999, -179.9999999): "60°00.000'N 180°00.000'W",
}


@pytest.mark.parametrize(("place", "text"), POSITIONS.items())
def test_positions_are_degrees_and_minutes(place: tuple[float, float], text: str) -> None:
    assert filters.position(place) == text


def test_a_course_has_three_digits_and_never_360() -> None:
    assert filters.course(7.2) == "007°"
    assert filters.course(359.7) == "000°"
    assert [filters.course(half) for half in (90.5, 91.5)] == ["091°", "092°"]


def test_thousands_are_separated_and_unknown_figures_are_a_dash() -> None:
    assert filters.figure(8340.24) == "8\u202f340"
    assert filters.figure(-0.04, 1) == "0.0"
    assert filters.figure(-12.34, 1) == "\u221212.3"
    assert filters.figure(None) == "–"


@pytest.mark.parametrize(
    ("value", "decimals", "text"), [(2.5, 0, "3"), (-2.5, 0, "\u22123"), (0.25, 1, "0.3")]
)
def test_halves_are_rounded_away_from_zero(value: float, decimals: int, text: str) -> None:
    assert filters.figure(value, decimals) == text


def test_a_leg_of_metres_is_not_shown_as_of_no_length() -> None:
    assert [filters.miles(nm) for nm in (0.0, 0.004, 0.05, 1.25, None)] == [
        *("0.0", "< 0.1", "0.1", "1.3", "–"),
    ]


@given(distance_nm=st.floats(0.05, 100.0))
@example(distance_nm=6.25)
@example(distance_nm=6.2496)
def test_pages_and_texts_of_the_engine_state_the_same_miles(distance_nm: float) -> None:
    assert format_miles(distance_nm) == f"{filters.miles(round(distance_nm, 2))} nm"


def test_masses_under_a_tonne_keep_two_digits() -> None:
    for tonnes, text in (
        (0.166, "0.17"), (0.02, "0.020"), (0.0004, "0.000"), (-0.5, "\u22120.50"), (0.0, "0.0"),
        (1.04, "1.0"), (8340.24, "8\u202f340.2"), (None, "–"),
    ):  # fmt: skip
        assert filters.mass(tonnes, 1) == text
    assert filters.mass(0.534) == "0.53"
    assert filters.mass(10.4) == "10"


@pytest.mark.parametrize(
    ("value", "other", "shown"),
    [
        (10.04, 10.06, "\u22120.1"),  # shown as 10.0 and 10.1
        (10.14, 10.06, ""),  # both are shown as 10.1
        (311.96, 290.94, "+21.1"),
        (0.31, 0.25, "+0.06"),
    ],
)
def test_a_difference_is_that_of_the_figures_as_shown(
    value: float, other: float, shown: str
) -> None:
    assert filters.difference(value, other, 1, "mt") == shown


def test_times_say_that_they_are_utc() -> None:
    assert filters.full_time("2026-01-14T18:00:00Z") == "Wed 14 Jan 18:00 UTC"
    assert filters.short_time("2026-01-04T08:05:00Z") == "4 Jan 08:05"


def test_a_time_in_another_year_than_the_departure_shows_its_year() -> None:
    departure = "2026-12-30T06:00:00Z"
    assert filters.short_time("2026-12-31T18:00:00Z", departure) == "31 Dec 18:00"
    assert filters.short_time("2027-01-02T18:00:00Z", departure) == "2 Jan 2027 18:00"
    assert filters.full_time("2027-01-02T18:00:00Z", departure) == "Sat 2 Jan 2027 18:00 UTC"
    assert filters.dated_full_time(departure) == "Wed 30 Dec 2026 06:00 UTC"


def test_lengths_of_time_are_days_and_hours() -> None:
    assert filters.duration(281.6) == "11 d 18 h"
    assert filters.duration(3.34) == "3 h 20 min"


def run_in_node(script: str) -> object:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node is installed")
    result = subprocess.run(
        [node, "--input-type=module", "-e", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)


def test_the_browser_writes_as_the_server_does() -> None:
    script = f"""
        import * as f from "./static/js/format.js";
        const places = {json.dumps([list(place) for place in POSITIONS])};
        console.log(JSON.stringify([
            places.map(([lat, lng]) => f.position(lat, lng)),
            f.number(8340.24), f.number(-12.34, 1), f.number(null), f.course(359.7),
            f.mass(0.166, 1), f.mass(0.0004), f.mass(0, 1), f.mass(10.4), f.mass(null),
            f.fullTime("2026-01-14T18:00:00Z"),
            f.fullTime("2027-01-02T18:00:00Z", "2026-12-30T06:00:00Z"),
            f.duration(281.6), f.duration(3.34),
            f.number(3546.5), f.number(-2.5), f.number(0.25, 1), f.course(90.5), f.duration(36.5),
            [0, 0.004, 0.05, 1.25, null].map(f.miles),
            f.difference(10.04, 10.06, 1, "mt"), f.difference(0.31, 0.25, 1, "mt"),
            f.difference(3546.5, 3545.4), f.difference(1.04, 0.96, 1),
        ]));
    """
    assert run_in_node(script) == [
        [filters.position(place) for place in POSITIONS],
        filters.figure(8340.24),
        filters.figure(-12.34, 1),
        filters.figure(None),
        filters.course(359.7),
        filters.mass(0.166, 1),
        filters.mass(0.0004),
        filters.mass(0.0, 1),
        filters.mass(10.4),
        filters.mass(None),
        filters.full_time("2026-01-14T18:00:00Z"),
        filters.full_time("2027-01-02T18:00:00Z", "2026-12-30T06:00:00Z"),
        filters.duration(281.6),
        filters.duration(3.34),
        filters.figure(3546.5),
        filters.figure(-2.5),
        filters.figure(0.25, 1),
        filters.course(90.5),
        filters.duration(36.5),
        [filters.miles(nm) for nm in (0.0, 0.004, 0.05, 1.25, None)],
        filters.difference(10.04, 10.06, 1, "mt"),
        filters.difference(0.31, 0.25, 1, "mt"),
        filters.difference(3546.5, 3545.4),
        filters.difference(1.04, 0.96, 1),
    ]


def test_typed_times_are_read_as_utc() -> None:
    script = """
        import { parseTime, writeTime } from "./static/js/times.js";
        const texts = ["14 Jan 2026 18:00", "2026-01-14 1800", "Wed 14 Jan 2026 18",
            "14.01.2026 18:00", "31 Feb 2026", "soon"];
        console.log(JSON.stringify(texts.map((t) => parseTime(t) && writeTime(parseTime(t)))));
    """
    assert run_in_node(script) == ["14 Jan 2026 18:00"] * 4 + [None, None]


def test_a_day_without_a_year_is_the_nearest_one() -> None:
    script = """
        import { parseTime, writeTime } from "./static/js/times.js";
        const days = [["3 Jan 06:00", "2026-11-30"], ["20 Dec", "2026-01-05"],
            ["1 Jul", "2026-05-01"],
            ["29 Feb", "2026-11-30"]];
        console.log(JSON.stringify(days.map(([t, now]) => writeTime(parseTime(t, new Date(now))))));
    """
    assert run_in_node(script) == [
        "3 Jan 2027 06:00",
        "20 Dec 2025 00:00",
        "1 Jul 2026 00:00",
        "29 Feb 2028 00:00",
    ]


def test_an_arrival_in_another_year_than_the_present_one_shows_it() -> None:
    script = """
        import { arrival, listedTime } from "./static/js/format.js";
        const times = [2024, new Date().getUTCFullYear()].map((year) => `${year}-12-15T09:00:00Z`);
        console.log(JSON.stringify([...times.map(arrival), ...times.map(listedTime)]));
    """
    past, present, *listed = cast("list[str]", run_in_node(script))
    assert past == "Sun 15 Dec 2024 09:00"
    assert present.endswith(" 15 Dec 09:00")
    assert listed == ["15 Dec 2024 09:00", "15 Dec 09:00"]


def test_the_remarks_on_a_waypoint_are_sentences() -> None:
    canal = {"passage": "Kiel Canal", "note": "Usual waiting time 1.5 h counted", "inEca": True}
    assert filters.remarks(canal) == "Kiel Canal. Usual waiting time 1.5 h counted. ECA"
    approach = {"passage": "harbour approach", "note": None, "inEca": False}
    assert filters.remarks(approach) == "Harbour approach"
    assert filters.remarks({"passage": None, "note": None, "inEca": False}) == ""


def test_a_validity_that_ends_within_a_day_shows_its_time() -> None:
    whole_day = datetime(2027, 11, 30, 23, 59, 59, 999_999, tzinfo=UTC)
    assert filters.last_time(whole_day) == "30 Nov 2027"
    assert filters.last_time(datetime(2026, 12, 1, 14, 32, 12, tzinfo=UTC)) == "1 Dec 2026 14:32"
