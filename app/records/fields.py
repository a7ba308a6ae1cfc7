"""Strict request fields: no numbers as text, no naive times, no NaN."""

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import Any, Final, Self

import marshmallow as ma
from marshmallow import fields, validate

from app.records.instants import (
    find_day,
    first_instant,
    format_instant,
    last_instant,
    parse_instant,
)
from app.records.record import Codec, Coded
from app.records.texts import LINE_CONTROLS, find_text_fault

_RFC3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_SECOND_60 = re.compile(r"^(.{17})60(?=[.Zz+-])")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([Ee][+-]?[0-9]+)?")
#: Most unknown fields of a body for which a known one is suggested, and the part of a name that is
#: compared [characters].
_MOST_SUGGESTED: Final = 10
_LONGEST_NAME: Final = 40
#: Options of a field that may be left out or null.
OPTIONAL: Final[dict[str, Any]] = {"allow_none": True, "load_default": None}


class RequestSchema(ma.Schema):
    """A request body; unknown fields are refused.

    ``read_back`` is the schema of a record that clients may send back as they read it: fields that
    only the record has are set by the service, and ignored.
    """

    class Meta:
        unknown = ma.RAISE

    error_messages = {"type": "Must be a JSON object with the record's fields."}  # noqa: RUF012

    def __init__(self, *, read_back: type[ma.Schema] | None = None, **options: Any) -> None:
        super().__init__(**options)
        served = read_back._declared_fields if read_back else {}
        self.read_only = _name_keys(served) - _name_keys(self.load_fields)

    @classmethod
    def of_changes(cls, record: type[ma.Schema]) -> Self:
        """Build the schema of some fields of a record as read; entries of lists are whole."""
        return cls(read_back=record, partial=tuple(cls._declared_fields))

    @ma.pre_load
    def drop_read_only(self, data: Any, **_ignored: Any) -> Any:
        """Drop the fields that only the service sets."""
        if not (self.read_only and isinstance(data, Mapping)):
            return data
        return {name: value for name, value in data.items() if name not in self.read_only}

    def handle_error(self, error: ma.ValidationError, data: Any, **_ignored: Any) -> None:
        """Name the known field that is most alike in the errors of unknown ones."""
        known = _name_keys(self.load_fields)
        messages: dict[str, Any] = error.messages  # type: ignore[assignment]
        unknown = [
            name for name, each in messages.items() if each == [self.error_messages["unknown"]]
        ]
        for name in unknown[:_MOST_SUGGESTED]:
            for alike in get_close_matches(name[:_LONGEST_NAME], known, 1):
                messages[name] = [f"Unknown field; did you mean {alike}?"]


def _name_keys(declared: Mapping[str, fields.Field[Any]]) -> set[str]:
    """Return the names that fields have in JSON."""
    return {field.data_key or name for name, field in declared.items()}


def require_all(schema: type[RequestSchema]) -> type[RequestSchema]:
    """Derive the schema of a response, which has every field of a request."""
    fields = deepcopy(schema._declared_fields)
    for field in fields.values():
        field.required = True
    return schema.from_dict(fields)  # type: ignore[return-value]


class Described(fields.Field[Any]):
    """A field that takes its description by name."""

    default_error_messages = {"null": "Must have a value, not null."}  # noqa: RUF012

    def __init__(
        self,
        *arguments: Any,
        description: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        words = {} if description is None else {"description": description}
        super().__init__(*arguments, metadata={**words, **(metadata or {})}, **options)


class Number(Described, fields.Float):
    """A finite JSON number."""

    default_error_messages = {"invalid": "Not a number.", "special": "Must be a finite number."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid")
        return float(super()._deserialize(value, attr, data, **kwargs))


class WholeNumber(Described, fields.Integer):
    """A JSON number without a fraction."""

    default_error_messages = {"invalid": "Not a whole number."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole:
            raise self.make_error("invalid")
        return int(value)


class Flag(Described, fields.Boolean):
    """A JSON ``true`` or ``false``."""

    default_error_messages = {"invalid": "Must be true or false."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid")
        return value


class Text(Coded, Described, fields.String):
    """A text of a sensible length without control characters.

    Required texts and names are not empty, and no text is only white space.
    ``is_multiline`` allows line breaks and tabs.
    """

    codec = (str, str)

    def __init__(
        self,
        *,
        longest: int = 200,
        is_name: bool = False,
        is_multiline: bool = False,
        **options: Any,
    ) -> None:
        self.allowed_controls = LINE_CONTROLS if is_multiline else ""
        shortest = 1 if is_name or options.get("required") else None
        length = validate.Length(min=shortest, max=longest)
        super().__init__(validate=length, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        fault = find_text_fault(text, self.allowed_controls)
        if fault:
            raise ma.ValidationError(fault)
        return text


class PatternText(Text):
    """A text that a regular expression matches as a whole.

    ``otherwise`` completes the message about any other text, which names it.
    """

    def __init__(self, pattern: str, otherwise: str, **options: Any) -> None:
        self.pattern, self.otherwise = pattern, otherwise
        super().__init__(metadata={"pattern": f"^{pattern}$"}, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not re.fullmatch(self.pattern, text):
            raise ma.ValidationError(f"{text[:100]} {self.otherwise}")
        return text


class Instant(Coded, Described):
    """An RFC 3339 time with an offset, converted to UTC."""

    codec = (format_instant, parse_instant)

    default_error_messages = {  # noqa: RUF012
        "invalid": "Not an RFC 3339 time with an offset, such as 2026-03-01T06:00:00Z.",
        "leap_second": "A leap second (:60) cannot be stored; send second 59 or the next 00.",
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        instant = find_instant(value)
        if instant is None:
            raise self.make_error("leap_second" if is_leap_second(value) else "invalid")
        return instant


class CalendarDate(Coded, Described):
    """A whole UTC day, written YYYY-MM-DD."""

    codec: Codec = (date.isoformat, date.fromisoformat)

    default_error_messages = {"invalid": "Not a calendar date, such as 2026-03-01."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        day = find_day(value)
        if day is None:
            raise self.make_error("invalid")
        return day


class Choice(fields.Field[Any]):
    """One of several words, in any case; converted to the canonical spelling."""

    default_error_messages = {"choice": "Must be one of: {choices}."}  # noqa: RUF012

    def __init__(self, choices: Iterable[str], *, description: str = "", **options: Any) -> None:
        self.choices = tuple(str(choice) for choice in choices)
        named = ", ".join(self.choices)
        options.setdefault("error_messages", {"null": f"Must be one of: {named}; not null."})
        # a description in OpenAPI 3.0 counts null among the words where it may be given
        words = [*self.choices, None] if options.get("allow_none") else [*self.choices]
        metadata = {"type": "string", "enum": words}
        described = {"description": description} if description else {}
        super().__init__(metadata=metadata | described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        by_case = {choice.casefold(): choice for choice in self.choices}
        found = by_case.get(value.casefold()) if isinstance(value, str) else None
        if found is None:
            raise self.make_error("choice", choices=", ".join(self.choices))
        return found


def optional_number(description: str, limits: validate.Range) -> Number:
    """A number that may be left out or null."""
    return Number(validate=limits, description=description, **OPTIONAL)


def optional_instant(description: str) -> Instant:
    """A time that may be left out or null."""
    return Instant(description=description, **OPTIONAL)


class Latitude(Number):
    """Degrees north, -90 to 90."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validate=validate.Range(-90, 90), **options)


class Longitude(Number):
    """Degrees east; -180 to 360 are accepted and converted to -180 to 180 (exclusive)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(validate=validate.Range(-180, 360), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        return normalise_longitude(super()._deserialize(value, attr, data, **kwargs))


def normalise_longitude(lng: float) -> float:
    """Convert a longitude of 180 to 360 degrees to one below 180; rounded, as 190.3 to -169.7."""
    return round(lng - 360.0, 9) if 180 <= lng <= 360 else lng


def number_of(
    name: str, column: str, description: str, least: float, greatest: float, **options: Any
) -> Number:
    """Return the field of a number that is stored in a column; longitudes are converted.

    The bounds are inclusive.
    """
    options |= {"attribute": column, "data_key": name, "description": description}
    if name == "longitude":
        return Longitude(**options)
    return Number(validate=validate.Range(least, greatest), **options)


class Moment(Described):
    """An RFC 3339 time, or a calendar date, of which the first or last instant is meant."""

    default_error_messages = {  # noqa: RUF012
        "invalid": "Neither an RFC 3339 time with an offset (in a URL, + is %2B) nor a calendar"
        " date."
    }

    def __init__(self, *, at_end: bool, **options: Any) -> None:
        self.day_as_instant = last_instant if at_end else first_instant
        self.day = CalendarDate()
        super().__init__(load_default=None, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        instant = find_instant(value)
        if instant is not None:
            return instant
        try:
            return self.day_as_instant(self.day.deserialize(value))
        except ma.ValidationError as error:
            raise self.make_error("invalid") from error


def moment(key: str, description: str, *, at_end: bool) -> Moment:
    """A query parameter for an end of a range of time."""
    return Moment(
        at_end=at_end,
        data_key=key,
        description=f"{description}: RFC 3339 time or date",
        metadata={"type": "string"},
    )


class QueryNumber(Described, fields.Integer):
    """A whole number in a query string."""

    default_error_messages = {"invalid": "Not a whole number of up to 9 digits."}  # noqa: RUF012

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not (isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,9}", value)):
            raise self.make_error("invalid")
        return int(value)


class QueryDegrees(Described, fields.Float):
    """Degrees in a query string, a decimal number within a range; it may have an exponent."""

    default_error_messages = {  # noqa: RUF012
        "invalid": "Not a number of degrees.",
        "special": "Must be a finite number.",
    }

    def __init__(self, least: float, greatest: float, **options: Any) -> None:
        super().__init__(validate=validate.Range(least, greatest), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> float:
        # Python also reads digits of other scripts, 1_0 and surrounding spaces
        if not (isinstance(value, str) and _DECIMAL.fullmatch(value)):
            raise self.make_error("invalid")
        return float(super()._deserialize(value, attr, data, **kwargs))


class QueryFlag(Described, fields.Boolean):
    """``true`` or ``false`` in a query string."""

    truthy = {"true"}  # noqa: RUF012
    falsy = {"false"}  # noqa: RUF012
    default_error_messages = {"invalid": "Must be true or false."}  # noqa: RUF012


def is_leap_second(value: Any) -> bool:
    """Return whether a text is an RFC 3339 time with second 60."""
    return isinstance(value, str) and find_instant(_SECOND_60.sub(r"\g<1>59", value)) is not None


def find_instant(value: Any) -> datetime | None:
    """Parse an RFC 3339 text with an offset to a time in UTC; ``None`` for any other text."""
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
