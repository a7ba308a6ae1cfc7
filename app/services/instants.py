"""Times as text."""

from datetime import UTC, datetime


def format_instant(value: datetime) -> str:
    """RFC 3339 in UTC with ``Z``; milliseconds only where there are some."""
    spec = "milliseconds" if value.microsecond // 1000 else "seconds"
    return value.astimezone(UTC).isoformat(timespec=spec).replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """What :func:`format_instant` wrote."""
    return datetime.fromisoformat(text)
