"""Names of routes and files, and formats of numbers."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exports.formats import build_route_name, fixed, fixed_down, guard_cell, utc_time

DAY = datetime(2026, 1, 14, 18, tzinfo=UTC)


def test_a_route_is_named_by_ports_day_and_revision() -> None:
    name = build_route_name("Rotterdam", "Singapore", DAY, 3)
    assert name == "Rotterdam-Singapore-2026-01-14-r3"


@pytest.mark.parametrize(
    ("port", "plain"),
    [
        ("Göteborg", "Goteborg"),
        ("Łódź / Port", "Lodz-Port"),
        ("Tromsø", "Tromso"),
        ("Port-aux-Français", "Port-aux-Francais"),
        ("上海", "port"),
        ('"; rm -rf ../x', "rm-rf-x"),
    ],
)
def test_a_ports_name_becomes_plain_letters(port: str, plain: str) -> None:
    assert build_route_name(port, "B", DAY, 1) == f"{plain}-B-2026-01-14-r1"


@given(st.text(), st.text(), st.integers(1, 10_000))
def test_any_ports_give_a_name_that_is_safe_everywhere(a: str, b: str, revision: int) -> None:
    name = build_route_name(a, b, DAY, revision)
    assert re.fullmatch(r"[A-Za-z0-9-]{1,120}", name)


def test_the_day_is_the_utc_day() -> None:
    east = datetime(2026, 1, 15, 3, tzinfo=timezone(timedelta(hours=9)))
    assert "2026-01-14" in build_route_name("A", "B", east, 1)


@given(st.floats(-1e12, 1e12), st.integers(0, 6))
def test_a_fixed_number_is_within_half_a_digit_and_never_minus_zero(
    value: float, decimals: int
) -> None:
    text = fixed(value, decimals)
    assert re.fullmatch(r"-?\d+(\.\d+)?", text)
    assert not re.fullmatch(r"-[0.]+", text)
    assert abs(float(text) - value) <= 0.5 * 10**-decimals * (1 + 1e-6) + abs(value) * 1e-15


@given(st.floats(0.0, 1e5), st.integers(0, 4))
def test_a_cut_number_is_never_larger(value: float, decimals: int) -> None:
    cut = float(fixed_down(value, decimals))
    assert value - 10**-decimals * (1 + 1e-6) <= cut <= value + 1e-8


def test_times_are_rounded_to_the_nearest_second() -> None:
    assert utc_time(DAY + timedelta(milliseconds=499)) == "2026-01-14T18:00:00Z"
    assert utc_time(DAY + timedelta(milliseconds=500)) == "2026-01-14T18:00:01Z"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_begins_with_a_quote(start: str) -> None:
    assert guard_cell(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("cell", ["", "Rotterdam", "1-2", -1.5, 0])
def test_numbers_and_other_text_stay_as_they_are(cell: object) -> None:
    assert guard_cell(cell) is cell
