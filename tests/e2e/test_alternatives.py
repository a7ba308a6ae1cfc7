"""Alternatives compared with the plan, on the chart and in the profile."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.orders import ORDERS, order
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


def test_a_chosen_alternative_lies_over_the_profile_and_shows_in_red_what_breaks_a_limit(
    planner: Page, service: Service
) -> None:
    start, end = ORDERS["Rotterdam to Lisbon"]
    seaward = [{"lat": lat, "lng": lng} for lat, lng in (start[:2], *SEAWARD, end[:2])]
    reference: Any = [{"name": "seaward", "waypoints": seaward}]
    voyage = order(service, (start, end), importedData=reference, maxWaveHeight=LIMIT_M)
    planner.goto(f"/voyages/{voyage}")
    broken = planner.locator("path.line-broken")
    expect(planner.locator(".plot canvas")).not_to_have_count(0)
    assert pixels(planner, "danger") == 0
    rows = planner.locator(".table--alternatives tr[data-route]")
    with planner.expect_response(re.compile(r"/alternatives/\d+$")) as asked:
        rows.filter(has_text="seaward").click()
    assert max(height for height in asked.value.json()["waveHeightM"] if height) > LIMIT_M
    expect(broken).not_to_have_count(0)
    planner.wait_for_function(f"() => ({PIXELS})(['danger']) > 20")
    assert pixels(planner, "alt") > 20
    planner.keyboard.press("1")
    expect(broken).to_have_count(0)
    planner.wait_for_function(f"() => ({PIXELS})(['danger']) === 0")
