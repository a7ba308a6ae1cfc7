"""Pages of webhooks: added, tested, disabled and deleted."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.test_accessibility import on_every_screen
from tests.receiver import Answer, listening


def test_a_webhook_is_added_tested_disabled_and_deleted(planner: Page) -> None:
    with listening() as receiver:
        planner.goto("/admin/keys")
        planner.get_by_role("link", name="Webhooks").click()
        planner.get_by_label("URL").fill(receiver.url)
        planner.get_by_label("charting.started").uncheck()
        planner.get_by_role("button", name="Add webhook").click()
        expect(planner.get_by_label("The new secret")).to_have_value(re.compile("^whsec_"))
        planner.reload()
        expect(planner.get_by_label("The new secret")).to_have_count(0)
        row = planner.get_by_role("row", name=receiver.url)
        expect(row).to_contain_text("Active")
        planner.get_by_role("link", name=receiver.url).click()
        expect(planner.get_by_label("charting.started")).not_to_be_checked()

        receiver.answers = [Answer(500, body=b"no disk")]
        deliveries = planner.get_by_role("region", name="Deliveries").locator("tbody tr")
        planner.get_by_role("button", name="Send test").click()
        expect(deliveries.first).to_contain_text("Failed")
        deliveries.first.get_by_text("500", exact=True).click()
        expect(deliveries.first).to_contain_text("no disk")
        planner.get_by_role("button", name="Send test").click()
        expect(deliveries.first).to_contain_text("Delivered")
        expect(deliveries.first).to_contain_text("204")
        assert on_every_screen(planner) == []

        planner.get_by_role("button", name="Disable").click()
        planner.get_by_role("dialog").get_by_role("button", name="Disable").click()
        expect(planner.get_by_text("nothing is sent until it is enabled")).to_be_visible()
        planner.get_by_role("link", name="Webhooks").click()
        expect(row).to_contain_text("Disabled")
        assert on_every_screen(planner) == []

        planner.get_by_role("link", name=receiver.url).click()
        planner.get_by_role("button", name="Delete").click()
        dialog = planner.get_by_role("dialog")
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        dialog.get_by_role("button", name="Delete webhook").click()
        expect(planner.get_by_text("No webhooks yet")).to_be_visible()
