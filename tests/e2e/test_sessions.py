"""Sessions of the browser tests: nothing but cached files passes from one to the next."""

from tests.e2e.screens import DESK
from tests.e2e.sessions import Sessions

STORE = """() => {
    localStorage.setItem("earlier", "1");
    sessionStorage.setItem("earlier", "1");
    document.cookie = "earlier=1";
}"""
FOUND = "[localStorage.earlier, sessionStorage.earlier, document.cookie].filter(Boolean)"


def test_a_session_has_nothing_that_an_earlier_one_stored(sessions: Sessions) -> None:
    earlier = sessions.open(DESK)
    earlier.goto("/sign-in")
    earlier.evaluate(STORE)
    assert len(earlier.evaluate(FOUND)) == 3
    sessions.close(earlier, DESK)
    page = sessions.open(DESK)
    assert page.context is earlier.context
    page.goto("/sign-in")
    assert page.evaluate(FOUND) == []
    sessions.close(page, DESK)


def test_a_replaced_clock_ends_with_its_session(sessions: Sessions) -> None:
    earlier = sessions.open(DESK)
    earlier.clock.install()
    earlier.goto("/sign-in")
    sessions.close(earlier, DESK)
    page = sessions.open(DESK)
    assert page.context is not earlier.context
    sessions.close(page, DESK)
