"""Webhooks in requests and responses."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting_record import FailureSchema
from app.models import (
    ACTIVE,
    AdviceState,
    ChartingStatus,
    DeliveryStatus,
    EndpointState,
    EventKind,
    WebhookDelivery,
)
from app.records.advice import AdviceContentSchema
from app.records.fields import Choice, Flag, RequestSchema, Text
from app.records.figures import Word, count, instant, listed, part, parts, text
from app.records.plan import SummarySchema
from app.records.record import Record
from app.services.webhooks.webhook_addresses import LONGEST_URL
from app.services.webhooks.webhook_endpoints import SUBSCRIBABLE_EVENTS

_RETURNED_ONCE = "returned only once; null if an Idempotency-Key repeats the response"


class WebhookSchema(RequestSchema):
    """An endpoint that receives an organization's events."""

    url = Text(
        required=True,
        longest=LONGEST_URL,
        description="URL of the endpoint: https, public host, ASCII",
        metadata={"example": "https://fleet.example/hooks"},
    )
    event_kinds = listed(
        Choice(SUBSCRIBABLE_EVENTS),
        "Events to send; default: all",
        data_key="events",
        post_load=[lambda kinds: list(dict.fromkeys(kinds))],
        load_default=lambda: [str(kind) for kind in SUBSCRIBABLE_EVENTS],
        validate=validate.Length(min=1),
    )
    description = Text(allow_none=True, load_default=None, description="Free text")
    is_active = Flag(
        data_key="isActive",
        load_default=True,
        description="Whether events are sent; switching off drops pending deliveries",
    )


class WebhookUpdateSchema(WebhookSchema):
    """New values of an endpoint."""

    is_active = Flag(
        data_key="isActive",
        description="Whether events are sent, as before if left out; switching off drops pending"
        " deliveries, switching on ends the state GONE",
    )


class WebhookRecordSchema(WebhookSchema, Record):
    """A webhook, without its secret."""

    id = text("Id")
    state = Word(
        EndpointState,
        "FAILING: failed for a day, new events are still sent; GONE:"
        " responded to an event with 410, nothing is sent until it is switched on again",
    )
    failingSince = instant(
        "Time of the first failed attempt since the last success, tests apart", allow_none=True
    )
    pausedUntil = instant(
        "End of the pause that the receiver asked for by Retry-After; a PUT or a successful"
        " delivery, such as a test, ends it earlier",
        allow_none=True,
    )
    previousSecretUntil = instant("End of the overlap with the previous secret", allow_none=True)
    createdAt = instant("Creation time")
    createdBy = text("Key or user that created it")
    updatedAt = instant("Time of the last change")


class RevealedWebhookSchema(WebhookRecordSchema):
    """A webhook with a new secret."""

    secret = text(f"Secret that signs deliveries, {_RETURNED_ONCE}", allow_none=True)


class ComparedSchema(ma.Schema):
    """Result of a comparison of departures."""

    status = Word(
        [status for status in ChartingStatus if status not in ACTIVE], "Status at the end"
    )
    done = count("Departures with a result")
    total = count("Departures in the window")
    best = instant("Best departure; null: none", allow_none=True)


class EventDataSchema(ma.Schema):
    """Data of an event of a charting."""

    chartingId = text("Id of the charting")
    revision = count("Revision, from 1", least=1)
    status = Word(ChartingStatus, "Status of the revision")
    vesselId = text("Id of the vessel")
    owner = text("As given in the request", allow_none=True)
    triggeredBy = text("As given in the request", allow_none=True)
    summary = part(SummarySchema, "Totals of the route; of charting.completed", required=False)
    failure = part(FailureSchema, "Failure; of charting.failed", required=False)
    departures = part(
        ComparedSchema, "Result of the comparison; of charting.departures", required=False
    )
    adviceId = text("Id of the advice; of charting.advice", required=False)
    advice = part(AdviceContentSchema, "Content of the advice; of charting.advice", required=False)
    state = Word(
        (AdviceState.OPEN, AdviceState.ACCEPTED, AdviceState.DECLINED),
        "OPEN when the advice is given, else its answer; of charting.advice",
        required=False,
    )
    answeredBy = text(
        "User or key that answered; of charting.advice", required=False, allow_none=True
    )
    departedAt = instant("Departure; of voyage.started", required=False)
    endedAt = instant("End of the voyage; of voyage.finished and voyage.abandoned", required=False)
    reason = text(
        "Reason; of voyage.abandoned and of a declined charting.advice",
        required=False,
        allow_none=True,
    )


class WebhookEventSchema(ma.Schema):
    """Webhook body of an event."""

    type = Word(SUBSCRIBABLE_EVENTS, "Type of event")
    timestamp = instant("Time of the event")
    data = part(EventDataSchema, "Data of the event")


class EventStreamQuerySchema(ma.Schema):
    """Start of a stream of events."""

    after = text(
        "Same as the header Last-Event-ID, which takes precedence",
        data_key="lastEventId",
        load_default=None,
        validate=validate.Length(max=40),
    )


class DeliveryAttemptSchema(ma.Schema):
    """One attempt at delivery."""

    at = instant("Time of sending")
    durationMs = count("Duration [ms]")
    status = fields.Integer(
        required=True,
        allow_none=True,
        validate=validate.Range(100, 999),
        metadata={"description": "HTTP status of the response; null: no response"},
    )
    error = text("Error, if it failed", allow_none=True)
    response = text("First part of the response body", allow_none=True)


def _find_charting(row: WebhookDelivery) -> UUID | None:
    return None if row.event.kind == EventKind.WEBHOOK_TEST else row.subject_id


def _find_next_attempt(row: WebhookDelivery) -> datetime | None:
    return row.next_attempt_at if row.status == DeliveryStatus.PENDING else None


class WebhookDeliverySchema(Record):
    """Delivery of one event to one webhook."""

    computed: ClassVar = {"chartingId": _find_charting, "nextAttemptAt": _find_next_attempt}

    id = text("Id")
    eventId = text("Id of the event, sent as webhook-id")
    eventType = Word(EventKind, "Type of event", attribute="event.kind")
    chartingId = text("Id of the charting; null for a test", allow_none=True)
    status = Word(
        DeliveryStatus,
        "FAILED: given up, superseded by a later event, or the webhook was switched off",
    )
    attempts = parts(DeliveryAttemptSchema, "Attempts at delivery")
    nextAttemptAt = instant("Earliest time of the next attempt; null: none", allow_none=True)
    createdAt = instant("Time of the first attempt due")
    finishedAt = instant("Time of delivery or of giving up", allow_none=True)
