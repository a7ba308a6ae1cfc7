"""Speed and consumption table as text, typed or pasted from a spreadsheet."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from marshmallow import ValidationError

from app.engine.particulars import Basis, PointSource
from app.pages.web.text_lines import LinesField, load_point
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
_NAMES: Final = {
    "speed": "speed",
    "focMtPerDay": "consumption",
    "beaufort": "Beaufort",
    "draft": "draught",
}


class SpeedTable(LinesField):
    """A text field of a speed and consumption table."""

    most = MOST_PERFORMANCE_POINTS
    may_have_header = True

    def read_line(self, line: str) -> Any:
        """Read one point."""
        return load_point(PerformancePointSchema(), _read_words(line), _NAMES)


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
        elif (known := _WORDS.get(word.lower())) is not None:
            point[known[0]] = known[1]
        else:
            choices = ", ".join([*_WORDS, "Bf 4", "12.5m"])
            raise ValidationError(f"{word!r} is not known; allowed are {choices}.")
    if len(figures) != 2:
        raise ValidationError("enter the speed in kn and the consumption in mt/day, like 14 62.")
    return point | {"speed": figures[0], "focMtPerDay": figures[1]}


def write_speed_table(points: Iterable[Mapping[str, Any]] | None) -> str:
    """Write points as the lines that :class:`SpeedTable` reads."""
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
