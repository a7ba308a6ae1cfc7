"""Log lines as JSON or as text, each with the ids of its context.

Lines of web and worker processes have the same fields: request, charting, revision and attempt.
Headers, bodies and query strings are never logged, so that no key is written to a log.
"""

import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from flask import g, has_app_context

from app.environment import SettingInvalid

#: Environment variable of the format: ``text`` or ``json``.
FORMAT_VARIABLE = "LOG_FORMAT"

_bound: ContextVar[dict[str, Any] | None] = ContextVar("bound", default=None)


@contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Add fields to every line that is logged in this context, also in forks."""
    token = _bound.set((_bound.get() or {}) | fields)
    try:
        yield
    finally:
        _bound.reset(token)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the context of a log line and its named fields (``extra={"fields": …}``)."""
    fields = dict(_bound.get() or {})
    request_id = g.get("request_id") if has_app_context() else None
    if request_id is not None:
        fields["request_id"] = request_id
    return fields | getattr(record, "fields", {})


class JsonLines(logging.Formatter):
    """One JSON object a line: ``time``, ``level``, ``logger``, ``message``, ``process``, fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        line = {
            "time": _time_of(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        } | fields_of(record)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


#: Characters that would start a new log line or control a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class TextLines(logging.Formatter):
    """Time, level and message, then the fields; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        fields = " ".join(f"{name}={value}" for name, value in fields_of(record).items())
        line = f"{_time_of(record)} {record.levelname:<7} {record.getMessage()}"
        line = f"{line}  {fields}" if fields else line
        line = _CONTROL.sub(lambda sign: f"\\x{ord(sign[0]):02x}", line)
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return line


def configuration() -> dict[str, Any]:
    """Return the ``logging.config.dictConfig`` settings for the format in the environment.

    Raise :class:`SettingInvalid` if ``LOG_FORMAT`` is neither ``text`` nor ``json``.
    """
    chosen = os.environ.get(FORMAT_VARIABLE) or "text"
    formatters = {"text": TextLines, "json": JsonLines}
    if chosen not in formatters:
        raise SettingInvalid(f"{FORMAT_VARIABLE}={chosen} is neither text nor json")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatters[chosen]}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"level": "INFO", "handlers": ["stderr"]},
        "loggers": {
            "gunicorn.error": {"handlers": [], "propagate": True},
            "alembic": {"level": "WARNING"},
        },
    }


def _time_of(record: logging.LogRecord) -> str:
    written = datetime.fromtimestamp(record.created, UTC)
    return written.isoformat(timespec="milliseconds").replace("+00:00", "Z")
