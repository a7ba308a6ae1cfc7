"""Reports of ships that follow a plan, for tests of monitoring."""

from datetime import timedelta

import numpy as np

from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.plan import RoutePlan
from app.engine.telemetry.records import VoyageRecords


def follow(
    plan: RoutePlan,
    *,
    hours: float,
    late_h: float = 0.0,
    north_deg: float = 0.0,
    every_h: float = 0.5,
    fuel_factor: float = 1.0,
) -> VoyageRecords:
    """Return reports of a ship that follows a plan's track for some hours, late and off it."""
    track = PlannedTrack.of(plan)
    elapsed_h = np.arange(0.0, hours + 1e-9, every_h)
    planned_h = track.times_h[0] + elapsed_h
    lngs = np.degrees(np.interp(planned_h, track.times_h, np.unwrap(np.radians(track.lngs))))
    whole_h = plan.summary.duration_h
    return VoyageRecords(
        planned_h + late_h,
        np.interp(planned_h, track.times_h, track.lats) + north_deg,
        (lngs + 180.0) % 360.0 - 180.0,
        np.full(elapsed_h.size, plan.summary.average_speed_kn),
        np.full(elapsed_h.size, fuel_factor * 24.0 * plan.summary.fuel_t / whole_h),
    )


def hours(span: timedelta) -> float:
    return span / timedelta(hours=1)
