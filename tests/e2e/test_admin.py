"""Admin pages: keys, users, addresses, rights and audit log."""

import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from app.api.examples import BODIES
from tests.e2e.conftest import OpenPage
from tests.e2e.orders import call
from tests.e2e.screens import USUAL, Screen, show_on
from tests.e2e.service import Service
from tests.e2e.test_accessibility import on_every_screen
from tests.e2e.test_drawing_a_constraint import no_constraints_left
from tests.e2e.test_slow_first_visit import Held

__all__ = ["no_constraints_left"]


PASSWORD = "moored fore and aft with springs"


def choose_password(page: Page, link: str, email: str) -> None:
    """Follow a link, choose a password and sign in with it."""
    page.goto(link)
    page.get_by_role("textbox", name=re.compile("^Password")).fill(PASSWORD)
    page.get_by_role("button", name="Save password").click()
    expect(page.get_by_role("status").first).to_contain_text("Password saved")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def status_with(service: Service, key: str) -> int:
    address = f"{service.address}/v1/organization"
    request = urllib.request.Request(address, headers={"X-API-Key": key})  # noqa: S310 (our own address)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_key_is_shown_once_and_revoked_but_not_before_the_page_can_ask(
    planner: Page, service: Service
) -> None:
    planner.goto("/account")
    planner.get_by_role("link", name="Admin").click()
    planner.get_by_label("Purpose").fill("N" * 200)
    planner.get_by_text("Viewer", exact=True).click()
    planner.get_by_role("button", name="Issue key").click()
    secret = planner.get_by_label("The new key").input_value()

    held = Held(planner, "**/js/confirm.js*")
    planner.goto("/admin/keys", wait_until="commit")
    row = planner.get_by_role("row", name=re.compile("NNNN"))
    revoke = row.get_by_role("button", name=re.compile("Revoke"))
    expect(revoke).to_be_in_viewport(ratio=1)  # however long the purpose is
    revoke.click()
    held.release()
    cancel = planner.get_by_role("dialog").get_by_role("button", name="Cancel")
    expect(cancel).to_be_focused()
    cancel.click()
    expect(row).to_contain_text("Active")
    expect(row).to_contain_text("Viewer")
    expect(planner.get_by_text(secret)).to_have_count(0)
    assert status_with(service, secret) == 200
    revoke.click()
    planner.get_by_role("dialog").get_by_role("button", name="Revoke key").click()
    expect(row).to_contain_text("Revoked")
    assert status_with(service, secret) == 401


def test_a_user_gets_another_role_only_by_its_button_and_is_let_in_no_more(planner: Page) -> None:
    planner.goto("/admin/users")
    planner.get_by_label("E-mail").fill("cook@ship.example")
    planner.get_by_role("button", name="Invite user").click()
    role = planner.get_by_role("combobox", name="Role of cook@ship.example")
    role.press("ArrowDown")
    chosen = role.input_value()
    planner.reload()
    expect(role).not_to_have_value(chosen)
    role.select_option(chosen)
    planner.get_by_role("button", name="Change role of cook@ship.example").click()
    expect(planner.get_by_role("status").first).to_contain_text(f"changed to {chosen}")
    expect(role).to_have_value(chosen)
    expect(role).to_be_focused()
    planner.get_by_role("button", name="Deactivate cook@ship.example").click()
    row = planner.get_by_role("row", name=re.compile("cook@ship"))
    expect(row).to_contain_text("Inactive")


def test_a_changed_address_is_confirmed_by_its_link(planner: Page, open_page: OpenPage) -> None:
    planner.goto("/admin/users")
    planner.get_by_label("E-mail").fill("bosun@ship.example")
    planner.get_by_role("button", name="Invite user").click()
    planner.get_by_label("Change the address of bosun@ship.example").click()
    planner.get_by_label("New address of bosun@ship.example").fill("bosun@fleet.example")
    planner.get_by_role("button", name="Create link for bosun@ship.example").click()
    expect(planner.get_by_label("The link")).to_have_value(re.compile("/confirm-address#"))
    expect(planner.get_by_role("row", name=re.compile("bosun@ship.example"))).to_be_visible()

    visitor = open_page(USUAL)
    visitor.goto(planner.get_by_label("The link").input_value())
    visitor.get_by_role("button", name="Confirm address").click()
    expect(visitor.get_by_role("status").first).to_contain_text("Address confirmed")
    planner.reload()
    expect(planner.get_by_role("row", name=re.compile("bosun@fleet.example"))).to_be_visible()


@pytest.mark.refused("422")
def test_a_refused_threshold_of_advice_is_corrected_and_saved(planner: Page) -> None:
    planner.goto("/admin/organization")
    time_gained, save = (
        planner.get_by_label("Time gained"),
        planner.get_by_role("button", name="Save"),
    )
    time_gained.fill("2000")
    save.click()
    expect(time_gained).to_have_accessible_description("Enter 0 to 1000.")
    expect(time_gained).to_have_value("2000")
    assert on_every_screen(planner) == []
    time_gained.fill("3,5")
    save.click()
    expect(planner.get_by_text("Settings saved.")).to_be_visible()
    expect(time_gained).to_have_value("3.5")


@pytest.mark.refused(422)
def test_after_a_refused_form_back_and_reload_show_its_page(planner: Page) -> None:
    planner.goto("/admin/keys")
    planner.get_by_label("Valid until").fill("1 Jan 2020")
    planner.get_by_role("button", name="Issue key").click()
    fault = planner.get_by_text("This day has passed.")
    expect(fault).to_be_visible()
    planner.goto("/fleet")
    planner.go_back()
    expect(planner.get_by_role("heading", name="Issue a key")).to_be_visible()
    expect(fault).to_have_count(0)


def test_the_keys_of_long_purposes_and_many_scopes_fit_a_laptop(planner: Page) -> None:
    planner.goto("/admin/keys")
    planner.get_by_label("Purpose").fill("Noon reports of the whole fleet")
    planner.get_by_role("button", name="Issue key").click()
    planner.get_by_role("button", name="Rotate").first.click()
    expect(planner.get_by_text("Replacement issued")).to_be_visible()
    show_on(planner, Screen(1366, 768, has_touch=False))
    table = planner.get_by_role("region", name="Keys, newest first")
    assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_reloading_does_not_issue_a_key_again(planner: Page) -> None:
    planner.goto("/admin/keys")
    planner.get_by_label("Purpose").fill("Issued once")
    planner.get_by_role("button", name="Issue key").click()
    expect(planner.get_by_label("The new key")).to_be_visible()
    planner.reload()
    expect(planner.get_by_label("The new key")).to_have_count(0)
    rows = planner.get_by_role("row", name=re.compile("Issued once"))
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name=re.compile("Revoke")).click()
    planner.get_by_role("dialog").get_by_role("button", name="Revoke").click()


@pytest.mark.usefixtures("no_constraints_left")
def test_a_viewer_reads_constraints_and_chart_and_cannot_change_them(
    planner: Page, open_page: OpenPage, service: Service
) -> None:
    area = call(service, "/constraints", BODIES["createConstraint"])
    planner.goto("/admin/users")
    planner.get_by_label("E-mail").fill("cadet@ship.example")
    planner.get_by_role("form").get_by_text("Viewer", exact=True).click()
    planner.get_by_role("button", name="Invite user").click()
    link = planner.get_by_label("The link").input_value()
    viewer = open_page(USUAL)
    choose_password(viewer, link, "cadet@ship.example")
    expect(viewer.get_by_text("Only planners can plan routes.")).to_be_visible()
    expect(viewer.get_by_role("button", name="Plan route")).to_have_count(0)
    viewer.get_by_role("link", name="Constraints").click()
    viewer.get_by_role("button", name=area["name"]).click()
    expect(viewer.get_by_label("Name", exact=True)).to_have_value(area["name"])
    expect(viewer.get_by_label("Name", exact=True)).to_be_disabled()
    expect(viewer.get_by_role("toolbar", name="Draw")).to_be_hidden()
