"""Health checks of an installation, with remedies for problems."""

from collections.abc import Callable
from typing import Final

from app.services.upkeep.doctor import parts
from app.services.upkeep.doctor.database import check_database
from app.services.upkeep.doctor.finding import Finding, Findings, Level

__all__ = ["Finding", "Level", "run_checks"]

PARTS: Final[dict[str, Callable[[], Findings]]] = {
    "settings": parts.check_settings,
    "database": check_database,
    "redis": parts.check_redis,
    "workers": parts.check_workers,
    "atlas": parts.check_atlas,
    "charts": parts.check_charts,
    "weather": parts.check_weather,
    "access": parts.check_access,
    "bucket": parts.check_bucket,
    "disk": parts.check_disk,
    "kernels": parts.check_kernels,
}


def run_checks() -> Findings:
    """Run all checks in order; an exception in a check is reported as a fault."""
    for part, look in PARTS.items():
        try:
            yield from look()
        except Exception as error:  # every error must be reported to the operator
            yield Finding(part, Level.FAULT, f"{type(error).__name__}: {error}")
