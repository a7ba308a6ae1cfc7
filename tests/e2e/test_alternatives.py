"""Alternatives compared with the plan, on the chart and in the profile."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, StorageState, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.orders import ORDERS, call, order
from tests.e2e.screens import SCREENS
from tests.e2e.service import Service

#: A reference route through swell that the plan avoids.
SEAWARD = [(49.5, -5.5), (47.0, -16.0), (41.0, -16.0)]
LIMIT_M = 3.3

#: Counts pixels of a colour in the first profile.
PIXELS = """([name]) => {
    const probe = document.createElement("i");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    probe.remove();
    const canvas = document.querySelector(".plot canvas");
    const copy = document.createElement("canvas");
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    const ctx = copy.getContext("2d", { willReadFrequently: true });
    ctx.drawImage(canvas, 0, 0);
    const { data } = ctx.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (wanted.every((value, part) => Math.abs(data[i + part] - value) < 12)) count += 1;
    }
    return count;
}"""


def pixels(page: Page, colour: str) -> int:
    found: int = page.evaluate(PIXELS, [colour])
    return found


#: Records the order of what is drawn on each canvas.
RECORD = """() => {
    for (const name of ["fill", "stroke", "fillText", "strokeText"]) {
        const draw = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function (...args) {
            const words = typeof args[0] === "string" ? ` ${args[0]}` : "";
            (this.canvas.drawn ??= []).push(name + words);
            return draw.apply(this, args);
        };
    }
}"""


@pytest.fixture(scope="session")
def seaward(service: Service) -> str:
    """Plan a voyage with an alternative farther out, that breaks the wave limit."""
    start, end = ORDERS["Rotterdam to Lisbon"]
    waypoints = [{"lat": lat, "lng": lng} for lat, lng in (start[:2], *SEAWARD, end[:2])]
    reference: Any = [{"name": "seaward", "waypoints": waypoints}]
    return order(service, (start, end), importedData=reference, maxWaveHeight=LIMIT_M)


def row_of(page: Page, name: str) -> Locator:
    return page.locator(".table--alternatives tr[data-route]", has_text=name)


def test_a_chosen_alternative_lies_over_the_profile_and_shows_in_red_what_breaks_a_limit(
    planner: Page, seaward: str
) -> None:
    planner.goto(f"/voyages/{seaward}")
    broken = planner.locator("path.line-broken")
    expect(planner.locator(".plot canvas")).not_to_have_count(0)
    assert pixels(planner, "danger") == 0
    with planner.expect_response(re.compile(r"/alternatives/\d+$")) as asked:
        row_of(planner, "seaward").click()
    assert max(height for height in asked.value.json()["waveHeightM"] if height) > LIMIT_M
    expect(broken).not_to_have_count(0)
    planner.wait_for_function(f"() => ({PIXELS})(['danger']) > 20")
    assert pixels(planner, "alt") > 20
    planner.keyboard.press("1")
    expect(broken).to_have_count(0)
    planner.wait_for_function(f"() => ({PIXELS})(['danger']) === 0")


def test_a_chosen_alternative_is_shown_whole_with_the_plan_and_marked_in_the_comparison(
    planner: Page, service: Service, seaward: str
) -> None:
    planner.goto(f"/voyages/{seaward}")
    expect(planner.locator(".plot canvas")).not_to_have_count(0)
    planner.evaluate("map_chart.setView([52, 3], 8, {animate: false})")
    row_of(planner, "seaward").click()
    planner.wait_for_function(
        """() => {
            const chart = map_chart.getContainer().getBoundingClientRect();
            const lines = document.querySelectorAll("path.line-alt.is-chosen, path.line-route");
            return lines.length === 2 && [...lines].every((line) => {
                const { left, right, top, bottom } = line.getBoundingClientRect();
                return left > chart.left && right < chart.right && top > chart.top
                    && bottom < chart.bottom && bottom - top > 100;
            });
        }"""
    )
    zoom = planner.evaluate("map_chart.getZoom()")
    planner.evaluate("map_chart.setZoom(map_chart.getZoom() - 1, {animate: false})")
    planner.keyboard.press("1")
    planner.get_by_role("tab", name="Compare").click()
    row = planner.locator("#compare [data-route]", has_text="seaward")
    expect(row).to_contain_text("unsafe as given Reference route")
    expect(row).not_to_contain_text(f"{reference_fuel_mt(service, seaward):.1f}")
    row.click()
    assert planner.evaluate("map_chart.getZoom()") == zoom - 1, "both were in view"
    line = planner.locator(f"path.line-alt.alternative-{row.get_attribute('data-route')}")
    expect(line).to_have_class(re.compile("is-chosen"))
    expect(row).to_have_attribute("aria-current", "true")
    planner.mouse.move(5, 5)
    planner.keyboard.press("1")
    expect(line).not_to_have_class(re.compile("is-chosen"))
    expect(planner.locator("#compare [data-route='']")).to_have_attribute("aria-current", "true")


def test_an_alternative_tapped_on_a_phone_is_seen_on_the_chart(
    open_page: OpenPage, signed_in: StorageState, voyages: dict[str, str]
) -> None:
    phone = open_page(SCREENS[-1])
    phone.context.add_cookies(signed_in["cookies"])
    phone.goto(f"/voyages/{voyages['Rotterdam to Lisbon']}")
    expect(phone.locator(".plot canvas")).not_to_have_count(0)
    row = phone.locator(".table--alternatives [data-route='0']")
    row.tap()
    expect(row).to_be_in_viewport()
    expect(phone.locator("path.line-alt.is-chosen")).to_be_in_viewport()


def reference_fuel_mt(service: Service, charting_id: str) -> float:
    alternatives = call(service, f"/charting/{charting_id}")["alternatives"]
    found: float = next(a for a in alternatives if a["kind"] == "REFERENCE")["summary"]["fuelMt"]
    return found


def test_labels_in_the_profile_are_drawn_last_and_with_a_halo(planner: Page, seaward: str) -> None:
    planner.add_init_script(f"({RECORD})()")
    planner.goto(f"/voyages/{seaward}")
    expect(planner.locator(".plot canvas")).not_to_have_count(0)
    with planner.expect_response(re.compile(r"/alternatives/\d+$")):
        row_of(planner, "seaward").click()
    continues = "alternative continues to "
    planner.wait_for_function(
        "(words) => document.querySelector('.plot canvas').drawn?.some((d) => d.includes(words))",
        arg=continues,
    )
    drawn = planner.evaluate("document.querySelector('.plot canvas').drawn")
    climatology, alternative = ([d for d in drawn if words in d] for words in ("clim", continues))
    assert drawn[-4:] == [*climatology[-2:], *alternative[-2:]]
    assert [d.split()[0] for d in drawn[-4:]] == 2 * ["strokeText", "fillText"]
