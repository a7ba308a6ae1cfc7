"""Pages of webhooks: rights, refusals, states, secrets and deliveries."""

import re
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from app.models import Role, WebhookEndpoint, utc_now
from app.services.platform.sessions import organization_session
from app.services.webhooks import webhook_dispatch
from tests.integration.browser import HTML, Browser, signed_in
from tests.integration.client import ApiClient
from tests.integration.test_admin_pages import shown_once
from tests.integration.test_concurrent_changes import answer_after
from tests.integration.test_webhooks import URL, Outbox, open_app, outbox, verify
from tests.receiver import Answer, Receiver

__all__ = ["open_app", "outbox"]

pytestmark = pytest.mark.usefixtures("redis")

LIST = "/admin/webhooks"
FORM: dict[str, Any] = {
    "url": URL,
    "description": "Arrivals board",
    "event_kinds": ["charting.failed"],
}


@pytest.fixture
def manager(app: Flask, organization_id: UUID) -> Browser:
    """An admin who has signed in."""
    return signed_in(app, organization_id, Role.ADMIN)


def submit(browser: Browser, path: str, **form: Any) -> tuple[int, str]:
    """Send a form with the page's token; the answer's status and text."""
    form["csrf_token"] = browser.token()
    answer = browser.http.post(path, data=form, headers=HTML)
    return answer.status_code, unescape(answer.text)


def read(browser: Browser, path: str = LIST) -> str:
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    return unescape(answer.text)


def page_of(webhook: dict[str, str]) -> str:
    return f"{LIST}/{webhook['id']}"


def test_planners_reach_the_webhooks_and_no_other_admin_page_where_an_admin_allows_it(
    app: Flask, organization_id: UUID, admin: ApiClient
) -> None:
    browser = signed_in(app, organization_id)
    assert submit(browser, LIST, **FORM)[0] == 403
    admin.patch("/organization", {"plannersManageWebhooks": True})
    assert 'href="/admin"' in read(browser, "/voyages")
    assert browser.get("/admin").headers["Location"] == LIST
    assert re.findall(r'href="(/admin/[^"]+)"', read(browser)) == [LIST]
    assert submit(browser, LIST, **FORM)[0] == 201
    assert browser.get("/admin/keys").status_code == 403
    admin.patch("/organization", {"plannersManageWebhooks": False})
    assert 'href="/admin"' not in read(browser, "/voyages")
    assert browser.get(LIST).status_code == 403


def test_a_webhook_is_added_and_its_secret_is_shown_this_once(
    manager: Browser, admin: ApiClient
) -> None:
    status, page = submit(manager, LIST, **FORM)
    assert status == 201
    secret = shown_once(page)
    assert secret.startswith("whsec_")
    (made,) = admin.get("/webhooks").get_json()["items"]
    assert (made["url"], made["description"]) == (URL, "Arrivals board")
    assert made["events"] == ["charting.failed"]
    assert made["state"] == "ACTIVE"
    for path in (LIST, page_of(made)):
        assert URL in read(manager, path)
        assert secret not in read(manager, path)


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("url", "http://fleet.example/hooks", "Must begin with https://."),
        ("url", "https://10.0.0.1/hooks", "Must not be a private, loopback"),
        ("url", "", "Enter the URL that receives the events."),
        ("url", "https://fleet.example/" + "a" * 2000, "Enter up to 2000 characters."),
        ("event_kinds", [], "Choose at least one event."),
        ("event_kinds", ["webhook.test"], "not a valid choice"),
        ("description", "a" * 201, "Enter up to 200 characters."),
        ("description", "a\0", "cannot be stored"),
    ],
)
def test_a_refused_value_stays_in_the_form_with_the_message_at_its_field(
    manager: Browser, admin: ApiClient, field: str, wrong: str | list[str], message: str
) -> None:
    made = admin.post("/webhooks", {"url": URL}).get_json()
    before = admin.get("/webhooks").get_json()
    for path in (LIST, page_of(made)):
        status, page = submit(manager, path, **FORM | {field: wrong})
        assert status == 422
        (fault,) = re.findall(
            r'field--wrong.*?class="field__error"[^>]*>(.*?)</p>', page, re.DOTALL
        )
        assert message in fault
        assert isinstance(wrong, list) or wrong in page
    assert admin.get("/webhooks").get_json() == before


def test_the_form_is_kept_when_there_are_too_many_webhooks(
    manager: Browser, admin: ApiClient
) -> None:
    for _ in range(20):
        admin.post("/webhooks", {"url": URL})
    status, page = submit(manager, LIST, **FORM)
    assert status == 409
    assert "An organization has at most 20 webhooks" in page
    assert 'value="Arrivals board"' in page


def test_webhooks_of_another_organization_are_out_of_reach(
    manager: Browser, stranger: ApiClient, app: Flask, other_organization_id: UUID
) -> None:
    made = signed_in(app, other_organization_id, Role.ADMIN)
    assert submit(made, LIST, **FORM)[0] == 201
    (path,) = re.findall(rf'href="({LIST}/[^"]+)"', read(made))
    assert path not in read(manager)
    assert manager.get(path).status_code == 404
    for act in ("", "/active", "/rotate", "/test", "/delete"):
        assert submit(manager, path + act, **FORM)[0] == 404
    assert path in read(made)


def test_a_changed_webhook_stays_disabled(manager: Browser, admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL, "isActive": False}).get_json()
    events = ["voyage.started", "charting.advice"]
    assert submit(manager, page_of(made), **FORM | {"event_kinds": events})[0] == 302
    changed = admin.get(f"/webhooks/{made['id']}").get_json()
    assert changed["events"] == events
    assert changed["state"] == "DISABLED"


def test_a_webhook_is_disabled_enabled_and_deleted(manager: Browser, admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL}).get_json()
    path = page_of(made)
    assert submit(manager, f"{path}/active", active="no")[0] == 302
    assert "</svg>Disabled" in read(manager)
    assert "Send test" not in read(manager, path)
    status, page = submit(manager, f"{path}/test")
    assert status == 409
    assert "The webhook is switched off; switch it on first." in page
    assert submit(manager, f"{path}/active", active="yes")[0] == 302
    assert "</svg>Active" in read(manager)
    assert submit(manager, f"{path}/delete")[0] == 302
    assert "No webhooks yet" in read(manager)


def test_the_list_shows_which_webhooks_fail(manager: Browser, outbox: Outbox) -> None:
    failing, gone = (outbox.admin.post("/webhooks", {"url": URL}).get_json() for _ in range(2))
    since = utc_now().replace(year=2026, month=3, day=14, hour=18, minute=30)
    outbox.set_row(WebhookEndpoint, failing["id"], failing_since=since)
    outbox.set_row(WebhookEndpoint, gone["id"], gone_at=since, is_active=False)
    page = read(manager)
    assert page.index("</svg>Gone") < page.index("</svg>Failing") < page.index("14 Mar 18:30")
    assert "answered 410" in read(manager, page_of(gone))


def test_both_secrets_sign_after_a_rotation(
    manager: Browser, outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    status, page = submit(manager, f"{page_of(made)}/rotate")
    assert status == 201
    assert submit(manager, f"{page_of(made)}/test")[0] == 302
    outbox.deliver()
    for secret in (made["secret"], shown_once(page)):
        assert verify(secret, receiver)["type"] == "webhook.test"
    assert made["secret"] not in page


def test_a_second_rotation_is_without_overlap_or_refused(
    manager: Browser, admin: ApiClient
) -> None:
    path = page_of(admin.post("/webhooks", {"url": URL}).get_json())
    assert 'name="overlap"' not in read(manager, path)
    submit(manager, f"{path}/rotate")
    status, page = submit(manager, f"{path}/rotate")
    assert status == 409
    assert "The secret was rotated already" in page
    assert 'name="overlap" value="no"' in page
    status, page = submit(manager, f"{path}/rotate", overlap="no")
    assert status == 201
    assert "Secret rotated" in page
    assert "previous secret also signs" not in page


def test_deliveries_are_listed_with_their_response(
    manager: Browser, outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    path = page_of(made)
    submit(manager, f"{path}/test")
    assert "data-waits" in read(manager, path)
    receiver.answers = [Answer(500, body=b"<b>no disk</b>")]
    outbox.deliver()
    page = manager.get(path).text
    assert "data-waits" not in page
    assert "</svg>Failed" in page
    assert "1 delivery of the last 30 days" in page
    assert "<summary>500</summary>&lt;b&gt;no disk&lt;/b&gt;" in page
    charting_id = outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(302)]
    outbox.deliver()
    page = read(manager, path)
    assert f'<a href="/voyages/{charting_id}">charting.started</a>' in page
    assert "302: redirects are not followed" in page
    assert "</svg>Retrying" in read(manager)


def test_a_form_without_the_page_s_token_is_refused(manager: Browser, admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL}).get_json()
    before = admin.get("/webhooks").get_json()
    for path in (LIST, *(f"{page_of(made)}{act}" for act in ("", "/delete", "/rotate", "/active"))):
        assert manager.http.post(path, data=FORM, headers=HTML).status_code == 400
    assert admin.get("/webhooks").get_json() == before


def test_a_webhook_switched_off_during_a_dispatch_drops_what_is_dispatched(
    manager: Browser, outbox: Outbox, database_url: str
) -> None:
    made = outbox.admin.post("/webhooks", {"url": URL}).get_json()
    form = {"csrf_token": manager.token(), "active": "no"}
    path = f"{page_of(made)}/active"
    with organization_session(outbox.organization_id) as session:
        # stores a delivery as a dispatch does
        webhook_dispatch.send_test(session, session.get_one(WebhookEndpoint, UUID(made["id"])))
        answer = answer_after(
            session, database_url, lambda: manager.http.post(path, data=form, headers=HTML)
        )
    assert answer.status_code == 302
    assert [row["status"] for row in outbox.log(made)] == ["FAILED"]
