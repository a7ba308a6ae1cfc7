"""Outcome of a departure: its figures, or why it cannot be sailed."""

from dataclasses import dataclass
from datetime import datetime

from app.engine.codes import FailureCode, WarningCode


@dataclass(frozen=True, slots=True)
class DepartureFigures:
    """The best route of a departure: arrival, duration [h], fuel [t], distance [nm], waves [m]."""

    arrives_at: datetime
    duration_h: float
    fuel_t: float
    distance_nm: float
    max_wave_m: float | None
    route: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why a departure cannot be sailed as asked, in words and by code."""

    code: FailureCode | WarningCode
    detail: str


@dataclass(frozen=True, slots=True)
class DepartureOutcome:
    """A departure with its figures, or with the reason why it has none.

    ``is_refined`` says that they are of a search as thorough as a plan's, not of a coarse one.
    """

    departs_at: datetime
    figures: DepartureFigures | None = None
    infeasible: Infeasible | None = None
    is_refined: bool = False


@dataclass(frozen=True, slots=True)
class DepartureComparison:
    """All departures of a window, the soonest first, and the best; ``None`` where none can be."""

    outcomes: tuple[DepartureOutcome, ...]
    best: DepartureOutcome | None
