"""Form fields with one item per line: hull maintenance, shop tests, speed and consumption."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from datetime import date
from operator import itemgetter
from typing import Any, ClassVar, Final

from marshmallow import Schema, ValidationError, fields

from app.engine.particulars import Basis, PointSource
from app.pages.web.forms import FormMessages, read_day
from app.records.vessel import (
    MOST_MAINTENANCE,
    MOST_PERFORMANCE_POINTS,
    MOST_SHOP_TEST_POINTS,
    MaintenanceKind,
    PerformancePointSchema,
    ShopTestPointSchema,
)


class LinesField(fields.Field[Any], ABC):
    """A text field with one item per line; empty text means none."""

    most: ClassVar[int]
    #: Whether a first line without digits, before others, is a header.
    may_have_header: ClassVar[bool] = False

    @abstractmethod
    def read_line(self, line: str) -> Any:
        """Read one item; raises ``ValidationError``, to which the line's number is added."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Enter text, one item per line.")
        lines = [(n, line.strip()) for n, line in enumerate(value.splitlines(), 1) if line.strip()]
        if self.may_have_header and len(lines) > 1 and not any(map(str.isdigit, lines[0][1])):
            lines = lines[1:]
        if len(lines) > self.most:
            raise ValidationError(f"Enter up to {self.most} lines.")
        return [self._read_numbered(number, line) for number, line in lines] or None

    def _read_numbered(self, number: int, line: str) -> Any:
        try:
            return self.read_line(line)
        except ValidationError as error:
            raise ValidationError(f"Line {number}: {error.messages[0]}") from None


def load_point(schema: Schema, point: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    """Load the values of a line; a ``ValidationError`` says all faults with the fields' names."""
    try:
        return schema.load(point)
    except ValidationError as error:
        faults = error.normalized_messages().items()
        words = "; ".join(f"{names[name]}: {' '.join(said)}" for name, said in faults)
        raise ValidationError(words) from None


#: Name of each kind, and a part of it by which a line is recognised.
_EVENTS: Final[Mapping[MaintenanceKind, tuple[str, str]]] = {
    MaintenanceKind.DRY_DOCKING: ("dry-docking", "dock"),
    MaintenanceKind.HULL_CLEANING: ("hull cleaning", "clean"),
}


class MaintenanceLines(LinesField):
    """A text field of dated events."""

    most = MOST_MAINTENANCE

    def read_line(self, line: str) -> dict[str, str]:
        """Read one event."""
        lowered = line.lower()
        kinds = [kind for kind, (_, stem) in _EVENTS.items() if stem in lowered]
        words = line.replace(",", " ").replace(";", " ").split()
        for count in (1, 3):
            try:
                day = read_day(" ".join(words[:count]))
            except ValueError:
                continue
            if len(kinds) == 1:
                return {"date": day.isoformat(), "kind": kinds[0].value}
        raise ValidationError(
            "enter a day and dry-docking or hull cleaning, like 1 Mar 2025 dry-docking."
        )


def write_maintenance(events: Iterable[Mapping[str, Any]] | None) -> str:
    """Write events as the lines that :class:`MaintenanceLines` reads, the earliest first."""
    return "\n".join(map(_write_event, sorted(events or (), key=itemgetter("date"))))


def _write_event(event: Mapping[str, Any]) -> str:
    day = date.fromisoformat(event["date"])
    return f"{day.day} {day:%b %Y} {_EVENTS[MaintenanceKind(event['kind'])][0]}"


class _ShopTestLine(FormMessages, ShopTestPointSchema):
    """A point with the messages of forms."""


_SHOP_TEST_NAMES = {"loadPct": "load", "sfoc": "consumption"}


class ShopTestLines(LinesField):
    """A text field of loads and consumptions."""

    most = MOST_SHOP_TEST_POINTS

    def read_line(self, line: str) -> Any:
        """Read one point."""
        words = line.replace("%", " ").replace(";", " ").replace(",", ".").split()
        try:
            load, sfoc = map(float, words)
        except ValueError:
            raise ValidationError(
                "enter the load in % and the consumption in g/kWh, like 75 168.5."
            ) from None
        return load_point(_ShopTestLine(), {"loadPct": load, "sfoc": sfoc}, _SHOP_TEST_NAMES)


def write_shop_test(points: Iterable[Mapping[str, float]] | None) -> str:
    """Write points as the lines that :class:`ShopTestLines` reads."""
    return "\n".join(f"{point['loadPct']:g} {point['sfoc']:g}" for point in points or ())


#: Words in a line, with the field and value of the point that they set.
_POINT_WORDS: Final[Mapping[str, tuple[str, Any]]] = {
    "laden": ("loading", "LADEN"),
    "ballast": ("loading", "BALLAST"),
    "trial": ("source", PointSource.SEA_TRIAL.value),
    "charter": ("source", PointSource.CHARTER_PARTY.value),
    "owner": ("source", PointSource.OWNER.value),
    "auxiliaries": ("withAuxiliaries", True),
    "calm": ("basis", Basis.CALM.value),
    "service": ("basis", Basis.SERVICE.value),
    "warranted": ("basis", Basis.CHARTER_PARTY.value),
}
_SEPARATORS: Final = re.compile(r"[\t;|]+|,\s+|\s+")
_BEAUFORT: Final = re.compile(r"bf\.?(\d(?:\.\d+)?)", re.IGNORECASE)
_DRAFT: Final = re.compile(r"(\d+(?:[.,]\d+)?)m")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")
_LONGEST_LINE: Final = 200
_POINT_NAMES: Final = {
    "speed": "speed",
    "focMtPerDay": "consumption",
    "beaufort": "Beaufort",
    "draft": "draught",
}


class _SpeedLine(FormMessages, PerformancePointSchema):
    """A point with the messages of forms."""


class SpeedTable(LinesField):
    """A text field of a speed and consumption table."""

    most = MOST_PERFORMANCE_POINTS
    may_have_header = True

    def read_line(self, line: str) -> Any:
        """Read one point."""
        return load_point(_SpeedLine(), _read_words(line), _POINT_NAMES)


def _read_words(line: str) -> dict[str, Any]:
    figures: list[float] = []
    point: dict[str, Any] = {}
    for word in _SEPARATORS.split(line[:_LONGEST_LINE].replace("Bf ", "Bf").replace("bf ", "bf")):
        if not word:
            continue
        if match := _BEAUFORT.fullmatch(word):
            point["beaufort"] = float(match.group(1))
        elif match := _DRAFT.fullmatch(word):
            point["draft"] = float(match.group(1).replace(",", "."))
        elif _NUMBER.fullmatch(word):
            figures.append(float(word.replace(",", ".")))
        elif (known := _POINT_WORDS.get(word.lower())) is not None:
            point[known[0]] = known[1]
        else:
            choices = ", ".join([*_POINT_WORDS, "Bf 4", "12.5m"])
            raise ValidationError(f"{word!r} is not known; allowed are {choices}.")
    if len(figures) != 2:
        raise ValidationError("enter the speed in kn and the consumption in mt/day, like 14 62.")
    return point | {"speed": figures[0], "focMtPerDay": figures[1]}


def write_speed_table(points: Iterable[Mapping[str, Any]] | None) -> str:
    """Write points as the lines that :class:`SpeedTable` reads."""
    return "\n".join(_write_point(point) for point in points or ())


def _write_point(point: Mapping[str, Any]) -> str:
    chosen = [
        word for word, (field, value) in _POINT_WORDS.items() if value and point.get(field) == value
    ]
    if point.get("draft"):
        chosen.append(f"{point['draft']:g}m")
    return " ".join(
        [f"{point['speed']:g}", f"{point['focMtPerDay']:g}", f"Bf {point['beaufort']:g}", *chosen]
    )
