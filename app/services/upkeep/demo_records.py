"""Telemetry of the demo vessel: a month of hourly records, the same for the same hour of "now".

The figures are those of the vessel's model at 12.5 kn, varied by simple laws. The model itself
would need compiled kernels, which take seconds to load.
"""

import itertools
import json
import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final, NamedTuple

from app.records.instants import format_instant

#: Days of records, up to the hour in which they are made.
DAYS: Final = 30
#: Draught [m], speed through calm water [kn], power [kW] and shaft speed [1/min] there.
_DRAFT_M, _SPEED_KN, _POWER_KW, _RPM = 12.2, 12.5, 4433.0, 74.6
_SFOC_G_PER_KWH, _MCR_KW = 179.5, 9800.0
#: Speed lost [kn] and power added [share] by each metre of wave height.
_LOSS_KN_PER_M, _ADDED_POWER_PER_M = 0.25, 0.05
_HOURS_IN_PORT: Final = 72

_Place = tuple[float, float]

#: Tracks over open water: Santos to Rotterdam, and back past the Azores.
_TRACKS: Final[tuple[tuple[_Place, ...], ...]] = (
    (
        (-24.2, -46.0),
        (-20.0, -38.0),
        (-5.0, -33.4),
        (15.0, -26.0),
        (43.5, -10.5),
        (48.8, -6.0),
        (49.8, -3.0),
        (51.0, 1.5),
        (51.98, 3.9),
    ),
    ((51.98, 3.9), (51.0, 1.5), (49.8, -3.0), (48.9, -7.0), (45.5, -30.0), (41.2, -60.0)),
)


class _Fix(NamedTuple):
    """Position and heading [deg] at an hour, and whether the ship is under way."""

    lat: float
    lng: float
    heading_deg: float
    is_under_way: bool


def list_lines(now: datetime) -> list[bytes]:
    """Return the records as lines of a batch, the last one of the hour of ``now``."""
    return [json.dumps(record).encode() for record in list_records(now)]


def list_records(now: datetime) -> Iterator[dict[str, Any]]:
    """Yield the records in the fields of the API, in order of time."""
    begins = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=DAYS)
    for hour, fix in zip(range(24 * DAYS + 1), _list_fixes(), strict=False):
        instant = begins + timedelta(hours=hour)
        yield {
            "timestamp": format_instant(instant),
            "latitude": round(fix.lat, 4),
            "longitude": round(fix.lng, 4),
            "heading": round(fix.heading_deg, 1),
            "draft": _DRAFT_M,
            **_describe_engine(hour, is_under_way=fix.is_under_way),
            **_describe_weather(hour),
        }


def _describe_engine(hour: int, *, is_under_way: bool) -> dict[str, float]:
    """Return speed and engine figures, with power in proportion to the cube of the speed."""
    if not is_under_way:
        return {"speed": 0.0, "rpm": 0.0, "fuelConsumption": 0.0, "engineLoad": 0.0, "mePower": 0.0}
    chance, speed_kn = Random(hour), _find_speed_kn(hour)  # noqa: S311 - no secret
    added = 1.0 + _ADDED_POWER_PER_M * _find_waves_m(hour)
    power_kw = _POWER_KW * (speed_kn / _SPEED_KN) ** 3 * added * chance.gauss(1.0, 0.01)
    fuel_t_per_day = 24.0 * power_kw * _SFOC_G_PER_KWH / 1e6
    return {
        "speed": round(speed_kn, 2),
        "rpm": round(_RPM * (speed_kn / _SPEED_KN) * added ** (1 / 3), 1),
        "fuelConsumption": round(fuel_t_per_day * chance.gauss(1.0, 0.02), 2),
        "engineLoad": round(100.0 * power_kw / _MCR_KW, 1),
        "mePower": round(power_kw, 0),
    }


def _describe_weather(hour: int) -> dict[str, float]:
    waves_m = _find_waves_m(hour)
    return {
        "windSpeed": round(8.0 * math.sqrt(waves_m / 2.0), 1),
        "windDirection": round(255.0 + 40.0 * math.sin(hour / 29.0), 0),
        # Douglas degrees 3, 4 and 5 end at 1.25, 2.5 and 4 m
        "seaState": 3.0 + (waves_m > 1.25) + (waves_m > 2.5),
    }


def _find_waves_m(hour: int) -> float:
    """Return the significant wave height [m], in which weather systems pass."""
    return 1.9 + 0.9 * math.sin(hour / 10.0) + 0.4 * math.sin(hour / 4.1)


def _find_speed_kn(hour: int) -> float:
    return _SPEED_KN - _LOSS_KN_PER_M * _find_waves_m(hour) + 0.4 * math.sin(hour / 37.0)


def _list_fixes() -> Iterator[_Fix]:
    """Yield the fix of each hour along the tracks, with days in port after each."""
    hour = 0
    for track in _TRACKS:
        along_nm, sailed_nm = _measure(track), 0.0
        while sailed_nm < along_nm[-1]:
            yield _find_fix(track, along_nm, sailed_nm, is_under_way=True)
            sailed_nm += _find_speed_kn(hour)
            hour += 1
        for _ in range(_HOURS_IN_PORT):
            yield _find_fix(track, along_nm, along_nm[-1], is_under_way=False)
            hour += 1


def _measure(track: tuple[_Place, ...]) -> list[float]:
    """Return the distance of each point along a track [nm], on plane legs."""
    legs_nm = [math.hypot(*_components_nm(*leg)) for leg in itertools.pairwise(track)]
    return list(itertools.accumulate(legs_nm, initial=0.0))


def _components_nm(start: _Place, end: _Place) -> tuple[float, float]:
    """Return the distances north and east of a leg [nm]."""
    scale = math.cos(math.radians((start[0] + end[0]) / 2.0))
    return 60.0 * (end[0] - start[0]), 60.0 * (end[1] - start[1]) * scale


def _find_fix(
    track: tuple[_Place, ...], along_nm: list[float], sailed_nm: float, *, is_under_way: bool
) -> _Fix:
    leg = sum(each <= sailed_nm for each in along_nm[1:-1])
    start, end = track[leg], track[leg + 1]
    share = (sailed_nm - along_nm[leg]) / (along_nm[leg + 1] - along_nm[leg])
    north_nm, east_nm = _components_nm(start, end)
    return _Fix(
        start[0] + share * (end[0] - start[0]),
        start[1] + share * (end[1] - start[1]),
        math.degrees(math.atan2(east_nm, north_nm)) % 360.0,
        is_under_way,
    )
