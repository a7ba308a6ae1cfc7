"""Warnings about a request: ports far from their positions, departures in the past."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from app.datasources.ports import UnknownPort, get_port
from app.engine.codes import WarningCode
from app.engine.formatting import format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.plan import PlanWarning

#: Farthest that a position lies from the port of its code [nm]: estuaries and roads are within it.
FARTHEST_NM: Final = 100.0

_ENDS: Final = {"From": "departure", "To": "arrival"}


def find_port_mismatches(request: Mapping[str, Any]) -> Iterator[PlanWarning]:
    """Warn of each code whose port lies far from the position, which is the one that counts.

    A UN/LOCODE that the built-in list lacks may be right. A departure under way is not at a port.
    """
    for side, end in _ENDS.items():
        code = request.get(f"nid{side}")
        if code is None or (side == "From" and request["isAlterFrom"]):
            continue
        try:
            port = get_port(code)
        except UnknownPort:
            continue
        away_nm = great_circle_distance_nm(
            *port.position, request[f"lat{side}"], request[f"lng{side}"]
        )
        if away_nm > FARTHEST_NM:
            yield PlanWarning(
                WarningCode.PORT_MISMATCH,
                f"nid{side} {code} is {port.name}, {port.country}, {away_nm:.0f} nm from the"
                f" {end} given. The route is planned for the position. Correct one of them.",
            )


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
