"""Dry-dockings and hull cleanings as text, one line each with its day."""

from collections.abc import Iterable, Mapping
from datetime import date
from operator import itemgetter
from typing import Any, Final

from marshmallow import ValidationError

from app.pages.web.forms import read_day
from app.pages.web.text_lines import LinesField
from app.records.vessel import MOST_MAINTENANCE, MaintenanceKind

#: Name of each kind, and a part of it by which a line is recognised.
_WORDS: Final[Mapping[MaintenanceKind, tuple[str, str]]] = {
    MaintenanceKind.DRY_DOCKING: ("dry-docking", "dock"),
    MaintenanceKind.HULL_CLEANING: ("hull cleaning", "clean"),
}


class MaintenanceLines(LinesField):
    """A text field of dated events."""

    most = MOST_MAINTENANCE

    def read_line(self, line: str) -> dict[str, str]:
        """Read one event."""
        lowered = line.lower()
        kinds = [kind for kind, (_, stem) in _WORDS.items() if stem in lowered]
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
    return "\n".join(map(_write_line, sorted(events or (), key=itemgetter("date"))))


def _write_line(event: Mapping[str, Any]) -> str:
    day = date.fromisoformat(event["date"])
    return f"{day.day} {day:%b %Y} {_WORDS[MaintenanceKind(event['kind'])][0]}"
