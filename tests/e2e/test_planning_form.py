"""Planning form: copies of requests, ended sessions, updates by colleagues, port search."""

import json
import re
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import mouse_and_touch
from tests.e2e.orders import call, order, wait_for_status
from tests.e2e.screens import DESK, Screen, press, settle, show_on
from tests.e2e.service import Service
from tests.e2e.test_planning_a_route import WARNING, choose_port
from tests.integration.client import VESSEL

BOX = [[2.4, 51.6], [2.5, 51.6], [2.5, 51.7], [2.4, 51.6]]
#: A request with no field at the form's default.
WHOLE: dict[str, Any] = {
    "latFrom": 51.98,
    "lngFrom": 4.0,
    "nidFrom": "NLRTM",
    "portFromName": "Rotterdam",
    "latTo": 51.5,
    "lngTo": 1.2,
    "nidTo": None,
    "portToName": "London",
    "startDate": "2026-03-01T06:00:00Z",
    "endDate": "2026-03-03T06:00:00Z",
    "speedRangeMin": 9.5,
    "speedRangeMax": 12.5,
    "draft": 10.25,
    "trim": 0.5,
    "rpm": 95,
    "dwt": 60000,
    "optimizationType": "BAL",
    "routeType": "RL",
    "maxWaveHeight": 5,
    "waveUnit": "douglas",
    "maxWindBf": 17.5,
    "windUnit": "m/s",
    "maxNorthLat": 60,
    "maxSouthLat": 40,
    "noGoAreas": [
        BOX,
        {"type": "Polygon", "coordinates": [BOX]},
        {
            "type": "Feature",
            "properties": {"name": "Wind farm", "start_date": "2026-03-01", "end_date": None},
            "geometry": {"type": "MultiPolygon", "coordinates": [[BOX]]},
        },
    ],
    "importedData": [
        {
            "name": "last voyage",
            "waypoints": [{"lat": 51.98, "lng": 4.0}, {"lat": 51.5, "lng": 1.2}],
        }
    ],
    "avoidEca": True,
    "avoidPiracyAreas": False,
    "avoidWarZones": False,
    "isAlterFrom": True,
    "owner": "desk 2",
    "triggeredBy": "schedule",
    "onboardingUploadedFileKey": "file-7",
}


def make_charting(service: Service, **otherwise: Any) -> dict[str, Any]:
    """Request a charting and cancel its planning."""
    vessel = call(service, "/vessel")["items"][0]
    body = WHOLE | {"vesselId": vessel["id"], "lbp": vessel["lbp"], "pitch": vessel["pitch"]}
    made: dict[str, Any] = call(service, "/charting", body | otherwise)
    # Nothing to cancel if planning has already ended.
    with suppress(HTTPError):
        call(service, f"/charting/{made['id']}/cancel", method="POST")
    return made


def end_session(page: Page) -> None:
    """End the session once no response is pending, which would restore its cookie."""
    who = "fetch('/session').then((answer) => answer.json()).then(({ email }) => email)"
    ended = 0
    while ended < 3:
        ended = ended + 1 if page.evaluate(who) is None else 0
        page.context.clear_cookies()
        page.wait_for_timeout(300)


def submit(page: Page) -> dict[str, Any]:
    """Press "Plan route" and return the request, which is not stored."""
    sent: list[dict[str, Any]] = []

    def take(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or ""))
        route.fulfill(json={"id": "none"})

    page.route("**/chartings", take)
    page.get_by_role("button", name="Plan route").click()
    expect(page.locator(".toast")).to_contain_text("Planning started")
    return sent[0]


def test_the_next_request_begins_with_the_vessel_of_the_last(planner: Page, service: Service):
    made = make_charting(service)
    planner.goto(f"/?again={made['id']}")
    submit(planner)
    newest = call(service, "/vessel", VESSEL | {"name": "Zwaluw"})
    planner.goto("/")
    expect(planner.locator("#vesselId")).to_contain_text("Zwaluw")
    expect(planner.locator("#vesselId")).to_have_value(made["vesselId"])
    call(service, f"/vessel/{newest['id']}", method="DELETE")


def test_a_form_whose_vessel_was_deleted_asks_for_another(planner: Page, service: Service):
    other = call(service, "/vessel")["items"][0]["id"]
    gone = call(service, "/vessel", VESSEL | {"name": "Zwaluw"})["id"]
    made = make_charting(service, vesselId=gone)
    wait_for_status(service, made["id"], {"CANCELLED", "COMPLETED", "FAILED"})
    planner.goto("/")
    vessel, fault = (planner.locator(f"#vesselId{part}") for part in ("", "-error"))
    vessel.select_option(gone)
    planner.get_by_label("Draught").fill("9.5")
    call(service, f"/vessel/{gone}", method="DELETE")
    words = "Zwaluw is no longer in the fleet: choose a vessel."
    planner.reload()
    expect(fault).to_have_text(words)
    planner.goto(f"/?again={made['id']}")
    expect(planner.locator("#copied")).to_contain_text("Copied from Rotterdam to London")
    expect(vessel).to_have_value("")
    expect(fault).to_have_text(words)
    planner.get_by_role("button", name="Plan route").click()
    expect(vessel).to_be_focused()
    expect(fault).to_have_text(words)
    vessel.select_option(other)
    assert submit(planner)["vesselId"] == other


def test_a_route_planned_again_is_copied_whole(planner: Page, service: Service):
    made = make_charting(service)
    planner.goto(f"/?again={made['id']}")
    expect(planner.locator("#copied")).to_contain_text("Copied from Rotterdam to London")
    expect(planner.locator("#no-go-areas li")).to_have_count(3)
    expect(planner.locator("#no-go-areas")).to_contain_text("Wind farm")
    expect(planner.locator("#reference-routes")).to_contain_text("last voyage")
    expect(planner.get_by_label("Arrive by")).to_have_value("3 Mar 2026 06:00")
    sent = submit(planner)
    asked = {name: made[name] for name in (*WHOLE, "vesselId", "lbp", "pitch")}
    times = {name: asked[name].replace("Z", ".000Z") for name in ("startDate", "endDate")}
    assert sent == {name: value for name, value in (asked | times).items() if value is not None}


def fill_in_voyage(page: Page) -> None:
    """Fill in a short voyage, because the form checks for closed routes while it is filled in."""
    page.get_by_role("combobox", name="From").fill("49-54.3N 005-10.2W")
    to = page.get_by_role("combobox", name="To")
    to.fill("flushing")
    to.press("Enter")
    expect(to).to_have_value("Vlissingen")
    page.get_by_label("Draught").fill("9.87")


@mouse_and_touch
@pytest.mark.refused("401")
def test_a_request_survives_the_end_of_the_session(reader: Page, service: Service, screen: Screen):
    reader.goto("/")
    act = reader.tap if screen.has_touch else reader.click
    fill_in_voyage(reader)
    end_session(reader)
    act("button:has-text('Plan route')")
    dialog = reader.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill("not this")
    dialog.get_by_label("Password").press("Enter")
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Password").fill(service.password)
    if screen.has_touch:
        dialog.get_by_role("button", name="Sign in").tap()
    else:
        dialog.get_by_label("Password").press("Enter")
    expect(dialog).to_be_hidden()
    expect(reader.locator(".toast")).to_contain_text("Planning started")
    newest = call(service, "/charting?pageSize=1")["items"][0]
    assert newest["draft"] == 9.87
    assert newest["nidTo"] == "NLVLI"
    assert (newest["latFrom"], newest["lngFrom"]) == (pytest.approx(49.905), pytest.approx(-5.17))
    call(service, f"/charting/{newest['id']}/cancel", method="POST")


@pytest.mark.refused("401")
def test_a_constraint_survives_the_end_of_the_session(planner: Page, service: Service):
    planner.goto("/constraints")
    planner.get_by_text("Paste coordinates").click()
    planner.get_by_label("Coordinates of the corners").fill(WARNING)
    planner.get_by_role("button", name="Start area").click()
    expect(planner.locator(".corners tbody tr")).to_have_count(4)
    planner.get_by_label("Name", exact=True).fill("Gunnery range")
    end_session(planner)
    planner.get_by_role("button", name="Save constraint").click()
    dialog = planner.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill(service.password)
    dialog.get_by_role("button", name="Sign in").click()
    expect(planner.locator("#areas")).to_contain_text("Gunnery range")
    saved = next(
        item for item in call(service, "/constraints")["items"] if item["name"] == "Gunnery range"
    )
    assert [-5.17, 49.905] in saved["geometry"]["coordinates"][0]
    call(service, f"/constraints/{saved['id']}", method="DELETE")


@pytest.mark.refused("401")
def test_a_preview_after_the_end_of_the_session_opens_no_dialog(planner: Page):
    planner.goto("/fleet/new")
    end_session(planner)
    with planner.expect_response("**/fleet/check") as checked:
        planner.get_by_label("Deadweight").fill("82000")
    assert checked.value.status == 401
    expect(planner.locator("#session-note")).to_be_visible()
    expect(planner.get_by_role("dialog", name="Your session has ended")).to_have_count(0)
    expect(planner.get_by_label("Deadweight")).to_be_focused()


@pytest.mark.refused("401")
def test_the_chart_has_no_holes_after_signing_in_again(home: Page, service: Service):
    blank = """() => [...document.querySelectorAll("canvas.leaflet-tile")]
        .filter(({ chartTile }) => !chartTile).length"""
    show_on(home, DESK)
    settle(home)
    end_session(home)
    with home.expect_response(lambda answer: answer.status == 401):
        home.evaluate("map_chart.setView([52, 3], 9, {animate: false})")
    settle(home)
    assert home.evaluate(blank) > 0
    home.get_by_role("combobox", name="From").fill("flushing")
    home.locator("#session-note").get_by_role("button", name="Sign in").click()
    dialog = home.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill(service.password)
    dialog.get_by_role("button", name="Sign in").click()
    home.wait_for_function(f"() => ({blank})() === 0")


@pytest.mark.refused("401", "422")
def test_a_submitted_form_survives_the_end_of_the_session(planner: Page, service: Service):
    planner.goto("/account")
    planner.get_by_label("Current password").fill("wrong, but kept")
    planner.get_by_label("New password").fill("a long new password")
    end_session(planner)
    planner.get_by_role("button", name="Change password").click()
    dialog = planner.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password").fill(service.password)
    dialog.get_by_role("button", name="Sign in").click()
    expect(planner.locator("main")).to_contain_text(re.compile("wrong|not", re.IGNORECASE))
    expect(planner).to_have_url(re.compile("/account$"))


def test_a_colleagues_route_never_moves_the_chart_or_the_lists(planner: Page, service: Service):
    colleagues = order(service, ((51.98, 4.0, "Rotterdam"), (51.5, 1.2, "Harwich")))
    under_way = {"status": "RUNNING", "progress": 0.5, "stage": None, "summary": None}
    changes = [under_way]

    def tell(route: Route) -> None:
        """Report the colleague's route as being planned, with changing progress."""
        answer = route.fetch(max_retries=2)
        live = answer.json()
        row = next(row for row in live["recent"] if row["id"] == colleagues)
        if changes:
            live["recent"].remove(row)
            live["active"].append(row | changes[0])
        route.fulfill(response=answer, json=live)

    planner.route("**/chartings/live", tell)
    planner.clock.install()
    planner.goto("/")
    planner.clock.fast_forward(20_000)
    expect(planner.locator(f"#list-active tr[data-id='{colleagues}']")).to_have_count(1)
    planner.get_by_role("tab", name="Active").click()
    planner.evaluate("map_chart.setView([40, -30], 4, {animate: false})")
    planner.get_by_role("button", name="Draw no-go area").click()
    planner.locator("#map_chart").click(position={"x": 100, "y": 100})
    expect(planner.locator("#draw-prompt b")).to_have_text("1 corner")
    view = "() => [map_chart.getCenter().lat, map_chart.getCenter().lng, map_chart.getZoom()]"
    before = planner.evaluate(view)
    changes.clear()
    planner.clock.fast_forward(5_000)
    expect(planner.locator(f"#list-recent tr[data-id='{colleagues}']")).to_have_count(1)
    expect(planner.locator(".toast")).to_have_count(0)
    with planner.expect_response("**/chartings/live"):
        planner.clock.fast_forward(20_000)
    assert planner.evaluate(view) == before
    expect(planner.get_by_role("tab", name="Active")).to_have_attribute("aria-selected", "true")
    expect(planner.locator("#draw-prompt b")).to_have_text("1 corner")


@mouse_and_touch
def test_corners_are_placed_under_the_legend_and_taken_back_without_a_keyboard(
    reader: Page, screen: Screen
) -> None:
    reader.goto("/")
    legend = reader.locator(".legend")
    if legend.get_attribute("open") is None:
        legend.locator("summary").click()
    press(reader.get_by_role("button", name="Draw no-go area"), screen)
    chart, bar = (reader.locator(name).bounding_box() for name in (".chart", ".bar"))
    assert chart
    assert bar
    assert chart["y"] >= bar["y"] + bar["height"], "the bar hides the chart's top"
    prompt = reader.locator("#draw-prompt")
    remove, stop = (
        prompt.get_by_role("button", name=name) for name in ("Remove last corner", "Stop")
    )
    expect(remove).to_be_disabled()
    expect(legend.locator("[data-legend=caution]")).to_be_visible()
    words = legend.locator("[data-legend=caution]").bounding_box()
    assert words
    reader.mouse.click(words["x"] + words["width"] / 2, words["y"] + words["height"] / 2)
    expect(prompt.locator("b")).to_have_text("1 corner")
    reader.locator("#map_chart").click(position={"x": 270, "y": 60})
    expect(prompt.locator("b")).to_have_text("2 corners")
    box = prompt.bounding_box()
    assert box
    for part in prompt.locator("button, b").all():
        inner = part.bounding_box()
        assert inner
        assert box["x"] <= inner["x"], part
        assert inner["x"] + inner["width"] <= box["x"] + box["width"], part
        assert box["y"] <= inner["y"], part
        assert inner["y"] + inner["height"] <= box["y"] + box["height"], part
    press(remove, screen)
    expect(prompt.locator("b")).to_have_text("1 corner")
    press(stop, screen)
    expect(prompt).to_be_hidden()


def test_a_latitude_limit_is_typed_with_its_hemisphere(home: Page, service: Service) -> None:
    made = make_charting(service, maxSouthLat=-55.5)
    home.goto(f"/?again={made['id']}")
    north, south = (home.get_by_label(name) for name in ("Not north of", "Not south of"))
    expect(north).to_have_value("60° N")
    expect(south).to_have_value("55.5° S")
    south.fill("95 S")
    home.get_by_role("button", name="Plan route").click()
    expect(home.locator("[data-field=maxSouthLat] .field__error")).to_contain_text("“95 S” is no")
    for typed in ("45S", "45 s", "-45", "45° S", "45-00.0S"):
        south.fill(typed)
        south.blur()
        expect(south).to_have_value("45° S")
    north.fill("40")
    north.blur()
    expect(north).to_have_value("40° N")
    sent = submit(home)
    assert (sent["maxNorthLat"], sent["maxSouthLat"]) == (40, -45)


def test_a_port_is_taken_by_enter_and_by_leaving_its_field_and_offered_by_its_other_name(
    home: Page,
):
    start, end = (home.get_by_role("combobox", name=name) for name in ("From", "To"))
    start.fill("SGSIN")
    start.press("Enter")
    expect(start).to_have_value(re.compile("Singapore"))
    end.fill("nhava sheva")
    end.evaluate("(input) => input.blur()")
    expect(end).to_have_value(re.compile("Jawaharlal Nehru"))
    end.fill("Saint Petersburg")
    expect(home.get_by_role("option").first).to_contain_text("Sankt-Peterburg")
    end.press("Enter")
    expect(end).to_have_value("Sankt-Peterburg")
    start.fill("batavia")
    expect(home.get_by_role("option").first).to_contain_text("Jakarta (Batavia)")


#: Types into a port's field and presses Enter before its list can have come.
ENTER_AT_ONCE = """(input, typed) => {
    input.value = typed;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}"""


def test_a_chosen_port_shows_its_locode_or_else_its_country(home: Page) -> None:
    start = home.get_by_role("combobox", name="From")
    unit = home.locator(".field", has=start).locator(".field__unit")
    start.evaluate(ENTER_AT_ONCE, "dover")
    expect(home.get_by_role("option").first).to_contain_text("Dover Harbor")
    start.press("Enter")
    expect(unit).to_have_text("GB DVR")
    start.fill("dover")
    home.get_by_role("option", name="Dover Australia").click()
    expect(start).to_have_value("Dover")
    expect(unit).to_have_text("Australia")


def test_another_voyage_on_the_chart_leaves_the_ports_of_the_form(
    planner: Page, voyages: dict[str, str]
) -> None:
    planner.goto("/")
    choose_port(planner, "From", "Kiel")
    choose_port(planner, "To", "Gdansk")
    planner.get_by_role("tab", name="Recent").click()
    route, names = planner.locator("path.line-route"), planner.locator(".chart-label--port span")
    planner.locator(f"#list-recent tr[data-id='{voyages['Rotterdam to Lisbon']}']").hover()
    expect(route).to_have_count(1)
    expect(names.filter(has_text=re.compile("^(Kiel|Gdansk|Lisbo.*)$"))).to_have_count(3)
    choose_port(planner, "To", "Riga")
    expect(route).to_have_count(0)
    expect(names).to_have_text(["Kiel", "Riga"])


def test_a_no_go_area_that_was_removed_comes_back_and_its_corners_are_changed(
    planner: Page,
) -> None:
    planner.goto("/")
    planner.get_by_text("Paste no-go area coordinates").click()
    paste_area(planner, "50 N 9 W\n52 N 9 W\n52 N 7 W")
    planner.get_by_role("button", name="Remove No-go area 1").press("Enter")
    expect(planner.get_by_role("button", name="Draw no-go area")).to_be_focused()
    expect(planner.locator("path.zone-no-go")).to_have_count(0)
    planner.locator(".toast", has_text="No-go area 1 removed.").get_by_role("button").click()
    expect(planner.locator("#no-go-areas li")).to_have_count(1)
    expect(planner.locator("path.zone-no-go")).to_have_count(1)
    planner.get_by_role("button", name="Edit No-go area 1").click()
    corners = planner.get_by_label("Coordinates of the corners")
    expect(corners).to_be_focused()
    typed = "50°00.000'N 009°00.000'W\n52°00.000'N 009°00.000'W\n52°00.000'N 007°00.000'W"
    expect(corners).to_have_value(typed)
    corners.fill(f"{typed}\n50 N 7 W")
    planner.get_by_role("button", name="Change No-go area 1").click()
    expect(planner.locator("#no-go-areas li")).to_have_count(1)
    expect(planner.locator("#no-go-areas li")).to_contain_text("4 corners")
    expect(planner.locator("path.zone-no-go")).to_have_count(1)
    expect(planner.get_by_role("button", name="Add area")).to_be_visible()


def paste_area(page: Page, corners: str) -> None:
    page.get_by_label("Coordinates of the corners").fill(corners)
    page.get_by_role("button", name="Add area").click()


@pytest.mark.refused(422)
def test_a_faulty_no_go_area_is_named_at_once_and_when_planning_is_refused(planner: Page):
    planner.goto("/")
    planner.get_by_text("Paste no-go area coordinates").click()
    fault = planner.locator("#noGoAreas-error")
    paste_area(planner, "50 N 9 W\n52 N 7 W\n52 N 9 W\n50 N 7 W")
    words = (
        "No-go area 1: Self-intersection at 51°00.000'N 008°00.000'W. Change the outline so that no"
        " edges cross. Remove the area, or draw it again."
    )
    expect(fault).to_have_text(words)
    planner.get_by_role("button", name="Remove No-go area 1").click()
    expect(fault).to_be_empty()
    paste_area(planner, "50 N 9 W\n52 N 9 W\n52 N 7 W")
    paste_area(planner, "50 N 19 W\n51 N 18 W\n52 N 17 W")
    expect(fault).to_contain_text("No-go area 2: The polygon encloses no area.")
    choose_port(planner, "From", "Rotterdam")
    choose_port(planner, "To", "Lisbon")
    planner.get_by_role("button", name="Plan route").click()
    expect(planner.get_by_role("button", name="Plan route")).not_to_have_attribute(
        "aria-busy", "true"
    )
    expect(fault).to_contain_text("No-go area 2: The polygon encloses no area.")


OVERLAPS = """(name) => {
    const boxes = [name, ...document.querySelectorAll(".legend, .tools__group")];
    const [one, ...others] = boxes.map((each) => each.getBoundingClientRect());
    const isBeside = (other) => one.right <= other.left || one.left >= other.right;
    return others.some(
        (other) => !isBeside(other) && one.top < other.bottom && one.bottom > other.top
    );
}"""


def test_legend_and_tools_cover_no_chosen_port(reader: Page):
    reader.goto("/")
    names = reader.locator(".chart-label--port span")
    for ports in (("Singapore",), ("Rotterdam", "New York City")):
        for field, port in zip(("From", "To"), ports, strict=False):
            choose_port(reader, field, port)
        expect(names).to_have_text(list(ports))
        assert [names.nth(i).evaluate(OVERLAPS) for i in range(len(ports))] == [False] * len(ports)
