"""Webhooks: registration, delivery to a real server, retries, giving up."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from openapi_schema_validator import OAS30ReadValidator
from redis import Redis
from sqlalchemy import select, update
from standardwebhooks import Webhook

from app import create_app
from app.config import Settings, WebhookReach
from app.models import (
    ChartingRevision,
    Event,
    EventKind,
    Role,
    WebhookDelivery,
    WebhookEndpoint,
    new_id,
    utc_now,
)
from app.records.instants import parse_instant
from app.services.platform import events, queue
from app.services.platform.sessions import operator_session, organization_session
from app.services.webhooks import webhook_deliveries, webhook_dispatch, webhook_sending
from tests.integration.client import ApiClient, pointers
from tests.integration.conftest import client_of
from tests.receiver import Answer, Receiver

URL = "https://fleet.example/hooks"

Planner = Callable[[str, int], None]
REQUEST = {"vesselId": "a vessel", "owner": "an owner", "triggeredBy": None, "dwt": 60000}


LOCAL = WebhookReach((ip_network("127.0.0.0/8"),), has_loopback=True)


@pytest.fixture(scope="module")
def open_app(settings: Settings) -> Iterator[Flask]:
    """The application as a worker has it, where the operator allows private networks."""
    made = create_app(
        replace(
            settings,
            webhooks_reach=LOCAL,
            process_role="worker",
        )
    )
    yield made
    made.extensions["chartroom"].close()


@pytest.fixture
def outbox(
    app: Flask, open_app: Flask, organization_id: UUID, database_url: str, redis: Redis
) -> Iterator["Outbox"]:
    """The organization's events, and a delivery of them here and now."""
    with psycopg.connect(database_url) as database:
        database.execute("TRUNCATE event, webhook_endpoint CASCADE")
    with open_app.app_context():
        yield Outbox(client_of(app, organization_id, Role.ADMIN), organization_id)


class Outbox:
    """Records events, and delivers as a worker would."""

    def __init__(self, admin: ApiClient, organization_id: UUID) -> None:
        self.admin = admin
        self.organization_id = organization_id

    def register(self, receiver: Receiver, **wanted: Any) -> dict[str, Any]:
        """Register a webhook of the receiver with a service that allows this machine."""
        made: dict[str, Any] = self.admin.post("/webhooks", {"url": URL} | wanted).get_json()
        self.set_row(WebhookEndpoint, made["id"], url=receiver.url)
        return made

    def happen(
        self, kind: EventKind = EventKind.CHARTING_STARTED, charting_id: UUID | None = None
    ) -> UUID:
        """Record an event as planning does; answers whose it is."""
        row = ChartingRevision(
            organization_id=self.organization_id, charting_id=charting_id or new_id(),
            revision=1, status="RUNNING", request=REQUEST,
        )  # fmt: skip
        with organization_session(self.organization_id) as session:
            events.record_charting(session, kind, row)
        return row.charting_id

    def dispatch(self) -> None:
        webhook_dispatch.dispatch(self.organization_id)

    def deliver(self) -> None:
        """Try every delivery once, as if its time had come."""
        with organization_session(self.organization_id) as session:
            rows = list(session.scalars(select(WebhookDelivery.id).order_by(WebhookDelivery.id)))
        for row in rows:
            self.set_row(WebhookDelivery, str(row), next_attempt_at=utc_now())
            webhook_deliveries.deliver(self.organization_id, row)

    def rested(self) -> None:
        """Let every endpoint's rest be over."""
        with organization_session(self.organization_id) as session:
            session.execute(update(WebhookEndpoint).values(rests_until=None))

    def log(self, webhook: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self.admin.get(f"/webhooks/{webhook['id']}/deliveries")
        items: list[dict[str, Any]] = answer.get_json()["items"]
        return items

    def webhook(self, webhook: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = self.admin.get(f"/webhooks/{webhook['id']}").get_json()
        return shown

    def set_row(self, model: Any, id_: str, **values: Any) -> None:
        with operator_session(self.organization_id) as session:
            session.execute(update(model).where(model.id == UUID(id_)).values(**values))


def verify(secret: str, receiver: Receiver, index: int = -1) -> Any:
    received = receiver.received[index]
    return Webhook(secret).verify(received.body, received.headers)


def test_a_delivery_is_verified_by_the_standards_own_package(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    charting_id = outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    told = verify(made["secret"], receiver)
    assert told["type"] == "charting.started"
    assert told["data"] == {
        "chartingId": str(charting_id), "revision": 1, "status": "RUNNING",
        "vesselId": "a vessel", "owner": "an owner", "triggeredBy": None,
    }  # fmt: skip
    (delivery,) = outbox.log(made)
    assert (delivery["status"], delivery["chartingId"]) == ("DELIVERED", str(charting_id))
    assert delivery["eventId"] == receiver.received[0].headers["webhook-id"]
    assert [attempt["status"] for attempt in delivery["attempts"]] == [204]
    assert delivery["nextAttemptAt"] is None


def test_what_is_sent_is_as_described(
    outbox: Outbox, receiver: Receiver, app: Flask, planner: ApiClient, plan: Planner, atlas: Path
) -> None:
    made = outbox.register(receiver)
    charting_id = planner.order(owner="Vos Shipping")["id"]
    plan(charting_id, 1)
    outbox.dispatch()
    outbox.deliver()
    outbox.deliver()
    description = app.test_client().get("/v1/openapi.json").get_json()
    schema = {"$ref": "#/components/schemas/WebhookEvent", "components": description["components"]}
    for index in range(2):
        OAS30ReadValidator(schema).validate(verify(made["secret"], receiver, index))
    told = verify(made["secret"], receiver)
    assert told["type"] == "charting.completed"
    assert told["data"]["owner"] == "Vos Shipping"
    assert told["data"]["summary"]["distanceNm"] > 90


def test_a_secret_is_shown_once_and_never_again(admin: ApiClient) -> None:
    answer = admin.post("/webhooks", {"url": URL}, headers={"Idempotency-Key": "hook"})
    made = answer.get_json()
    assert made["secret"].startswith("whsec_")
    assert made["events"] == [
        "charting.started", "charting.completed", "charting.failed", "charting.cancelled",
        "charting.departures", "charting.advice", "voyage.started", "voyage.finished",
        "voyage.abandoned",
    ]  # fmt: skip
    again = admin.post("/webhooks", {"url": URL}, headers={"Idempotency-Key": "hook"}).get_json()
    assert again == made | {"secret": None}
    shown = admin.get(answer.headers["Location"].removeprefix("/v1"))
    assert "secret" not in shown.get_json()
    assert shown.headers["ETag"] == answer.headers["ETag"]
    assert admin.get("/webhooks").get_json()["total"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {"url": "http://fleet.example/hooks"},
        {"url": "https://10.0.0.1/hooks"},
        {"url": "https://169.254.169.254/latest/meta-data"},
        {"url": "https://u:p@fleet.example/"},
        {"url": ""},
        {},
    ],
)
def test_a_url_that_may_not_be_sent_to_is_refused(admin: ApiClient, body: dict[str, Any]) -> None:
    refused = admin.post("/webhooks", body)
    assert refused.status_code == 422
    assert pointers(refused) == {"/url"}


def test_a_webhook_whose_url_is_no_longer_allowed_is_switched_off_but_not_on(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    path = f"/webhooks/{made['id']}"
    wanted = {"url": receiver.url, "events": ["charting.failed"]}
    changed = outbox.admin.put(path, wanted | {"description": "Before the move"})
    assert changed.status_code == 200, changed.text
    off = outbox.admin.put(path, wanted | {"isActive": False})
    assert (off.status_code, off.get_json()["state"]) == (200, "DISABLED")
    for refused in (wanted | {"isActive": True}, wanted | {"url": f"{receiver.url}/other"}):
        assert pointers(outbox.admin.put(path, refused)) == {"/url"}
    assert outbox.webhook(made)["state"] == "DISABLED"


@pytest.mark.parametrize("wanted", [[], ["charting.arrived"], ["webhook.test"], "charting.failed"])
def test_events_that_there_are_not_are_refused(admin: ApiClient, wanted: Any) -> None:
    refused = admin.post("/webhooks", {"url": URL, "events": wanted})
    assert refused.status_code == 422
    assert next(iter(pointers(refused))).startswith("/events")


def test_an_event_given_twice_is_kept_once(admin: ApiClient) -> None:
    wanted = ["charting.failed", "charting.completed", "charting.failed"]
    made = admin.post("/webhooks", {"url": URL, "events": wanted}).get_json()
    assert made["events"] == ["charting.failed", "charting.completed"]
    changed = admin.put(f"/webhooks/{made['id']}", {"url": URL, "events": wanted[1:] * 3})
    assert changed.get_json()["events"] == ["charting.completed", "charting.failed"]


def test_more_events_than_there_are_may_be_given_by_repeating_some(admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL, "events": ["charting.failed"] * 20})
    assert made.status_code == 201, made.text
    assert made.get_json()["events"] == ["charting.failed"]


def test_webhooks_are_for_admins_and_for_their_own(
    admin: ApiClient, planner: ApiClient, stranger: ApiClient
) -> None:
    made = admin.post("/webhooks", {"url": URL}).get_json()
    path = f"/webhooks/{made['id']}"
    assert planner.get("/webhooks").status_code == 403
    assert planner.post("/webhooks", {"url": URL}).status_code == 403
    for suffix in ("", "/deliveries"):
        assert stranger.get(path + suffix).status_code == 404
    assert stranger.delete(path).status_code == 404
    assert stranger.post(f"{path}/test").status_code == 404
    assert stranger.post(f"{path}/rotate").status_code == 404
    assert stranger.get("/webhooks").get_json()["total"] == 0


def test_planners_manage_webhooks_where_an_admin_says_so(
    admin: ApiClient, planner: ApiClient, viewer: ApiClient, stranger: ApiClient
) -> None:
    allowed = {"plannersManageWebhooks": True}
    assert planner.patch("/organization", allowed).status_code == 403
    assert stranger.patch("/organization", allowed).status_code == 200
    assert planner.post("/webhooks", {"url": URL}).status_code == 403
    assert admin.patch("/organization", allowed).get_json()["plannersManageWebhooks"] is True
    made = planner.post("/webhooks", {"url": URL}).get_json()
    assert planner.get(f"/webhooks/{made['id']}/deliveries").status_code == 200
    assert planner.delete(f"/webhooks/{made['id']}").status_code == 204
    assert viewer.get("/webhooks").status_code == 403
    seen = admin.get("/organization").get_json()
    assert admin.patch("/organization", seen | {"plannersManageWebhooks": False}).status_code == 200
    assert planner.get("/webhooks").status_code == 403


def test_an_organization_has_a_limited_number_of_webhooks(admin: ApiClient) -> None:
    statuses = [admin.post("/webhooks", {"url": URL}).status_code for _ in range(21)]
    assert statuses == [201] * 20 + [409]


def test_only_events_that_are_wanted_are_sent(outbox: Outbox, receiver: Receiver) -> None:
    outbox.register(receiver, events=["charting.failed"])
    outbox.happen(EventKind.CHARTING_STARTED)
    outbox.happen(EventKind.CHARTING_FAILED)
    outbox.dispatch()
    outbox.deliver()
    told = [json.loads(received.body)["type"] for received in receiver.received]
    assert told == ["charting.failed"]


def test_two_dispatches_at_once_make_one_delivery(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    with organization_session(outbox.organization_id) as session:
        session.execute(update(Event).values(dispatched_at=None))
    outbox.dispatch()
    assert len(outbox.log(made)) == 1


def test_a_new_secret_signs_next_to_the_old_one_for_the_overlap(
    outbox: Outbox, receiver: Receiver
) -> None:
    old = outbox.register(receiver)
    path = f"/webhooks/{old['id']}/rotate"
    new = outbox.admin.post(path, {"overlapHours": 1}).get_json()
    assert new["secret"] != old["secret"]
    outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    for secret in (old["secret"], new["secret"]):
        verify(secret, receiver)
    last = outbox.admin.post(path, {"overlapHours": 0}).get_json()
    outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    verify(last["secret"], receiver)
    assert len(receiver.received[-1].headers["webhook-signature"].split(" ")) == 1


def test_a_second_rotation_does_not_end_the_overlap_of_the_first(admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL}).get_json()
    path = f"/webhooks/{made['id']}/rotate"
    until = admin.post(path, {"overlapHours": 24}).get_json()["previousSecretUntil"]
    refused = admin.post(path, {"overlapHours": 48})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "SECRET_ROTATED")
    assert admin.get(f"/webhooks/{made['id']}").get_json()["previousSecretUntil"] == until
    ended = admin.post(path, {"overlapHours": 0}).get_json()
    assert ended["previousSecretUntil"] is None
    assert admin.post(path, {"overlapHours": 24}).status_code == 200


def test_events_of_a_charting_arrive_in_order_whatever_fails(
    outbox: Outbox, receiver: Receiver
) -> None:
    outbox.register(receiver)
    one, other = outbox.happen(EventKind.CHARTING_COMPLETED), outbox.happen()
    outbox.happen(EventKind.CHARTING_ADVICE, one)
    outbox.dispatch()
    receiver.answers = [Answer(500)]
    outbox.deliver()  # the second waits for the first; the other charting's does not
    outbox.deliver()
    outbox.deliver()
    assert told_of(receiver) == [
        (one, "charting.completed"),
        (other, "charting.started"),
        (one, "charting.completed"),
        (one, "charting.advice"),
    ]


def told_of(receiver: Receiver) -> list[tuple[UUID, str]]:
    bodies = [json.loads(received.body) for received in receiver.received]
    return [(UUID(body["data"]["chartingId"]), body["type"]) for body in bodies]


def test_what_came_of_a_planning_does_not_wait_for_its_beginning_to_be_tried_again(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    charting = outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(500)]
    outbox.deliver()
    outbox.happen(EventKind.CHARTING_COMPLETED, charting)
    outbox.dispatch()
    webhook_deliveries.deliver(outbox.organization_id, UUID(outbox.log(made)[0]["id"]))
    assert told_of(receiver) == [(charting, "charting.started"), (charting, "charting.completed")]
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED", "FAILED"]
    assert outbox.webhook(made)["state"] == "ACTIVE"


def test_a_beginning_that_fails_while_the_end_waits_is_given_up_at_once(
    outbox: Outbox, receiver: Receiver, redis: Redis
) -> None:
    made = outbox.register(receiver)
    charting = outbox.happen()
    outbox.happen(EventKind.CHARTING_COMPLETED, charting)
    outbox.dispatch()
    redis.flushdb()
    receiver.answers = [Answer(500)]
    completed, started = outbox.log(made)
    webhook_deliveries.deliver(outbox.organization_id, UUID(started["id"]))
    assert [row["status"] for row in outbox.log(made)] == ["PENDING", "FAILED"]
    assert queue.webhook_queue().count == 1, "the end is queued for now, not for later"
    webhook_deliveries.deliver(outbox.organization_id, UUID(completed["id"]))
    assert outbox.log(made)[0]["status"] == "DELIVERED"


def test_a_delivery_that_fails_is_tried_again_later_under_the_same_id(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(500, body=b"out of order"), Answer(302, {"Location": "http://::1"})]
    waits = []
    for _ in range(2):
        outbox.deliver()
        (delivery,) = outbox.log(made)
        assert delivery["status"] == "PENDING"
        waits.append(seconds_until(delivery["nextAttemptAt"]))
    assert 3 < waits[0] < 7
    assert 45 < waits[1] < 75
    outbox.deliver()
    (delivery,) = outbox.log(made)
    assert delivery["status"] == "DELIVERED"
    tried = [(attempt["status"], attempt["error"]) for attempt in delivery["attempts"]]
    assert tried == [(500, None), (302, "redirects are not followed"), (204, None)]
    assert delivery["attempts"][0]["response"] == "out of order"
    assert len({received.headers["webhook-id"] for received in receiver.received}) == 1
    assert len({received.body for received in receiver.received}) == 1


def test_a_second_job_of_a_delivery_does_not_hasten_its_next_attempt(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(500)]
    (delivery,) = outbox.log(made)
    for _ in range(2):
        webhook_deliveries.deliver(outbox.organization_id, UUID(delivery["id"]))
    assert len(receiver.received) == 1
    assert len(outbox.log(made)[0]["attempts"]) == 1


def seconds_until(instant: str) -> float:
    return (parse_instant(instant) - utc_now()).total_seconds()


def test_the_waits_fill_a_day_and_no_more() -> None:
    assert 0.95 < sum(webhook_deliveries.DELAYS_S) / 86_400 < 1.0
    assert list(webhook_deliveries.DELAYS_S) == sorted(webhook_deliveries.DELAYS_S)


def test_a_receiver_that_asks_to_wait_is_left_alone_until_then(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(503, {"Retry-After": "900"})]
    outbox.deliver()
    outbox.deliver()
    assert len(receiver.received) == 1, "the other charting's event waits as well"
    for delivery in outbox.log(made):
        assert 880 < seconds_until(delivery["nextAttemptAt"]) <= 900
    outbox.rested()
    outbox.deliver()
    assert len(receiver.received) == 3


def paused(outbox: Outbox, receiver: Receiver, retry_after: str) -> dict[str, Any]:
    """Register a webhook that its receiver has paused, with a delivery that waits."""
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(503, {"Retry-After": retry_after})]
    outbox.deliver()
    return made


def test_a_pause_lasts_an_hour_at_most_and_is_shown(outbox: Outbox, receiver: Receiver) -> None:
    made = paused(outbox, receiver, "99999999999999")
    assert 3580 < seconds_until(outbox.webhook(made)["pausedUntil"]) <= 3600
    assert 3580 < seconds_until(outbox.log(made)[0]["nextAttemptAt"]) <= 3600


def test_a_successful_test_is_sent_during_a_pause_and_ends_it(
    outbox: Outbox, receiver: Receiver, redis: Redis
) -> None:
    made = paused(outbox, receiver, "900")
    outbox.admin.post(f"/webhooks/{made['id']}/test")
    redis.flushdb()
    outbox.deliver()
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED", "PENDING"]
    assert outbox.webhook(made)["pausedUntil"] is None
    assert queued() == [1, 0]


def test_a_put_ends_a_pause(outbox: Outbox, receiver: Receiver, redis: Redis) -> None:
    made = paused(outbox, receiver, "900")
    outbox.set_row(WebhookEndpoint, made["id"], url=URL)
    redis.flushdb()
    changed = outbox.admin.put(f"/webhooks/{made['id']}", {"url": URL})
    assert (changed.status_code, changed.get_json()["pausedUntil"]) == (200, None)
    assert queued() == [1, 0]


def test_a_receiver_that_hangs_once_delays_no_other_chartings_event(
    outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_sending, "READ_TIMEOUT_S", 2)
    made = outbox.register(receiver)
    outbox.happen()
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(hangs_s=60)]
    outbox.deliver()
    late, early = outbox.log(made)
    (attempt,) = early["attempts"]
    assert attempt["error"] == "no answer in time"
    since_sent = parse_instant(early["nextAttemptAt"]) - parse_instant(attempt["at"])
    assert 3 < since_sent.total_seconds() - attempt["durationMs"] / 1000 < 7
    assert late["status"] == "DELIVERED"


def test_a_receiver_that_does_not_answer_keeps_no_other_receiver_waiting(
    outbox: Outbox, receiver: Receiver, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(hangs_s=60)]
    with monkeypatch.context() as impatient:
        impatient.setattr(webhook_sending, "READ_TIMEOUT_S", 0.2)
        outbox.deliver()
    assert queued_by_a_new_event(outbox, redis) == [0, 1]
    outbox.deliver()
    assert queued_by_a_new_event(outbox, redis) == [1, 0], "it has answered again"


def test_a_receiver_that_answers_slowly_keeps_no_other_receiver_waiting(
    outbox: Outbox, receiver: Receiver, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    with monkeypatch.context() as impatient:
        impatient.setattr(webhook_sending, "SLOW_AFTER_S", -1)
        outbox.deliver()
    assert queued_by_a_new_event(outbox, redis) == [0, 1]
    outbox.deliver()
    assert queued_by_a_new_event(outbox, redis) == [1, 0], "it has answered soon again"


def queued() -> list[int]:
    """Count the deliveries in each of the two queues."""
    return [each.count for each in queue.webhook_queues()]


def queued_by_a_new_event(outbox: Outbox, redis: Redis) -> list[int]:
    outbox.happen()
    redis.flushdb()
    outbox.dispatch()
    return queued()


def test_a_receiver_that_is_gone_is_sent_nothing_more(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(410)]
    outbox.deliver()
    outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    assert len(receiver.received) == 1
    shown = outbox.webhook(made)
    assert (shown["state"], shown["isActive"]) == ("GONE", False)
    assert {delivery["status"] for delivery in outbox.log(made)} == {"FAILED"}
    path = f"/webhooks/{made['id']}"
    assert outbox.admin.post(f"{path}/test").status_code == 409
    assert outbox.admin.put(path, {"url": URL, "description": "old"}).status_code == 200
    assert outbox.webhook(made)["state"] == "GONE", "it stays off unless it is switched on"
    assert outbox.admin.put(path, shown | {"isActive": True, "url": URL}).status_code == 200
    assert outbox.webhook(made)["state"] == "ACTIVE"


def test_a_delivery_is_given_up_after_a_day(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver)
    charting_id = outbox.happen()
    outbox.happen(EventKind.CHARTING_COMPLETED, charting_id)
    outbox.dispatch()
    late = outbox.log(made)[1]
    outbox.set_row(WebhookDelivery, late["id"], created_at=utc_now() - timedelta(hours=24))
    receiver.answers = [Answer(500)]
    outbox.deliver()
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED", "FAILED"]
    assert outbox.webhook(made)["failingSince"] is None, "the next has arrived"


def test_a_webhook_fails_since_its_first_failed_attempt_and_is_failing_a_day_later(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    receiver.answers = [Answer(500), Answer(500)]
    outbox.deliver()
    shown = outbox.webhook(made)
    assert shown["state"] == "ACTIVE"
    assert shown["failingSince"] is not None
    outbox.deliver()
    assert outbox.webhook(made)["failingSince"] == shown["failingSince"]
    outbox.set_row(WebhookEndpoint, made["id"], failing_since=utc_now() - timedelta(hours=24))
    assert outbox.webhook(made)["state"] == "FAILING"
    outbox.deliver()
    assert outbox.webhook(made)["state"] == "ACTIVE"


def test_a_delivery_that_was_given_up_is_sent_again_on_request(
    outbox: Outbox, receiver: Receiver, redis: Redis
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    (given_up,) = outbox.log(made)
    path = f"/webhooks/{made['id']}/deliveries/{given_up['id']}/redeliver"
    assert outbox.admin.post(path).status_code == 409, "it is pending"
    outbox.set_row(WebhookDelivery, given_up["id"], created_at=utc_now() - timedelta(hours=24))
    receiver.answers = [Answer(500)]
    outbox.deliver()
    redis.flushdb()
    again = outbox.admin.post(path)
    assert (again.status_code, again.get_json()["status"]) == (202, "PENDING")
    assert queued() == [1, 0]
    outbox.deliver()
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED"]
    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert outbox.admin.post(path.replace(given_up["id"], made["id"])).status_code == 404


def test_a_test_answered_by_410_switches_nothing_off(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver, events=["charting.failed"])
    outbox.admin.post(f"/webhooks/{made['id']}/test")
    receiver.answers = [Answer(410)]
    outbox.deliver()
    outbox.happen(EventKind.CHARTING_FAILED)
    outbox.dispatch()
    outbox.deliver()
    assert outbox.webhook(made)["state"] == "ACTIVE"
    assert outbox.webhook(made)["failingSince"] is None
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED", "FAILED"]


def test_a_test_event_arrives_once_and_is_not_tried_again(
    outbox: Outbox, receiver: Receiver
) -> None:
    made = outbox.register(receiver, events=["charting.failed"])
    path = f"/webhooks/{made['id']}/test"
    sent = outbox.admin.post(path)
    assert sent.status_code == 202
    receiver.answers = [Answer(500)]
    outbox.deliver()
    assert outbox.log(made)[0]["status"] == "FAILED"
    assert outbox.webhook(made)["state"] == "ACTIVE"
    outbox.admin.post(path)
    outbox.deliver()
    assert verify(made["secret"], receiver) | {"timestamp": ""} == {
        "type": "webhook.test", "timestamp": "", "data": {"webhookId": made["id"]},
    }  # fmt: skip
    assert [row["status"] for row in outbox.log(made)] == ["DELIVERED", "FAILED"]


def test_what_is_on_its_way_is_dropped_when_a_webhook_is_switched_off_or_deleted(
    outbox: Outbox, receiver: Receiver
) -> None:
    off, deleted = outbox.register(receiver), outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    shown = outbox.webhook(off)
    path = f"/webhooks/{off['id']}"
    assert outbox.admin.put(path, shown | {"url": URL, "isActive": False}).status_code == 200
    assert outbox.webhook(off)["state"] == "DISABLED"
    assert outbox.admin.delete(f"/webhooks/{deleted['id']}").status_code == 204
    outbox.deliver()
    assert receiver.received == []
    assert [row["status"] for row in outbox.log(off)] == ["FAILED"]


def test_what_is_dispatched_at_the_moment_a_webhook_is_switched_off_is_not_sent(
    outbox: Outbox, receiver: Receiver, redis: Redis
) -> None:
    made = outbox.register(receiver)
    charting_id = outbox.happen()
    outbox.happen(EventKind.CHARTING_COMPLETED, charting_id)
    outbox.dispatch()
    outbox.set_row(WebhookEndpoint, made["id"], is_active=False)
    redis.flushdb()
    outbox.deliver()
    assert receiver.received == []
    assert [row["status"] for row in outbox.log(made)] == ["FAILED", "FAILED"]
    assert [row["attempts"] for row in outbox.log(made)] == [[], []]


def test_a_change_on_top_of_an_unseen_change_is_refused(admin: ApiClient) -> None:
    made = admin.post("/webhooks", {"url": URL})
    path, seen = f"/webhooks/{made.get_json()['id']}", {"If-Match": made.headers["ETag"]}
    body = made.get_json() | {"events": ["charting.failed"]}
    del body["secret"]
    assert admin.put(path, body, headers=seen).status_code == 200
    assert admin.put(path, body, headers=seen).status_code == 412
    assert admin.delete(path, headers=seen).status_code == 412


def test_a_webhook_that_failed_meanwhile_is_changed(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver)
    path = f"/webhooks/{made['id']}"
    seen = {"If-Match": outbox.admin.get(path).headers["ETag"]}
    receiver.answers = [Answer(500)]
    outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    shown = outbox.webhook(made)
    assert shown["failingSince"] is not None
    body = shown | {"url": URL, "events": ["charting.failed"]}
    assert outbox.admin.put(path, body, headers=seen).status_code == 200


def test_what_was_lost_with_the_queue_is_found_by_sweeping(
    outbox: Outbox, receiver: Receiver, redis: Redis
) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    redis.flushdb()
    age(outbox, seconds=20)
    assert webhook_dispatch.sweep() == 1
    assert queue.webhook_queue().count == 1
    outbox.dispatch()
    redis.flushdb()
    assert webhook_dispatch.sweep() == 1
    assert webhook_dispatch.sweep() == 1
    counts = [each.count for each in queue.webhook_queues()]
    assert counts == [0, 1], "what is queued is not queued twice"
    outbox.deliver()
    assert webhook_dispatch.sweep() == 0
    assert outbox.log(made)[0]["status"] == "DELIVERED"


def test_one_who_died_while_sending_is_replaced_when_the_lease_runs_out(
    outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """As sudden as that."""

    def die(*_arguments: Any, **_options: Any) -> None:
        raise Killed

    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    with monkeypatch.context() as patch:
        patch.setattr(webhook_deliveries, "send", die)
        with pytest.raises(Killed):
            outbox.deliver()
    outbox.deliver()
    assert receiver.received == [], "held by the lease"
    (row,) = outbox.log(made)
    outbox.set_row(WebhookDelivery, row["id"], leased_until=utc_now() - timedelta(seconds=1))
    outbox.deliver()
    assert outbox.log(made)[0]["status"] == "DELIVERED"


def test_events_and_their_log_are_kept_thirty_days(outbox: Outbox, receiver: Receiver) -> None:
    made = outbox.register(receiver)
    outbox.happen()
    outbox.dispatch()
    outbox.deliver()
    age(outbox, seconds=29 * 86_400)
    webhook_dispatch.sweep()
    assert len(outbox.log(made)) == 1
    age(outbox, seconds=31 * 86_400)
    webhook_dispatch.sweep()
    assert outbox.log(made) == []


def age(outbox: Outbox, seconds: float) -> None:
    with operator_session(outbox.organization_id) as session:
        session.execute(update(Event).values(created_at=utc_now() - timedelta(seconds=seconds)))
