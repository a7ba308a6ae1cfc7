"""Voyages under way in requests and responses."""

from typing import Any, ClassVar

import marshmallow as ma
from marshmallow import fields

from app.api.schemas.common import PageQuerySchema
from app.models import AdviceState, ExecutionState
from app.records.advice import AdviceContentSchema, OutlookSchema
from app.records.fields import Choice, Instant, RequestSchema, Text
from app.records.figures import Kept, Word, count, flag, instant, kept, known, listed, text
from app.records.record import Record
from app.records.voyage_progress import RefusedPositionSchema, VoyageProgressSchema
from app.services.monitoring.executions import VoyageSort
from app.services.monitoring.expected_departure import explain_not_started
from app.services.monitoring.voyage_progress import PLANNED, find_position_age_h, is_stale


def _id(description: str) -> fields.UUID:
    return fields.UUID(required=True, metadata={"description": description})


class VoyageSchema(Record):
    """State and progress of a charting's voyage."""

    computed: ClassVar = {
        "positionAgeH": find_position_age_h,
        "isStale": is_stale,
        "refusedPositions": lambda row: row.position_faults or (),
    }

    chartingId = _id("Id of the charting")
    vesselId = _id("Id of the vessel")
    revision = count(
        "Revision whose plan is followed; a newer one may be of another voyage", least=1
    )
    state = Word(
        (PLANNED, *ExecutionState),
        "PLANNED: departure not expected, because it was planned for 72 hours ago or earlier, or"
        " the charting is archived; EXPECTED: departure expected; UNDER_WAY; FINISHED; ABANDONED:"
        " the plan is no longer followed",
    )
    departedAt = instant("Departure; null before", allow_none=True)
    startedBy = text("User or key that started it, or position reports", allow_none=True)
    endedAt = instant("Arrival, or time of abandoning; null before", allow_none=True)
    endedBy = text("User or key that ended it, or position reports", allow_none=True)
    endReason = text("Reason for abandoning", allow_none=True)
    measuredAt = instant(
        "Time of the progress calculation", attribute="monitored_at", allow_none=True
    )
    positionAgeH = known("Age of the last plausible position [h]", 2)
    isStale = flag("Whether there is no position of the last 6 hours")
    isAmbiguous = flag("Whether reports seem to be of two ships; none is used then")
    progress = kept(
        VoyageProgressSchema,
        "Progress at the last position; null without a reliable one",
        allow_none=True,
    )
    refusedPositions = listed(Kept(RefusedPositionSchema), "Implausible positions, the latest 100")
    outlook = kept(
        OutlookSchema,
        "Forecast of the remaining voyage; null before it is calculated",
        allow_none=True,
    )


class MeasuredVoyageSchema(VoyageSchema):
    """A voyage measured now."""

    computed: ClassVar = VoyageSchema.computed | {"notStartedReason": explain_not_started}

    notStartedReason = text(
        "Reason why an expected or planned voyage has not started, and what would start it; null"
        " once it has",
        allow_none=True,
    )


class AdviceSchema(Record):
    """An advice for a voyage under way."""

    computed: ClassVar = {"advice": lambda row: row.content}

    id = _id("Id")
    chartingId = _id("Id of the charting")
    revision = count("Revision of the plan at that time", least=1)
    createdAt = instant("Time of the advice")
    weather = text("Forecast runs used; empty for climatology")
    state = Word(
        AdviceState,
        "EXPIRED: the time to act has passed; SUPERSEDED: replaced by another advice or plan, or"
        " the voyage has ended",
    )
    advice = kept(AdviceContentSchema, "Content of the advice")
    answeredAt = instant("Time of the answer", allow_none=True)
    answeredBy = text("User or key that answered", allow_none=True)
    answerReason = text("Reason for declining", allow_none=True)
    acceptedRevision = count("Revision requested by accepting it", least=1, allow_none=True)


class StartSchema(RequestSchema):
    """Time of departure or arrival."""

    #: The whole body may be left out.
    is_optional = True

    at = Instant(load_default=None, allow_none=True, description="Time, RFC 3339; default: now")


class ReasonSchema(RequestSchema):
    """Reason for abandoning a voyage or declining an advice."""

    reason = Text(required=True, longest=1000, description="Reason")


class VoyageListQuerySchema(PageQuerySchema):
    """Filter, order and page of a list of voyages."""

    state = Choice(
        ExecutionState,
        load_default=str(ExecutionState.UNDER_WAY),
        description="State of the voyages",
    )
    sort = Choice(
        VoyageSort,
        load_default=str(VoyageSort.MOST_BEHIND),
        description="Sort order: most behind the plan first, ships off their track before them,"
        " earliest arrival first, or most violations of limits and areas ahead first",
    )

    @ma.post_load
    def name(self, data: dict[str, Any], **_ignored: Any) -> dict[str, Any]:
        """Convert state and sort order to their enumerations."""
        found = {"state": ExecutionState(data["state"]), "sort": VoyageSort(data["sort"])}
        return data | found
