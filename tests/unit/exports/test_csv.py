"""CSV export: columns, bytes and hash."""

import csv
import hashlib
import io
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings

from app.engine.plan import RoutePlan
from app.engine.spread import FanPoint, Percentiles, TimePercentiles
from app.exports.csv import COLUMNS, content_hash, render_csv
from tests.builders import (
    Turn,
    make_plan,
    make_weather,
    north_atlantic_plan,
    north_pacific_plan,
    panama_plan,
    wait_before_canal,
)
from tests.unit.engine.report.test_spread_in_words import SPREAD
from tests.unit.exports.plans import plans

HOUR = timedelta(hours=1)

HEADER = (
    "index,lat,lng,eta,course_deg,leg_geometry,leg_nm,cumulative_nm,speed_kn,stw_kn,rpm,power_kw,"
    "leg_fuel_mt,wave_m,wave_period_s,wave_from_deg,wind_ms,wind_from_deg,current_kn,"
    "current_to_deg,min_depth_m,ukc_m,xtd_m,in_eca,note,turn_radius_nm,wheel_over_nm"
    ",eta_p10,eta_p90,fuel_p10_mt,fuel_p90_mt,spread_basis,etd,passage"
)


def read(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def test_the_header_is_the_published_one() -> None:
    assert render_csv(panama_plan()).split(b"\r\n")[0].decode() == HEADER


@settings(max_examples=40)
@given(plans())
def test_every_plan_has_a_full_line_per_waypoint_and_no_exponents(plan: RoutePlan) -> None:
    content = render_csv(plan)
    assert content.endswith(b"\r\n")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
    assert len(rows) == len(plan.waypoints) + 1
    assert {len(row) for row in rows} == {len(COLUMNS)}
    for row in read(content):
        assert float(row["lng"]) < 180.0
        assert all(float(row[c]) < 360.0 for c in COLUMNS if c.endswith("_deg") and row[c])
        assert not any("e" in row[c] or row[c] == "-0.00" for c in COLUMNS[:3] + COLUMNS[6:23])


def test_unknown_waves_are_empty() -> None:
    weather = replace(make_weather(), wave_source=None)
    row = read(render_csv(make_plan([Turn(0, 0), Turn(0, 1)], weather=lambda *_: weather)))[1]
    assert (row["wave_m"], row["wave_period_s"], row["wave_from_deg"]) == ("", "", "")
    assert row["wind_ms"]


@settings(max_examples=40)
@given(plans())
def test_notes_come_back_as_they_were_written(plan: RoutePlan) -> None:
    for row, waypoint in zip(read(render_csv(plan)), plan.waypoints, strict=True):
        assert (waypoint.note or "") in row["note"]
        assert (waypoint.passage or "") in row["note"]


def test_the_spread_at_waypoints_stands_in_columns_and_is_empty_without_one() -> None:
    plan = north_atlantic_plan()
    times = [waypoint.eta for waypoint in plan.waypoints]
    fan = tuple(
        FanPoint(
            round(waypoint.cumulative_nm, 2),
            TimePercentiles(time - HOUR, time, time + HOUR),
            Percentiles(9.0 * n, 10.0 * n, 12.0 * n),
        )
        for n, (waypoint, time) in enumerate(zip(plan.waypoints, times, strict=True))
    )
    rows = read(render_csv(replace(plan, spread=replace(SPREAD, fan=fan))))
    last = rows[-1]
    assert (last["fuel_p10_mt"], last["spread_basis"]) == (f"{9 * (len(rows) - 1)}.000", "MEMBERS")
    assert last["eta_p10"] < last["eta"] < last["eta_p90"]
    assert {row["eta_p10"] + row["spread_basis"] for row in read(render_csv(plan))} == {""}


def test_what_is_not_known_is_empty_and_not_zero() -> None:
    row = read(render_csv(north_pacific_plan()))[1]
    assert row["wave_m"] == row["ukc_m"] == row["current_kn"] == ""


def test_the_first_line_has_no_leg() -> None:
    row = read(render_csv(panama_plan()))[0]
    assert row["leg_nm"] == row["course_deg"] == row["leg_fuel_mt"] == ""
    assert row["cumulative_nm"] == "0.00"


def test_a_note_with_comma_quote_and_line_break_is_quoted() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1, note='"Call, then\nturn"')])
    assert b'"""Call, then\nturn""",,,,,,,,,\r\n' in render_csv(plan)


def test_the_first_line_says_whether_the_departure_lies_in_an_emission_control_area() -> None:
    plan = panama_plan()
    for is_inside in (True, False):
        first = replace(plan.waypoints[0], in_eca=is_inside)
        row = read(render_csv(replace(plan, waypoints=(first, *plan.waypoints[1:]))))[0]
        assert row["in_eca"] == str(is_inside).lower()


def test_a_passage_already_named_in_the_note_is_not_repeated() -> None:
    plan = make_plan([Turn(0, 0), Turn(0, 1, passage="Dover Strait", note="Leave Dover Strait")])
    assert read(render_csv(plan))[1]["note"] == "Leave Dover Strait"


def test_the_hash_is_of_the_exact_bytes() -> None:
    content = render_csv(panama_plan())
    assert content_hash(content) == "sha256:" + hashlib.new("sha256", content).hexdigest()
    assert content_hash(content) != content_hash(content + b"\n")


def test_depth_and_margins_are_cut_so_that_print_claims_no_more_water() -> None:
    plan = north_pacific_plan()
    legs = [replace(w, min_depth_m=15.06, ukc_m=-0.01, xtd_m=1851.9) for w in plan.waypoints]
    row = read(render_csv(replace(plan, waypoints=tuple(legs))))[1]
    assert (row["min_depth_m"], row["ukc_m"], row["xtd_m"]) == ("15.0", "-0.1", "1851")


def test_waypoints_are_numbered_from_1() -> None:
    numbers = [row["index"] for row in read(render_csv(panama_plan()))]
    assert numbers == [str(i + 1) for i in range(len(numbers))]


def test_a_ship_that_waits_before_a_canal_leaves_so_late_that_she_keeps_the_leg_s_speed() -> None:
    rows = read(render_csv(wait_before_canal(panama_plan(), 12.0)))
    assert [bool(row["etd"]) for row in rows] == [False, True, *[False] * 5]
    eta, etd = (datetime.fromisoformat(rows[1][name]) for name in ("eta", "etd"))
    assert etd - eta == pytest.approx(timedelta(hours=12), abs=timedelta(minutes=1))
