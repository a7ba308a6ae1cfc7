"""How requests are read: strictly, and every fault named with its place."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import marshmallow as ma
from flask import Request
from webargs.flaskparser import FlaskParser, is_json_request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from app.api.schemas.fields import is_storable
from app.services.errors import Fault, Invalid

#: Longer values are not said again in the answer that refuses them.
_LONGEST_QUOTED = 60


class StrictParser(FlaskParser):
    """Reads JSON bodies and query strings; what it does not know it refuses."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": ma.RAISE,
        "json": None,  # schemas of bodies say it themselves
    }

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Read the body; one that may be left out is then empty."""
        if getattr(schema, "is_optional", False) and not req.get_data():
            return {}
        return super().load_json(req, schema)

    def _raw_load_json(self, req: Request) -> Any:
        return read_json(req)

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, **_ignored: Any
    ) -> Any:
        """Turn what a schema found wrong into faults with their places."""
        messages = error.messages
        located = messages if isinstance(messages, Mapping) else {}
        faults = [fault for part in located.values() for fault in _faults(part, "", error.data)]
        raise Invalid(faults, detail=_summary(faults)) from error


def read_json(req: Request) -> Any:
    """Read a request's body as JSON.

    Raises 415 for another media type, 400 for what is not JSON, and
    :class:`Invalid` for text that no database can keep.
    """
    if not is_json_request(req):
        raise UnsupportedMediaType("Send the body as application/json.")
    try:
        body = json.loads(req.get_data())
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The body is not JSON: {_first_line(error)}") from error
    faults = list(_unstorable(body, ""))
    if faults:
        raise Invalid(faults)
    return body


def query_faults(names: Iterable[str]) -> list[Fault]:
    """The faults of query parameters that are not known."""
    return [Fault(f"/{_escape(name)}", f"Unknown query parameter {name!r}.") for name in names]


def faults_of(error: ma.ValidationError) -> list[Fault]:
    """What a schema found wrong, as faults with their places and what was sent there."""
    return list(_faults(error.messages, "", error.data))


def _faults(messages: Any, pointer: str, sent: Any) -> Iterator[Fault]:
    """Flatten marshmallow's nested messages into faults."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            if key == "_schema":
                yield from _faults(inner, pointer, None)
            else:
                yield from _faults(inner, f"{pointer}/{_escape(str(key))}", _pick(sent, key))
    elif isinstance(messages, list):
        for message in messages:
            yield from _faults(message, pointer, sent)
    else:
        yield Fault(pointer, f"{messages}{_quote(pointer, sent)}")


def _pick(sent: Any, key: Any) -> Any:
    """What was sent under a key, None where nothing was."""
    if isinstance(sent, Mapping):
        return sent.get(key)
    is_index = isinstance(sent, list) and isinstance(key, int) and key < len(sent)
    return sent[key] if is_index else None


def _quote(pointer: str, sent: Any) -> str:
    """A value that was sent, if it is short and no secret."""
    if isinstance(sent, str | float | int) and not pointer.endswith("/password"):
        written = json.dumps(sent, ensure_ascii=False)
        if len(written) <= _LONGEST_QUOTED:
            return f" Sent was {written}."
    return ""


def _summary(faults: list[Fault]) -> str:
    count = len(faults)
    named = ", ".join(fault.pointer.lstrip("/") or "the body" for fault in faults[:5])
    more = f" and {count - 5} more" if count > 5 else ""
    return f"Not valid: {named}{more}."


def _unstorable(value: Any, pointer: str) -> Iterator[Fault]:
    """Find text that no database can keep, wherever it stands."""
    if isinstance(value, str):
        if not is_storable(value):
            yield Fault(pointer, "The text holds a character that cannot be stored.")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _unstorable(key, pointer)
            yield from _unstorable(inner, f"{pointer}/{_escape(key)}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _unstorable(inner, f"{pointer}/{index}")


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
