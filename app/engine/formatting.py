"""Positions, times, winds and areas as written in the engine's texts."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from math import floor
from typing import Final

from app.engine.area import Area, AreaKind
from app.engine.facts import PassageFact
from app.engine.units import ms_to_kn

_AREA_WORDS: Final[Mapping[AreaKind, str]] = {
    AreaKind.CONSTRAINT: "constraint",
    AreaKind.CLIENT_DATA: "client area",
    AreaKind.NO_GO: "no-go area",
    AreaKind.PIRACY: "piracy area",
    AreaKind.WAR_RISK: "war-risk area",
    AreaKind.ICE: "ice area",
    AreaKind.SEASON: "closed season",
    AreaKind.ECA: "emission control area",
    AreaKind.ADVISORY: "advisory area",
    AreaKind.CHART: "charted shoals and land of",
}

#: Beaufort terms and the upper bounds of their mean wind speed at 10 m [m/s], by force;
#: WMO Manual on Codes (WMO-No. 306), table 1100. Force 12 has no bound.
BEAUFORT: Final[tuple[tuple[str, float | None], ...]] = (
    ("calm", 0.2),
    ("light air", 1.5),
    ("light breeze", 3.3),
    ("gentle breeze", 5.4),
    ("moderate breeze", 7.9),
    ("fresh breeze", 10.7),
    ("strong breeze", 13.8),
    ("near gale", 17.1),
    ("gale", 20.7),
    ("strong gale", 24.4),
    ("storm", 28.4),
    ("violent storm", 32.6),
    ("hurricane", None),
)
#: Words with which the names of lanes begin that lie in relation to a place.
_RELATIONS: Final = ("Off ", "Between ", "South of ", "West of ")
#: Names of stretches that lead in, by what they lead to.
_LEADING_IN: Final = ("Approach ", "Entrance ")


def format_position(lat: float, lng: float) -> str:
    """Format a latitude and longitude [deg] as 51°58.900'N 004°02.100'E."""
    return f"{_format_angle(lat, 2, 'NS')} {_format_angle(lng, 3, 'EW')}"


def format_time(time: datetime) -> str:
    """Format a time in UTC, rounded down to the minute, as Wed 14 Jan 2026 18:00 UTC."""
    utc = time.astimezone(UTC)
    return f"{utc:%a} {utc.day} {utc:%b %Y %H:%M} UTC"


def format_day(time: datetime) -> str:
    """Format a day in UTC as 14 Jan 2026."""
    utc = time.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y}"


def format_window(area: Area) -> str:
    """Format the window of an area as an addition to a clause; empty without a window."""
    begins = "" if area.starts_at is None else f" from {format_time(area.starts_at)}"
    return begins if area.ends_at is None else f"{begins} until {format_time(area.ends_at)}"


def format_latitude(lat: float) -> str:
    """Format a latitude [deg], rounded to a tenth, as 62.5° N."""
    return f"{abs(lat):.1f}° {'S' if lat < 0.0 else 'N'}"


def format_course(course_deg: float) -> str:
    """Format a course or direction [deg] as 007°, halves rounded up as on the pages."""
    return f"{floor(course_deg + 0.5) % 360:03d}°"


def _format_angle(value_deg: float, digits: int, sides: str) -> str:
    # rounded as one number, so that 59.9996' becomes the next degree
    thousandths = round(abs(value_deg) * 60_000)
    degrees, rest = divmod(thousandths, 60_000)
    side = sides[1] if value_deg < 0 and thousandths else sides[0]
    return f"{degrees:0{digits}d}°{rest / 1000:06.3f}'{side}"


def format_miles(distance_nm: float) -> str:
    """Format a distance above zero, rounded to a tenth, as 2.4 nm or as less than 0.1 nm.

    It is rounded to a hundredth first, as served, and halves up: pages round what is served.
    """
    tenths = Decimal(round(distance_nm, 2)).quantize(Decimal("0.1"), ROUND_HALF_UP)
    return f"{tenths} nm" if tenths else "less than 0.1 nm"


def cut(value: float, decimals: int) -> float:
    """Cut a number instead of rounding it, for margins, which must not grow."""
    # Nine decimals first: 3704 m / 1852, and the like, must not lose their last digit.
    exact = Decimal(str(round(value, 9)))
    return float(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR))


def format_clearance(clearance_m: float) -> str:
    """Format an under-keel clearance [m], cut to a tenth, as 3.4 m."""
    return f"{cut(clearance_m, 1):.1f} m"


def format_wind(speed_ms: float) -> str:
    """Format a wind speed [m/s] as "26 kn (13.5 m/s)"."""
    return f"{ms_to_kn(speed_ms):.0f} kn ({speed_ms:.1f} m/s)"


def name_wind(speed_ms: float) -> str:
    """Return the Beaufort term of a wind speed [m/s], which is rounded to a tenth."""
    rounded_ms = round(speed_ms, 1)
    return next(term for term, upper in BEAUFORT if upper is None or rounded_ms <= upper)


def name_area(area: Area) -> str:
    """Name an area by kind and name, as: the constraint “Pipelaying”."""
    return f"the {_AREA_WORDS[area.kind]} “{area.name}”"


def name_passage(passage: PassageFact) -> str:
    """Name a passage in the direction sailed: "Elbe to Hamburg", outward "Elbe from Hamburg"."""
    if passage.is_outward and not passage.name.startswith(_LEADING_IN):
        return passage.name.replace(" to ", " from ", 1)
    return name_in_sentence(passage.name)


def name_in_sentence(passage: str) -> str:
    """Return a passage's name as part of a sentence: "the north-east lane off Ushant"."""
    place, _, lane = passage.rpartition(", ")
    if lane.endswith(" lane") and place.startswith(_RELATIONS):
        return f"the {lane} {_lower_first(place)}"
    if lane.endswith(" lane"):
        return f"the {lane} of {name_in_sentence(place)}"
    return f"the {_lower_first(passage)}" if passage.startswith(_LEADING_IN) else passage


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
