"""The event stream: ordered, resumable without a gap, only of the own organization."""

import json
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import TextClause, text

from app.api import waiting
from app.models import Event, EventKind, new_id
from app.services.platform.sessions import organization_session
from tests.integration.browser import signed_in
from tests.integration.client import ApiClient
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("redis", "context")


_NEXT = text("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
_OLDEST_OPEN = text("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer at once instead of after 30 seconds without an event."""
    monkeypatch.setattr("app.api.event_stream.LONGEST_WAIT_S", 0)


def happen(organization_id: UUID, kind: EventKind = EventKind.VOYAGE_STARTED) -> Event:
    return Event(
        id=new_id(),
        organization_id=organization_id,
        kind=kind,
        subject_id=new_id(),
        payload={"chartingId": "Ærø"},
    )


def commit(organization_id: UUID, kind: EventKind = EventKind.VOYAGE_STARTED) -> None:
    """Let an event happen, and wait until the stream shows it."""
    with organization_session(organization_id) as session:
        session.add(happen(organization_id, kind))
    wait_for_earlier_transactions(organization_id)


def wait_for_earlier_transactions(organization_id: UUID) -> None:
    """Wait until none is open that began before now, in any database: other tests have some too."""

    def read_number(statement: TextClause) -> int:
        with organization_session(organization_id) as session:
            return int(session.execute(statement).scalar_one())

    begun = read_number(_NEXT)
    wait_until(lambda: read_number(_OLDEST_OPEN) >= begun, "end of earlier transactions")


def read(client: ApiClient, last_id: str | None = None) -> tuple[str, list[dict[str, Any]]]:
    """Connect as a client of server-sent events does; answers the last id and the events."""
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
    answer = client.get("/events/stream", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.content_type == "text/event-stream; charset=utf-8"
    events = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
        last_id = fields.get("id", last_id)
        if "event" in fields:
            events.append(json.loads(fields["data"]) | {"event": fields["event"]})
    assert last_id is not None
    return last_id, events


def test_a_stream_begins_now_and_goes_on_where_it_was_left(
    planner: ApiClient, organization_id: UUID
) -> None:
    commit(organization_id)
    last_id, events = read(planner)
    assert events == []
    for kind in (EventKind.VOYAGE_STARTED, EventKind.CHARTING_ADVICE):
        commit(organization_id, kind)
    last_id, events = read(planner, last_id)
    assert [event["event"] for event in events] == ["voyage.started", "charting.advice"]
    assert events[0]["data"] == {"chartingId": "Ærø"}
    assert read(planner, last_id) == (last_id, [])


def test_an_event_that_is_committed_late_is_not_missed(
    planner: ApiClient, organization_id: UUID
) -> None:
    last_id, _ = read(planner)
    with organization_session(organization_id) as early:
        early.add(happen(organization_id, EventKind.VOYAGE_STARTED))
        early.flush()
        with organization_session(organization_id) as late:
            late.add(happen(organization_id, EventKind.VOYAGE_FINISHED))
        assert read(planner, last_id) == (last_id, [])
    wait_for_earlier_transactions(organization_id)
    _, events = read(planner, last_id)
    assert [event["event"] for event in events] == ["voyage.started", "voyage.finished"]


def test_events_of_others_and_tests_are_in_no_stream(
    planner: ApiClient, organization_id: UUID, other_organization_id: UUID
) -> None:
    last_id, _ = read(planner)
    for owner, kind in (
        (other_organization_id, EventKind.VOYAGE_STARTED),
        (organization_id, EventKind.WEBHOOK_TEST),
    ):
        commit(owner, kind)
    assert read(planner, last_id) == (last_id, [])


@pytest.mark.parametrize("last_id", ["x", "1", "1-", "-1-2", f"{2**63}-1", f"1-{2**63}", "9" * 39])
def test_an_id_that_is_none_of_an_event_is_refused(planner: ApiClient, last_id: str) -> None:
    answer = planner.get("/events/stream", headers={"Last-Event-ID": last_id})
    assert answer.status_code == 422


def test_a_page_is_answered_at_once_with_what_it_has_not_seen(
    app: Flask, planner: ApiClient, organization_id: UUID
) -> None:
    page = signed_in(app, organization_id).http
    last_id = page.get("/events").text.split("id: ")[1].strip()
    commit(organization_id)
    answer = page.get("/events", headers={"Last-Event-ID": last_id})
    assert answer.mimetype == "text/event-stream"
    assert "event: voyage.started" in answer.text
    assert "retry: 5000" in answer.text
    last_id, _ = read(planner, last_id)
    assert "event:" not in page.get("/events", headers={"Last-Event-ID": last_id}).text


def test_a_stream_waits_for_the_next_event(
    planner: ApiClient, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    last_id, _ = read(planner)
    monkeypatch.setattr("app.api.event_stream.LONGEST_WAIT_S", waiting.LONGEST_WAIT_S)

    def let_happen(_seconds: float) -> None:
        commit(organization_id)

    # of this module alone: other threads of this process sleep as well
    monkeypatch.setattr("app.api.operation.time", SimpleNamespace(sleep=let_happen))
    _, events = read(planner, last_id)
    assert [event["event"] for event in events] == ["voyage.started"]


@pytest.mark.parametrize("given", ["x", "1", "-", "1-2-3", "1-" + "9" * 40, "١-٢"])
def test_what_is_no_id_of_an_event_is_refused(planner: ApiClient, given: str) -> None:
    answer = planner.get("/events/stream", query_string={"lastEventId": given})
    assert answer.status_code == 422
    assert "not the id of an event" in answer.text or "Longer than" in answer.text


def test_the_stream_is_read_by_an_index(app: Flask, organization_id: UUID) -> None:
    with organization_session(organization_id) as session:
        session.execute(text("SET LOCAL enable_seqscan = off"))
        plan = session.execute(
            text(
                "EXPLAIN SELECT * FROM event WHERE organization_id = :owner"
                " AND (transaction, sequence) > (1, 1) ORDER BY transaction, sequence LIMIT 5"
            ),
            {"owner": organization_id},
        ).scalars()
        assert "ix_event_stream" in "\n".join(plan)
