"""Windows of departures as they are asked for, and departures as they are stored and served."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from marshmallow import validate

from app.engine.codes import FailureCode, WarningCode
from app.engine.departures.window import (
    GREATEST_STEP_H,
    LEAST_STEP_H,
    LONGEST_WINDOW,
    DepartureFigures,
    Infeasible,
)
from app.records.fields import Instant, Number, RequestSchema
from app.records.figures import Word, figure, instant, known, text
from app.records.record import Record

#: Step between departures unless another is asked for [h].
USUAL_STEP_H: Final = 6.0
#: Longest time under way that can be asked for [h].
_LONGEST_H: Final = 2400.0


class DepartureState(StrEnum):
    """Progress of the comparison of a departure."""

    PENDING = "PENDING"
    COARSE = "COARSE"
    REFINED = "REFINED"
    INFEASIBLE = "INFEASIBLE"


@dataclass(frozen=True, slots=True)
class DepartureView:
    """A departure of a window, as far as it has been compared."""

    departure: datetime
    state: DepartureState
    is_best: bool = False
    figures: DepartureFigures | None = None
    infeasible: Infeasible | None = None


def depart_from(**options: Any) -> Instant:
    """The first departure of a window."""
    words = "First departure to compare, RFC 3339"
    return Instant(description=words, **options)


def depart_to(**options: Any) -> Instant:
    """The last departure of a window."""
    words = f"Last departure to compare, at most {LONGEST_WINDOW.days} days after departFrom"
    return Instant(description=words, **options)


def depart_step(**options: Any) -> Number:
    """The hours between the departures of a window."""
    asked = "{input} h between departures: {min:g} to {max:g} h are possible."
    return Number(
        validate=validate.Range(LEAST_STEP_H, GREATEST_STEP_H, error=asked),
        description=f"Between departures [h]; {USUAL_STEP_H:g} unless given",
        **options,
    )


def depart_duration(**options: Any) -> Number:
    """The longest time under way of each departure of a window."""
    asked = "{input} h under way: {min:g} to {max:g} h are possible."
    return Number(
        validate=validate.Range(1.0, _LONGEST_H, error=asked),
        description="Longest time under way of each departure of the window [h]; replaces endDate",
        **options,
    )


class DepartureWindowSchema(RequestSchema):
    """Departures to compare for a charting that is planned."""

    departFrom = depart_from(required=True)
    departTo = depart_to(required=True)
    departStepH = depart_step(load_default=USUAL_STEP_H)
    endDate = Instant(
        allow_none=True,
        description="Each departure arrives at or before, RFC 3339; that of the charting"
        " where it is left out, none where it is null",
    )
    departDurationH = depart_duration(load_default=None, allow_none=True)


class DepartureFiguresSchema(Record):
    """Figures of the best route of a departure."""

    record = DepartureFigures

    arrival = instant("Arrival", attribute="arrives_at")
    durationH = figure("Duration, waits included [h]", 3)
    fuelMt = figure("Fuel of the main engine [t]", 3)
    distanceNm = figure("Distance [nm]", 2)
    maxWaveM = known("Highest significant wave met [m]", 2)
    route = text("The route taken")


def _read_code(code: str) -> FailureCode | WarningCode:
    return FailureCode(code) if code in set(FailureCode) else WarningCode(code)


class _Code(Word):
    """A code of a failure or a warning."""

    def __init__(self, description: str) -> None:
        super().__init__(sorted({*map(str, FailureCode), *map(str, WarningCode)}), description)
        self.codec = (str, _read_code)


class InfeasibleSchema(Record):
    """Reason for which a departure is infeasible."""

    record = Infeasible

    code = _Code("Kind of the reason, for programs")
    detail = text("Reason in words")
