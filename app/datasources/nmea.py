"""Ships' positions from NMEA 0183 sentences: AIS (IEC 61993-2) and a ship's own GNSS.

Of AIS the position reports of class A (messages 1 to 3), class B (18) and long range (27) are
read; own positions come as RMC. AIS messages carry no date: their time is that of the line's tag
block (``\\c:…``, NMEA 0183 4.10), of a time written before or after the sentence, of the last RMC
or ZDA before it, or of reception.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pynmea2
from pyais.exceptions import AISBaseException
from pyais.messages import AISSentence, NMEASentence, NMEASentenceFactory

#: A sentence with its checksum, after its tag block if it has one.
_SENTENCE: Final = re.compile(rb"(?:\\[^\\]*\\)?[!$][A-Za-z0-9]{3,8},[^*!$]*\*[0-9A-Fa-f]{2}")
_SEPARATORS: Final = b" \t\r\n,;|[]"
_AIS: Final = (b"VDM", b"VDO")
_CLOCKS: Final = (b"RMC", b"ZDA")
#: Position reports, and the bits up to the end of the last field that is read: heading, or
#: course over ground in message 27 (ITU-R M.1371-5, annex 8, 3.1, 3.16 and 3.25).
_POSITION_REPORTS: Final = {1: 137, 2: 137, 3: 137, 18: 133, 27: 94}
#: What AIS sends for a figure that is not available (ITU-R M.1371-5, tables 48 and 77).
_NO_LATITUDE, _NO_LONGITUDE, _NO_COURSE, _NO_HEADING = 91.0, 181.0, 360.0, 511
_NO_SPEED_KN: Final = {27: 63.0}
_NO_SPEED_OF_OTHERS_KN: Final = 102.3
#: Unix times beyond it are in milliseconds.
_MOST_SECONDS: Final = 1e11
#: Unix times written next to sentences, from 2001 to 2096 [s]; other numbers there, such as signal
#: strengths and line numbers, are none.
_UNIX_TIMES: Final = (1e9, 4e9)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ReportedPosition:
    """A ship's position [deg] with speed over ground [kn], course and heading [deg true].

    ``line`` counts from 1. A ship's own GNSS names no ship: its ``mmsi`` is ``None``. A course or
    heading of ``None`` is not reported.
    """

    line: int
    mmsi: str | None
    time: datetime
    latitude: float
    longitude: float
    speed_kn: float
    course_deg: float | None = None
    heading_deg: float | None = None


@dataclass(frozen=True, slots=True)
class LineFault:
    """An unusable line, counted from 1, with the reason."""

    line: int
    detail: str


def read_positions(
    lines: Iterable[bytes], received_at: Callable[[], datetime] | None = None
) -> Iterator[ReportedPosition | LineFault]:
    """Read the positions of lines; yields faults of unusable lines.

    Sentences and messages without a position, and parts of longer messages, are skipped.
    ``received_at`` gives the time of lines that have none; without it these are faults.
    """
    clock: datetime | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            stamp, sentence = _split(line)
            bare = sentence[sentence.rfind(b"\\") + 1 :]
            found = None
            if bare[3:6].upper() in _CLOCKS:
                own = pynmea2.parse(bare.decode("ascii"), check=True)
                clock = _read_clock(own) or clock
                found = _read_own(number, own, clock)
            elif bare[3:6].upper() in _AIS:
                now = received_at() if received_at else None
                message = NMEASentenceFactory.produce(sentence)
                found = _read_ais(number, message, stamp or clock or now)
        except pynmea2.ParseError as fault:
            yield _refuse(number, fault.args[0][0])
        except (AISBaseException, ValueError, OverflowError) as fault:
            yield _refuse(number, str(fault))
        else:
            if found is not None:
                yield found


def _refuse(line: int, words: str) -> LineFault:
    return LineFault(line, f"The line cannot be read: {words.rstrip('.')}.")


def _split(line: bytes) -> tuple[datetime | None, bytes]:
    """Split a line into the time written with its sentence, and the sentence."""
    match = _SENTENCE.search(line)
    if match is None:
        raise ValueError("it is not an NMEA 0183 sentence with a checksum")
    before = line[: match.start()].strip(_SEPARATORS)
    after = line[match.end() :].strip(_SEPARATORS).rpartition(b",")[2]
    return _read_stamp(before) or _read_stamp(after), match.group()


def _read_stamp(written: bytes) -> datetime | None:
    """Read a Unix time in seconds or milliseconds, or a time of ISO 8601 with its zone."""
    text = written.decode("ascii", "replace")
    with suppress(ValueError):
        return _from_unix(number) if _is_unix(number := float(text)) else None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if instant.tzinfo is None else instant.astimezone(UTC)


def _is_unix(number: float) -> bool:
    first, last = _UNIX_TIMES
    return first <= number <= last or 1000.0 * first <= number <= 1000.0 * last


def _from_unix(seconds: float) -> datetime:
    """Return a Unix time in seconds or milliseconds.

    Raises ``ValueError`` beyond the calendar, where the system's own conversion may raise
    ``OSError``.
    """
    scale = 1000.0 if seconds > _MOST_SECONDS else 1.0
    try:
        return _EPOCH + timedelta(seconds=seconds / scale)
    except OverflowError:
        raise ValueError("its time is beyond the calendar") from None


def _read_clock(sentence: Any) -> datetime | None:
    """Read the date and time of an RMC or ZDA sentence; ``None`` before a receiver has them."""
    if isinstance(sentence, pynmea2.RMC) and sentence.status != "A":
        return None
    try:
        instant = datetime.combine(_date_of(sentence), sentence.timestamp)
    except (AttributeError, TypeError, ValueError):
        return None
    return instant.replace(tzinfo=UTC)


def _date_of(sentence: Any) -> Any:
    if isinstance(sentence, pynmea2.RMC):
        return sentence.datestamp
    return datetime(int(sentence.year), int(sentence.month), int(sentence.day), tzinfo=UTC)


def _read_own(line: int, sentence: Any, clock: datetime | None) -> ReportedPosition | None:
    """Read the position of an RMC sentence; none where the receiver warns of it."""
    if not isinstance(sentence, pynmea2.RMC) or sentence.status != "A":
        return None
    if clock is None or sentence.spd_over_grnd is None:
        return None
    return _check(
        ReportedPosition(
            line,
            None,
            clock,
            sentence.latitude,
            sentence.longitude,
            float(sentence.spd_over_grnd),
            sentence.true_course,
        )
    )


def _read_ais(line: int, sentence: NMEASentence, time: datetime | None) -> ReportedPosition | None:
    """Read the position of an AIS message; none where it has none or is a part of a longer one."""
    if not isinstance(sentence, AISSentence) or sentence.frag_cnt > 1:
        return None
    if not sentence.is_valid:
        raise ValueError("its checksum is wrong")
    if sentence.ais_id not in _POSITION_REPORTS:
        return None
    if len(sentence.bv) < _POSITION_REPORTS[sentence.ais_id]:
        raise ValueError("its message is cut short")
    message: Any = sentence.decode()
    no_speed_kn = _NO_SPEED_KN.get(message.msg_type, _NO_SPEED_OF_OTHERS_KN)
    if (message.lat, message.lon) == (_NO_LATITUDE, _NO_LONGITUDE) or message.speed >= no_speed_kn:
        return None
    time = _time_of_tag_block(sentence) or time
    if time is None:
        raise ValueError(
            "it has no time; write a tag block (\\c:…) or a Unix time, or RMC or ZDA before it"
        )
    heading = getattr(message, "heading", _NO_HEADING)
    return _check(
        ReportedPosition(
            line,
            f"{int(message.mmsi):09d}",
            time,
            float(message.lat),
            float(message.lon),
            float(message.speed),
            None if message.course >= _NO_COURSE else float(message.course),
            None if heading >= _NO_HEADING else float(heading),
        )
    )


def _time_of_tag_block(sentence: NMEASentence) -> datetime | None:
    block = sentence.tag_block
    if block is None:
        return None
    block.init()
    if not block.is_valid:
        raise ValueError("the checksum of its tag block is wrong")
    return None if block.receiver_timestamp is None else _from_unix(float(block.receiver_timestamp))


def _check(position: ReportedPosition) -> ReportedPosition:
    if abs(position.latitude) > 90.0 or abs(position.longitude) > 180.0:
        place = f"{position.latitude:g}, {position.longitude:g}"
        raise ValueError(f"{place} is not a position: latitudes end at 90, longitudes at 180")
    return position
