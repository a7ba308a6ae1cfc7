"""Reports of a ship converted to its telemetry."""

from typing import Any, Final

import numpy as np

from app.engine.calibration.reports import ShipReports
from app.records.instants import format_instant
from app.services.vessels.telemetry_sums import instant_of

#: 1 January 2024 in hours since 1970.
BEGINS_H: Final = 473352.0
#: Middles of the Douglas degrees [m].
DOUGLAS_M: Final = (0.0, 0.05, 0.3, 0.875, 1.875, 3.25, 5.0, 7.5, 11.5, 15.0)


def as_telemetry(reports: ShipReports) -> list[dict[str, Any]]:
    """Return each report as one telemetry record."""
    return [
        {
            "timestamp": format_instant(instant_of(BEGINS_H + row.times_h)),
            **{"latitude": 45.0, "longitude": -20.0, "rpm": 90, "engineLoad": 70},
            **{"speed": row.speed_kn, "heading": row.course_deg % 360.0},
            **{"draft": row.draft_m, "trimFore": row.draft_m, "trimAft": row.draft_m},
            **{"windSpeed": row.wind_speed_ms, "windDirection": row.wind_from_deg % 360.0},
            "seaState": float(np.interp(row.wave_height_m, DOUGLAS_M, range(10))),
            "fuelConsumption": 24.0 * row.fuel_t_per_h,
        }
        for row in map(ShipReports._make, np.column_stack(reports).tolist())
    ]
