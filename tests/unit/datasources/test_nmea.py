"""Positions read from NMEA 0183 sentences, in the forms that receivers and loggers write."""

from datetime import UTC, datetime
from functools import reduce
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.datasources.nmea import LineFault, ReportedPosition, read_positions
from tests.ais_sentences import MMSI, make_message, with_tag_block

AT = datetime(2026, 11, 1, 10, tzinfo=UTC)
UNIX = int(AT.timestamp())


def stamped(block: bytes) -> bytes:
    """Write a tag block with its checksum."""
    return b"\\%s*%02X\\" % (block, reduce(xor, block))


def read(*lines: bytes) -> list[ReportedPosition | LineFault]:
    return list(read_positions(lines))


@pytest.mark.parametrize(
    "line",
    [
        with_tag_block(make_message(), AT),
        f"{UNIX} ".encode() + make_message(),
        f"{UNIX * 1000},".encode() + make_message(),
        b"2026-11-01T10:00:00Z\t" + make_message(),
        b"[2026-11-01T11:00:00+01:00] " + make_message(),
        make_message() + f",b003669713,{UNIX}\r".encode(),
    ],
)
def test_a_message_has_the_time_that_is_written_with_it(line: bytes) -> None:
    (found,) = read(line)
    assert found == ReportedPosition(1, MMSI, AT, 49.5, -5.25, 13.4, 231.2, 230.0)


@pytest.mark.parametrize("line", [b"1 %s", b"46113.5,%s", b"%s,-85", b"%s,rSTATION,12", b"%s,2e10"])
def test_other_numbers_beside_a_message_are_not_its_time(line: bytes) -> None:
    (found,) = read_positions([line % make_message()], received_at=lambda: AT)
    assert isinstance(found, ReportedPosition)
    assert found.time == AT


def test_a_message_has_the_time_of_the_clock_sentence_before_it() -> None:
    at = datetime(2002, 7, 4, 20, 15, 30, tzinfo=UTC)
    (found,) = read(b"$GPZDA,201530.00,04,07,2002,00,00*60", make_message())
    assert isinstance(found, ReportedPosition)
    assert (found.line, found.time) == (2, at)


def test_own_positions_are_those_of_rmc_sentences() -> None:
    # the example of the sentence in the NMEA revealed document (E. S. Raymond, 2023)
    (found,) = read(b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A")
    assert isinstance(found, ReportedPosition)
    assert (found.mmsi, found.speed_kn, found.course_deg) == (None, 22.4, 84.4)
    assert (found.latitude, found.longitude) == pytest.approx((48.1173, 11.516667), abs=1e-6)
    assert found.time == datetime(1994, 3, 23, 12, 35, 19, tzinfo=UTC)


def test_a_receiver_that_warns_of_its_position_has_none() -> None:
    assert read(b"$GPRMC,123519,V,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*7D") == []


@pytest.mark.parametrize("kind", [1, 2, 3, 18, 27])
def test_positions_of_all_kinds_of_stations_are_read(kind: int) -> None:
    (found,) = read(with_tag_block(make_message(msg_type=kind, speed=13.0), AT))
    assert isinstance(found, ReportedPosition)
    assert (found.mmsi, found.speed_kn) == (MMSI, 13.0)
    assert (found.latitude, found.longitude) == pytest.approx((49.5, -5.25), abs=1e-3)


@pytest.mark.parametrize(
    "missing", [{"lat": 91.0, "lon": 181.0}, {"speed": 102.3}, {"msg_type": 5}, {"msg_type": 4}]
)
def test_messages_without_a_position_are_passed_over(missing: dict[str, float]) -> None:
    assert read(with_tag_block(make_message(**missing), AT)) == []


def test_course_and_heading_that_are_not_sent_are_unknown() -> None:
    (found,) = read(with_tag_block(make_message(course=360.0, heading=511), AT))
    assert isinstance(found, ReportedPosition)
    assert (found.course_deg, found.heading_deg) == (None, None)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"noon 49.5 N 5 W", "not an NMEA 0183 sentence"),
        (make_message(), "it has no time"),
        (b"99999999999999999999 " + make_message(), "it has no time"),
        (stamped(b"c:99999999999999999999") + make_message(), "beyond the calendar"),
        (stamped(b"c:yesterday") + make_message(), "cannot be read"),
        (f"{UNIX} ".encode() + make_message()[:-2] + b"00", "checksum is wrong"),
        (with_tag_block(make_message(), AT).replace(b"c:17", b"c:16"), "tag block"),
        (
            b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*00",
            "checksum does not match",
        ),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_its_reason(line: bytes, words: str) -> None:
    good = with_tag_block(make_message(), AT)
    first, fault = read(good, line)
    assert isinstance(first, ReportedPosition)
    assert isinstance(fault, LineFault)
    assert fault.line == 2
    assert words in fault.detail


def with_fields(message: bytes, number: bytes = b"", length: int = 28) -> bytes:
    """Number a message, shorten its payload to a length, and write its checksum again."""
    fields = message[1:].partition(b"*")[0].split(b",")
    body = b",".join([*fields[:3], number, fields[4], fields[5][:length], fields[6]])
    return b"!%s*%02X" % (body, reduce(xor, body))


@pytest.mark.parametrize("kind", [1, 2, 3, 18, 27])
def test_a_message_that_is_cut_short_is_no_position(kind: int) -> None:
    message = make_message(msg_type=kind)
    whole = read(with_tag_block(message, AT))
    for length in range(2, 28):
        cut = read(with_tag_block(with_fields(message, length=length), AT))
        assert cut == whole or "cut short" in str(cut[0])


def test_a_message_of_one_sentence_may_be_numbered() -> None:
    (found,) = read(with_tag_block(with_fields(make_message(), number=b"7"), AT))
    assert isinstance(found, ReportedPosition)


@given(st.lists(st.binary(max_size=120), max_size=5), st.randoms(use_true_random=False))
def test_no_line_breaks_the_reader(noise: list[bytes], random: object) -> None:
    message = bytearray(with_tag_block(make_message(), AT))
    at = random.randrange(len(message))  # type: ignore[attr-defined]
    message[at] = random.randrange(256)  # type: ignore[attr-defined]
    for found in read_positions([*noise, bytes(message)]):
        assert isinstance(found, ReportedPosition | LineFault)
