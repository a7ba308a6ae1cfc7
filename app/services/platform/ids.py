"""Ids, which are opaque to clients: a text that is not one simply finds nothing."""

from uuid import UUID


def find_id(text: str) -> UUID | None:
    """The id that a text is, in its one spelling, or ``None``."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text else None
