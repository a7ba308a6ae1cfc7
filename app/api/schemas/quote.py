"""Quotes in requests and answers."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.api.schemas.charting import ChartingSchema
from app.api.schemas.charting_record import WarningSchema, figure, of_auxiliaries
from app.api.schemas.fields import Instant, Number, RequestSchema, Text
from app.api.schemas.vessel import VesselSchema

_OPTIONAL: dict[str, Any] = {"allow_none": True, "load_default": None}

#: Fields that a quote has in common with a charting.
_SHARED = (
    "latFrom", "lngFrom", "latTo", "lngTo", "draft", "maxNorthLat", "maxSouthLat",
    "avoidEca", "avoidPiracyAreas", "avoidWarZones",
)  # fmt: skip


class _QuoteShip(RequestSchema):
    """Which ship, when and how fast."""

    vesselId = Text(metadata={"description": "Id of one of your vessels"}, **_OPTIONAL)
    particulars = fields.Nested(
        VesselSchema,
        metadata={"description": "A ship that is not registered, instead of vesselId"},
        **_OPTIONAL,
    )
    speed = Number(
        required=True,
        validate=validate.Range(1, 40),
        metadata={"description": "Speed through the water [kn]"},
    )
    startDate = Instant(metadata={"description": "Departure time, RFC 3339; now"}, **_OPTIONAL)


class QuoteRequestSchema(
    _QuoteShip.from_dict(  # type: ignore[misc]
        {name: ChartingSchema._declared_fields[name] for name in _SHARED}
    )
):
    """A voyage to be priced at once, in a calm sea at one speed."""


class QuotedRouteSchema(ma.Schema):
    """A candidate route in figures."""

    label = fields.String(
        required=True, metadata={"description": "What tells it from the others, such as: by Suez"}
    )
    distanceNm = figure("Distance [nm]")
    durationH = figure("Duration [h], waiting at canals included")
    eta = fields.DateTime(required=True, metadata={"description": "Arrival"})
    avgSpeedKn = figure("Mean speed over ground [kn]")
    fuelMt = figure("Fuel of the main engine [t]")
    co2Mt = figure("Carbon dioxide of the main engine [t]")
    auxiliaryFuelMt = of_auxiliaries("Fuel of the auxiliaries [t]")
    auxiliaryCo2Mt = of_auxiliaries("Carbon dioxide of the auxiliaries [t]")
    totalFuelMt = of_auxiliaries("Fuel of main engine and auxiliaries [t]")
    totalCo2Mt = of_auxiliaries("Carbon dioxide of main engine and auxiliaries [t]")
    ecaDistanceNm = figure("Distance inside emission control areas [nm]")


class QuoteSchema(QuotedRouteSchema):
    """The best route in figures, the others beside it."""

    alternatives = fields.List(
        fields.Nested(QuotedRouteSchema),
        required=True,
        metadata={"description": "Other routes, the best first"},
    )
    warnings = fields.List(
        fields.Nested(WarningSchema),
        required=True,
        metadata={"description": "What the reader must know"},
    )
