"""Records of a route file, and parsing of its values."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NoReturn

from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.units import wrap_longitude

#: Largest number of routes named in a refusal.
_MOST_NAMES: Final = 4
#: Midnight as the end of a day (XML Schema 1.1, part 2, 3.3.7).
_END_OF_DAY: Final = re.compile(r"([\d-]+)[T ]24:00(?::00(?:\.0+)?)?((?:[^\d:.].*)?)")
#: XML Schema 1.1, part 2, 3.3.6, without a sign and years and months other than 0, whose lengths
#: differ.
_DURATION: Final = re.compile(
    r"P(?=.)(?:0+Y)?(?:0+M)?(?:(?P<days>\d+)D)?(?:T(?=.)(?:(?P<hours>\d+)H)?"
    r"(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_GEOMETRIES: Final = {
    "greatcircle": LegGeometry.GREAT_CIRCLE,
    "gc": LegGeometry.GREAT_CIRCLE,
    "orthodrome": LegGeometry.GREAT_CIRCLE,
    "rhumb": LegGeometry.RHUMB,
    "rhumbline": LegGeometry.RHUMB,
    "rl": LegGeometry.RHUMB,
    "loxodrome": LegGeometry.RHUMB,
}


class UnreadableRoute(Exception):
    """Reason why a file holds no route, worded for its sender.

    ``line`` is where, if known; the text begins with it.
    """

    def __init__(self, detail: str, line: int | None = None) -> None:
        super().__init__(detail if line is None else f"Line {line}: {detail}")
        self.line = line


def refuse_several(kind: str, names: Sequence[str]) -> NoReturn:
    """Raise :class:`UnreadableRoute` for a file of several routes, with their names."""
    shown = [f"{name[:40]!r}" if name else f"no. {number}" for number, name in enumerate(names, 1)]
    shown[_MOST_NAMES:] = ["…"] if len(shown) > _MOST_NAMES else []
    raise UnreadableRoute(
        f"This file holds {len(names)} {kind}: {', '.join(shown)}. Send a file with one route."
    )


@dataclass(frozen=True, slots=True)
class FileFault:
    """A place where a file breaks the rules of its format, or a part that is left out.

    The route can be read all the same. ``waypoint`` counts from 1.
    """

    detail: str
    line: int | None = None
    waypoint: int | None = None


@dataclass(frozen=True, slots=True)
class FileWaypoint:
    """A waypoint of a file and the leg that leads to it; ``None`` is not given.

    ``speed_kn`` is over ground, ``stw_kn`` through the water; ``xtd_m`` the wider of the
    cross-track distances.
    """

    position: Position
    id: str | None = None
    leg_geometry: LegGeometry | None = None
    speed_kn: float | None = None
    stw_kn: float | None = None
    eta: datetime | None = None
    etd: datetime | None = None
    xtd_m: float | None = None
    turn_radius_nm: float | None = None
    passage: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RouteFile:
    """A route file: the route's name and waypoints, and what is wrong with the file."""

    name: str
    waypoints: tuple[FileWaypoint, ...]
    faults: tuple[FileFault, ...] = ()


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line drawn in a file, and its name."""

    name: str
    waypoints: list[FileWaypoint]


def join_lines(lines: Iterable[FileLine]) -> FileLine:
    """Join lines that each begin where the one before ends.

    Raises :class:`UnreadableRoute` where the lines do not meet: they are several routes.
    """
    joined: list[FileLine] = []
    for line in lines:
        if joined and joined[-1].waypoints[-1].position == line.waypoints[0].position:
            joined[-1].waypoints.extend(line.waypoints[1:])
        else:
            joined.append(line)
    if len(joined) > 1:
        refuse_several("lines that do not meet", [line.name for line in joined])
    return joined[0]


@dataclass
class Values:
    """Values read from a file's texts; those that cannot be are noted in ``faults``."""

    faults: list[FileFault] = field(default_factory=list)
    is_zone_noted: bool = False

    def note(self, detail: str, line: int | None, waypoint: int | None) -> None:
        """Add a fault."""
        self.faults.append(FileFault(detail, line, waypoint))

    def number(
        self, name: str, text: str | None, line: int | None, waypoint: int | None
    ) -> float | None:
        """A number that is not negative."""
        if text is None or not text.strip():
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isfinite(value) and value >= 0.0:
            return value
        self.note(f"{name} is {text[:40]!r}, not a number from 0 on.", line, waypoint)
        return None

    def time(
        self,
        name: str,
        text: str | None,
        line: int | None,
        waypoint: int | None,
        *,
        is_utc: bool = False,
    ) -> datetime | None:
        """A time; one without a zone is taken for UTC, which is noted unless ``is_utc``."""
        if text is None or not text.strip():
            return None
        try:
            time = read_iso_time(text)
            if time.tzinfo is not None:
                return time.astimezone(UTC)
        except (ValueError, OverflowError):
            self.note(
                f"{name} is {text[:40]!r}, not a time such as 2026-03-01T06:00:00Z.", line, waypoint
            )
            return None
        if not is_utc:
            self.note_zone(name, text, line, waypoint)
        return time.replace(tzinfo=UTC)

    def duration(
        self, name: str, text: str | None, line: int | None, waypoint: int | None
    ) -> timedelta | None:
        """A duration that is not negative."""
        if text is None or not text.strip():
            return None
        try:
            return read_duration(text)
        except (ValueError, OverflowError):
            self.note(f"{name} is {text[:40]!r}, not a duration such as PT6H30M.", line, waypoint)
            return None

    def note_zone(self, name: str, text: str, line: int | None, waypoint: int | None) -> None:
        """Note, once a file, that a time without a zone is taken for UTC."""
        if not self.is_zone_noted:
            detail = f"{name} {text[:40]!r} has no time zone; such times are taken for UTC."
            self.note(detail, line, waypoint)
            self.is_zone_noted = True

    def geometry(
        self, text: str | None, line: int | None, waypoint: int | None
    ) -> LegGeometry | None:
        """The line that a leg follows."""
        if text is None or not text.strip():
            return None
        found = _GEOMETRIES.get(re.sub(r"[\s_-]", "", text).lower())
        if found is None:
            self.note(
                f"The leg's geometry is {text[:40]!r}, neither a great circle nor a rhumb line.",
                line,
                waypoint,
            )
        return found


def read_iso_time(text: str) -> datetime:
    """A time in ISO 8601; raises ``ValueError`` for another form, ``OverflowError`` after 9999."""
    text = text.strip().upper()  # RFC 3339 has "z", too
    if found := _END_OF_DAY.fullmatch(text):
        return datetime.fromisoformat(f"{found[1]}T00:00{found[2]}") + timedelta(days=1)
    return datetime.fromisoformat(text)


def read_duration(text: str) -> timedelta:
    """A duration of days to seconds in ISO 8601; raises ``ValueError`` or ``OverflowError``."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    return timedelta(**{part: float(number) for part, number in found.groupdict("0").items()})


def place(lat: float, lng: float, number: int, line: int | None = None) -> Position:
    """A waypoint's position; raises :class:`UnreadableRoute` for one that is not on the globe."""
    if not (math.isfinite(lat) and math.isfinite(lng) and abs(lat) <= 90 and -180 <= lng <= 360):
        detail = f"Waypoint {number} lies at {lat:g}, {lng:g}, which is not on the globe."
        if abs(lng) <= 90 and 90 < abs(lat) <= 180:
            detail += " Are latitude and longitude exchanged?"
        raise UnreadableRoute(detail, line)
    return Position(lat, lng if -180 <= lng < 180 else float(wrap_longitude(lng)))
