"""Findings of the doctor."""

from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from typing import Final, NamedTuple

SET_UP: Final = "Run the set-up again: `make run`, or the service `setup` of compose.yaml."


class Level(StrEnum):
    """Severity of a finding; a fault stops the service from working."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "FAULT"


class Finding(NamedTuple):
    """Finding about one part, and its remedy."""

    level: Level
    words: str
    remedy: str = ""


Findings = Iterator[Finding]

good = partial(Finding, Level.GOOD)
warning = partial(Finding, Level.WARNING)
fault = partial(Finding, Level.FAULT)


def warn_unless(is_good: bool, words: str, remedy: str) -> Finding:
    """Build a finding that is good, or a warning with a remedy."""
    return good(words) if is_good else warning(words, remedy)
