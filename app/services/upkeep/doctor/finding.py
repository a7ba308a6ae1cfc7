"""Findings of the doctor."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SET_UP: Final = "Run the set-up again: `make run`, or the service `setup` of compose.yaml."


class Level(StrEnum):
    """Severity of a finding; a fault stops the service from working."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "FAULT"


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding about one part, and its remedy."""

    part: str
    level: Level
    words: str
    remedy: str = ""


Findings = Iterator[Finding]
