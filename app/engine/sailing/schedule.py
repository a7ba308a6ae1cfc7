"""Simulation to a schedule: ordered speeds with which a ship reaches its waypoints in time."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.sailing.simulation import Simulation, Simulator, simulate_if_headway
from app.engine.sailing.track import Track

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
    simulate: Simulator,
    track: Track,
    ordered_kn: Sequence[float | None],
    due_h: Sequence[float | None],
    highest_kn: float,
) -> Simulation:
    """Simulate a track of n legs so that the ship keeps a schedule as far as possible.

    ``ordered_kn``, n values, is the speed through the water ordered on each leg [kn]. The speeds of
    all legs between two due times are multiplied by the one factor that keeps the second; a leg
    without an order has the mean speed that its stretch requires, or the highest after the last due
    time. ``due_h``, n values, are the hours since departure at which the end of each leg is due;
    ``None`` if the ordered speed applies unchanged. A time that cannot be kept is missed.
    ``highest_kn`` is the highest speed ordered [kn].

    Raise :class:`LimitsTooTight` if the ship cannot make headway against a current.
    """
    ends = np.searchsorted(track.leg, np.arange(1, len(ordered_kn) + 1))
    stretches = _list_stretches(due_h)
    speeds = _complete_orders(track, ordered_kn, due_h, stretches, highest_kn)
    simulation = simulate_if_headway(simulate, speeds[track.leg])
    if simulation is None:
        # what a schedule requires over ground may be less than the current
        for stretch in stretches:
            speeds[stretch] = np.maximum(speeds[stretch], highest_kn)
        simulation = simulate(speeds[track.leg])
    for _ in range(_ROUNDS):
        if not _correct_speeds(simulation, speeds, stretches, due_h, ends):
            break
        corrected = simulate_if_headway(simulate, speeds[track.leg])
        if corrected is None:
            break
        simulation = corrected
    return simulation


def _list_stretches(due_h: Sequence[float | None]) -> list[slice]:
    """List the stretches of legs that each end at a due time, as slices of leg numbers."""
    stretches, first = [], 0
    for leg, due in enumerate(due_h):
        if due is not None:
            stretches.append(slice(first, leg + 1))
            first = leg + 1
    return stretches


def _complete_orders(
    track: Track,
    ordered_kn: Sequence[float | None],
    due_h: Sequence[float | None],
    stretches: Sequence[slice],
    highest_kn: float,
) -> Floats:
    """Return the ordered speeds, with those of legs without an order [kn]."""
    usual_kn, begins_h = np.full(len(ordered_kn), highest_kn), 0.0
    for stretch in stretches:
        ends_h = due_h[stretch.stop - 1] or 0.0
        is_in = (track.leg >= stretch.start) & (track.leg < stretch.stop)
        under_way_h = ends_h - begins_h - float(track.wait_h[is_in].sum())
        if under_way_h > 0.0:
            mean_kn = float(track.distance_nm[is_in].sum()) / under_way_h
            usual_kn[stretch] = np.clip(mean_kn, _SLOWEST_KN, highest_kn)
        begins_h = ends_h
    orders = zip(ordered_kn, usual_kn.tolist(), strict=True)
    return np.array([usual if ordered is None else ordered for ordered, usual in orders])


def _correct_speeds(
    simulation: Simulation,
    speeds: Floats,
    stretches: Sequence[slice],
    due_h: Sequence[float | None],
    ends: Ints,
) -> bool:
    """Correct the speeds of each stretch by its simulated time; return whether any changed.

    ``ends``, shape (n,), is the point of the track at the end of each leg.
    """
    starts = np.concatenate([[0], ends[:-1]])
    is_changed, begins_h = False, 0.0
    for stretch in stretches:
        ends_due_h = due_h[stretch.stop - 1] or 0.0
        part = slice(int(starts[stretch.start]), int(ends[stretch.stop - 1]))
        begins_h += _expect_waits_h(simulation, part, begins_h)
        factor, takes_h = _find_factor(simulation, part, ends_due_h - begins_h)
        if factor != 1.0 and abs(simulation.hours[part.stop] - ends_due_h) > _TOLERANCE_H:
            is_changed = True
        # the next stretch begins at the time expected after this round's correction
        begins_h += takes_h
        if factor < 1.0:
            # an order above what the ship can do would have to fall far to have an effect
            attained_kn = float(simulation.through_water_kn[part].max())
            speeds[stretch] = np.minimum(speeds[stretch], attained_kn)
        # the times are those over ground, and the current does not change with the speed
        change = 1.0 + (factor - 1.0) * _share_over_ground(simulation, part)
        speeds[stretch] = np.clip(speeds[stretch] * change, _SLOWEST_KN, _FASTEST_KN)
    return is_changed


def _share_over_ground(simulation: Simulation, part: slice) -> float:
    """Return the ratio of the mean speeds over ground and through the water on a part."""
    sailed_nm = float(simulation.track.distance_nm[part].sum())
    through_nm = float((simulation.through_water_kn[part] * simulation.segment_h[part]).sum())
    return sailed_nm / through_nm


def _expect_waits_h(simulation: Simulation, part: slice, begins_h: float) -> float:
    """Return the waits on a part of the track that is reached at another time [h].

    A wait longer than the usual one ends at a fixed time.
    """
    waited_h, usual_h = simulation.waited_h[part], simulation.track.wait_h[part]
    first_h = float(waited_h[0])
    if first_h > usual_h[0]:
        first_h = max(float(simulation.hours[part.start]) + first_h - begins_h, float(usual_h[0]))
    return first_h + float(waited_h[1:].sum())


def _find_factor(simulation: Simulation, part: slice, required_h: float) -> tuple[float, float]:
    """Return the factor on the speeds of a part of the track, and its time with it [h].

    ``required_h`` is the time that the ship shall be under way. Where power, motions or a passage
    limit the speed, a higher order would not make the ship faster.
    """
    hours = simulation.segment_h[part]
    under_way_h, is_free = float(hours.sum()), ~_mark_limited(simulation, part)
    excess_h = under_way_h - required_h
    if excess_h > 0.0 and not is_free.any():
        return 1.0, under_way_h
    free_h = float(hours[is_free].sum()) if is_free.any() else under_way_h
    changed_h = max(free_h - excess_h, _MIN_TIME_SHARE * free_h)
    return free_h / changed_h, under_way_h - free_h + changed_h


def _mark_limited(simulation: Simulation, part: slice) -> Bools:
    """Mark the segments of a part on which power, motions or a passage limit the speed."""
    ordered_kn = np.broadcast_to(simulation.ordered_kn, simulation.through_water_kn.shape)
    speed_loss_kn = ordered_kn[part] - simulation.through_water_kn[part]
    return np.asarray(speed_loss_kn > _MIN_SPEED_LOSS_KN)
