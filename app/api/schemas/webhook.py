"""Webhooks in requests and answers."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting_record import FailureSchema
from app.models import (
    ACTIVE,
    ChartingStatus,
    DeliveryStatus,
    EndpointState,
    EventKind,
    WebhookDelivery,
)
from app.records.advice import AdviceContentSchema
from app.records.fields import Choice, Flag, RequestSchema, Text
from app.records.figures import Word, count, instant, part, parts, text
from app.records.plan import SummarySchema
from app.records.record import Record
from app.services.webhooks.webhook_addresses import LONGEST_URL
from app.services.webhooks.webhook_endpoints import SUBSCRIBABLE_EVENTS

_PENDING_SECRET = "returned only once; null if an Idempotency-Key repeats the answer"  # noqa: S105


class WebhookSchema(RequestSchema):
    """Endpoint that receives an organization's events."""

    read_only = frozenset(
        {"id", "state", "failingSince", "previousSecretUntil", "createdAt", "createdBy"}
        | {"updatedAt"}
    )

    url = Text(
        required=True,
        longest=LONGEST_URL,
        description="Where to send to: https, on the open internet, ASCII",
        metadata={"example": "https://fleet.example/hooks"},
    )
    event_kinds = fields.List(
        Choice(SUBSCRIBABLE_EVENTS),
        data_key="events",
        load_default=lambda: [str(kind) for kind in SUBSCRIBABLE_EVENTS],
        validate=validate.Length(1, len(SUBSCRIBABLE_EVENTS)),
        metadata={"description": "Events to send; all unless given"},
    )
    description = Text(allow_none=True, load_default=None, description="What it is for")
    is_active = Flag(
        data_key="isActive",
        load_default=True,
        description="Whether events are sent; switching off drops pending deliveries",
    )


class WebhookRecordSchema(WebhookSchema, Record):
    """A webhook, without its secret."""

    id = text("Id")
    state = Word(
        EndpointState,
        "FAILING: not reached for a day, still sent new events; GONE:"
        " answered 410, nothing is sent until it is switched on again",
    )
    failing_since = instant(
        "When a delivery was first given up since the last that arrived",
        allow_none=True,
        data_key="failingSince",
    )
    previous_secret_until = instant(
        "Until when the previous secret also signs", allow_none=True, data_key="previousSecretUntil"
    )
    created_at = instant("When it was made", data_key="createdAt")
    created_by = text("By whom", data_key="createdBy")
    updated_at = instant("When it was last changed", data_key="updatedAt")


class RevealedWebhookSchema(WebhookRecordSchema):
    """A webhook with a new secret."""

    secret = text(f"What its deliveries are signed with, {_PENDING_SECRET}", allow_none=True)


class ComparedSchema(ma.Schema):
    """What came of a comparison of departures."""

    status = Word([status for status in ChartingStatus if status not in ACTIVE], "How it ended")
    done = count("Departures that have figures or are known to be infeasible")
    total = count("Departures of the window")
    best = instant("The best departure, if any", allow_none=True)


class EventDataSchema(ma.Schema):
    """Result of a charting's revision."""

    chartingId = text("Id of the charting")
    revision = count("Its revision, counted from 1", least=1)
    status = Word(ChartingStatus, "State of the revision")
    vesselId = text("Id of the vessel")
    owner = text("As given in the request", allow_none=True)
    triggeredBy = text("As given in the request", allow_none=True)
    summary = fields.Nested(
        SummarySchema, metadata={"description": "The route in figures; of charting.completed"}
    )
    failure = fields.Nested(
        FailureSchema, metadata={"description": "Why there is no route; of charting.failed"}
    )
    departures = fields.Nested(
        ComparedSchema, metadata={"description": "How the comparison ended; of charting.departures"}
    )
    adviceId = fields.String(metadata={"description": "Id of the advice; of charting.advice"})
    advice = fields.Nested(
        AdviceContentSchema, metadata={"description": "What is advised; of charting.advice"}
    )
    departedAt = fields.DateTime(metadata={"description": "Departure; of voyage.started"})
    endedAt = fields.DateTime(
        metadata={"description": "End of the voyage; of voyage.finished and voyage.abandoned"}
    )
    reason = fields.String(metadata={"description": "Why; of voyage.abandoned"})


class WebhookEventSchema(ma.Schema):
    """Webhook body for an event of a charting."""

    type = Word(SUBSCRIBABLE_EVENTS, "What happened")
    timestamp = instant("When it happened")
    data = part(EventDataSchema, "To which charting")


class EventStreamQuerySchema(ma.Schema):
    """Where a stream of events begins."""

    after = fields.String(
        data_key="lastEventId",
        load_default=None,
        validate=validate.Length(max=40),
        metadata={"description": "The same as the header Last-Event-ID, which goes before it"},
    )


class DeliveryAttemptSchema(ma.Schema):
    """One attempt to deliver."""

    at = instant("When it was sent")
    durationMs = count("How long it took [ms]")
    status = fields.Integer(
        required=True,
        allow_none=True,
        validate=validate.Range(100, 999),
        metadata={"description": "HTTP status of the answer; null: there was none"},
    )
    error = text("Why it did not arrive", allow_none=True)
    response = text("Beginning of the answer's body", allow_none=True)


def _find_charting(row: WebhookDelivery) -> UUID | None:
    return None if row.event.kind == EventKind.WEBHOOK_TEST else row.subject_id


def _find_next_attempt(row: WebhookDelivery) -> datetime | None:
    return row.next_attempt_at if row.status == DeliveryStatus.PENDING else None


class WebhookDeliverySchema(Record):
    """Delivery of one event to one webhook."""

    computed: ClassVar = {"chartingId": _find_charting, "nextAttemptAt": _find_next_attempt}

    id = text("Id")
    eventId = text("Id of the event, sent as webhook-id")
    eventType = Word(EventKind, "What happened", attribute="event.kind")
    chartingId = text("To which charting; null: a test", allow_none=True)
    status = Word(
        DeliveryStatus,
        "FAILED: given up, overtaken by what came of the planning, or the webhook was switched off",
    )
    attempts = parts(DeliveryAttemptSchema, "How each attempt went")
    nextAttemptAt = instant("When it is tried next at the earliest; null: no more", allow_none=True)
    createdAt = instant("When it was first due")
    finishedAt = instant("When it arrived or was given up", allow_none=True)
