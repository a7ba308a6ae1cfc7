"""Departures in the past, which may be typing errors."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from app.engine.codes import WarningCode
from app.engine.formatting import format_time
from app.engine.plan import PlanWarning

#: Longest time since the departure of a ship that has just left.
_JUST_LEFT: Final = timedelta(days=1)


def find_past_departure(departs_at: datetime, requested_at: datetime) -> Iterator[PlanWarning]:
    """Warn of a departure more than a day before the request of a plan or quote."""
    if departs_at < requested_at - _JUST_LEFT:
        yield PlanWarning(
            WarningCode.DEPARTURE_PAST,
            f"The voyage departs on {format_time(departs_at)}, which is past. Areas, emission"
            " control areas and weather are those of that time.",
        )
