"""Screen sizes, and checks of a page's layout."""

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page

#: Least width and height of a touch target [px] (WCAG 2.5.5).
TARGET_PX = 44

_LAYOUT = Path(__file__).with_name("layout.js").read_text().rstrip(";\n")


class Screen(NamedTuple):
    """Size of a screen [px], and whether it has touch input."""

    width: int
    height: int
    has_touch: bool

    def __str__(self) -> str:
        return f"{self.width}px"


DESK = Screen(1440, 900, has_touch=False)
#: Desktop, small laptop, tablet in portrait and phone.
SCREENS = (
    DESK,
    Screen(1024, 768, has_touch=False),
    Screen(820, 1180, has_touch=True),
    Screen(390, 844, has_touch=True),
)


def press(target: Locator, screen: Screen) -> None:
    """Tap a control on a touch screen, else click it."""
    if screen.has_touch:
        target.tap()
    else:
        target.click()


def sideways_overflow(page: Page) -> list[str]:
    """List the elements that make the page wider than its screen."""
    return _ask(page, "sideways()")


def small_targets(page: Page) -> list[str]:
    """List the visible controls that are too small for touch."""
    return _ask(page, f"smallTargets({TARGET_PX})")


def _ask(page: Page, question: str) -> list[str]:
    found: list[str] = page.evaluate(f"{_LAYOUT}.{question}")
    return found
