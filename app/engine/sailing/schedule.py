"""A given schedule: the speeds to order so that a ship is at its waypoints when it should be."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.track import Track

Floats = NDArray[np.float64]

#: Speeds over which orders are looked for [kn].
_SLOWEST_KN: Final = 0.5
_FASTEST_KN: Final = 45.0
#: Rounds of correction, and the hours off at which they end: ten seconds.
_ROUNDS: Final = 12
_CLOSE_H: Final = 10.0 / 3600.0
#: No stretch is sailed in less than this share of the time it took.
_SHORTEST_SHARE: Final = 0.02
#: A ship that makes so much less than ordered is held back [kn].
_HELD_BACK_KN: Final = 0.05


def follow_schedule(
    simulate: Simulator, track: Track, ordered_kn: Sequence[float], due_h: Sequence[float | None]
) -> Simulation:
    """Simulate a track of n legs so that it keeps to a schedule as far as the ship can.

    Parameters
    ----------
    ordered_kn
        Speed through the water ordered on each leg, n. Legs that lead to a time due, from the
        time due before it, are sailed at their speeds times one factor, the one that keeps it.
    due_h
        Hours since departure at which the end of each leg is due, n; ``None`` where its speed
        decides. A time that cannot be kept, or lies before the one before it, is missed.

    Raises
    ------
    LimitsTooTight
        Where a current is stronger than the ship.
    """
    ends = np.searchsorted(track.leg, np.arange(1, len(ordered_kn) + 1))
    speeds = np.array(ordered_kn, dtype=np.float64)
    stretches = _list_stretches(due_h)
    for _ in range(_ROUNDS):
        simulation = simulate(speeds[track.leg])
        if not _correct(simulation, speeds, stretches, due_h, ends):
            break
    return simulation


def _list_stretches(due_h: Sequence[float | None]) -> list[slice]:
    """List the runs of legs that each lead to a time due."""
    stretches, first = [], 0
    for leg, due in enumerate(due_h):
        if due is not None:
            stretches.append(slice(first, leg + 1))
            first = leg + 1
    return stretches


def _correct(
    simulation: Simulation,
    speeds: Floats,
    stretches: Sequence[slice],
    due_h: Sequence[float | None],
    ends: NDArray[np.int64],
) -> bool:
    """Correct the speeds of each stretch by how long it took; whether any was changed."""
    starts = np.concatenate([[0], ends[:-1]])
    is_changed, begins_h = False, 0.0
    for stretch in stretches:
        ends_due_h = due_h[stretch.stop - 1] or 0.0
        part = slice(int(starts[stretch.start]), int(ends[stretch.stop - 1]))
        waited_h = float(simulation.waited_h[part].sum())
        under_way_h = float(simulation.hours[part.stop] - simulation.hours[part.start]) - waited_h
        wanted_h = max(ends_due_h - begins_h - waited_h, _SHORTEST_SHARE * under_way_h)
        factor = under_way_h / wanted_h
        if factor > 1.0 and _is_held_back(simulation, part):
            factor = 1.0  # it makes what it can
        elif abs(simulation.hours[part.stop] - ends_due_h) > _CLOSE_H:
            is_changed = True
        # where the ship will be after this round's corrections, not where it was before
        begins_h += waited_h + under_way_h / factor
        speeds[stretch] = np.clip(speeds[stretch] * factor, _SLOWEST_KN, _FASTEST_KN)
    return is_changed


def _is_held_back(simulation: Simulation, part: slice) -> bool:
    """Return whether power, the sea or a passage slows the ship on all of a part of the track."""
    ordered_kn = np.broadcast_to(simulation.ordered_kn, simulation.through_water_kn.shape)
    less_kn = ordered_kn[part] - simulation.through_water_kn[part]
    return bool((less_kn > _HELD_BACK_KN).all())
