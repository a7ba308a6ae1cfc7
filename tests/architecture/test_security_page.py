"""docs/security.md names tests that are there, for every chapter of the standard."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()


def test_every_test_that_it_names_is_there() -> None:
    named = re.findall(r"`((?:tests/[\w/]+/)?test_\w+\.py|tests/[\w/]+)`", PAGE)
    assert len(named) > 20
    for name in named:
        path = ROOT / name if name.startswith("tests/") else ROOT / "tests" / "integration" / name
        assert path.exists(), name


def test_it_goes_through_every_chapter() -> None:
    chapters = re.findall(r"^\| V(\d+) ", PAGE, re.MULTILINE)
    assert chapters == [str(number) for number in range(1, 18)]


def test_it_says_what_does_not_hold() -> None:
    assert "\n## What does not hold\n" in PAGE
