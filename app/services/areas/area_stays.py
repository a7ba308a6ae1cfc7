"""Stays of planned voyages inside areas."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area
from app.engine.planning.areas import find_stays
from app.engine.times import add_each_hours
from app.records.instants import parse_instant


class Stay(NamedTuple):
    """First and last time of a voyage inside an area in force, and the distance inside [nm]."""

    from_time: datetime
    to_time: datetime
    inside_nm: float


class CrossedArea(NamedTuple):
    """An area that a planned track crosses."""

    area: Area
    crossing: Stay


def list_stays(
    profile: Sequence[dict[str, Any]],
    geometry: BaseGeometry,
    starts_at: datetime | None,
    ends_at: datetime | None,
) -> list[Stay]:
    """List a voyage's stays inside an area in force between two times, ``None`` without bound.

    The samples of the stored profile are interpolated at the area's outline and at the bounds;
    times are to the second. ``geometry`` lies within -180..180.
    """
    if not profile:
        return []
    departs_at = parse_instant(profile[0]["time"])
    since_departure = [parse_instant(point["time"]) - departs_at for point in profile]
    times_h = np.array([since / timedelta(hours=1) for since in since_departure])
    lats, lngs, run_nm = (
        np.array([point[name] for point in profile]) for name in ("lat", "lng", "cumulativeNm")
    )
    found = find_stays(geometry, starts_at, ends_at, lats, lngs, departs_at, times_h)
    samples = np.arange(len(profile))
    begin, end = np.interp(found, samples, times_h).T
    enters, leaves = add_each_hours(departs_at, begin), add_each_hours(departs_at, end)
    miles = np.diff(np.interp(found, samples, run_nm))[:, 0]
    stays = [Stay(*stay) for stay in zip(enters, leaves, miles.tolist(), strict=True)]
    return [stay for stay in stays if stay.from_time < stay.to_time]
