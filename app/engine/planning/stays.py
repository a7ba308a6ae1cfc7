"""Stays of a voyage inside areas in force, cut at their outlines."""

from datetime import datetime, timedelta

import numpy as np
from shapely.geometry.base import BaseGeometry

from app.engine.arrays import Floats
from app.engine.geodesy.shapes import find_stretches


def find_stays(
    geometry: BaseGeometry,
    starts_at: datetime | None,
    ends_at: datetime | None,
    lats: Floats,
    lngs: Floats,
    departs_at: datetime,
    hours: Floats,
) -> Floats:
    """Find the stays inside an area in force between two times, ``None`` without bound, (m, 2).

    The track has n points, ``lats`` and ``lngs`` (n,) [deg], passed at ``hours`` (n,) since
    ``departs_at``. A stay is given in segments from the start of the track: 2.5 is the middle of
    the third segment. ``geometry`` lies within -180..180.
    """
    hour = timedelta(hours=1)
    in_force_h = (
        hours[0] if starts_at is None else (starts_at - departs_at) / hour,
        hours[-1] if ends_at is None else (ends_at - departs_at) / hour,
    )
    in_force = np.interp(in_force_h, hours, np.arange(hours.size))
    stays = np.clip(find_stretches(geometry, lats, lngs), *in_force)
    return np.asarray(stays[stays[:, 0] < stays[:, 1]])
