"""Fields of requests, which accept JSON types without conversion."""

from datetime import UTC, datetime
from typing import Any

import marshmallow as ma
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.fields import (
    CalendarDate,
    Choice,
    Flag,
    Instant,
    Longitude,
    Number,
    QueryDegrees,
    Text,
    WholeNumber,
    find_instant,
)
from app.records.instants import format_instant, parse_instant


@pytest.mark.parametrize("value", ["12", True, None, [], {}, float("nan"), float("inf"), 10**400])
def test_values_other_than_finite_numbers_are_rejected(value: Any) -> None:
    with pytest.raises(ma.ValidationError):
        Number().deserialize(value)


@pytest.mark.parametrize("value", ["1", 1.5, True, float("nan")])
def test_values_other_than_whole_numbers_are_rejected(value: Any) -> None:
    with pytest.raises(ma.ValidationError):
        WholeNumber().deserialize(value)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert WholeNumber().deserialize(3.0) == 3


@pytest.mark.parametrize("value", ["yes", "true", 1, 0])
def test_values_other_than_booleans_are_rejected(value: Any) -> None:
    with pytest.raises(ma.ValidationError):
        Flag().deserialize(value)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-01T06:00:00Z", datetime(2026, 3, 1, 6, tzinfo=UTC)),
        ("2026-03-01t06:00:00z", datetime(2026, 3, 1, 6, tzinfo=UTC)),
        ("2026-03-01T06:00:00+02:00", datetime(2026, 3, 1, 4, tzinfo=UTC)),
        ("2026-03-01T06:00:00.5Z", datetime(2026, 3, 1, 6, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T06:00:00.123456789Z", datetime(2026, 3, 1, 6, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_a_time_with_an_offset_is_converted_to_utc(text: str, instant: datetime) -> None:
    assert find_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T06:00:00",
        "2026-03-01",
        "2026-03-01 06:00:00Z",
        "2026-02-30T06:00:00Z",
        "2026-03-01T25:00:00Z",
        "20260301T060000Z",
        "0001-01-01T00:00:00+23:59",
        "٢026-03-01T06:00:00Z",
        1_772_345_600,
        None,
    ],
)
def test_text_other_than_a_time_with_an_offset_gives_none(text: Any) -> None:
    assert find_instant(text) is None


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_written_time_is_read_back_to_the_millisecond(instant: datetime) -> None:
    written = format_instant(instant)
    assert find_instant(written) == parse_instant(written)
    assert 0 <= (instant - parse_instant(written)).total_seconds() < 0.001


@pytest.mark.parametrize(("given_", "kept"), [(-180, -180), (180, -180), (190, -170), (360, 0)])
def test_a_longitude_is_normalised_below_180(given_: float, kept: float) -> None:
    assert Longitude().deserialize(given_) == kept


@pytest.mark.parametrize("value", [-180.1, 360.1])
def test_a_longitude_out_of_range_is_rejected(value: float) -> None:
    with pytest.raises(ma.ValidationError):
        Longitude().deserialize(value)


@pytest.mark.parametrize(
    ("text", "degrees"),
    [("52", 52), ("-3.25", -3.25), ("+4", 4), ("007.5", 7.5), (".5", 0.5), ("1.5e-1", 0.15)],
)
def test_degrees_of_a_query_are_a_decimal_number(text: str, degrees: float) -> None:
    assert QueryDegrees(-90, 90).deserialize(text) == degrees


@pytest.mark.parametrize(
    "text", ["", "1_0", " 5", "5\n", "٥", "5,2", "nan", "inf", "0x1", "1e400", "90.1", "."]
)
def test_other_texts_are_no_degrees(text: str) -> None:
    with pytest.raises(ma.ValidationError):
        QueryDegrees(-90, 90).deserialize(text)


def test_a_choice_is_accepted_in_any_case_and_normalised() -> None:
    choice = Choice(["m/s", "bf"])
    assert choice.deserialize("M/S") == "m/s"
    with pytest.raises(ma.ValidationError, match="m/s, bf"):
        choice.deserialize("knots")


@pytest.mark.parametrize("text", ["2026-02-30", "2026-3-1", "20260301", "2026-03-01T00:00:00Z", 5])
def test_text_other_than_a_calendar_date_is_rejected(text: Any) -> None:
    with pytest.raises(ma.ValidationError):
        CalendarDate().deserialize(text)


@pytest.mark.parametrize("text", ["2026-06-30T23:59:60Z", "2016-12-31T23:59:60.5+02:00"])
def test_a_leap_second_is_reported(text: str) -> None:
    with pytest.raises(ma.ValidationError, match="leap second"):
        Instant().deserialize(text)
    with pytest.raises(ma.ValidationError, match="RFC 3339"):
        Instant().deserialize(text.replace(":60", ":61"))


@pytest.mark.parametrize("text", ["a\nb", "\x1b[31m", "\x7f", "\x85", "a\u2028b", "\u2067a"])
def test_a_control_character_is_reported(text: str) -> None:
    with pytest.raises(ma.ValidationError, match=r"control character U\+"):
        Text().deserialize(text)


@pytest.mark.parametrize("text", ["Ålesund", "上海", "می\u200cخواهم", "O'Brien & Sons", ""])
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert Text().deserialize(text) == text
