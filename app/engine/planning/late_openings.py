"""Areas on a candidate's track that open too late for any wait."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import numpy as np

from app.engine.area import Area
from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA
from app.engine.planning.areas import mark_touched_segments
from app.engine.sailing.simulation import Simulation


def keep_late_openings_closed(areas: Iterable[Area], slowest: Simulation) -> tuple[Area, ...]:
    """Return the areas; those that open too late for a wait stay closed.

    ``slowest`` is the simulation of a candidate at the lowest ordered speed. A later passage would
    need miles sailed only to pass the time.
    """
    return tuple(
        replace(area, ends_at=None) if _opens_too_late(area, slowest) else area for area in areas
    )


def _opens_too_late(area: Area, slowest: Simulation) -> bool:
    if area.ends_at is None:
        return False
    reached_at = find_entry_time(area, slowest)
    return reached_at is not None and area.ends_at - reached_at > LONGEST_WAIT_FOR_AREA


def find_entry_time(area: Area, simulation: Simulation) -> datetime | None:
    """Return when a simulation enters an area, in force or not; ``None`` if it never does."""
    always = area.at_all_times()
    touched = np.flatnonzero(mark_touched_segments(always, simulation))
    return simulation.time_at(int(touched[0])) if touched.size else None
