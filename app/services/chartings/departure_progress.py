"""Progress of a comparison of departures, which stores results as they are found."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final
from uuid import UUID

from redis.exceptions import RedisError
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.engine.departures.sweep import SearchedDeparture
from app.engine.departures.window import DepartureOutcome
from app.models import ComparedDeparture, DepartureComparisonRecord
from app.records.departures import DepartureFiguresSchema, InfeasibleSchema
from app.services.platform import queue
from app.services.platform.run_progress import RunProgress

#: Longest turn of a worker at a comparison before it takes other work [s].
TURN_S: Final = 120.0


class GivesWay(Exception):
    """The comparison pauses: a charting waits for a worker, or the turn is over."""


def orders_wait() -> bool:
    """Return whether a charting waits for a worker; false if the queue is unreachable."""
    try:
        return queue.planning_queue().count > 0
    except RedisError:
        return False


@dataclass
class DepartureProgress(RunProgress):
    """Progress of one attempt at a comparison, which pauses when chartings wait."""

    charting_id: UUID
    _found: list[SearchedDeparture] = field(default_factory=list, init=False)
    _began_at: float = field(default_factory=time.monotonic, init=False)

    def receive(self, searched: SearchedDeparture) -> None:
        """Receive the result of one departure; it is stored with the next progress report."""
        self._found.append(searched)

    def store(self, session: Session) -> None:
        """Store the results received since the last call."""
        rows = {each.outcome.departs_at: self._row(each) for each in self._found}
        if rows:
            adding = insert(ComparedDeparture).values([*rows.values()])
            changed = {name: adding.excluded[name] for name in _CHANGED}
            key = ("comparison_id", "departs_at")
            session.execute(adding.on_conflict_do_update(index_elements=key, set_=changed))
        self._found.clear()

    def _report(self) -> None:
        super()._report()
        is_over = self._written_at - self._began_at >= TURN_S
        if self._stop is None and (is_over or orders_wait()):
            self._stop = GivesWay()

    def _row(self, searched: SearchedDeparture) -> dict[str, Any]:
        outcome = searched.outcome
        figures, infeasible = outcome.figures, outcome.infeasible
        return {
            "organization_id": self.organization_id,
            "charting_id": self.charting_id,
            "comparison_id": self.key["id"],
            "departs_at": outcome.departs_at,
            "is_refined": outcome.is_refined,
            "figures": None if figures is None else DepartureFiguresSchema.write(figures),
            "infeasible": None if infeasible is None else InfeasibleSchema.write(infeasible),
            "cost": _finite(searched.cost),
            "coarse_cost": _finite(searched.coarse_cost),
        }


_CHANGED: Final = ("is_refined", "figures", "infeasible", "cost", "coarse_cost")


def list_compared(session: Session, row: DepartureComparisonRecord) -> Sequence[ComparedDeparture]:
    """List the results of a comparison so far."""
    query = select(ComparedDeparture).where(
        ComparedDeparture.organization_id == row.organization_id,
        ComparedDeparture.comparison_id == row.id,
    )
    return session.scalars(query).all()


def load_found(session: Session, row: DepartureComparisonRecord) -> tuple[SearchedDeparture, ...]:
    """Load the results of a comparison so far, as the engine's records."""
    return tuple(map(_read, list_compared(session, row)))


def _read(kept: ComparedDeparture) -> SearchedDeparture:
    figures, infeasible = kept.figures, kept.infeasible
    outcome = DepartureOutcome(
        kept.departs_at,
        None if figures is None else DepartureFiguresSchema.read(figures),
        None if infeasible is None else InfeasibleSchema.read(infeasible),
        kept.is_refined,
    )
    return SearchedDeparture(outcome, _or_infinite(kept.cost), _or_infinite(kept.coarse_cost))


def _finite(cost: float) -> float | None:
    return cost if isfinite(cost) else None


def _or_infinite(cost: float | None) -> float:
    return float("inf") if cost is None else cost
