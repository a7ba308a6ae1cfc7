"""Typed errors of voyages that cannot be planned, with their data.

Each class has a stable ``code``, the ``failure.code`` of the API, and a ``detail`` for planners.
``data`` holds the figures of ``detail``, for pages and API alike.
"""

from typing import Any, ClassVar

from app.engine.codes import FailureCode


class VoyageError(Exception):
    """A voyage that cannot be planned, with the reason.

    ``detail`` is the reason and the remedy, for a planner to read; ``data`` has its figures in JSON
    types or times.
    """

    code: ClassVar[FailureCode] = FailureCode.INTERNAL

    def __init__(self, detail: str, **data: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.data = data


class NoRoute(VoyageError):
    """No water connects departure and arrival for this ship and these areas."""

    code = FailureCode.NO_ROUTE


class LimitsTooTight(VoyageError):
    """A limit on waves, wind, latitude or shaft speed leaves no route."""

    code = FailureCode.LIMITS_TOO_TIGHT


class DraftTooDeep(VoyageError):
    """The shallowest gate on every route is too shallow for the draught."""

    code = FailureCode.DRAFT_TOO_DEEP


class CanalLimit(VoyageError):
    """The ship is too large for a canal that every route passes."""

    code = FailureCode.CANAL_LIMIT


class EndInsideArea(VoyageError):
    """Departure or arrival lies inside an area that must not be entered."""

    code = FailureCode.END_INSIDE_AREA


class SeasonClosed(VoyageError):
    """Locks that every route leads through are closed when the ship would be there."""

    code = FailureCode.SEASON_CLOSED


class DataMissing(VoyageError):
    """A data set that the plan needs is not installed."""

    code = FailureCode.DATA_MISSING


class PortOnLand(VoyageError):
    """A position has no navigable water near enough; checked before planning."""

    code = FailureCode.PORT_ON_LAND


class PlanningCancelled(Exception):
    """Raised by a progress callback to stop planning; not a failure."""
