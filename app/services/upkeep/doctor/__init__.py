"""Health checks of an installation, with remedies for problems."""

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
    """Run all checks in order; an exception in a check is reported as a fault."""
    for part, look in PARTS.items():
        try:
            yield from look()
        except Exception as error:  # every error must be reported to the operator
            yield Finding(part, Level.FAULT, f"{type(error).__name__}: {error}")
