"""Outcomes of departures: figures of the best route, or the reason why there is none."""

from dataclasses import dataclass
from datetime import datetime

from app.engine.codes import FailureCode, WarningCode


@dataclass(frozen=True, slots=True)
class DepartureFigures:
    """Best route of a departure: arrival, duration [h], fuel [t], distance [nm], waves [m]."""

    arrives_at: datetime
    duration_h: float
    fuel_t: float
    distance_nm: float
    max_wave_m: float | None
    route: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Reason why a departure is infeasible, as code and text."""

    code: FailureCode | WarningCode
    detail: str


@dataclass(frozen=True, slots=True)
class DepartureOutcome:
    """A departure with its figures, or with the reason why it has none.

    ``is_refined`` is true of results of a search as thorough as a plan's, false of a coarse one.
    """

    departs_at: datetime
    figures: DepartureFigures | None = None
    infeasible: Infeasible | None = None
    is_refined: bool = False


@dataclass(frozen=True, slots=True)
class DepartureComparison:
    """All departures of a window, the earliest first, and the best feasible one, if any."""

    outcomes: tuple[DepartureOutcome, ...]
    best: DepartureOutcome | None
