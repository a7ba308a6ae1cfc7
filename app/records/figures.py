"""Response fields: numbers with their rounding, times, enumerations, nested records."""

from collections.abc import Callable
from typing import Any, Final

from marshmallow import Schema, fields, validate

from app.records.instants import format_instant, parse_instant
from app.records.record import AS_IT_IS, Coded
from app.records.rounding import POSITION_DECIMALS, round_bearing, round_longitude, round_to

#: Errors of fields that requests share with responses.
_LIST: Final[dict[str, Any]] = {"null": "Must be a list, not null.", "invalid": "Must be a list."}
_OBJECT: Final[dict[str, Any]] = {"null": "Must be a JSON object, not null."}


class Figure(Coded, fields.Float):
    """A number, which ``write`` rounds to its accuracy."""

    def __init__(self, *, write: Callable[[float], float] = float, **options: Any) -> None:
        super().__init__(**options)
        self.codec = (write, float)


class Time(Coded, fields.DateTime):
    """A time in UTC."""

    codec = (format_instant, parse_instant)


class Word(Coded, fields.String):
    """One of the words of an enumeration."""

    def __init__(self, choices: Any, description: str, **options: Any) -> None:
        words = [*map(str, choices), *([None] if options.get("allow_none") else [])]
        described = _described(description, options)
        described["metadata"]["enum"] = words
        super().__init__(**described)
        self.codec = (str, choices if isinstance(choices, type) else str)


class Kept(Coded, fields.Nested):
    """A nested record that is stored as it is served."""

    codec = AS_IT_IS


def figure(
    description: str,
    decimals: int | None = None,
    *,
    least: float | None = 0.0,
    greatest: float | None = None,
    is_cut: bool = False,
    **options: Any,
) -> Figure:
    """A required number.

    With ``is_cut`` it is cut instead of rounded, as depths and margins must not grow.
    """
    given: dict[str, Any] = {"write": round_to(decimals, is_cut=is_cut), "required": True}
    return Figure(
        **given | options,
        validate=validate.Range(least, greatest),
        metadata={"description": description},
    )


def known(description: str, decimals: int | None = None, **options: Any) -> Figure:
    """A number, null if unknown."""
    words = f"{description}; null where not known"
    return figure(words, decimals, allow_none=True, **options)


def bearing(description: str, decimals: int | None = None, **options: Any) -> Figure:
    """A required direction or course, below 360 degrees after rounding too."""
    return figure(description, greatest=360.0, write=round_bearing(decimals), **options)


def of_auxiliaries(description: str, **options: Any) -> Figure:
    """A figure that exists if the vessel's auxiliary consumption is known."""
    words = f"{description}; null unless the vessel has auxiliaryMtPerDay"
    return figure(words, 3, least=0, allow_none=True, required=False, **options)


def latitude(description: str = "Latitude [deg]", **options: Any) -> Figure:
    """Degrees north."""
    return figure(description, least=-90.0, greatest=90.0, **options)


def longitude(description: str = "Longitude [deg], below 180", **options: Any) -> Figure:
    """Degrees east."""
    return figure(description, least=-180.0, greatest=180.0, **options)


def fix_latitude(attribute: str = "position.lat") -> Figure:
    """Latitude of a record's ``position``, rounded to the accuracy of a position fix."""
    return latitude(attribute=attribute, write=round_to(POSITION_DECIMALS))


def fix_longitude(attribute: str = "position.lng") -> Figure:
    """Longitude of a record's ``position``, rounded to the accuracy of a position fix."""
    return longitude(attribute=attribute, write=round_longitude)


def count(description: str, *, least: int = 0, **options: Any) -> fields.Integer:
    """A whole number that counts something."""
    return fields.Integer(validate=validate.Range(min=least), **_described(description, options))


def text(description: str, **options: Any) -> fields.String:
    """A text."""
    return fields.String(**_described(description, options))


def flag(description: str, **options: Any) -> fields.Boolean:
    """A boolean."""
    return fields.Boolean(**_described(description, options))


def instant(description: str, **options: Any) -> Time:
    """A time."""
    return Time(**_described(description, options))


def part(schema: type[Schema], description: str, **options: Any) -> fields.Nested:
    """A nested record."""
    return fields.Nested(schema, error_messages=_OBJECT, **_described(description, options))


def kept(schema: type[Schema], description: str, **options: Any) -> Kept:
    """A nested record that is stored as it is served."""
    return Kept(schema, **_described(description, options))


def mapped(description: str, **options: Any) -> fields.Dict:
    """A JSON object."""
    return fields.Dict(**_described(description, options))


def listed(field: fields.Field[Any], description: str, **options: Any) -> fields.List[Any]:
    """A list of values, possibly empty."""
    return fields.List(field, error_messages=_LIST, **_described(description, options))


def texts(description: str, **options: Any) -> fields.List[Any]:
    """A list of texts."""
    return listed(fields.String(), description, **options)


def parts(schema: type[Schema], description: str, **options: Any) -> fields.List[Any]:
    """A list of nested records."""
    return listed(fields.Nested(schema, error_messages=_OBJECT), description, **options)


def _described(description: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of a field, which is required unless it has a default or they say otherwise."""
    required = "load_default" not in options
    return {"required": required, "metadata": {"description": description}, **options}
