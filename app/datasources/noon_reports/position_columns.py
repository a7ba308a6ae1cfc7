"""Columns of a table that hold a latitude or a longitude, alone or in parts.

A part that is overlooked moves a position by up to a degree, or to the other hemisphere. Every
column that may be one is joined, therefore, and a table is refused where the parts do not read as
one coordinate.
"""

import re
from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from app.datasources.headers import simplify
from app.datasources.noon_reports.numbers import point_angle, read_angle
from app.datasources.noon_reports.sheets import Cell

#: A row's number in the file, and its cells as texts.
TextRow = tuple[int, Sequence[str]]

LABELS: Final = {"lat": "latitude", "lng": "longitude"}
_HEMISPHERES: Final = {"lat": "NS", "lng": "EW"}
_DEGREES: Final = "(?P<degrees>d{1,3}|degs?|degrees?)"
_MINUTES: Final = "(?P<minutes>m{1,2}|mins?|minutes?)"
_SECONDS: Final = "(?P<seconds>s{1,2}|secs?|seconds?)"
_HEMISPHERE: Final = (
    "(?P<hemisphere>h|hemi|hemisphere|dir|direction|ns|ew|nors|eorw|northsouth|eastwest)"
)
_PART: Final = f"(?:{_DEGREES}|{_MINUTES}|{_SECONDS}|{_HEMISPHERE})"
_FIRST_PART: Final = _PART.replace("P<", "P<first_")
#: Titles without marks, such as latmin, minlat and ns.
_TITLES: Final = {
    "lat": re.compile(f"{_FIRST_PART}?lat(?:itude)?{_PART}?|(?P<alone>ns|sn|nors|northsouth)"),
    "lng": re.compile(
        f"{_FIRST_PART}?(?:lng|long?|longitude){_PART}?|(?P<alone>ew|we|eorw|eastwest)"
    ),
}
#: Words before a title that say whose position it is.
_OWNER: Final = re.compile("(?:ship|position|pos|noon)(?=lat|lng|lon)")
#: Titles that continue the coordinate to their left; a single letter may be another quantity's.
_CONTINUED: Final = re.compile(f"(?!.$){_PART}?")
_RANKS: Final = {"degrees": 0, "minutes": 1, "seconds": 2, "hemisphere": 3, "alone": 3}
_PART_CELL: Final = re.compile(
    r"[+-]?\d{1,3}(?:[.,]\d+)?\s*[°º'’′\"”″dms]*\s*[NSEW]?|[NSEW]|[°º'’′\"”″-]+", re.IGNORECASE
)
#: A fraction of a degree before minutes, or of a minute before seconds.
_FRACTION_BEFORE_PART: Final = re.compile(r"\.0*[1-9]\d*[^\d.]+\d")
_LONGEST_SHOWN: Final = 20
_MOST_SHOWN: Final = 5


class PositionRefused(ValueError):
    """The columns of a coordinate do not read as one; the message names them."""


class Title(NamedTuple):
    """The coordinate that a title names, and the rank of its part; ``None`` if it names none."""

    side: str
    rank: int | None


class PositionColumns:
    """The columns of the latitude and of the longitude, each in the order in which they are read.

    Raises :class:`PositionRefused` where other columns stand between the parts of a coordinate, or
    the parts are not known apart.
    """

    def __init__(
        self, headers: Sequence[str], rows: Sequence[TextRow], taken: Container[int]
    ) -> None:
        width = max([len(headers), *(len(cells) for _, cells in rows)])
        self._headers = [*headers, *[""] * (width - len(headers))]
        self._cells = [
            [cells[at].strip() for _, cells in rows if at < len(cells) and cells[at].strip()]
            for at in range(width)
        ]
        titles = self._find_titles(taken)
        self._columns = {side: self._order(side, titles) for side in LABELS}
        if self.has_both:
            self._refuse_twins()

    @property
    def has_both(self) -> bool:
        """Return whether there are a latitude and a longitude."""
        return all(self._columns.values())

    def find(self, side: str) -> Sequence[int]:
        """The columns of a coordinate, none where none is named."""
        return self._columns[side]

    def read(self, side: str, cells: Sequence[str], place: str = "") -> float | None:
        """A coordinate of a row [deg], ``None`` where its cells are blank or its only is none.

        Raises :class:`PositionRefused`, with the ``place``, where its parts are not one coordinate.
        """
        texts = [
            point_angle(cells[at].strip()) if at < len(cells) else "" for at in self._columns[side]
        ]
        value = _read_coordinate(side, texts)
        if value is None and len(texts) > 1 and any(texts):
            fault = f"hold {' '.join(texts)[:40]!r}{place}"
            self._refuse(side, self._columns[side], fault)
        return value

    def _find_titles(self, taken: Container[int]) -> dict[int, Title]:
        """The columns of coordinates; of two notations of one coordinate the first is taken."""
        found: dict[int, Title] = {}
        whole: dict[str, str] = {}
        current: str | None = None
        for at, header in enumerate(self._headers):
            plain, title = _plain(header), find_title(header)
            if title is None:
                title = self._continue(at, current)
            elif not title.rank and whole.setdefault(title.side, plain) != plain:
                title = None
            if at in taken or (title is None and _CONTINUED.fullmatch(plain) is None):
                current = None
            elif title is not None:
                current = title.side
                is_first = not title.rank and title.side not in {t.side for t in found.values()}
                if is_first or self._cells[at]:
                    found[at] = title
        for at in range(len(self._headers)):
            side = self._find_hemisphere(at)
            if side and at not in found and at not in taken and {at - 1, at + 1} & found.keys():
                found[at] = Title(side, _RANKS["hemisphere"])
        return found

    def _continue(self, at: int, current: str | None) -> Title | None:
        """The coordinate to the left of a column without a name of its own that continues it."""
        continued = _CONTINUED.fullmatch(_plain(self._headers[at]))
        is_part = any(map(_PART_CELL.fullmatch, self._cells[at]))
        if current is None or continued is None or not is_part:
            return None
        if side := self._find_hemisphere(at):
            return Title(side, _RANKS["hemisphere"])
        return None if continued["hemisphere"] else Title(current, _find_rank(continued))

    def _find_hemisphere(self, at: int) -> str | None:
        """The coordinate whose hemispheres are all that a column holds."""
        letters = {cell.upper() for cell in self._cells[at]}
        if not letters:
            return None
        return next((side for side, known in _HEMISPHERES.items() if letters <= {*known}), None)

    def _order(self, side: str, titles: Mapping[int, Title]) -> list[int]:
        ranks: dict[int, int] = {}
        for at in sorted(at for at, title in titles.items() if title.side == side):
            before = [rank for rank in ranks.values() if rank < _RANKS["hemisphere"]]
            rank = titles[at].rank
            ranks[at] = max(before, default=0) if rank is None else rank
        columns = sorted(ranks, key=lambda at: ranks[at])
        if not columns or ranks[columns[0]] > 0:
            return []
        for at in range(min(columns), max(columns)):
            if at not in titles and self._cells[at]:
                fault = f"do not follow each other: {self._show(at)} is between them"
                self._refuse(side, columns, fault)
        numbers = [at for at in columns if any(re.search(r"\d", cell) for cell in self._cells[at])]
        for place, at in enumerate(numbers if len(columns) > 1 else []):
            if titles[at].rank not in (None, place):
                self._refuse(side, columns, "are not degrees, minutes and seconds, each once")
        return columns

    def _refuse_twins(self) -> None:
        """Refuse numbers under one unknown title to the right of both coordinates."""
        lat, lng = (max(self._columns[side]) + 1 for side in ("lat", "lng"))
        if lng >= len(self._headers) or lat >= len(self._headers):
            return
        title = _plain(self._headers[lat])
        is_part = any(map(_PART_CELL.fullmatch, self._cells[lat]))
        if title and is_part and title == _plain(self._headers[lng]):
            fault = f"are followed by {self._show(lat)}, as those of the longitude are"
            self._refuse("lat", self._columns["lat"], fault)

    def _refuse(self, side: str, columns: Sequence[int], fault: str) -> NoReturn:
        names = [self._show(at) for at in sorted(columns)[:_MOST_SHOWN]]
        letters = " or ".join(_HEMISPHERES[side])
        raise PositionRefused(
            f"The {LABELS[side]} cannot be joined: its columns {', '.join(names)} {fault}. Write"
            f" degrees, minutes and {letters} in columns next to each other, or in one cell."
        )

    def _show(self, at: int) -> str:
        header = self._headers[at].strip()
        return f"“{header[:_LONGEST_SHOWN]}”" if header else f"no. {at + 1}"


def write_cell(cell: Cell) -> str:
    """A cell as text; a workbook has numbers and times."""
    return "" if cell is None else f"{cell:.9f}" if isinstance(cell, float) else str(cell)


def find_title(header: str) -> Title | None:
    """The coordinate that a header names, whole or in part."""
    for side, pattern in _TITLES.items():
        if found := pattern.fullmatch(_OWNER.sub("", _plain(header))):
            return Title(side, _find_rank(found))
    return None


def _find_rank(found: re.Match[str]) -> int | None:
    """The rank of the first part that a title names; ``None`` if it names none."""
    named = (name.removeprefix("first_") for name, text in found.groupdict().items() if text)
    return next((_RANKS[name] for name in named), None)


def _plain(header: str) -> str:
    return simplify(header).replace("_", "")


def _read_coordinate(side: str, texts: Sequence[str]) -> float | None:
    """Degrees of a coordinate in one or more texts; those in parts need their hemisphere."""
    joined = " ".join(texts)
    ends = [end.upper() for end in (joined[:1], joined[-1:]) if end.upper() in {*"NSEW"}]
    if ends and ends[0] not in _HEMISPHERES[side]:
        return None
    is_in_parts = len(texts) > 1
    if is_in_parts and (not all(texts) or not ends or _FRACTION_BEFORE_PART.search(joined)):
        return None
    return read_angle(joined)
