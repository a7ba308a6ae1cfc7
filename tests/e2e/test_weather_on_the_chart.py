"""Weather over the chart of all seas."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Response, expect

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
    answer = switch_on(home, "Waves", "Wind").json()
    shown = datetime.fromisoformat(answer["time"])
    assert abs(shown - datetime.now(UTC)) <= timedelta(hours=1, minutes=31)
    day = f"{shown.day} {shown:%b %H:%M} UTC"
    expect(legend.locator("[data-weather=time]")).to_contain_text(day)
    expect(legend).to_contain_text("Waves, wind: monthly average")
    expect(legend).to_contain_text("Significant wave height")
    home.wait_for_timeout(200)
    assert weather_pixels(home) > MANY_PIXELS


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
