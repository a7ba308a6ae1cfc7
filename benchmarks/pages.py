"""Time and size of the page of a charting with 400 waypoints and weather.

``python -m benchmarks.pages [--loads N] [--waypoints N] [--port N]``

Rotterdam to Singapore is planned. Then the legs of the stored plan are split at points of its own
dense profile until there are enough waypoints, which leaves track, times and weather unchanged.
Chromium opens the page with an empty cache each time. *Answers* is the time until a key on the
slider has moved the time of the voyage on the screen. *First* is the first page that a new web
server answers.
"""

import argparse
import time
from bisect import bisect
from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from typing import Any

import psycopg
from playwright.sync_api import Browser, CDPSession, Page, StorageState, sync_playwright
from psycopg.types.json import Jsonb

from benchmarks.installation import (
    Installation,
    find_chromium,
    installation,
    run,
    wait_until,
)
from benchmarks.memory import LONG_VOYAGE
from benchmarks.report import print_result, print_table

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
VIEWPORT = {"width": 1440, "height": 900}
EMAIL = "reader@example.org"
PLANNING_PATIENCE_S = 120.0
SETTLING_S = 3.0

#: Records the first text of the slider, its change after a key, layout shifts and long tasks.
NOTES = """
const noted = { shift: 0, longest: 0 };
window.noted = noted;
new MutationObserver(() => {
    if (noted.shown === undefined) noted.shown = performance.now();
    else if (noted.answers === undefined) {
        requestAnimationFrame(() => setTimeout(() => { noted.answers = performance.now(); }));
    }
}).observe(document, { subtree: true, attributeFilter: ["aria-valuetext"] });
new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) noted.shift += each.value;
}).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => {
    for (const each of list.getEntries()) noted.longest = Math.max(noted.longest, each.duration);
}).observe({ type: "longtask", buffered: true });
"""
TIMES = """
() => {
    const [page] = performance.getEntriesByType("navigation");
    return {
        first_byte_ms: page.responseStart, parsed_ms: page.domContentLoadedEventEnd,
        loaded_ms: page.loadEventEnd, answers_ms: noted.answers,
        longest_task_ms: noted.longest, layout_shift: noted.shift,
    };
}
"""
HEADERS = (
    ("first byte [ms]", "first_byte_ms", 0),
    ("DOMContentLoaded [ms]", "parsed_ms", 0),
    ("load [ms]", "loaded_ms", 0),
    ("answers [ms]", "answers_ms", 0),
    ("longest task [ms]", "longest_task_ms", 0),
    ("layout shift", "layout_shift", 3),
    ("transferred [kB]", "transferred_kb", 0),
)

Measured = Mapping[str, float]


def main() -> None:
    """Plan the voyage, split its legs, open its page repeatedly; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loads", type=int, default=15)
    parser.add_argument("--first", type=int, default=3, help="loads from a new server")
    parser.add_argument("--waypoints", type=int, default=400)
    parser.add_argument("--port", type=int, default=8040)
    asked = parser.parse_args()
    with installation(asked.port) as service, sync_playwright() as playwright:
        address = f"{service.settings.address}/voyages/{plan(service, asked.waypoints)}"
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        user = sign_in(service, browser)
        first = [open_first(service, browser, user, address) for _ in range(asked.first)]
        later = [open_page(browser, user, address) for _ in range(asked.loads)]
    report(first, later, asked.waypoints)


def plan(service: Installation, waypoints: int, voyage: Mapping[str, Any] = LONG_VOYAGE) -> str:
    """Plan a voyage and split its legs; return the charting's id."""
    order = {**voyage, "startDate": f"{time.gmtime().tm_year + 1}-01-14T18:00:00Z"}
    charting_id = service.place_order(order)

    def status() -> str:
        return str(service.ask("GET", f"/charting/{charting_id}")[1]["status"])

    wait_until(lambda: status() not in ("QUEUED", "RUNNING"), PLANNING_PATIENCE_S)
    if status() != "COMPLETED":
        raise RuntimeError("the voyage was not planned")
    with psycopg.connect(service.services.environment()["DATABASE_URL"]) as database:
        database.execute(
            "SELECT set_config('app.organization', %s, false)", [service.organization_id]
        )
        kept, profile = database.execute("SELECT plan, profile FROM charting_revision").fetchone()
        kept["waypoints"] = split_legs(kept["waypoints"], profile, waypoints)
        database.execute("UPDATE charting_revision SET plan = %s", [Jsonb(kept)])
    return charting_id


def split_legs(
    waypoints: list[dict[str, Any]], profile: list[dict[str, Any]], wanted: int
) -> list[dict[str, Any]]:
    """Return the plan's waypoints with points of its profile in between.

    Each leg gets new waypoints by its share of the voyage's profile.
    """
    ends = [point["cumulativeNm"] for point in waypoints]
    between = [point for point in profile if _is_within_a_leg(point["cumulativeNm"], ends)]
    missing = wanted - len(waypoints)
    if not 0 <= missing <= len(between):
        raise RuntimeError(f"{len(waypoints)} waypoints can't be made {wanted}")
    added = [between[(2 * n + 1) * len(between) // (2 * missing)] for n in range(missing)]
    lay = [_waypoint(point, waypoints[bisect(ends, point["cumulativeNm"])]) for point in added]
    points = sorted([*waypoints, *lay], key=lambda point: point["cumulativeNm"])
    for before, point in pairwise(points):
        whole_nm, part_nm = point["legDistanceNm"], point["cumulativeNm"] - before["cumulativeNm"]
        share = part_nm / whole_nm if whole_nm else 0.0
        point |= {"legDistanceNm": part_nm, "legFuelMt": point["legFuelMt"] * share}
    return [point | {"index": index} for index, point in enumerate(points)]


def _is_within_a_leg(cumulative_nm: float, ends: list[float]) -> bool:
    after = bisect(ends, cumulative_nm)
    return 0 < after < len(ends) and min(
        cumulative_nm - ends[after - 1], ends[after] - cumulative_nm
    ) > 0.5  # fmt: skip


def _waypoint(point: Mapping[str, Any], end: Mapping[str, Any]) -> dict[str, Any]:
    """Return a waypoint on the leg that leads to ``end``, at a point of the profile."""
    own = ("lat", "lng", "cumulativeNm", "courseDeg", "speedKn", "speedThroughWaterKn", "powerKw",
           "inEca", "weather")  # fmt: skip
    return {**end, **{key: point[key] for key in own}, "eta": point["time"], "note": None}


def sign_in(service: Installation, browser: Browser) -> StorageState:
    """Create a user and sign in; return the session."""
    names = ["--org", "Benchmark", "--email", EMAIL, "--name", "Reader"]
    password = run.flask(service.supervisor.environment, "users", "create", *names).strip()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{service.settings.address}/sign-in")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("networkidle")
    session = context.storage_state()
    context.close()
    return session


def open_first(
    service: Installation, browser: Browser, user: StorageState, address: str
) -> Measured:
    """Open the page as the first request to a new web server."""
    old = set(service.pids("web"))
    service.kill("web")
    wait_until(lambda: service.pids("web") and not old & set(service.pids("web")), 30.0)
    run.wait_until_ready(service.settings, service.supervisor)
    time.sleep(SETTLING_S)
    return open_page(browser, user, address)


def open_page(browser: Browser, user: StorageState, address: str) -> Measured:
    """Open the page with an empty cache, press keys until it reacts, and wait for its end."""
    context = browser.new_context(storage_state=user, viewport=VIEWPORT, locale="en-GB")
    page = context.new_page()
    page.add_init_script(NOTES)
    sizes = count_bytes(context.new_cdp_session(page))
    page.goto(address, wait_until="commit")
    press_until_answered(page)
    page.wait_for_load_state("networkidle")
    times: dict[str, float] = page.evaluate(TIMES)
    context.close()
    return times | {"transferred_kb": sum(sizes) / 1e3}


def count_bytes(browser: CDPSession) -> list[float]:
    """Count the bytes of answers as transferred, compressed, with headers."""
    sizes: list[float] = []
    browser.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    browser.send("Network.enable")
    return sizes


def press_until_answered(page: Page) -> None:
    """Press a key on the slider as soon as it exists, until it has moved something."""
    slider = page.locator(".voyage-slider")
    slider.focus()
    while page.evaluate("noted.answers === undefined"):
        page.keyboard.press("ArrowRight")


def report(first: list[Measured], later: list[Measured], waypoints: int) -> None:
    """Print median and worst, and, last, one JSON object."""
    rows = [
        (name, *(f"{take(load[key] for load in loads):.{digits}f}" for _, key, digits in HEADERS))
        for name, loads, take in (
            ("first, median", first, median), ("first, worst", first, max),
            ("later, median", later, median), ("later, worst", later, max),
        ) if loads
    ]  # fmt: skip
    print(f"{waypoints} waypoints; {len(first)} first loads and {len(later)} later ones")
    print_table(("", *(name for name, _, _ in HEADERS)), rows)
    print_result(
        {
            "answers_ms": round(median(load["answers_ms"] for load in later)),
            "answers_worst_ms": round(max(load["answers_ms"] for load in [*first, *later])),
            "first_answers_ms": round(median(load["answers_ms"] for load in first)),
            "first_byte_ms": round(median(load["first_byte_ms"] for load in later)),
            "layout_shift": round(max(load["layout_shift"] for load in later), 4),
            "transferred_kb": round(max(load["transferred_kb"] for load in later)),
        }
    )


if __name__ == "__main__":
    main()
