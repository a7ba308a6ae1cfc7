"""Constraints and client data in requests and responses."""

from typing import Any

from marshmallow import fields, validate

from app.api.schemas.common import OptionalPageQuerySchema
from app.models import AreaLevel, AreaType
from app.records.fields import OPTIONAL, CalendarDate, Choice, Described, Flag, RequestSchema, Text
from app.records.figures import flag, instant, listed, text
from app.records.vessel import VESSEL_TYPES
from app.services.areas.geojson import MOST_VERTICES

_CODES = ", ".join(f"{code} {name}" for code, name in VESSEL_TYPES.items())

_POLYGON = {
    "type": "Polygon",
    "coordinates": [[[1.2, 50.9], [1.6, 50.9], [1.6, 51.1], [1.2, 51.1], [1.2, 50.9]]],
}

GEOMETRY_DOCUMENTATION: dict[str, Any] = {
    "type": "object",
    "required": ["type", "coordinates"],
    "properties": {
        "type": {"type": "string", "enum": ["Polygon", "MultiPolygon"]},
        "coordinates": {"type": "array", "items": {}},
    },
    "example": _POLYGON,
    "description": "GeoJSON Polygon or MultiPolygon: rings of [longitude, latitude] [deg],"
    " closed, the first the outline and the others holes; longitudes -180 to 360, where a step"
    " of more than 180 crosses the antimeridian; at most"
    f" {MOST_VERTICES:,} vertices, a ring no wider than 180 degrees, or one from -180 to 180: a"
    " band round the globe. Returned as sent; one beyond 180 is split at the antimeridian",
}


class VesselTypeId(Described):
    """A vessel type code, as a number or a string; stored as a number, returned as a string."""

    default_error_messages = {  # noqa: RUF012
        "unknown": "Unknown vessel type code; allowed are: " + _CODES + "."
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        codes = {str(code): code for code in VESSEL_TYPES}
        if text not in codes:
            raise self.make_error("unknown")
        return codes[text]


class AreaSchema(RequestSchema):
    """An area that routes avoid."""

    name = Text(required=True, description="Name", metadata={"example": "Varne exercise area"})
    geometry = fields.Raw(
        required=True,
        metadata=GEOMETRY_DOCUMENTATION,
        error_messages={"null": "Must be a GeoJSON Polygon or MultiPolygon, not null."},
    )
    type = Choice(list(AreaType), required=True, description="Type of area")
    level = Choice(
        list(AreaLevel),
        required=True,
        description="Vessels that it applies to: GLOBAL all vessels, ORGANIZATION those of orgIds,"
        " VESSEL_TYPE those of the types vesselTypeIds",
    )
    start_date = CalendarDate(
        description="First day in force, a whole day in UTC; no start if left out", **OPTIONAL
    )
    end_date = CalendarDate(
        description="Last day in force, a whole day in UTC; no end if left out", **OPTIONAL
    )
    is_active = Flag(load_default=True, description="Whether routes avoid it")
    description = Text(longest=2000, is_multiline=True, description="Free text", **OPTIONAL)
    organization_ids = listed(
        Text(longest=36),
        "Organizations that it applies to, required at level ORGANIZATION:"
        " your own; operators may list others",
        data_key="orgIds",
        validate=validate.Length(max=1000),
        **OPTIONAL,
    )
    vessel_type_codes = fields.List(
        VesselTypeId(metadata={"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        data_key="vesselTypeIds",
        validate=validate.Length(max=100),
        metadata={
            "description": "Vessel types that it applies to, required at level VESSEL_TYPE: "
            + _CODES,
            "example": ["2", "3"],
        },
        **OPTIONAL,
    )


class _AreaRecordSchema(AreaSchema):
    id = text("Id", dump_only=True)
    readOnly = flag("Whether only the operator may change it", dump_only=True)
    createdAt = instant("Creation time", dump_only=True)
    createdBy = text("Key or user that created it", dump_only=True)
    updatedAt = instant("Time of the last change", dump_only=True)
    updatedBy = text("Key or user that changed it last", dump_only=True)


class ConstraintSchema(AreaSchema):
    """An area that later chartings avoid."""


class ConstraintRecordSchema(_AreaRecordSchema):
    """A constraint."""


class ClientDataSchema(AreaSchema):
    """An area that only the owner's chartings avoid."""


class ClientDataRecordSchema(_AreaRecordSchema):
    """A client data entry."""


_VESSEL_TYPE_FILTER = VesselTypeId(
    data_key="vesselTypeId",
    load_default=None,
    description="Only those that list this vessel type: " + _CODES,
    metadata={"type": "string"},
)


class ConstraintListQuerySchema(OptionalPageQuerySchema):
    """Filters of constraints."""

    level = Choice(list(AreaLevel), load_default=None, description="Only those of this level")
    vessel_type_code = _VESSEL_TYPE_FILTER


class ClientDataListQuerySchema(OptionalPageQuerySchema):
    """Filters of client data entries."""

    vessel_type_code = _VESSEL_TYPE_FILTER
