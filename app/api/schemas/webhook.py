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
from app.records.figures import count
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
        metadata={
            "description": "Where to send to: https, on the open internet, ASCII",
            "example": "https://fleet.example/hooks",
        },
    )
    event_kinds = fields.List(
        Choice(SUBSCRIBABLE_EVENTS),
        data_key="events",
        load_default=lambda: [str(kind) for kind in SUBSCRIBABLE_EVENTS],
        validate=validate.Length(1, len(SUBSCRIBABLE_EVENTS)),
        metadata={"description": "Events to send; all unless given"},
    )
    description = Text(
        allow_none=True,
        load_default=None,
        metadata={"description": "What it is for"},
    )
    is_active = Flag(
        data_key="isActive",
        load_default=True,
        metadata={"description": "Whether events are sent; switching off drops pending deliveries"},
    )


class WebhookRecordSchema(WebhookSchema, Record):
    """A webhook, without its secret."""

    id = fields.String(required=True, metadata={"description": "Id"})
    state = fields.String(
        required=True,
        metadata={
            "description": "FAILING: not reached for a day, still sent new events; GONE:"
            " answered 410, nothing is sent until it is switched on again",
            "enum": [str(state) for state in EndpointState],
        },
    )
    failing_since = fields.DateTime(
        required=True,
        allow_none=True,
        data_key="failingSince",
        metadata={"description": "When a delivery was first given up since the last that arrived"},
    )
    previous_secret_until = fields.DateTime(
        required=True,
        allow_none=True,
        data_key="previousSecretUntil",
        metadata={"description": "Until when the previous secret also signs"},
    )
    created_at = fields.DateTime(
        required=True, data_key="createdAt", metadata={"description": "When it was made"}
    )
    created_by = fields.String(
        required=True, data_key="createdBy", metadata={"description": "By whom"}
    )
    updated_at = fields.DateTime(
        required=True, data_key="updatedAt", metadata={"description": "When it was last changed"}
    )


class RevealedWebhookSchema(WebhookRecordSchema):
    """A webhook with a new secret."""

    secret = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": f"What its deliveries are signed with, {_PENDING_SECRET}"},
    )


class ComparedSchema(ma.Schema):
    """What came of a comparison of departures."""

    status = fields.String(
        required=True,
        metadata={
            "description": "How it ended",
            "enum": [str(status) for status in ChartingStatus if status not in ACTIVE],
        },
    )
    done = count("Departures that have figures or are known to be infeasible")
    total = count("Departures of the window")
    best = fields.DateTime(
        required=True, allow_none=True, metadata={"description": "The best departure, if any"}
    )


class EventDataSchema(ma.Schema):
    """Result of a charting's revision."""

    chartingId = fields.String(required=True, metadata={"description": "Id of the charting"})
    revision = count("Its revision, counted from 1", least=1)
    status = fields.String(
        required=True,
        metadata={
            "description": "State of the revision",
            "enum": [str(status) for status in ChartingStatus],
        },
    )
    vesselId = fields.String(required=True, metadata={"description": "Id of the vessel"})
    owner = fields.String(
        required=True, allow_none=True, metadata={"description": "As given in the request"}
    )
    triggeredBy = fields.String(
        required=True, allow_none=True, metadata={"description": "As given in the request"}
    )
    summary = fields.Nested(
        SummarySchema, metadata={"description": "The route in figures; of charting.completed"}
    )
    failure = fields.Nested(
        FailureSchema, metadata={"description": "Why there is no route; of charting.failed"}
    )
    departures = fields.Nested(
        ComparedSchema,
        metadata={"description": "How the comparison ended; of charting.departures"},
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

    type = fields.String(
        required=True,
        metadata={
            "description": "What happened",
            "enum": [str(kind) for kind in SUBSCRIBABLE_EVENTS],
        },
    )
    timestamp = fields.DateTime(required=True, metadata={"description": "When it happened"})
    data = fields.Nested(
        EventDataSchema, required=True, metadata={"description": "To which charting"}
    )


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

    at = fields.DateTime(required=True, metadata={"description": "When it was sent"})
    durationMs = count("How long it took [ms]")
    status = fields.Integer(
        required=True,
        allow_none=True,
        validate=validate.Range(100, 999),
        metadata={"description": "HTTP status of the answer; null: there was none"},
    )
    error = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it did not arrive"}
    )
    response = fields.String(
        required=True, allow_none=True, metadata={"description": "Beginning of the answer's body"}
    )


def _find_charting(row: WebhookDelivery) -> UUID | None:
    return None if row.event.kind == EventKind.WEBHOOK_TEST else row.subject_id


def _find_next_attempt(row: WebhookDelivery) -> datetime | None:
    return row.next_attempt_at if row.status == DeliveryStatus.PENDING else None


class WebhookDeliverySchema(Record):
    """Delivery of one event to one webhook."""

    computed: ClassVar = {"chartingId": _find_charting, "nextAttemptAt": _find_next_attempt}

    id = fields.String(required=True, metadata={"description": "Id"})
    eventId = fields.String(
        required=True, metadata={"description": "Id of the event, sent as webhook-id"}
    )
    eventType = fields.String(
        attribute="event.kind",
        required=True,
        metadata={"description": "What happened", "enum": [str(kind) for kind in EventKind]},
    )
    chartingId = fields.String(
        required=True, allow_none=True, metadata={"description": "To which charting; null: a test"}
    )
    status = fields.String(
        required=True,
        metadata={
            "description": "FAILED: given up, overtaken by what came of the planning, or the"
            " webhook was switched off",
            "enum": [str(status) for status in DeliveryStatus],
        },
    )
    attempts = fields.List(
        fields.Nested(DeliveryAttemptSchema),
        required=True,
        metadata={"description": "How each attempt went"},
    )
    nextAttemptAt = fields.DateTime(
        required=True,
        allow_none=True,
        metadata={"description": "When it is tried next at the earliest; null: no more"},
    )
    createdAt = fields.DateTime(required=True, metadata={"description": "When it was first due"})
    finishedAt = fields.DateTime(
        required=True, allow_none=True, metadata={"description": "When it arrived or was given up"}
    )
