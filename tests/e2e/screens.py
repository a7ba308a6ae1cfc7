"""Screen sizes, and checks of a page's layout."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Locator, Page, TimeoutError, expect

#: Least width and height of a touch target [px] (WCAG 2.5.5).
TARGET_PX = 44
#: Regions that hold a table, and scroll by themselves where it is too wide.
REGIONS = ".list__body, .scroll, .dock--edit"
#: Longest wait for an idle network [ms].
IDLE_WITHIN_MS = 20_000

_LAYOUT = Path(__file__).with_name("layout.js").read_text().rstrip(";\n")


class Screen(NamedTuple):
    """Size of a screen [px], and whether it has touch input."""

    width: int
    height: int
    has_touch: bool

    def __str__(self) -> str:
        return f"{self.width}px"


DESK = Screen(1440, 900, has_touch=False)
#: Screen of tests that do not depend on its size: a chart of a desk's takes half as long again.
USUAL = Screen(1280, 720, has_touch=False)
#: Desktop, small laptop, tablet in portrait and phone.
SCREENS = (
    DESK,
    Screen(1024, 768, has_touch=False),
    Screen(820, 1180, has_touch=True),
    Screen(390, 844, has_touch=True),
)


def settle(page: Page) -> None:
    """Let a page load what it is about to show.

    A browser that still counts a request that it has dropped never calls its network idle; no
    longer is waited for that than any page takes. For what a test reads, it waits itself.
    """
    with suppress(TimeoutError):
        page.wait_for_load_state("networkidle", timeout=IDLE_WITHIN_MS)


def show_on(page: Page, screen: Screen) -> None:
    """Change the size of the window of an open page."""
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    # After the browser's layout and the page's reaction to it.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def press(target: Locator, screen: Screen) -> None:
    """Tap a control on a touch screen, else click it."""
    if screen.has_touch:
        target.tap()
    else:
        target.click()


def painted_pixels(page: Page, canvases: str) -> int:
    """Count the painted pixels of the canvases that a selector names.

    Copies are read: a browser warns of a canvas that is read again and again.
    """
    painted: int = page.evaluate(
        """(canvases) => [...document.querySelectorAll(canvases)].reduce((sum, canvas) => {
            const { width, height } = canvas;
            if (!width || !height) return sum;
            const copy = new OffscreenCanvas(width, height);
            const ctx = copy.getContext("2d", { willReadFrequently: true });
            ctx.drawImage(canvas, 0, 0);
            const { data } = ctx.getImageData(0, 0, width, height);
            return sum + data.filter((value, i) => i % 4 === 3 && value > 0).length;
        }, 0)""",
        canvases,
    )
    return painted


def sideways_overflow(page: Page) -> list[str]:
    """List the elements that make the page wider than its screen."""
    return _ask(page, "sideways()")


def small_targets(page: Page) -> list[str]:
    """List the visible controls that are too small for touch."""
    return _ask(page, f"smallTargets({TARGET_PX})")


def wide_regions(page: Page) -> list[str]:
    """List the regions that scroll sideways."""
    expect(page.locator(REGIONS).filter(visible=True).first).to_be_visible()
    found: list[str] = page.locator(REGIONS).evaluate_all(
        "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className)"
    )
    return found


def _ask(page: Page, question: str) -> list[str]:
    found: list[str] = page.evaluate(f"{_LAYOUT}.{question}")
    return found
