"""Parsing of ids, which are opaque to clients: malformed ids match no row."""

from uuid import UUID


def find_id(text: str) -> UUID | None:
    """Parse an id in canonical spelling; ``None`` for any other text."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text else None
