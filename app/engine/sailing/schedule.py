"""Simulation to a schedule: ordered speeds with which a ship reaches its waypoints in time."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.track import Track

Floats = NDArray[np.float64]

#: Range of the ordered speeds [kn].
_SLOWEST_KN: Final = 0.5
_FASTEST_KN: Final = 45.0
#: Most rounds of correction, and the tolerance of the times: ten seconds [h].
_ROUNDS: Final = 12
_TOLERANCE_H: Final = 10.0 / 3600.0
#: Least time of a stretch after a correction, as a share of the time before it.
_MIN_TIME_SHARE: Final = 0.02
#: Least difference between ordered and attained speed that counts as a speed loss [kn].
_MIN_SPEED_LOSS_KN: Final = 0.05


def follow_schedule(
    simulate: Simulator, track: Track, ordered_kn: Sequence[float], due_h: Sequence[float | None]
) -> Simulation:
    """Simulate a track of n legs so that the ship keeps a schedule as far as possible.

    Parameters
    ----------
    ordered_kn
        Speed through the water ordered on each leg [kn], n values. The speeds of all legs between
        two due times are multiplied by the one factor that keeps the second.
    due_h
        Hours since departure at which the end of each leg is due, n values; ``None`` if the
        ordered speed applies unchanged. A time that cannot be kept is missed.

    Raises
    ------
    LimitsTooTight
        If the ship cannot make headway against a current.
    """
    ends = np.searchsorted(track.leg, np.arange(1, len(ordered_kn) + 1))
    speeds = np.array(ordered_kn, dtype=np.float64)
    stretches = _list_stretches(due_h)
    for _ in range(_ROUNDS):
        simulation = simulate(speeds[track.leg])
        if not _correct_speeds(simulation, speeds, stretches, due_h, ends):
            break
    return simulation


def _list_stretches(due_h: Sequence[float | None]) -> list[slice]:
    """List the stretches of legs that each end at a due time, as slices of leg numbers."""
    stretches, first = [], 0
    for leg, due in enumerate(due_h):
        if due is not None:
            stretches.append(slice(first, leg + 1))
            first = leg + 1
    return stretches


def _correct_speeds(
    simulation: Simulation,
    speeds: Floats,
    stretches: Sequence[slice],
    due_h: Sequence[float | None],
    ends: NDArray[np.int64],
) -> bool:
    """Correct the speeds of each stretch by its simulated time; return whether any changed.

    ``ends``, shape (n,), is the point of the track at the end of each leg.
    """
    starts = np.concatenate([[0], ends[:-1]])
    is_changed, begins_h = False, 0.0
    for stretch in stretches:
        ends_due_h = due_h[stretch.stop - 1] or 0.0
        part = slice(int(starts[stretch.start]), int(ends[stretch.stop - 1]))
        waited_h = float(simulation.waited_h[part].sum())
        under_way_h = float(simulation.hours[part.stop] - simulation.hours[part.start]) - waited_h
        required_h = max(ends_due_h - begins_h - waited_h, _MIN_TIME_SHARE * under_way_h)
        factor = under_way_h / required_h
        if factor > 1.0 and _is_speed_limited(simulation, part):
            factor = 1.0  # a higher order would not make the ship faster
        elif abs(simulation.hours[part.stop] - ends_due_h) > _TOLERANCE_H:
            is_changed = True
        # the next stretch begins at the time expected after this round's correction
        begins_h += waited_h + under_way_h / factor
        speeds[stretch] = np.clip(speeds[stretch] * factor, _SLOWEST_KN, _FASTEST_KN)
    return is_changed


def _is_speed_limited(simulation: Simulation, part: slice) -> bool:
    """Return whether power, motions or a passage limit the speed on all of a part of the track."""
    ordered_kn = np.broadcast_to(simulation.ordered_kn, simulation.through_water_kn.shape)
    speed_loss_kn = ordered_kn[part] - simulation.through_water_kn[part]
    return bool((speed_loss_kn > _MIN_SPEED_LOSS_KN).all())
