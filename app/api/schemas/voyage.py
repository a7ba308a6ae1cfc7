"""Voyages under way in requests and answers."""

from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields

from app.api.schemas.common import PageQuerySchema
from app.models import AdviceState, ExecutionState
from app.records.advice import AdviceContentSchema, OutlookSchema
from app.records.fields import Choice, Instant, RequestSchema, Text
from app.records.figures import Kept, Time, Word, count, flag, instant, known, text
from app.records.record import Record
from app.records.voyage_progress import RefusedPositionSchema, VoyageProgressSchema
from app.services.monitoring.executions import VoyageSort
from app.services.monitoring.voyage_views import PLANNED


def _id(description: str) -> fields.UUID:
    return fields.UUID(required=True, metadata={"description": description})


def _maybe(description: str) -> Time:
    return instant(description, allow_none=True)


class VoyageSchema(Record):
    """How a charting is sailed, and its progress."""

    chartingId = _id("The charting")
    vesselId = _id("The vessel")
    revision = count("Revision of the plan that is followed", least=1)
    state = Word(
        (PLANNED, *ExecutionState),
        "PLANNED: it is not awaited; EXPECTED: its departure is awaited; UNDER_WAY; FINISHED;"
        " ABANDONED: the plan is followed no longer",
    )
    departedAt = _maybe("Departure; null before")
    startedBy = text("Who started it: a user, a key or position reports", allow_none=True)
    endedAt = _maybe("Arrival, or when it was abandoned; null before")
    endedBy = text("Who ended it", allow_none=True)
    endReason = text("Why it was abandoned", allow_none=True)
    measuredAt = _maybe("When the progress was measured")
    positionAgeH = known("Age of the last position that is believed [h]", 2)
    isStale = flag("Whether a voyage under way has no position of the last 6 hours")
    isAmbiguous = flag("Whether the position reports are of two ships, so that none is used")
    progress = Kept(
        VoyageProgressSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Progress by the last position; null without one that is sure"},
    )
    refusedPositions = fields.List(
        Kept(RefusedPositionSchema),
        required=True,
        metadata={"description": "Positions that are not believed, the latest 100"},
    )
    outlook = Kept(
        OutlookSchema,
        required=True,
        allow_none=True,
        metadata={"description": "What the plan's rest takes; null before it was foreseen"},
    )


class AdviceSchema(Record):
    """An advice to a voyage under way, and what became of it."""

    computed: ClassVar = {"advice": lambda row: row.content}

    id = _id("Id")
    chartingId = _id("The charting")
    revision = count("Revision of the plan that was followed", least=1)
    createdAt = instant("When it was given")
    weather = text("Forecast runs that it rests on; empty for climatology")
    state = Word(
        AdviceState,
        "EXPIRED: the time to act has passed; SUPERSEDED: another advice or plan took its place, or"
        " the voyage ended",
    )
    advice = Kept(AdviceContentSchema, required=True, metadata={"description": "What is advised"})
    answeredAt = _maybe("When it was answered")
    answeredBy = text("Who answered it", allow_none=True)
    answerReason = text("Why it was declined", allow_none=True)
    acceptedRevision = count("Revision that its acceptance ordered", least=1, allow_none=True)


class StartSchema(RequestSchema):
    """When a voyage departed or arrived."""

    at = Instant(
        load_default=None,
        allow_none=True,
        description="Now unless given",
        metadata={"type": "string", "format": "date-time"},
    )


class ReasonSchema(RequestSchema):
    """Why a voyage is abandoned or an advice declined."""

    reason = Text(required=True, longest=1000, description="Why")


class VoyageListQuerySchema(PageQuerySchema):
    """Page of voyages."""

    state = Choice(
        ExecutionState,
        load_default=str(ExecutionState.UNDER_WAY),
        description="State of the voyages",
    )
    sort = Choice(
        VoyageSort,
        load_default=str(VoyageSort.MOST_BEHIND),
        description="Most behind the plan first, first arrival, or most limits and areas"
        " broken by the plan's rest",
    )

    @ma.post_load
    def name(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Name state and order by their own words."""
        found = {"state": ExecutionState(data["state"]), "sort": VoyageSort(data["sort"])}
        return data | found
