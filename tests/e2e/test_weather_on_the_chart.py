"""Weather layers on the chart."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Response, Route, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.screens import Screen, settle
from tests.e2e.test_reading_a_route import MANY_PIXELS, open_voyage, weather_pixels
from tests.waiting import wait_until


def switch_on(page: Page, *layers: str) -> Response:
    page.get_by_role("button", name="Layers").click()
    with page.expect_response(re.compile("chart-weather")) as asked:
        for layer in layers:
            page.get_by_role("switch", name=layer).click()
    return asked.value


def test_the_chart_shows_the_current_weather_when_a_layer_is_on(home: Page) -> None:
    asked: list[str] = []
    home.on("request", lambda request: asked.append(request.url))
    home.reload()
    settle(home)
    legend = home.locator("[data-legend=weather]")
    expect(legend).to_be_hidden()
    assert not [url for url in asked if "chart-weather" in url]
    switch_on(home, "Waves", "Wind")
    expect(legend.locator("[data-weather=time]")).to_have_text(hour_from_now(home, 0))
    expect(legend).to_contain_text("Waves, wind: monthly average")
    expect(legend).to_contain_text("Significant wave height")
    wait_until(lambda: weather_pixels(home) > MANY_PIXELS, "weather on the chart")


def hour_from_now(page: Page, hours: int) -> str:
    """Return the whole hour nearest to now, or some hours later, as the chart shows it."""
    at = page.evaluate("Date.now()") / 1000
    time = datetime.fromtimestamp(round(at / 3600) * 3600, UTC) + timedelta(hours=hours)
    return f"{time:%a} {time.day} {time:%b %H:%M} UTC"


@mouse_and_touch
def test_the_time_bar_selects_the_hour_of_the_weather(reader: Page, screen: Screen) -> None:
    reader.goto("/")
    bar = reader.locator(".time-bar")
    expect(bar).to_be_hidden()
    switch_on(reader, "Waves", "Wave direction")
    legend = reader.locator("[data-weather=time]")
    expect(bar).to_be_visible()
    slider = reader.get_by_role("slider", name="Time of the weather")
    slider.focus()
    # Each hour has its own weather, between the three-hourly samples too.
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


def test_the_weather_reaches_both_edges_of_a_chart_of_the_whole_world(home: Page) -> None:
    home.evaluate("map_chart.setView([20, 0], 2, { animate: false })")
    view = parse_qs(urlsplit(switch_on(home, "Wind").url).query)
    west, east = home.evaluate("[map_chart.getBounds().getWest(), map_chart.getBounds().getEast()]")
    assert float(view["west"][0]) <= west
    assert float(view["east"][0]) >= east


def test_the_chosen_layers_are_restored(home: Page) -> None:
    switch_on(home, "Current")
    with home.expect_response(re.compile("chart-weather")):
        home.reload()
    expect(home.locator("[data-weather=source]")).to_have_text("Current: monthly average")
    expect(home.locator("[data-weather=ramp]")).to_be_hidden()


#: Age of the forecast of `forecast` [h].
AGE_H = 7


def forecast(page: Page, **values: int) -> None:
    """Respond to requests for the chart's weather with a forecast of these values.

    The service has no forecast of its own: none may be fetched while tests run.
    """
    issued = page.evaluate("Date.now()") / 1000 - AGE_H * 3600
    run = {
        "run": "gfs-20260301T00Z-3f9c0a1b2d",
        "endsAt": "2099-01-01T00:00:00Z",
        "covers": "all oceans",
        "issuedAt": datetime.fromtimestamp(issued, UTC).isoformat(),
    }

    def answer(route: Route) -> None:
        answered = route.fetch(max_retries=2)
        drawn = answered.json()
        points = len(drawn["waveCm"])
        columns = {name: [value] * points for name, value in values.items()}
        route.fulfill(json=drawn | columns | {"sources": dict.fromkeys(drawn["sources"], run)})

    page.route("**/chart-weather?*", answer)


def test_the_age_of_the_forecast_is_given_in_hours_on_every_chart_with_weather(
    home: Page, voyages: dict[str, str]
) -> None:
    forecast(home)
    switch_on(home, "Waves")
    source = home.locator("[data-weather=source]")
    expect(source).to_have_text(f"Waves: GFS 1 Mar 00:00 UTC, {AGE_H} h old")
    open_voyage(home, voyages, "Rotterdam to Lisbon")
    expect(source).to_contain_text(f"Waves, wind: GFS 1 Mar 00:00 UTC, {AGE_H} h old")


def test_isobars_are_shown_when_they_are_switched_on(home: Page) -> None:
    switch_on(home, "Isobars")
    expect(home.locator("[data-weather=source]")).to_have_text("Pressure: monthly average")
    home.wait_for_function("document.querySelector('.leaflet-weather-pane canvas').width > 0")
    wait_until(lambda: weather_pixels(home) > 1000, "isobars on the chart")


def test_swell_is_drawn_with_height_and_direction_if_a_forecast_has_it(home: Page) -> None:
    home.get_by_role("button", name="Layers").click()
    expect(home.locator("[data-no-swell]")).to_have_text("Swell: not in the stored forecasts")
    expect(home.get_by_role("switch", name="Swell")).to_have_count(0)

    def offer(route: Route) -> None:
        # The switch as rendered once a forecast has swell.
        html = route.fetch(max_retries=2).text()
        switch = '<label><input type="checkbox" role="switch" name="weather-swell">Swell</label>'
        offered, count = re.subn(r"<p [^>]*data-no-swell>[^<]*</p>", switch, html)
        assert count == 1
        route.fulfill(body=offered, content_type="text/html")

    home.route(re.compile(r":\d+/$"), offer)
    home.reload()
    home.evaluate("map_chart.setView([45, -35], 4, { animate: false })")
    home.evaluate("""() => {
        window.drawn = [];
        const { fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (words, ...rest) {
            if (this.canvas.closest(".leaflet-weather-pane")) {
                window.drawn.push(words);
            }
            fillText.call(this, words, ...rest);
        };
    }""")
    forecast(home, swellCm=230, swellFromDeg=270)
    switch_on(home, "Swell")
    expect(home.locator("[data-weather=source]")).to_contain_text("Swell: GFS 1 Mar 00:00")
    home.wait_for_function("window.drawn.length > 10")
    assert set(home.evaluate("window.drawn")) == {"2.3"}
    # Many heights, but far fewer than there is room for.
    assert home.evaluate("window.drawn.length") < 400


def test_the_wind_is_given_by_its_direction_of_origin(home: Page, voyages: dict[str, str]) -> None:
    forecast(home, windUKn=15, windVKn=-15)
    home.evaluate("map_chart.setView([45, -30], 5, { animate: false })")
    switch_on(home, "Wind")
    expect(home.locator("[data-weather=source]")).to_contain_text("Wind: GFS")
    box = home.locator("#map_chart").bounding_box()
    assert box
    home.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(home.locator("[data-reading=wind]")).to_have_text("from 315° 21 kn")
    open_voyage(home, voyages, "Rotterdam to Lisbon")
    home.get_by_role("tab", name="Waypoints").click()
    heads = home.locator(".table--waypoints th").all_inner_texts()
    column = heads.index("Wind from, kn")
    cells = home.locator(f".table--waypoints tbody td:nth-child({column + 1})").all_inner_texts()
    assert all(re.fullmatch(r"\d{3}°? \d+", cell) for cell in cells), cells
    address = home.locator("a[href*=passage-plan]").first.get_attribute("href")
    assert address
    home.goto(address)
    heads = home.locator("section[aria-labelledby=weather-title] th").all_inner_texts()
    assert heads[heads.index("Wind kn") + 1] == "from"


def test_the_badge_opens_the_list_of_weather_runs(home: Page) -> None:
    badge = home.locator(".weather-badge")
    badge.locator("summary").click()
    expect(badge).to_contain_text("No forecast in the store: voyages are planned on climatology.")
    home.keyboard.press("Escape")
    expect(badge.locator("p")).to_be_hidden()
    expect(badge.locator("summary")).to_be_focused()
