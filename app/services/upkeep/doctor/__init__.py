"""Checks of everything an installation needs, with remedies for problems."""

from collections.abc import Callable
from typing import Final

from app.services.upkeep.doctor import parts
from app.services.upkeep.doctor.database import look_at_database
from app.services.upkeep.doctor.finding import Finding, Findings, Level

__all__ = ["Finding", "Level", "examine"]

PARTS: Final[dict[str, Callable[[], Findings]]] = {
    "settings": parts.look_at_settings,
    "database": look_at_database,
    "redis": parts.look_at_redis,
    "workers": parts.look_at_workers,
    "atlas": parts.look_at_atlas,
    "weather": parts.look_at_weather,
    "bucket": parts.look_at_bucket,
    "disk": parts.look_at_disk,
    "kernels": parts.look_at_kernels,
}


def examine() -> Findings:
    """Check one part after another; an exception in a check is a fault."""
    for part, look in PARTS.items():
        try:
            yield from look()
        except Exception as error:  # whatever it is, the operator is to hear of it
            yield Finding(part, Level.FAULT, f"{type(error).__name__}: {error}")
