"""Browser contexts that tests use one after another, so that scripts and maps stay cached."""

from contextlib import suppress

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.e2e.screens import Screen
from tests.waiting import PATIENCE_S

#: Whether a page has its own clock and not one of Playwright, which remains in its context.
HAS_OWN_CLOCK = r"/\[native code\]/.test(Function.prototype.toString.call(Date))"
#: What pages store; not their cached files.
STORED = "local_storage,indexeddb,service_workers,cache_storage"
#: Time after which a page that is not closed is closed again [ms].
CLOSED_WITHIN_MS = 2000


class Sessions:
    """New sessions, with the browser's cache of earlier ones on the same screen.

    Without the cache each test would request some sixty files anew and compile the scripts.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address
        self._tools = browser.new_browser_cdp_session()
        self._free: dict[Screen, BrowserContext] = {}

    def open(self, screen: Screen) -> Page:
        """Open a page without cookies and stored data; no two open pages share a context.

        A context whose clock an earlier test has replaced is not used again.
        """
        context = self._free.pop(screen, None) or self._make(screen)
        page = context.new_page()
        if not page.evaluate(HAS_OWN_CLOCK):
            context.close()
            return self.open(screen)
        context.clear_cookies()
        context.clear_permissions()
        tools = context.new_cdp_session(page)
        tools.send("Storage.clearDataForOrigin", {"origin": self.address, "storageTypes": STORED})
        tools.detach()
        return page

    def close(self, page: Page, screen: Screen) -> None:
        """Close a page and those opened from it; keep the context if there is none yet."""
        context = page.context
        for each in context.pages:
            self._close(each)
        if screen not in self._free:
            self._free[screen] = context
        else:
            context.close()

    def _close(self, page: Page) -> None:
        """Close a page, again if need be.

        The browser forgets the request where the page is just loading another document, as one that
        follows a planning does, and ``Page.close`` would wait for ever.
        """
        tools = page.context.new_cdp_session(page)
        target = tools.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        while not page.is_closed():
            with suppress(Error), page.expect_event("close", timeout=CLOSED_WITHIN_MS):
                self._tools.send("Target.closeTarget", {"targetId": target})

    def end(self) -> None:
        """Close the contexts that are kept."""
        for context in self._free.values():
            context.close()

    def _make(self, screen: Screen) -> BrowserContext:
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": screen.width, "height": screen.height},
            has_touch=screen.has_touch,
            locale="en-GB",
        )
        context.set_default_timeout(1000 * PATIENCE_S)
        return context
