"""Times of departure and arrival by a ship's reported positions."""

from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.telemetry.records import UNDER_WAY_KN, VoyageRecords

#: Largest radius of the areas of departure and arrival around first and last waypoint [nm].
PORT_AREA_NM: Final = 10.0


def find_departure_h(records: VoyageRecords, departure: Position) -> float | None:
    """Find when a ship left the area of departure [h since 1970-01-01T00Z].

    The time is that of its last report at rest there, or of its last report from there if it was
    never at rest. ``None`` if no report is from there, or if the last one is.
    """
    is_inside = _measure_away_nm(records, departure) <= PORT_AREA_NM
    inside = np.flatnonzero(is_inside)
    if not inside.size or is_inside[-1]:
        return None
    still = inside[records.speed_kn[inside] < UNDER_WAY_KN]
    return float(records.times_h[(still if still.size else inside)[-1]])


def find_arrival_h(
    records: VoyageRecords,
    departure: Position,
    destination: Position,
    *,
    replanned_h: float = -np.inf,
    reopened_h: float | None = None,
) -> float | None:
    """Find when a ship was first at rest in the area of arrival [h since 1970-01-01T00Z].

    The area reaches at most half as far as the ship has been from its departure: a ship at rest
    where a short voyage or a round trip begins has not arrived. Nor has one that lay there before
    ``replanned_h``, the start of a plan made under way. Once the voyage was reopened, at
    ``reopened_h``, the ship must have been under way again since. ``None`` if it has not arrived.
    """
    been_nm = np.maximum.accumulate(_measure_away_nm(records, departure))
    radius_nm = np.minimum(PORT_AREA_NM, been_nm / 2.0)
    is_inside = _measure_away_nm(records, destination) < radius_nm
    is_still = is_inside & (records.speed_kn < UNDER_WAY_KN) & (records.times_h >= replanned_h)
    if reopened_h is not None:
        is_still &= np.logical_or.accumulate(
            (records.times_h > reopened_h) & (records.speed_kn >= UNDER_WAY_KN)
        )
    return float(records.times_h[np.argmax(is_still)]) if is_still.any() else None


def _measure_away_nm(records: VoyageRecords, place: Position) -> Floats:
    return great_circle_distance_nm(records.lats, records.lngs, place.lat, place.lng)
