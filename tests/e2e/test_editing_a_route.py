"""Route editor: checks, saving, mouse, keyboard and touch."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.orders import ORDERS, call, order
from tests.e2e.screens import SCREENS, Screen, show_on, small_targets, wide_regions
from tests.e2e.service import Service

#: An area west of the route, into which a waypoint is moved.
OFF_BRITTANY = [
    {
        "type": "Feature",
        "properties": {"name": "Exercise area"},
        "geometry": {
            "type": "Polygon",
            "coordinates": [[[-12, 46], [-8.5, 46], [-8.5, 47.5], [-12, 47.5], [-12, 46]]],
        },
    }
]
_, LAPTOP, TABLET, PHONE = SCREENS


def plan(service: Service) -> str:
    return order(service, ORDERS["Rotterdam to Lisbon"], noGoAreas=OFF_BRITTANY)


@pytest.fixture(scope="module")
def voyage(service: Service) -> str:
    """Plan the voyage of all tests that do not save it."""
    return plan(service)


@pytest.fixture
def own_voyage(service: Service) -> str:
    """Plan a voyage for a test that saves it."""
    return plan(service)


@pytest.fixture
def open_editor(planner: Page, voyage: str) -> Callable[..., Page]:
    def open_it(charting_id: str = voyage) -> Page:
        planner.goto(f"/voyages/{charting_id}/edit")
        wait_for_answer(planner)
        return planner

    return open_it


def wait_for_answer(page: Page) -> None:
    """Wait until the check of the current route is completed."""
    expect(page.locator("#edit-status")).not_to_be_empty()
    expect(page.locator("#edit[aria-busy]")).to_have_count(0)


def row(page: Page, number: int) -> Locator:
    return page.locator(f"#waypoints tr[data-waypoint='{number - 1}']")


def put(page: Page, number: int, position: str) -> None:
    """Type the position of a waypoint."""
    field = page.get_by_label(f"Position of waypoint {number}", exact=True)
    field.fill(position)
    field.press("Enter")
    field.blur()
    wait_for_answer(page)


def count(page: Page) -> int:
    return page.locator("#waypoints tr").count()


def insert_off_brittany(page: Page) -> int:
    """Insert a waypoint in the exercise area and return its number."""
    places = page.locator("#waypoints [name=place]").evaluate_all("all => all.map(e => e.value)")
    number = 1 + next(i for i, place in enumerate(places) if int(place[:2]) < 47)
    row(page, number).get_by_role("button", name=f"Insert a waypoint before {number}").click()
    wait_for_answer(page)
    put(page, number, "47-00.0N 010-00.0W")
    return number


def test_a_waypoint_in_a_forbidden_area_is_found_with_its_cost_and_undone(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    for figure in ("fuel", "eta", "distance"):
        expect(page.locator(f"[data-difference={figure}]")).to_have_text("as opened")
    severe = page.locator(".finding__severity--danger, .finding__severity--warning")
    expect(severe).to_have_count(0)
    expect(page.get_by_role("button", name="Save as revision 2")).to_be_disabled()
    before = count(page)
    distance, fuel = (page.locator(f"[data-figure={name}]") for name in ("distance", "fuel"))
    before_nm, before_mt = read_figure(distance), read_figure(fuel)

    insert_off_brittany(page)
    more = page.locator("[data-difference=distance]")
    expect(more).to_have_text(re.compile(r"^\+\d+ nm$"))
    assert read_figure(more) == read_figure(distance) - before_nm
    more_fuel = read_figure(page.locator("[data-difference=fuel]"))
    assert more_fuel == pytest.approx(read_figure(fuel) - before_mt)
    expect(page.locator("[data-difference=eta]")).to_have_text(re.compile(r"^[+−]\d+ (h|d) \d+"))
    finding = page.locator(".finding", has_text="Exercise area")
    expect(finding).to_contain_text("Danger")
    finding.click()
    expect(page.locator(".finding-ring--danger")).to_have_count(1)

    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    wait_for_answer(page)
    expect(page.locator("#waypoints tr")).to_have_count(before)
    expect(page.locator(".finding__severity--danger")).to_have_count(0)
    expect(more).to_have_text("as opened")
    page.get_by_role("button", name="Redo").click()
    wait_for_answer(page)
    expect(page.locator("#waypoints tr")).to_have_count(before + 1)


def test_the_plan_s_own_figure_is_named_where_one_speed_a_leg_gives_another(
    open_editor: Callable[..., Page], planner: Page
) -> None:
    def take_less_fuel(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["summary"]["fuelMt"] -= 2.2
        route.fulfill(response=answer, json=body)

    plan_mt = read_figure(open_editor().locator("[data-figure=fuel]"))
    planner.route("**/edit/check", take_less_fuel)
    page = open_editor()
    expect(page.locator("[data-difference=fuel]")).to_have_text("as opened")
    note = page.get_by_text("one speed a leg")
    expect(note).to_have_text(
        "Figures here are at one speed a leg, in the weather known now. "
        f"The plan's own: {plan_mt:.1f} mt."
    )


def read_figure(shown: Locator) -> float:
    """Read the number of a figure as shown, with its sign."""
    words = shown.inner_text().replace("\u202f", "").replace("−", "-")
    return float(words.split()[0])


def test_a_danger_is_saved_with_a_reason_only_and_the_passage_plan_prints_it(
    open_editor: Callable[..., Page], service: Service, own_voyage: str
) -> None:
    page = open_editor(own_voyage)
    insert_off_brittany(page)
    page.get_by_role("button", name="Save as revision 2").click()
    dialog = page.get_by_role("dialog", name="Save as revision 2")
    expect(dialog).to_contain_text("1 danger: a reason is required")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_be_visible()
    dialog.get_by_label("Reason").fill("The range is cleared for us until noon.")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Reason: The range is cleared for us until noon.")).to_be_visible()
    desk = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    danger, figures = (page.locator(part).bounding_box() for part in (".note--danger", ".figures"))
    assert danger["y"] + danger["height"] <= figures["y"]
    page.set_viewport_size(desk)
    kept = call(service, f"/charting/{own_voyage}")
    assert kept["revision"] == 2
    assert any(abs(w["lat"] - 47.0) < 1e-6 and w["lng"] == -10.0 for w in kept["waypoints"])
    page.get_by_role("link", name="Print the passage plan").click()
    expect(page.get_by_role("heading", name="Edited by hand")).to_be_visible()
    expect(page.locator("main")).to_contain_text("The range is cleared for us until noon.")
    expect(page.locator("main")).to_contain_text("The route enters the no-go area “Exercise area”")


@pytest.mark.refused(409)
def test_an_edit_is_kept_and_saved_after_a_newer_revision(
    open_editor: Callable[..., Page], service: Service, own_voyage: str
) -> None:
    page = open_editor(own_voyage)
    theirs = page.context.new_page()
    theirs.goto(page.url)
    wait_for_answer(theirs)
    for each, number in ((theirs, 3), (page, 4)):
        speed = each.get_by_label(f"Speed to waypoint {number} [kn]", exact=True)
        speed.fill("8")
        speed.blur()
        wait_for_answer(each)
        each.get_by_role("button", name="Save as revision 2").click()
        each.get_by_role("button", name="Save", exact=True).click()
        if each is theirs:
            theirs.wait_for_url(re.compile(f"/voyages/{own_voyage}$"))
    dialog = page.get_by_role("dialog", name="Newer revision")
    expect(dialog).to_contain_text("Revision 2 is newer than revision 1")
    dialog.get_by_role("button", name="Continue editing").click()
    expect(page.get_by_label("Speed to waypoint 4 [kn]", exact=True)).to_have_value("8.0")
    wait_for_answer(page)
    page.get_by_role("button", name="Save as revision 3").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(f"/voyages/{own_voyage}$"))
    assert call(service, f"/charting/{own_voyage}")["latestRevision"] == 3
    theirs.close()


def test_a_waypoint_is_dragged_by_the_mouse(open_editor: Callable[..., Page]) -> None:
    page = open_editor()
    base = page.locator("path.line-base")
    before = base.get_attribute("d")
    drag_a_mark(page, page.mouse.move, page.mouse.down, page.mouse.up)
    expect(page.locator("#unsaved")).to_be_visible()
    wait_for_answer(page)
    expect(page.locator("[data-difference=distance]")).to_have_text(re.compile(r"^\+"))
    expect(base).to_have_attribute("d", before or "the route before the edit")
    expect(page.locator("[data-legend=base]")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#unsaved")).to_be_hidden()


def test_delete_removes_only_the_waypoint_that_is_chosen(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    before = count(page)
    page.get_by_label(f"Position of waypoint {before - 1}", exact=True).click()
    expect(page.locator("#waypoints .is-current")).to_have_count(1)
    page.locator(".edit-mark--between").first.click()
    expect(page.locator("#waypoints tr")).to_have_count(before + 1)
    expect(page.locator("#waypoints .is-current")).to_have_count(0)
    chart = page.locator("#map_chart")
    chart.press("Delete")
    expect(page.locator("#waypoints tr")).to_have_count(before + 1)
    page.locator(".edit-mark:not(.edit-mark--between)").nth(1).click(force=True)
    chart.press("Delete")
    expect(page.locator("#waypoints tr")).to_have_count(before)
    chart.press("Delete")
    expect(page.locator("#waypoints tr")).to_have_count(before)


def drag_a_mark(
    page: Page,
    move: Callable[..., None],
    press: Callable[[], None],
    release: Callable[[], None],
) -> None:
    box = page.locator(".edit-mark--between").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    move(x, y)
    press()
    for step in range(1, 9):
        move(x - 8 * step, y)
    release()


def test_a_leg_is_changed_to_a_great_circle_and_its_speed_is_set(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    number = 3
    expect(row(page, number).locator("[name=leg]")).to_have_text("RL")
    row(page, number).locator("[name=leg]").click()
    wait_for_answer(page)
    expect(row(page, number).locator("[name=leg]")).to_have_text("GC")
    field = page.get_by_label(f"Speed to waypoint {number} [kn]", exact=True)
    field.fill("8")
    field.blur()
    wait_for_answer(page)
    expect(page.locator("[data-difference=eta]")).not_to_have_text("as opened")
    last = count(page)
    field = page.get_by_label(f"Time at waypoint {last} (UTC)", exact=True)
    field.fill("6 Mar 2026 12:00")
    field.blur()
    wait_for_answer(page)
    # Rounded to ten seconds, then truncated to the minute.
    eta = re.compile("Fri 6 Mar (11:59|12:00)")
    expect(page.locator("[data-figure=eta]")).to_have_text(eta)


def test_a_time_ordered_is_kept_at_one_speed_and_found_again_after_saving(
    open_editor: Callable[..., Page], own_voyage: str
) -> None:
    page = open_editor(own_voyage)
    last = count(page)
    field = page.get_by_label(f"Time at waypoint {last} (UTC)", exact=True)
    field.fill("6 Mar 2026 12:00")
    field.press("Enter")
    field.blur()
    wait_for_answer(page)
    speeds = page.locator("#waypoints [name=speed]").evaluate_all("all => all.map(e => +e.value)")
    assert max(speeds) - min(speeds) <= 0.2, speeds
    page.get_by_role("button", name="Save as revision 2").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(f"/voyages/{own_voyage}$"))
    page.get_by_role("link", name="Edit", exact=True).click()
    wait_for_answer(page)
    speed = page.get_by_label("Speed to waypoint 3 [kn]", exact=True)
    speed.fill("8")
    speed.blur()
    wait_for_answer(page)
    expect(page.locator("[data-figure=eta]")).to_have_text(re.compile("Fri 6 Mar (11:59|12:00)"))


def test_the_table_is_edited_by_keyboard_with_decimal_commas_too(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    speed = page.get_by_label("Speed to waypoint 3 [kn]", exact=True)
    before = speed.input_value()
    speed.fill("8")
    speed.press("Tab")
    expect(page.get_by_label("Time at waypoint 3 (UTC)", exact=True)).to_be_focused()
    wait_for_answer(page)
    speed.focus()
    speed.press("Control+z")
    expect(speed).to_have_value(before)
    speed.press("Control+y")
    expect(speed).to_have_value("8.0")
    rows = count(page)
    insert = page.get_by_role("button", name="Insert a waypoint before 3")
    insert.press("Enter")
    expect(page.get_by_role("button", name="Insert a waypoint before 4")).to_be_focused()
    page.get_by_role("button", name="Delete waypoint 3").press("Enter")
    expect(insert).to_be_focused()
    expect(page.locator("#waypoints tr")).to_have_count(rows)
    speed.fill("")
    speed.press_sequentially("12,5")
    speed.press("Enter")
    expect(speed).to_have_value("12.5")
    speed.fill("125")
    speed.press("Enter")
    message = speed.evaluate("field => field.validationMessage")
    assert message == "Enter a speed from 1 to 40 kn."


def test_an_entry_that_cannot_be_read_stays_at_its_waypoint_and_is_not_saved(
    open_editor: Callable[..., Page], service: Service, voyage: str
) -> None:
    page = open_editor()
    place = page.get_by_label("Position of waypoint 4", exact=True)
    right = place.input_value()
    place.fill("99 00.0N 008 30.0W")
    place.press("Tab")
    page.get_by_role("button", name="Insert a waypoint before 3").click()
    wait_for_answer(page)
    moved = page.get_by_label("Position of waypoint 5", exact=True)
    expect(moved).to_have_value("99 00.0N 008 30.0W")
    expect(moved).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_role("dialog", name="Save as revision 2")).to_be_hidden()
    expect(moved).to_be_focused()
    assert call(service, f"/charting/{voyage}")["latestRevision"] == 1
    moved.fill("")
    moved.press("Tab")
    expect(moved).to_have_value(right)
    moved.fill("")
    page.get_by_role("button", name="Undo").click()
    wait_for_answer(page)
    expect(place).to_have_value(right)


def test_a_route_is_checked_again_after_a_lost_connection(
    open_editor: Callable[..., Page],
) -> None:
    page = open_editor()
    fuel = page.locator("[data-figure=fuel]")
    page.route("**/edit/check", lambda route: route.abort("aborted"))
    put(page, 3, "50-30.0N 000-30.0W")
    expect(page.locator("#edit-status")).to_contain_text("No connection")
    expect(fuel).to_have_text("–")
    expect(row(page, 3).locator("[data-cell=distance]")).to_have_text("–")
    page.get_by_role("button", name="Check again").click()
    expect(page.locator("#edit-status")).to_contain_text("No connection")
    page.unroute("**/edit/check")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(fuel).to_contain_text("mt")
    expect(page.get_by_role("button", name="Check again")).to_be_hidden()
    expect(page.get_by_role("button", name="Save as revision 2")).to_be_enabled()


@pytest.fixture
def editor(reader: Page, voyage: str) -> Page:
    """Open the editor on a screen."""
    reader.goto(f"/voyages/{voyage}/edit")
    wait_for_answer(reader)
    return reader


def assert_buttons_in_view(page: Page, screen: Screen) -> None:
    last_in_view = [row(page, 3).get_by_role("button", name="Delete waypoint 3")]
    if screen.width > 400:
        last_in_view.append(page.get_by_label("Time at waypoint 3 (UTC)", exact=True))
    for control in last_in_view:
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box["x"] + box["width"] <= screen.width
    assert page.locator(".dock").evaluate("dock => dock.scrollLeft") == 0


@pytest.mark.parametrize("screen", [TABLET], ids=str)
def test_a_tablet_edits_by_touch_and_buttons_are_in_view_on_every_small_screen(
    editor: Page, screen: Screen
) -> None:
    assert_buttons_in_view(editor, screen)
    assert small_targets(editor) == []
    before = count(editor)
    editor.locator(".edit-mark--between").first.tap()
    expect(editor.locator("#waypoints tr")).to_have_count(before + 1)
    editor.get_by_role("button", name="Undo").tap()
    expect(editor.locator("#waypoints tr")).to_have_count(before)
    for other in (LAPTOP, PHONE):
        show_on(editor, other)
        assert_buttons_in_view(editor, other)
    editor.get_by_label("Time at waypoint 2 (UTC)").scroll_into_view_if_needed()
    assert wide_regions(editor) == []
    for field in ("Position of waypoint 2", "Speed to waypoint 2 [kn]", "Time at waypoint 2 (UTC)"):
        expect(editor.get_by_label(field, exact=True)).to_be_in_viewport(ratio=1)
