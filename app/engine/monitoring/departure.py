"""When a ship left and when it arrived, by its reported positions."""

from typing import Final

import numpy as np

from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.telemetry.records import UNDER_WAY_KN, VoyageRecords

#: Within this of the first waypoint a ship has not left, of the last one it may have come in [nm].
PORT_AREA_NM: Final = 10.0


def find_departure_h(records: VoyageRecords, departure: Position) -> float | None:
    """Return when a ship left the area of departure [h since 1970-01-01T00Z].

    That is its last report of lying still there, or else its last report from there. ``None``
    where no report is from there, or none of after it.
    """
    is_inside = _find_inside(records, departure)
    inside = np.flatnonzero(is_inside)
    if not inside.size or is_inside[-1]:
        return None
    still = inside[records.speed_kn[inside] < UNDER_WAY_KN]
    return float(records.times_h[(still if still.size else inside)[-1]])


def find_arrival_h(records: VoyageRecords, destination: Position) -> float | None:
    """Return when a ship first lay still in the area of arrival [h since 1970-01-01T00Z]."""
    is_still = _find_inside(records, destination) & (records.speed_kn < UNDER_WAY_KN)
    return float(records.times_h[np.argmax(is_still)]) if is_still.any() else None


def _find_inside(records: VoyageRecords, place: Position) -> np.ndarray:
    away_nm = great_circle_distance_nm(records.lats, records.lngs, place.lat, place.lng)
    return np.asarray(away_nm <= PORT_AREA_NM)
