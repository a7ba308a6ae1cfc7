"""What workers are asked to do; each a few lines that call a service."""

from uuid import UUID

from app.services import charting_runs


def optimise_charting(charting_id: str, revision: int) -> None:
    """Plan one revision of a charting."""
    charting_runs.run(UUID(charting_id), revision)
