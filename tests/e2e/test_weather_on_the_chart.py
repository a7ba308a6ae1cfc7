"""Weather over the chart of all seas."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Response, expect

from tests.e2e.screens import Screen
from tests.e2e.test_reading_a_route import MANY_PIXELS, weather_pixels


def switch_on(page: Page, *layers: str) -> Response:
    page.get_by_role("button", name="Layers").click()
    with page.expect_response(re.compile("chart-weather")) as asked:
        for layer in layers:
            page.get_by_role("switch", name=layer).click()
    return asked.value


def test_the_chart_shows_the_weather_of_the_hour_when_it_is_asked_for(home: Page) -> None:
    asked: list[str] = []
    home.on("request", lambda request: asked.append(request.url))
    home.reload()
    home.wait_for_load_state("networkidle")
    legend = home.locator("[data-legend=weather]")
    expect(legend).to_be_hidden()
    assert not [url for url in asked if "chart-weather" in url]
    switch_on(home, "Waves", "Wind")
    expect(legend.locator("[data-weather=time]")).to_have_text(hour_from_now(home, 0))
    expect(legend).to_contain_text("Waves, wind: monthly average")
    expect(legend).to_contain_text("Significant wave height")
    home.wait_for_timeout(200)
    assert weather_pixels(home) > MANY_PIXELS


def hour_from_now(page: Page, hours: int) -> str:
    """The whole hour nearest to now, or so many later, as the chart writes it."""
    at = page.evaluate("Date.now()") / 1000
    time = datetime.fromtimestamp(round(at / 3600) * 3600, UTC) + timedelta(hours=hours)
    return f"{time:%a} {time.day} {time:%b %H:%M} UTC"


def test_a_time_bar_takes_the_weather_through_the_hours(reader: Page, screen: Screen) -> None:
    reader.goto("/")
    bar = reader.locator(".time-bar")
    expect(bar).to_be_hidden()
    switch_on(reader, "Waves", "Wave direction")
    legend = reader.locator("[data-weather=time]")
    expect(bar).to_be_visible()
    slider = reader.get_by_role("slider", name="Time of the weather")
    slider.focus()
    # between the three-hourly samples as well: each hour has its own weather
    for hours in (1, 2, 3):
        reader.keyboard.press("ArrowRight")
        expect(legend).to_have_text(hour_from_now(reader, hours))
    box = slider.bounding_box()
    assert box
    press = reader.touchscreen.tap if screen.has_touch else reader.mouse.click
    press(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(slider).not_to_have_value("3")
    later = int(slider.input_value())
    assert 100 < later < 116
    expect(legend).to_have_text(hour_from_now(reader, later))
    bar.get_by_role("button", name="Now").click()
    expect(slider).to_have_value("0")
    expect(legend).to_have_text(hour_from_now(reader, 0))


def test_between_two_samples_the_weather_lies_between_them(home: Page) -> None:
    mixed = home.evaluate("""async () => {
        const { Frame } = await import("/static/js/chart/weather_frames.js");
        const four = (value) => Array(4).fill(value);
        const names = ["windUKn", "windVKn", "currentUDkn", "currentVDkn"];
        const still = Object.fromEntries(names.map((name) => [name, four(0)]));
        const frame = (time, waves, from, pressure) => new Frame({
            ...still, time, lats: [50, 49], lngs: [0, 1], sources: {},
            waveCm: four(waves), waveFromDeg: four(from),
            pressureDhPa: [pressure, pressure, pressure, null],
        });
        const before = frame("2026-03-01T00:00:00Z", 100, 350, 10000);
        const after = frame("2026-03-01T03:00:00Z", 400, 10, 10030);
        const found = before.mixedWith(after, 1 / 3, Date.parse("2026-03-01T01:00:00Z"));
        const towards = [found.waveToU[0] < 0.06, found.waveToV[0] < -0.98];
        return [found.time, found.waveCm[0], ...towards, found.pressureDhPa];
    }""")
    assert mixed == ["2026-03-01T01:00:00Z", 200, True, True, [10010, 10010, 10010, None]]


def test_the_weather_reaches_both_edges_of_a_chart_of_the_whole_world(home: Page) -> None:
    home.evaluate("map_chart.setView([20, 0], 2, { animate: false })")
    view = parse_qs(urlsplit(switch_on(home, "Wind").url).query)
    west, east = home.evaluate("[map_chart.getBounds().getWest(), map_chart.getBounds().getEast()]")
    assert float(view["west"][0]) <= west
    assert float(view["east"][0]) >= east


def test_the_chosen_weather_is_there_again(home: Page) -> None:
    switch_on(home, "Current")
    with home.expect_response(re.compile("chart-weather")):
        home.reload()
    expect(home.locator("[data-weather=source]")).to_have_text("Current: monthly average")
    expect(home.locator("[data-weather=ramp]")).to_be_hidden()
