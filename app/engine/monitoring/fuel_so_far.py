"""Fuel of a voyage so far: reported, and by the plan in the same hours."""

from datetime import datetime
from typing import NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.telemetry.records import (
    VoyageRecords,
    measure_intervals,
    sum_covering,
    sum_fuel_until_t,
)
from app.engine.times import moment_at


class FuelSoFar(NamedTuple):
    """Fuel of the main engine [t] by the records from ``begins_at`` to ``ends_at``, and planned.

    The planned fuel is that of the same hours. If the records are too few, it is that to the last
    position, and the others are ``None``.
    """

    planned_t: float
    reported_t: float | None = None
    begins_at: datetime | None = None
    ends_at: datetime | None = None


class DistanceMadeGood(NamedTuple):
    """Distance made good along a plan's track [nm] at n times [h], both (n,)."""

    times_h: Floats
    along_nm: Floats


def compare_fuel(
    track: PlannedTrack,
    made_good: DistanceMadeGood,
    records: VoyageRecords,
    since_h: float,
    replanned_h: float,
) -> FuelSoFar:
    """Compare the fuel that records report since ``since_h`` with the plan's in the same hours.

    ``replanned_h`` is the start of a plan made under way, minus infinity for another. Before it
    the fuel reported counts as planned. ``made_good`` is the ship's distance from then on.
    """
    fuelled = records.take(np.isfinite(records.fuel_t_per_day))
    reported = sum_covering(fuelled, float(records.times_h[-1]) - since_h)
    before_t = sum_fuel_until_t(fuelled, replanned_h)
    if reported is None:
        return FuelSoFar(before_t + track.fuel_at(float(made_good.along_nm[-1])))
    begins_at, ends_at = moment_at(fuelled.times_h[0]), moment_at(fuelled.times_h[-1])
    planned_t = before_t + _sum_planned_t(track, made_good, fuelled, replanned_h)
    return FuelSoFar(planned_t, reported.fuel_t, begins_at, ends_at)


def _sum_planned_t(
    track: PlannedTrack, made_good: DistanceMadeGood, fuelled: VoyageRecords, replanned_h: float
) -> float:
    """Sum the fuel of the plan [t] between records, but not in gaps too long to be counted."""
    times_h, along_nm = made_good
    if np.isfinite(replanned_h):
        times_h, along_nm = np.append(replanned_h, times_h), np.append(0.0, along_nm)
    passed_nm = np.interp(fuelled.times_h, times_h, along_nm)
    planned_t = np.interp(passed_nm, track.along_nm, track.fuel_t)
    between = measure_intervals(fuelled.take(slice(None, -1)), fuelled.take(slice(1, None)))
    return float(np.diff(planned_t)[between.is_counted].sum())
