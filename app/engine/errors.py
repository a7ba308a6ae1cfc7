"""Typed errors that keep a voyage from being planned, with their data.

Each class has a stable ``code`` (the ``failure.code`` that clients read) and a ``detail`` in
a seafarer's words. ``data`` holds the figures behind the words, in JSON types, so that page
and API say the same.
"""

from typing import Any, ClassVar

from app.engine.codes import FailureCode


class VoyageError(Exception):
    """A voyage that cannot be planned, and why.

    Parameters
    ----------
    detail
        What happened and what to do, for a planner to read.
    **data
        The figures behind ``detail``, JSON-serialisable.
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
    """A limit on waves, wind, latitude or roll leaves no route."""

    code = FailureCode.LIMITS_TOO_TIGHT


class DraftTooDeep(VoyageError):
    """The shallowest gate on every route is too shallow for the draught."""

    code = FailureCode.DRAFT_TOO_DEEP


class CanalLimit(VoyageError):
    """The ship is too large for a canal without which there is no route."""

    code = FailureCode.CANAL_LIMIT


class EndInsideArea(VoyageError):
    """Departure or arrival lies inside an area that must not be entered."""

    code = FailureCode.END_INSIDE_AREA


class SeasonClosed(VoyageError):
    """Locks that every route leads through are shut when the ship would be there."""

    code = FailureCode.SEASON_CLOSED


class DataMissing(VoyageError):
    """A data set that the plan needs is not there."""

    code = FailureCode.DATA_MISSING


class PortOnLand(VoyageError):
    """A position has no navigable water within reach; refused before planning."""

    code = FailureCode.PORT_ON_LAND


class PlanningCancelled(Exception):
    """Raised by a progress callback to stop planning; not a failure."""
