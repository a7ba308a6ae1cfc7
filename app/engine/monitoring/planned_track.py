"""A planned track as it is followed: places, times and fuel over the distance along it."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.constants import EARTH_MEAN_RADIUS_M
from app.engine.geodesy import great_circle_distance_nm
from app.engine.plan import RoutePlan
from app.engine.telemetry.records import Floats, VoyageRecords
from app.engine.units import m_to_nm, wrap_longitude
from app.engine.weather.times import hours_since_epoch

#: Length of a degree on the mean sphere [nm].
_DEGREE_NM: Final = float(m_to_nm(np.radians(EARTH_MEAN_RADIUS_M)))
#: How far back along the track a ship may seem to fall, by the error of its positions [nm].
_BACK_NM: Final = 10.0
#: How much further than its own miles a ship may seem to come along the track, inside of bends.
_AHEAD_FACTOR: Final = 1.5
#: How many miles off the track weigh as much as an hour off the schedule, for the first position.
_NM_PER_HOUR_OFF: Final = 1.0


@dataclass(frozen=True, slots=True)
class PlannedTrack:
    """n samples of a plan along its track, arrays of shape (n,).

    Positions [deg], distance along the track [nm], time [h since 1970-01-01T00Z], fuel burnt
    since departure [t].
    """

    lats: Floats
    lngs: Floats
    along_nm: Floats
    times_h: Floats
    fuel_t: Floats

    @classmethod
    def of(cls, plan: RoutePlan) -> "PlannedTrack":
        """Return the track of a plan, from its dense profile."""
        rows = [
            (
                *point.position,
                point.cumulative_nm,
                hours_since_epoch(point.time),
                point.cumulative_fuel_t,
            )
            for point in plan.profile
        ]
        return cls(*np.array(rows, dtype=float).T)

    @property
    def length_nm(self) -> float:
        """Length of the track [nm]."""
        return float(self.along_nm[-1])

    def time_at(self, along_nm: float) -> float:
        """Return the planned time at a distance along the track [h since 1970-01-01T00Z]."""
        return float(np.interp(along_nm, self.along_nm, self.times_h))

    def fuel_at(self, along_nm: float) -> float:
        """Return the fuel planned to a distance along the track [t]."""
        return float(np.interp(along_nm, self.along_nm, self.fuel_t))

    def project(self, records: VoyageRecords) -> tuple[Floats, Floats]:
        """Return the distance along the track and off it of m positions, each of shape (m,) [nm].

        Off the track is positive to starboard. Positions are taken in order of time: a ship comes
        along the track by no more than about the miles between two of them, so that a track which
        crosses itself or runs back beside itself is followed in its order.
        """
        along_nm, off_nm = np.empty((2, records.times_h.size))
        sailed_nm = great_circle_distance_nm(
            records.lats[:-1], records.lngs[:-1], records.lats[1:], records.lngs[1:]
        )
        for index in range(records.times_h.size):
            at_nm, aside_nm = self._lay(records.lats[index], records.lngs[index])
            cost = np.abs(aside_nm)
            if index:
                last_nm, reach_nm = along_nm[index - 1], _AHEAD_FACTOR * sailed_nm[index - 1]
                is_near = (at_nm >= last_nm - _BACK_NM) & (at_nm <= last_nm + _BACK_NM + reach_nm)
                cost = np.where(is_near, cost, np.inf)
            else:
                due_h = np.interp(at_nm, self.along_nm, self.times_h)
                cost = cost + _NM_PER_HOUR_OFF * np.abs(records.times_h[index] - due_h)
            best = int(np.argmin(cost))
            along_nm[index], off_nm[index] = at_nm[best], aside_nm[best]
        return along_nm, off_nm

    def distance_off(self, lats: Floats, lngs: Floats) -> Floats:
        """Return how far m positions are off the track, wherever along it, of shape (m,) [nm]."""
        places = zip(lats, lngs, strict=True)
        return np.array([np.abs(self._lay(lat, lng)[1]).min() for lat, lng in places])

    def _lay(self, lat: float, lng: float) -> tuple[Floats, Floats]:
        """Return the nearest point of each of the n - 1 segments: along and off the track [nm].

        On the plane that touches the sphere at the position: segments are some miles long, and
        those far away are only to be far. Beyond a segment's end the distance is to that end.
        """
        east = _DEGREE_NM * np.cos(np.radians(lat)) * wrap_longitude(self.lngs - lng)
        north = _DEGREE_NM * (self.lats - lat)
        step_east, step_north = np.diff(east), np.diff(north)
        squared = step_east**2 + step_north**2
        dot = -(east[:-1] * step_east + north[:-1] * step_north)
        share = np.clip(np.divide(dot, squared, out=np.zeros_like(dot), where=squared > 0), 0, 1)
        to_east, to_north = east[:-1] + share * step_east, north[:-1] + share * step_north
        # the track lies to port of a ship that is to starboard of it
        is_starboard = step_east * to_north - step_north * to_east >= 0.0
        off_nm = np.hypot(to_east, to_north) * np.where(is_starboard, 1.0, -1.0)
        return self.along_nm[:-1] + share * np.diff(self.along_nm), off_nm
