"""Health checks of an installation, with remedies for problems."""

from collections.abc import Callable, Iterator
from typing import Final

from app.services.upkeep.doctor import parts
from app.services.upkeep.doctor.database import check_database
from app.services.upkeep.doctor.finding import Finding, Findings, Level, fault

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


def run_checks() -> Iterator[tuple[str, Finding]]:
    """Run all checks in order; yield each finding with its part.

    An exception in a check is reported as a fault.
    """
    for part, check in PARTS.items():
        try:
            for finding in check():
                yield part, finding
        except Exception as error:  # every error must be reported to the operator
            yield part, fault(f"{type(error).__name__}: {error}")
