"""Strict parsing of requests; every error names its field by a JSON pointer."""

import json
import math
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from itertools import chain, islice
from typing import Any, Final
from urllib.parse import unquote, unquote_to_bytes

import marshmallow as ma
from flask import Request, current_app
from webargs.flaskparser import FlaskParser, is_json_request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from app.error_handlers import UnsupportedCoding
from app.records.charting import ChartingSchema
from app.records.texts import UNSTORABLE, is_storable
from app.services.charting_request import find_contradictions
from app.services.errors import MOST_FAULTS, FieldError, Invalid, escape_member, refuse

#: Longest value that an error message repeats [characters].
_LONGEST_QUOTED = 60

#: Limits of nesting and of fields per object, far above what any request needs.
DEEPEST: Final = 32
MOST_FIELDS: Final = 1000
#: Error of a field that a body gives more than once.
REPEATED: Final = "The field is given more than once."


class StrictParser(FlaskParser):
    """Parser of JSON bodies and query strings that rejects unknown fields."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": ma.RAISE,
        "json": None,  # schemas of bodies set it themselves
    }

    def parse(
        self,
        argmap: Any,
        req: Request | None = None,
        *,
        location: str | None = None,
        **options: Any,
    ) -> Any:
        """Parse arguments, with the schema's own fast decoder first if it has one.

        A body that the decoder rejects is read by the schema, which reports each error.
        """
        decode = getattr(argmap, "decode", None) if location == "json" else None
        req = req or self.get_default_request()
        if decode is not None and is_json_request(req):
            decoded = decode(read_body(req))
            if decoded is not None:
                return decoded
        return super().parse(argmap, req, location=location, **options)

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Read the body; return an empty object if it is optional and left out."""
        if getattr(schema, "is_optional", False) and not read_body(req):
            return {}
        return super().load_json(req, schema)

    def _raw_load_json(self, req: Request) -> Any:
        return read_json(req)

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_ignored: Any
    ) -> Any:
        """Raise :class:`Invalid` with a schema's errors, each with its JSON pointer."""
        messages = error.messages
        located = dict(messages) if isinstance(messages, Mapping) else {}
        if "query" in located:
            located["query"] = _list_known_parameters(located["query"], schema)
        found: Iterable[FieldError] = (
            fault for part in located.values() for fault in _faults(part, "", error.data)
        )
        if isinstance(schema, ChartingSchema):
            invalid = located.get("json", ())
            found = chain(found, find_contradictions(error.valid_data, invalid))
        faults = list(islice(found, MOST_FAULTS))
        raise Invalid(faults, detail=_summary(faults)) from error


def read_json(req: Request) -> Any:
    """Read a request's body as JSON.

    Raises 415 for another media type, 400 for what is not JSON, and :class:`Invalid`
    as :func:`parse_json` does.
    """
    if not is_json_request(req):
        raise UnsupportedMediaType("Send the body as application/json.")
    body = read_body(req)
    if not body:
        raise BadRequest("The body is empty; send JSON.")
    try:
        return parse_json(body)
    except RecursionError as error:
        raise BadRequest(f"The JSON is nested more than {DEEPEST} levels deep.") from error
    except ValueError as error:
        raise BadRequest(f"The body is not JSON: {_explain(error)}") from error


def parse_json(text: bytes) -> Any:
    """Parse JSON whose objects have each field once, as I-JSON requires (RFC 7493, 2.3).

    Raises ``ValueError`` or ``RecursionError`` for invalid JSON, and :class:`Invalid` for repeated
    fields, for text and numbers that the database cannot store, for nesting that is too deep and
    for objects with too many fields.
    """
    value = json.loads(text, object_pairs_hook=_Object)
    refuse(_find_unstorable(value, ""))
    return value


class _Object(dict[str, Any]):
    """A JSON object that remembers which fields were named more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs) if len(self) < len(pairs) else Counter()
        self.repeated = [name for name, count in counts.items() if count > 1]


def read_body(req: Request) -> bytes:
    """Read a request's body, and unpack it if its ``Content-Encoding`` is gzip.

    Raises 415 for another coding, 400 for invalid gzip, and 413 if the unpacked body is too large.
    """
    coding = req.headers.get("Content-Encoding", "").strip().lower()
    if coding in ("", "identity"):
        return req.get_data()
    if coding not in ("gzip", "x-gzip"):
        raise UnsupportedCoding("Send the body without Content-Encoding or with gzip.")
    most_bytes = req.max_content_length or current_app.config["MAX_CONTENT_LENGTH"]
    packed = GzipFile(fileobj=BytesIO(req.get_data()))
    try:
        unpacked = packed.read(most_bytes + 1)
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise BadRequest(f"The body is not gzip: {error}") from error
    if len(unpacked) > most_bytes:
        raise RequestEntityTooLarge(f"The body unpacks to more than {most_bytes} bytes.")
    return unpacked


def refuse_badly_encoded(query: bytes) -> None:
    """Raise :class:`Invalid` for query parameters whose percent-encoding is not UTF-8."""
    names = (
        part.partition(b"=")[0].decode(errors="replace")
        for part in query.split(b"&")
        if not _is_utf_8(unquote_to_bytes(part))
    )
    refuse(FieldError(f"/{escape_member(unquote(name))}", UNSTORABLE) for name in names)


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def refuse_repeated(query: MultiDict[str, str]) -> None:
    """Raise :class:`Invalid` for query parameters that are given more than once."""
    counts = {name: len(values) for name, values in query.lists()}
    refuse(
        FieldError(
            f"/{escape_member(name)}",
            f"The query parameter {name!r} is given {count} times; give it once.",
        )
        for name, count in counts.items()
        if count > 1
    )


def _list_known_parameters(messages: Any, schema: ma.Schema) -> Any:
    """Return the messages about a query with those about unknown parameters naming the known."""
    if not isinstance(messages, Mapping):
        return messages
    known = sorted(field.data_key or name for name, field in schema.load_fields.items())
    unknown = [schema.error_messages["unknown"]]
    named = [f"Unknown query parameter; those known are {', '.join(known)}."]
    return {name: named if each == unknown else each for name, each in messages.items()}


def query_faults(names: Iterable[str]) -> list[FieldError]:
    """Return the errors of unknown query parameters."""
    return [
        FieldError(f"/{escape_member(name)}", f"Unknown query parameter {name!r}.")
        for name in names
    ]


def faults_of(error: ma.ValidationError) -> list[FieldError]:
    """Return a schema's errors with their places and the values sent."""
    return list(islice(_faults(error.messages, "", error.data), MOST_FAULTS))


def invalid_by(error: ma.ValidationError) -> Invalid:
    """Convert a schema's errors; the detail names the fields."""
    faults = faults_of(error)
    return Invalid(faults, detail=_summary(faults))


def _faults(messages: Any, pointer: str, sent: Any) -> Iterator[FieldError]:
    """Flatten marshmallow's nested messages into faults."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            if key == "_schema":
                yield from _faults(inner, pointer, sent)
            else:
                yield from _faults(inner, f"{pointer}/{escape_member(str(key))}", _pick(sent, key))
    elif isinstance(messages, list):
        for message in messages:
            yield from _faults(message, pointer, sent)
    else:
        yield FieldError(pointer, f"{messages}{_quote(pointer, sent)}")


def _pick(sent: Any, key: Any) -> Any:
    """Return the value sent under a key, or ``None``."""
    if isinstance(sent, Mapping):
        return sent.get(key)
    is_index = isinstance(sent, list) and isinstance(key, int) and key < len(sent)
    return sent[key] if is_index else None


def _quote(pointer: str, sent: Any) -> str:
    """Return the text that repeats the value sent, unless it is long or secret."""
    if isinstance(sent, str | float | int) and not pointer.endswith("/password"):
        written = json.dumps(sent, ensure_ascii=False)
        if len(written) <= _LONGEST_QUOTED:
            return f" Received: {written}."
    return ""


def _summary(faults: list[FieldError]) -> str:
    count = len(faults)
    named = ", ".join(fault.pointer.lstrip("/") or "the body" for fault in faults[:5])
    more = f" and {count - 5} more" if count > 5 else ""
    return f"Not valid: {named}{more}."


def _find_unstorable(value: Any, pointer: str, depth: int = 0) -> Iterator[FieldError]:
    """Find values that cannot be stored, and nesting that is too deep."""
    if isinstance(value, str):
        if not is_storable(value):
            yield FieldError(pointer, UNSTORABLE)
    elif isinstance(value, int):
        if abs(value) > sys.float_info.max:
            yield FieldError(pointer, "The number is too large.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield FieldError(pointer, "Must be a finite number.")
    elif depth > DEEPEST:
        yield FieldError(pointer, f"The value is nested more than {DEEPEST} levels deep.")
    elif isinstance(value, _Object):
        yield from _find_unstorable_fields(value, pointer, depth)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            # Coordinates are by far the most values; their readers check them.
            if type(inner) is not float or not math.isfinite(inner):
                yield from _find_unstorable(inner, f"{pointer}/{index}", depth + 1)


def _find_unstorable_fields(value: _Object, pointer: str, depth: int) -> Iterator[FieldError]:
    if len(value) > MOST_FIELDS:
        yield FieldError(
            pointer, f"The object has {len(value)} fields; at most {MOST_FIELDS} are allowed."
        )
        return
    for name in value.repeated:
        yield FieldError(f"{pointer}/{escape_member(name)}", REPEATED)
    for key, inner in value.items():
        yield from _find_unstorable(key, pointer)
        yield from _find_unstorable(inner, f"{pointer}/{escape_member(key)}", depth + 1)


def _explain(error: ValueError) -> str:
    """Return what is wrong with JSON; only the number itself is no JSONDecodeError."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return str(error)
    return "a number has too many digits."
