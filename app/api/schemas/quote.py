"""Quotes in requests and responses."""

from copy import deepcopy
from typing import Any, Final

from marshmallow.fields import Field

from app.engine.plan import Quote
from app.records.charting import QUOTED, SPEEDS_KN, ChartingSchema
from app.records.fields import OPTIONAL, Instant, Number, RequestSchema, Text
from app.records.figures import part, parts, text
from app.records.plan import SummarySchema, WarningSchema
from app.records.record import Json, Record, snake_case
from app.records.vessel import VesselSchema

#: Figures of a voyage's summary that a quote has too.
_TOTALS: Final = (
    "distanceNm", "durationH", "eta", "avgSpeedKn", "fuelMt", "fuelStandardErrorMt", "co2Mt",
    "auxiliaryFuelMt", "auxiliaryCo2Mt", "totalFuelMt", "totalCo2Mt", "ecaDistanceNm",
)  # fmt: skip


class _QuoteShip(RequestSchema):
    """Vessel, departure and speed of a quote."""

    vesselId = Text(description="Id of one of your vessels", **OPTIONAL)
    particulars = part(
        VesselSchema, "Particulars of an unregistered ship, instead of vesselId", **OPTIONAL
    )
    speed = Number(required=True, validate=SPEEDS_KN, description="Speed through the water [kn]")
    startDate = Instant(description="Departure time, RFC 3339; default: now", **OPTIONAL)


class QuoteRequestSchema(
    _QuoteShip.from_dict(  # type: ignore[misc]
        {name: ChartingSchema._declared_fields[name] for name in QUOTED}
    )
):
    """A voyage to quote, in calm water at one speed."""


def _of_summary(name: str) -> Field[Any]:
    """Return a field of a voyage's summary as one of the route."""
    field = deepcopy(SummarySchema._declared_fields[name])
    field.attribute = f"summary.{field.attribute or snake_case(name)}"
    field.required = True
    return field


class QuotedRouteSchema(
    Record.from_dict(  # type: ignore[misc]
        {"label": text("Name of the route, e.g. by Suez")}
        | {name: _of_summary(name) for name in _TOTALS}
    )
):
    """Totals of a candidate route."""


class QuoteSchema(QuotedRouteSchema):
    """Totals of the best route and of its alternatives."""

    alternatives = parts(QuotedRouteSchema, "Alternatives, best first")
    warnings = parts(WarningSchema, "Warnings")

    @classmethod
    def write(cls, obj: Quote) -> Json:
        """Write a quote with its best route and the alternatives."""
        best, *others = map(QuotedRouteSchema.write, obj.routes)
        written: Json = best | {
            "alternatives": others,
            "warnings": [*map(WarningSchema.write, obj.warnings)],
        }
        return written
