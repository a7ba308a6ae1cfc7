"""Times of departure and arrival by a ship's reported positions."""

from typing import Final

import numpy as np

from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.telemetry.records import UNDER_WAY_KN, VoyageRecords

#: Radius of the areas of departure and arrival around the first and last waypoint [nm].
PORT_AREA_NM: Final = 10.0


def find_departure_h(records: VoyageRecords, departure: Position) -> float | None:
    """Find when a ship left the area of departure [h since 1970-01-01T00Z].

    The time is that of its last report at rest there, or of its last report from there if it was
    never at rest. ``None`` if no report is from there, or if the last one is.
    """
    is_inside = _find_inside(records, departure)
    inside = np.flatnonzero(is_inside)
    if not inside.size or is_inside[-1]:
        return None
    still = inside[records.speed_kn[inside] < UNDER_WAY_KN]
    return float(records.times_h[(still if still.size else inside)[-1]])


def find_arrival_h(records: VoyageRecords, destination: Position) -> float | None:
    """Find when a ship was first at rest in the area of arrival [h since 1970-01-01T00Z]."""
    is_still = _find_inside(records, destination) & (records.speed_kn < UNDER_WAY_KN)
    return float(records.times_h[np.argmax(is_still)]) if is_still.any() else None


def _find_inside(records: VoyageRecords, place: Position) -> np.ndarray:
    away_nm = great_circle_distance_nm(records.lats, records.lngs, place.lat, place.lng)
    return np.asarray(away_nm <= PORT_AREA_NM)
