"""Records of a ship from a CSV file: columns known by their headers, units converted.

Headers are read without case and punctuation: "Speed through water [kn]", ``stw_kn`` and
``speed_through_water`` are one column. A unit stands in brackets or at the header's end.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import cf_units
import numpy as np

from app.datasources.headers import find_unit, simplify
from app.engine.calibration import ShipReports
from app.engine.calibration.reports import Floats
from app.engine.calibration.sea_state import BEAUFORT_MS, GROWN_SEA, usual_peak_period_s
from app.engine.geodesy import great_circle_course_deg
from app.engine.units import KNOT_MS


class RecordsRefused(ValueError):
    """A file of records that cannot be read; the message names the column or line."""


#: Columns: the pattern of a header in lower case with ``_`` for all else, and the unit wanted.
_COLUMNS: Final[Mapping[str, tuple[str, str | None]]] = {
    "time": (r"^(date_?)?time|^timestamp|^date|^utc", None),
    "lat": (r"^lat", "degree"),
    "lng": (r"^(lng|lon)", "degree"),
    "draft_fore": (r"^dra(f|ugh)t.*(fore|fwd|forward|_f\b)", "m"),
    "draft_aft": (r"^dra(f|ugh)t.*(aft|_a\b)", "m"),
    "draft_mean": (r"^(mean_)?dra(f|ugh)t", "m"),
    "stw": (r"^(stw|speed_through|speed_tw|log_speed|water_speed)", "knot"),
    "sog": (r"^(sog|speed_over|speed_og|gps_speed|speed)", "knot"),
    "heading": (r"^(heading|hdg|course|cog)", "degree"),
    "power": (r"^(shaft_|brake_|engine_|me_)?power", "kW"),
    "fuel": (r"^((me|main_engine)_)?(fuel|foc|fo_cons|consumption)", "t h-1"),
    "wind_from_relative": (
        r"^(rel|app)\w*_wind_(dir|from|angle)|^wind_(rel|app)\w*_(dir|from|ang)",
        "degree",
    ),
    "wind_speed_relative": (r"^(rel|app)\w*_wind|^wind_(rel|app)", "m s-1"),
    "wind_from": (r"^(true_)?wind_(true_)?(dir|from|angle)", "degree"),
    "beaufort": (r"^(beaufort|bft|bf|wind_(force|bf|beaufort))", "1"),
    "wind_speed": (r"^(true_)?wind", "m s-1"),
    "wave_from": (r"^(wave|sea)s?_(dir|from)", "degree"),
    "wave_period": (r"^(wave|sea)s?_(peak_)?period|^tp$", "s"),
    "wave_height": (r"^(significant_)?waves?(_height|_h|$)|^(hs|swh)", "m"),
    "hours": (r"^(steaming|hours|duration|time_under_way|period)", "hour"),
}  # fmt: skip

#: Columns without which nothing is measured, each with what may stand for it.
_NEEDED: Final = (
    ("time",),
    ("stw", "sog"),
    ("fuel",),
    ("draft_mean", "draft_fore", "draft_aft"),
    ("wind_speed", "wind_speed_relative", "beaufort"),
)
#: Longest time that one record stands for [h].
_LONGEST_H: Final = 26.0


def read_ship_records(path: Path) -> ShipReports:
    """Read a ship's records, in order of time.

    Speed over ground stands in for speed through the water where that is missing, a grown sea
    for waves, and the course made good for the heading.

    Raises
    ------
    RecordsRefused
        The file is not CSV text, or has no column for a figure that is needed.
    """
    headers, rows = _read_rows(path)
    columns = _match(headers)
    for choices in _NEEDED:
        if not any(choice in columns for choice in choices):
            names = " or ".join(choice.replace("_", " ") for choice in choices)
            raise RecordsRefused(f"{path.name} has no column for {names}; it has {headers}.")
    table = {name: _convert(name, headers[at], rows, at) for name, at in columns.items()}
    reports = _as_reports(table)
    return reports.take(np.argsort(reports.times_h, kind="stable"))


def _read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise RecordsRefused(f"{path.name} is not UTF-8 text: {fault}") from fault
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    lines = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    if len(lines) < 2:
        raise RecordsRefused(f"{path.name} has no records below its header.")
    for number, row in enumerate(lines[1:], 2):
        if len(row) != len(lines[0]):
            raise RecordsRefused(
                f"{path.name}, line {number}: {len(row)} fields, the header has {len(lines[0])}."
            )
    return lines[0], lines[1:]


def _match(headers: Sequence[str]) -> dict[str, int]:
    """The place of each column that is known, the first header that fits."""
    found: dict[str, int] = {}
    for at, header in enumerate(headers):
        simple = simplify(header)
        name = next((n for n, (pattern, _) in _COLUMNS.items() if re.search(pattern, simple)), None)
        if name is not None:
            found.setdefault(name, at)
    return found


def _convert(name: str, header: str, rows: Sequence[Sequence[str]], at: int) -> Floats:
    texts = [row[at].strip() for row in rows]
    if name == "time":
        return np.array([_read_hours(text, line) for line, text in enumerate(texts, 2)])
    values = np.array([_read_number(text, header, line) for line, text in enumerate(texts, 2)])
    wanted, given = _COLUMNS[name][1], find_unit(header)
    if wanted is None or given is None:
        return values
    unit = cf_units.Unit(given)
    if not unit.is_convertible(wanted):
        # a bare letter at a header's end need not be a unit
        return values
    return np.asarray(unit.convert(values, wanted), dtype=np.float64)


def _read_number(text: str, header: str, line: int) -> float:
    if text.lower() in ("", "nan", "null", "none", "n/a", "-"):
        return np.nan
    try:
        return float(text)
    except ValueError as fault:
        raise RecordsRefused(f"line {line}: {header} is {text!r}, which is not a number") from fault


def _read_hours(text: str, line: int) -> float:
    """Hours since 1970 of an ISO 8601 time, or of seconds since then."""
    try:
        return float(text) / 3600.0
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise RecordsRefused(f"line {line}: the time {text!r} is not as in ISO 8601") from fault
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 3600.0


def _as_reports(table: Mapping[str, Floats]) -> ShipReports:
    times_h = table["time"]
    unknown = np.full(times_h.size, np.nan)
    through_water, over_ground = table.get("stw", unknown), table.get("sog", unknown)
    speed = np.where(np.isfinite(through_water), through_water, over_ground)
    course = table.get("heading", unknown)
    if "lat" in table and "lng" in table:
        course = np.where(np.isfinite(course), course, _courses(table["lat"], table["lng"]))
    fore = table.get("draft_fore", table.get("draft_mean", unknown))
    aft = table.get("draft_aft", fore)
    wind, wind_from = _true_wind(table, np.nan_to_num(course), speed)
    waves = table.get("wave_height", GROWN_SEA * wind**2)
    waves = np.where(np.isfinite(waves), waves, GROWN_SEA * wind**2)
    period = table.get("wave_period", unknown)
    wave_from = table.get("wave_from", unknown)
    return ShipReports(
        times_h=times_h,
        hours=table.get("hours", _stand_for(times_h)),
        speed_kn=speed,
        course_deg=course,
        draft_m=0.5 * (fore + aft),
        trim_m=aft - fore,
        wave_height_m=waves,
        wave_period_s=np.where(np.isfinite(period), period, usual_peak_period_s(waves)),
        wave_from_deg=np.where(np.isfinite(wave_from), wave_from, wind_from),
        wind_speed_ms=wind,
        wind_from_deg=wind_from,
        fuel_t_per_h=table["fuel"],
        power_kw=table.get("power", unknown),
        noise=unknown,
    )


def _true_wind(
    table: Mapping[str, Floats], course: Floats, speed_kn: Floats
) -> tuple[Floats, Floats]:
    """True wind [m/s] and its direction [deg] from what a file has; abeam where none is given."""
    if "wind_speed" in table or "beaufort" in table:
        wind = table.get("wind_speed", BEAUFORT_MS * table.get("beaufort", course) ** 1.5)
        return wind, table.get("wind_from", course + 90.0)
    apparent = table["wind_speed_relative"]
    angle = np.radians(table.get("wind_from_relative", np.full(course.size, 90.0)))
    ahead = apparent * np.cos(angle) - speed_kn * KNOT_MS
    abeam = apparent * np.sin(angle)
    return np.hypot(ahead, abeam), (course + np.degrees(np.arctan2(abeam, ahead))) % 360.0


def _courses(lats: Floats, lngs: Floats) -> Floats:
    """Course made good [deg] from each position to the next; the last holds the one before."""
    if lats.size < 2:
        return np.zeros(lats.size)
    courses = great_circle_course_deg(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    return np.append(courses, courses[-1])


def _stand_for(times_h: Floats) -> Floats:
    """Hours that each record stands for: those since the one before."""
    gaps = np.diff(times_h)
    usual = float(np.median(gaps)) if gaps.size else 24.0
    held = np.where((gaps > 0.0) & (gaps <= min(1.5 * usual, _LONGEST_H)), gaps, usual)
    return np.concatenate([[min(usual, _LONGEST_H)], np.minimum(held, _LONGEST_H)])
