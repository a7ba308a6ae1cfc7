"""Planned tracks as functions of the distance along them: positions, times and fuel."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import DEGREE_NM
from app.engine.geodesy import great_circle_steps_nm
from app.engine.geodesy.plane import project_on_segments
from app.engine.plan import RoutePlan
from app.engine.request import Position
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import hours_since_epoch
from app.engine.units import wrap_longitude

#: Greatest step back along the track between two positions, by their error [nm].
_BACK_NM: Final = 10.0
#: Greatest advance along the track over the distance sailed, on the inside of bends.
_AHEAD_FACTOR: Final = 1.5
#: Miles off the track that weigh as much as an hour off the schedule, for the first position.
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
        """Return the track of a plan by its dense profile."""
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

    def position_at(self, along_nm: float) -> Position:
        """Return the position at a distance along the track [nm]."""
        lngs = np.unwrap(self.lngs, period=360.0)
        lat, lng = (np.interp(along_nm, self.along_nm, each) for each in (self.lats, lngs))
        return Position(float(lat), float(wrap_longitude(lng)))

    def time_at(self, along_nm: float) -> float:
        """Return the planned time at a distance along the track [h since 1970-01-01T00Z]."""
        return float(np.interp(along_nm, self.along_nm, self.times_h))

    def fuel_at(self, along_nm: float) -> float:
        """Return the fuel planned to a distance along the track [t]."""
        return float(np.interp(along_nm, self.along_nm, self.fuel_t))

    def project(self, records: VoyageRecords) -> tuple[Floats, Floats]:
        """Return the distance along the track and off it of m positions, each of shape (m,) [nm].

        The distance off is positive to starboard. Positions are in order of time. Between two of
        them the ship advances along the track by no more than about the distance between them,
        so that a track which crosses itself or doubles back is followed in order.
        """
        along_nm, off_nm = np.empty((2, records.times_h.size))
        sailed_nm = great_circle_steps_nm(records.lats, records.lngs)
        for index in range(records.times_h.size):
            at_nm, aside_nm = self._project_on_segments(records.lats[index], records.lngs[index])
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
        """Return the distances of m positions from the nearest point of the track, (m,) [nm]."""
        places = zip(lats, lngs, strict=True)
        return np.array([np.abs(self._project_on_segments(*place)[1]).min() for place in places])

    def _project_on_segments(self, lat: float, lng: float) -> tuple[Floats, Floats]:
        """Return the nearest point of each of the n - 1 segments: along and off the track [nm].

        Computed in the plane tangent to the sphere at the position, which is accurate for the
        segments that matter, those within some miles. Beyond a segment's end the distance is to
        that end.
        """
        # each segment by itself, so that one across the antipodal meridian does not pass the ship
        begins = np.asarray(wrap_longitude(self.lngs[:-1] - lng))
        spans = np.asarray(wrap_longitude(np.diff(self.lngs)))
        lngs, lats = np.stack((begins, begins + spans)), np.stack((self.lats[:-1], self.lats[1:]))
        east = DEGREE_NM * np.cos(np.radians(lat)) * lngs.T
        north = DEGREE_NM * (lats.T - lat)
        gaps_nm, shares = (found[:, 0] for found in project_on_segments(east, north))
        # the track lies to port of a ship that is to starboard of it
        is_starboard = np.diff(east)[:, 0] * north[:, 0] >= np.diff(north)[:, 0] * east[:, 0]
        off_nm = np.where(is_starboard, gaps_nm, -gaps_nm)
        return self.along_nm[:-1] + shares * np.diff(self.along_nm), off_nm
