"""What the doctor finds."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SET_UP: Final = "Run the set-up again: `make run`, or the service `setup` of compose.yaml."


class Level(StrEnum):
    """How bad a finding is; a fault keeps the service from its work."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "FAULT"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part, and what to do about it."""

    part: str
    level: Level
    words: str
    remedy: str = ""


Findings = Iterator[Finding]
