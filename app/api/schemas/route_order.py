"""Requests for routes by port name and IMO number."""

from typing import Any

from marshmallow import fields

from app.engine.request import Objective
from app.records.charting import WAVES_M, ChartingSchema
from app.records.fields import OPTIONAL, Choice, Instant, Number, RequestSchema, Text
from app.records.figures import part

_MODES = {
    **{str(objective): str(objective) for objective in Objective},
    "FUEL_EFFICIENCY": str(Objective.FUEL),
    "BALANCED": str(Objective.BALANCED),
}


class Mode(Choice):
    """Optimisation objective, by code or name."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        return _MODES[super()._deserialize(value, attr, data, **kwargs)]


class ImoNumber(fields.Field[Any]):
    """An IMO number, as a string or a number."""

    default_error_messages = {"invalid": "Not an IMO number; send seven digits."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = str(value) if isinstance(value, int | str) else ""
        digits = text.strip().removeprefix("IMO").strip()
        if isinstance(value, bool) or not (
            digits.isascii() and digits.isdigit() and len(digits) == 7
        ):
            raise self.make_error("invalid")
        return digits


class OrderConstraintsSchema(RequestSchema):
    """Limits of a request."""

    cii_target = Choice(
        "ABCDE",
        description="Worst carbon intensity rating; speed is limited to that at which consumption"
        " in usual service meets it. A plan that misses it for its weather has the warning"
        " CII_TARGET_MISSED",
        **OPTIONAL,
    )
    max_wave_m = Number(
        validate=WAVES_M, description="Highest significant wave height [m]", **OPTIONAL
    )
    northern_position = ChartingSchema._declared_fields["maxNorthLat"]


class RouteOrderSchema(RequestSchema):
    """A request for a route by port name and IMO number."""

    vessel_imo = ImoNumber(
        required=True,
        metadata={
            "oneOf": [{"type": "string"}, {"type": "integer"}],
            "description": "IMO number of one of your vessels",
            "example": "9074729",
        },
    )
    departure = Text(
        required=True,
        data_key="from",
        description="Port of departure: UN/LOCODE or name, such as Santos, BR",
        metadata={"example": "NLRTM"},
    )
    arrival = Text(
        required=True,
        data_key="to",
        description="Port of arrival: UN/LOCODE or name, such as Santos, BR",
        metadata={"example": "USNYC"},
    )
    departs_at = Instant(required=True, data_key="depart", description="Departure time, RFC 3339")
    mode = Mode(
        _MODES,
        load_default=str(Objective.FUEL),
        description="Objective: FUEL (or FUEL_EFFICIENCY) least fuel, ETA earliest arrival,"
        " BAL (or BALANCED) a balance of both",
    )
    constraints = part(OrderConstraintsSchema, "Limits", load_default=None, allow_none=True)
