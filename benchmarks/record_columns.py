"""Columns of a ship's records, recognised by header and converted to numbers in fixed units.

Headers are read without case and punctuation: "Speed through water [kn]", ``stw_kn``,
``speedThroughWater`` and ``speed_through_water`` are one column. A unit stands in brackets or at
the header's end.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import cf_units
import numpy as np

from app.datasources.headers import find_unit, name_of
from app.datasources.noon_reports.dates import read_dates, read_time_of_day
from app.datasources.noon_reports.numbers import has_decimal_comma, read_numbers
from app.engine.arrays import Floats


class RecordsRefused(ValueError):
    """The file of records cannot be read; the message names the column or line."""


class Column(NamedTuple):
    """A column of a file: its header and its place."""

    header: str
    at: int


class Lines(NamedTuple):
    """Headers and cells of a file; a line of another length than the header has no cells."""

    headers: list[str]
    rows: list[list[str]]
    separator: str


#: Figures by the pattern of a header in lower case with ``_`` for all else, and the unit wanted.
#: The order decides: a header belongs to the first figure that it fits.
_FIGURES: Final[Mapping[str, tuple[str, str | None]]] = {
    "time_of_day": (r"^(time|hour)_of_day|^(utc_|gmt_)?time$", None),
    "time": (r"^(date_?)?time|^timestamp|^date|^utc|^gmt", None),
    "lat": (r"^(ship_|gps_|pos\w*_)?lat(itude)?(_|$)", "degree"),
    "lng": (r"^(ship_|gps_|pos\w*_)?(lng|lon|long|longitude)(_|$)", "degree"),
    "draft_fore": (
        r"^dra(f|ugh)t_?.*(fore|fwd|forward|bow|_f(_|$))|^(fore|fwd|forward|f|bow)_dra(f|ugh)t",
        "m",
    ),
    "draft_aft": (
        r"^dra(f|ugh)t_?.*(aft|stern|_a(_|$))|^(aft|a|stern)_dra(f|ugh)t",
        "m",
    ),
    "draft_mean": (r"^(mean_|mid\w*_|ship_|avg_|average_)?dra(f|ugh)t", "m"),
    "stw": (
        r"^(avg_|average_|mean_)?(stw|speed_through|speed_tw|log_speed|speed_log|water_speed)",
        "knot",
    ),
    "sog": (
        r"^(avg_|average_|mean_|ship_|vessel_|obs\w*_)?(sog|speed_over|speed_og|gps_speed|speed)",
        "knot",
    ),
    "heading": (r"^(ship_|true_|gyro_)?(heading|hdg|course|cog)", "degree"),
    "power": (
        r"^(avg_|mean_|total_)?(shaft_|brake_|propulsion_|engine_|me_|m_e_|main_engine_)*power",
        "kW",
    ),
    "wind_from_relative": (
        r"^(rel|app)\w*_wind_(dir|from|angle)|^wind_(dir\w*_|angle_)?(rel|app)\w*_(dir|from|ang)"
        r"|^wind_(dir\w*|angle)_(rel|app)|^awa(_|$)",
        "degree",
    ),
    "wind_speed_relative": (
        r"^(rel|app)\w*_wind|^wind_(rel|app)|^wind_speed_(rel|app)|^aws(_|$)",
        "m s-1",
    ),
    "wind_from": (r"^(true_)?wind_(true_)?(dir|from|angle)|^twd(_|$)", "degree"),
    "beaufort": (r"^(beaufort|bft|bf)|^(true_)?wind_?(force|bf|bft|beaufort|scale)", "1"),
    "wind_speed": (r"^(true_)?wind|^tws(_|$)", "m s-1"),
    "wave_from": (r"^(waves?|seas?|mwd)_?(dir|from|$)", "degree"),
    "wave_period": (r"^(peak_)?(waves?|seas?)_(mean_|peak_)?period|^tp(_|$)", "s"),
    "wave_height": (
        r"^(significant_|sig_)?(waves?|sea)(_sig\w*)?(_height|_h|_ht|_m|$)|^(hs|hm0|swh)(_|$)",
        "m",
    ),
    "hours": (
        r"^(steaming|sailing|hours|hrs|duration|time_under_way|interval|period)(_|$)",
        "hour",
    ),
    "main_fuel": (
        r"(^|_)(me|m_e|main_engine)(_|$).*(fuel|foc|fo|cons)|(fuel|foc|cons)\w*_(me|main_engine)",
        "t h-1",
    ),
    "fuel": (r"^(total_|hourly_)?(fuel|foc|fo|consumption|cons|hfo|bunker)", "t h-1"),
}  # fmt: skip
#: Words of headers that are of something else than the figure they begin with.
_OTHER: Final = re.compile(
    r"(^|_)(type|grade|name|temp\w*|density|press\w*|price|cost|rob|remain\w*|lcv|sulphur|index"
    r"|ae|aux\w*|dg\d?|generators?|boilers?|setting|order\w*|limit|max\w*|min|std|tank)(_|$)"
)
#: Cells without a figure.
_BLANK: Final = frozenset({"", "-", "--", "n/a", "na", "nan", "null", "none", "nil", "nat"})
#: Names under which readers of cells know these figures.
_READERS: Final = {
    **{"lat": "latitude", "lng": "longitude", "heading": "heading", "hours": "steamingHours"},
    **{"wind_from": "windFrom", "wind_from_relative": "windFromRelative"},
    **{"wave_from": "waveFrom", "beaufort": "windBeaufort"},
}
#: Numbers above these are milliseconds, or seconds, since 1970.
_MILLISECONDS_FROM, _SECONDS_FROM = 1e11, 1e8
_HOUR_S: Final = 3600.0


def read_lines(path: Path) -> Lines:
    """Read a CSV file with whichever separator its header has.

    Raises
    ------
    RecordsRefused
        The file is not UTF-8 text, or no line below its header has as many fields.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise RecordsRefused(f"{path.name} is not UTF-8 text: {fault}") from fault
    first = text.split("\n", 1)[0]
    separator = max(",;\t|", key=first.count)
    lines = [row for row in csv.reader(text.splitlines(), delimiter=separator) if any(row)]
    if len(lines) < 2:
        raise RecordsRefused(f"{path.name} has no records below its header.")
    headers, rows = lines[0], [_fill(row, len(lines[0])) for row in lines[1:]]
    if not any(rows):
        raise RecordsRefused(
            f"{path.name}, line 2: {len(lines[1])} fields, the header has {len(headers)}."
        )
    return Lines(headers, [row or [""] * len(headers) for row in rows], separator)


def _fill(row: list[str], size: int) -> list[str]:
    """The row where it has the header's fields, but for empty ones at its end; else nothing."""
    extra = row[size:]
    return row[:size] if len(row) >= size and not any(cell.strip() for cell in extra) else []


def find_columns(lines: Lines) -> dict[str, Column]:
    """The column of each figure that is known: the first that fits and is not blank."""
    found: dict[str, Column] = {}
    for at, header in enumerate(lines.headers):
        name = _name(header)
        if name is not None and name not in found and not _is_blank(lines, at):
            found[name] = Column(header, at)
    if "time" not in found and "time_of_day" in found:
        found["time"] = found.pop("time_of_day")
    return found


def _name(header: str) -> str | None:
    simple = name_of(header)
    if _OTHER.search(simple):
        return None
    return next((n for n, (pattern, _) in _FIGURES.items() if re.search(pattern, simple)), None)


def _is_blank(lines: Lines, at: int) -> bool:
    return all(row[at].strip().lower() in _BLANK for row in lines.rows)


def read_figure(lines: Lines, name: str, column: Column) -> Floats:
    """Numbers of a column in the unit wanted; NaN where a cell is blank or no number.

    Raises
    ------
    RecordsRefused
        No cell of the column is a number.
    """
    texts = [row[column.at].strip() for row in lines.rows]
    comma = lines.separator != "," and has_decimal_comma(texts)
    values, faults = read_numbers(_READERS.get(name, ""), texts, decimal_comma=comma)
    if faults and not np.isfinite(values).any():
        at, text = next((at, text) for at, text in enumerate(texts, 2) if at - 2 in faults)
        raise RecordsRefused(f"line {at}: {column.header} is {text!r}, which is not a number")
    wanted, given = _FIGURES[name][1], find_unit(column.header)
    if wanted is None or given is None:
        return values
    unit = cf_units.Unit(given)
    # a bare letter at a header's end need not be a unit
    return np.asarray(unit.convert(values, wanted)) if unit.is_convertible(wanted) else values


def is_mass(header: str) -> bool:
    """Return whether a header's unit is one of mass alone, not of mass per time."""
    unit = find_unit(header)
    return unit is not None and cf_units.Unit(unit).is_convertible("t")


def read_mass_t(lines: Lines, name: str, column: Column) -> Floats:
    """Masses [t] of a column whose header says their unit."""
    unit = cf_units.Unit(find_unit(column.header))
    return np.asarray(unit.convert(read_figure(lines, name, column), "t"))


def read_hours(lines: Lines, column: Column, clock: Column | None) -> Floats:
    """Hours since 1970 of dates and times, of spreadsheets' days, or of seconds since then.

    ``clock`` is a column of times of day where dates stand alone. NaN is what is no time.

    Raises
    ------
    RecordsRefused
        No cell of the column is a time.
    """
    texts = [row[column.at].strip() for row in lines.rows]
    plain, _ = read_numbers("", texts, decimal_comma=False)
    scale = np.where(plain > _MILLISECONDS_FROM, 1000.0, 1.0)
    since_1970 = np.where(plain > _SECONDS_FROM, plain / scale, np.nan)
    if np.isfinite(since_1970).any():
        return since_1970 / _HOUR_S
    seconds = read_dates(texts).seconds
    if not np.isfinite(seconds).any():
        raise RecordsRefused(f"line 2: the time {texts[0]!r} is not as in ISO 8601")
    if clock is not None:
        of_day = [read_time_of_day(row[clock.at].strip()) for row in lines.rows]
        seconds = seconds + np.array([np.nan if each is None else each.seconds for each in of_day])
    return np.asarray(seconds / _HOUR_S)
