"""Speed and consumption table as text, typed or pasted from a spreadsheet."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields

from app.engine.particulars import Basis, PointSource
from app.records.vessel import MOST_PERFORMANCE_POINTS, PerformancePointSchema

#: Words in a line, with the field and value of the point that they set.
_WORDS: Final[Mapping[str, tuple[str, Any]]] = {
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


class SpeedTable(fields.Field[Any]):
    """A text field of a speed and consumption table; empty text means none."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Enter a table as text.")
        return read_speed_table(value)


def read_speed_table(text: str) -> list[dict[str, Any]] | None:
    """Read the points of a table; a first line without numbers is a header.

    Raise :class:`ValidationError` with the number of an invalid line and an example.
    """
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if lines and not any(character.isdigit() for character in lines[0][1]):
        lines = lines[1:]
    if len(lines) > MOST_PERFORMANCE_POINTS:
        raise ValidationError(f"Enter up to {MOST_PERFORMANCE_POINTS} lines.")
    return [_read_line(number, line) for number, line in lines] or None


def _read_line(number: int, line: str) -> dict[str, Any]:
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
        elif (known := _WORDS.get(word.lower())) is not None:
            point[known[0]] = known[1]
        else:
            choices = ", ".join([*_WORDS, "Bf 4", "12.5m"])
            raise ValidationError(f"Line {number}: {word!r} is not known; allowed are {choices}.")
    if len(figures) != 2:
        raise ValidationError(
            f"Line {number}: enter the speed in kn and the consumption in mt/day, like 14 62."
        )
    point |= {"speed": figures[0], "focMtPerDay": figures[1]}
    try:
        read: dict[str, Any] = PerformancePointSchema().load(point)
    except ValidationError as error:
        faults = error.normalized_messages()
        words = "; ".join(f"{_NAMES[name]}: {' '.join(said)}" for name, said in faults.items())
        raise ValidationError(f"Line {number}: {words}") from None
    return read


_NAMES: Final = {
    "speed": "speed",
    "focMtPerDay": "consumption",
    "beaufort": "Beaufort",
    "draft": "draught",
}


def write_speed_table(points: Iterable[Mapping[str, Any]] | None) -> str:
    """Write points as the lines that :func:`read_speed_table` reads."""
    return "\n".join(_write_line(point) for point in points or ())


def _write_line(point: Mapping[str, Any]) -> str:
    chosen = [
        word for word, (field, value) in _WORDS.items() if value and point.get(field) == value
    ]
    if point.get("draft"):
        chosen.append(f"{point['draft']:g}m")
    return " ".join(
        [f"{point['speed']:g}", f"{point['focMtPerDay']:g}", f"Bf {point['beaufort']:g}", *chosen]
    )
