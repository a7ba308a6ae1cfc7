"""Screens that pages are read on, and what must hold of a page's layout on each."""

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page

#: A finger hits what is at least this wide and high [px] (WCAG 2.5.5).
TARGET_PX = 44

_LAYOUT = Path(__file__).with_name("layout.js").read_text().rstrip(";\n")


class Screen(NamedTuple):
    """A screen's size [px], and whether it is operated by touch."""

    width: int
    height: int
    has_touch: bool

    def __str__(self) -> str:
        return f"{self.width}px"


DESK = Screen(1440, 900, has_touch=False)
#: A desk, a small laptop, a tablet held upright and a phone.
SCREENS = (
    DESK,
    Screen(1024, 768, has_touch=False),
    Screen(820, 1180, has_touch=True),
    Screen(390, 844, has_touch=True),
)


def press(target: Locator, screen: Screen) -> None:
    """Tap a control where the screen is touched, else click it."""
    if screen.has_touch:
        target.tap()
    else:
        target.click()


def sideways_overflow(page: Page) -> list[str]:
    """What makes the page wider than its screen; nothing when it fits."""
    return _ask(page, "sideways()")


def small_targets(page: Page) -> list[str]:
    """Controls on show that a finger misses."""
    return _ask(page, f"smallTargets({TARGET_PX})")


def _ask(page: Page, question: str) -> list[str]:
    found: list[str] = page.evaluate(f"{_LAYOUT}.{question}")
    return found
