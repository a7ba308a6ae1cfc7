"""Windows of departure times, and outcomes: figures of the best route, or why there is none."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.engine.codes import FailureCode, WarningCode

#: Longest window, and the least and the greatest step [h].
LONGEST_WINDOW: Final = timedelta(days=10)
LEAST_STEP_H: Final = 1.0
GREATEST_STEP_H: Final = 12.0


@dataclass(frozen=True, slots=True)
class DepartureWindow:
    """Departures from the first to the last, one each step [h].

    The last is included if the step divides the window. ``within_h`` is the longest duration of the
    voyage from each departure [h], in place of a latest arrival common to all. Raise
    :class:`ValueError` if the window ends before it begins or is too long, or the step is out of
    range.
    """

    first: datetime
    last: datetime
    step_h: float = 6.0
    within_h: float | None = None

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise ValueError("The window ends before it begins.")
        if self.last - self.first > LONGEST_WINDOW:
            days = (self.last - self.first) / timedelta(days=1)
            raise ValueError(
                f"The window is {days:.1f} days long; at most {LONGEST_WINDOW.days} are compared."
            )
        if not LEAST_STEP_H <= self.step_h <= GREATEST_STEP_H:
            raise ValueError(
                f"The step is {self.step_h:g} h; between {LEAST_STEP_H:g} and "
                f"{GREATEST_STEP_H:g} h are allowed."
            )

    def latest_arrival(self, departs_at: datetime, arrive_by: datetime | None) -> datetime | None:
        """Return the latest arrival of a departure; ``arrive_by`` without a longest duration."""
        if self.within_h is None:
            return arrive_by
        return departs_at + timedelta(hours=self.within_h)

    def list_departures(self) -> list[datetime]:
        """List the times of departure, the earliest first."""
        step = timedelta(hours=self.step_h)
        return [self.first + n * step for n in range((self.last - self.first) // step + 1)]


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
