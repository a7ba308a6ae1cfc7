"""Fixtures: the whole service as started by ``make run``, and a browser that reports errors."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence

import pytest
from local_processes import free_port
from local_services import LocalServices
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    StorageState,
    expect,
    sync_playwright,
)
from setup_steps import find_chromium

from tests.e2e.orders import ORDERS, REFERENCES, order
from tests.e2e.screens import DESK, SCREENS, USUAL, Screen, settle
from tests.e2e.service import ROOT, STATE, Service, sign_in
from tests.e2e.sessions import Sessions
from tests.interfaces import interfaces
from tests.openid_provider import CLIENT_ID, CLIENT_SECRET, Provider, running_provider
from tests.waiting import PATIENCE_S

#: Set-up may compile all kernels first [s].
READY_PATIENCE_S = 4 * PATIENCE_S
expect.set_options(timeout=1000 * PATIENCE_S)
SCREENSHOTS = ROOT / "var" / "screenshots"
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
]
#: Runs a test on a desktop and on a phone, where only mouse or touch can change its outcome.
mouse_and_touch = pytest.mark.parametrize("screen", [DESK, SCREENS[-1]], ids=str)
#: Whether a test has failed.
HAS_FAILED = pytest.StashKey[bool]()

#: Opens a page on a screen.
OpenPage = Callable[[Screen], Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/e2e/"):
            item.add_marker(pytest.mark.browser)
            # Pages are slow on a busy machine, and the first test waits for the whole service.
            item.add_marker(pytest.mark.timeout(1800))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[HAS_FAILED] = item.stash.get(HAS_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    """Run an OpenID provider that the service uses."""
    with running_provider() as running:
        yield running


@pytest.fixture(scope="session")
def service(provider: Provider) -> Iterator[Service]:
    """Run the service with its own servers and data, as ``make run`` starts it."""
    LocalServices(STATE).remove()
    shutil.rmtree(STATE, ignore_errors=True)
    own = {"PORT": str(free_port()), "STATE_DIR": str(STATE), "PYTHONUNBUFFERED": "1"}
    own |= {"WEATHER_SOURCE": "none", "MONITOR_EVERY_S": "2", "WORKERS": "1"}
    own |= {
        "OIDC_ISSUER": provider.issuer,
        "OIDC_CLIENT_ID": CLIENT_ID,
        "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "OIDC_ORGANIZATION": "Demo",
        "OIDC_ROLES": "office=planner",
        "OIDC_LABEL": "Sign in with Vos Shipping",
    }
    taken = {"DATABASE_URL", "REDIS_URL"}
    environment = {key: value for key, value in os.environ.items() if key not in taken} | own
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "run.py")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Service(process)
    listener = threading.Thread(target=running.listen)
    listener.start()
    running.is_ready.wait(READY_PATIENCE_S)
    try:
        assert "Ctrl-C stops" in running.greeting, f"the service did not start:\n{running.greeting}"
        yield running
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
        listener.join()
        process.stdout.close()
    assert process.returncode == 0, running.greeting
    assert running.processes() == [], "something that was started is still running"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Launch the system's Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def signed_in(service: Service, browser: Browser) -> StorageState:
    """Sign in once and return the browser's storage, shared by all tests."""
    context = browser.new_context(base_url=service.address)
    context.set_default_timeout(1000 * PATIENCE_S)
    sign_in(context.new_page(), service)
    kept = context.storage_state()
    context.close()
    return kept


class Watch:
    """Record of console errors, failed requests and requests to other hosts."""

    def __init__(self, page: Page, host: str) -> None:
        self.host = host
        self.faults: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.faults.append(f"script error: {error}"))
        page.on("request", self._on_request)
        page.on("requestfailed", self._on_failure)

    def _on_console(self, message: ConsoleMessage) -> None:
        # Violations of the content security policy are reported here too.
        if message.type in ("error", "warning"):
            self.faults.append(f"console {message.type}: {message.text} ({message.location})")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.host, "data:", "blob:")):
            self.faults.append(f"request to another host: {request.url}")

    def _on_failure(self, request: Request) -> None:
        # Leaving a page aborts its requests.
        if request.failure != "net::ERR_ABORTED":
            self.faults.append(f"request failed: {request.url} {request.failure}")


@pytest.fixture(scope="session")
def sessions(service: Service, browser: Browser) -> Iterator[Sessions]:
    """Keep the browser's cache from test to test."""
    kept = Sessions(browser, service.address)
    yield kept
    kept.end()


@pytest.fixture
def open_page(
    service: Service, sessions: Sessions, request: pytest.FixtureRequest
) -> Iterator[OpenPage]:
    """Open pages in new sessions; fail on console errors and on requests to other hosts.

    Screenshots of failed tests are saved in var/screenshots. A test that provokes an error response
    names its status in the mark ``refused``, because the browser logs it.
    """
    opened: list[tuple[Screen, Page, Watch]] = []

    def open_on(screen: Screen) -> Page:
        page = sessions.open(screen)
        opened.append((screen, page, Watch(page, service.address)))
        return page

    with interfaces():
        yield open_on
        faults = [*_close(sessions, opened, request)]
    assert not faults, "\n".join(faults)


def _close(
    sessions: Sessions,
    opened: Sequence[tuple[Screen, Page, Watch]],
    request: pytest.FixtureRequest,
) -> Iterator[str]:
    """Save screenshots of a failed test, close the pages, and return their errors."""
    mark = request.node.get_closest_marker("refused")
    awaited = [f"status of {status}" for status in mark.args] if mark else []
    for number, (screen, page, watch) in enumerate(opened, 1):
        settle(page)
        if request.node.stash.get(HAS_FAILED, False):
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            name = request.node.name + (f"-{number}" if number > 1 else "")
            page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
        sessions.close(page, screen)
        yield from (f for f in watch.faults if not any(each in f for each in awaited))


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """Open a page in a new session on a laptop's screen."""
    return open_page(USUAL)


@pytest.fixture
def planner(page: Page, signed_in: StorageState) -> Page:
    """Open an empty page with a signed-in user."""
    page.context.add_cookies(signed_in["cookies"])
    return page


@pytest.fixture(params=SCREENS, ids=str)
def screen(request: pytest.FixtureRequest) -> Screen:
    """Run the test once on each screen."""
    found: Screen = request.param
    return found


@pytest.fixture
def reader(open_page: OpenPage, screen: Screen, signed_in: StorageState) -> Page:
    """Open an empty page with a signed-in user on each screen."""
    page = open_page(screen)
    page.context.add_cookies(signed_in["cookies"])
    return page


@pytest.fixture
def home(planner: Page) -> Page:
    """Open the chart page."""
    planner.goto("/")
    return planner


@pytest.fixture(scope="session")
def voyages(service: Service) -> dict[str, str]:
    """Plan the chartings of ``ORDERS`` and return their ids by name."""
    return {name: order(service, ends, REFERENCES[name]) for name, ends in ORDERS.items()}
