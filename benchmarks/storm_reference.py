"""A second optimiser of another kind: CMA-ES over a few waypoints and speeds.

It shares ship, weather and simulation with the planner, but nothing of its search: no lattice,
corridor or windows of time. Hansen, N. (2016), The CMA Evolution Strategy: A Tutorial,
arXiv:1604.00772; the implementation is the package ``cma``.
"""

import warnings
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from math import inf
from typing import Final

import numpy as np
from numba import njit
from scipy.interpolate import PchipInterpolator

from app.engine.arrays import Floats
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.errors import VoyageError
from app.engine.geodesy import great_circle_distance_nm, rhumb_course_deg
from app.engine.optimise.corridor import resample_line
from app.engine.request import VoyageRequest
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import Track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import get_clearance_nm
from app.engine.units import direction_difference, wrap_longitude
from app.engine.vessel import Ship, build_ship
from app.engine.weather import WeatherField

#: Numbers of variable waypoints and speeds.
_KNOTS: Final = 8
#: Length of segments in the search, and in the final simulation [nm].
_COARSE_NM, _FINE_NM = 16.0, 5.0
#: One standard deviation of the first generation: lateral offset [nm], share of the speed range.
_OFFSET_NM: Final = 250.0
_SPEED_SHARE: Final = 0.3
#: First guesses: curvature of the track to port or starboard, in standard deviations, and speed as
#: a share of the range.
_STARTS: Final = ((0.0, 0.6), (1.6, 0.8), (-1.6, 0.8), (0.0, 1.0))
_EVALUATIONS: Final = 6000
#: Penalties: fuel [t] for an hour late, for a metre over the wave limit along a share of the track,
#: and for each segment nearer to land than the distance after it [nm].
_LATE_T_PER_H: Final = 20.0
_WAVE_T_PER_M: Final = 200.0
_LAND_T: Final = 500.0
_LAND_NM: Final = 4.0
#: Margins below the wave limit [m] and before the required arrival [h], so that the fine simulation
#: keeps them if the coarse one does.
_WAVE_MARGIN_M: Final = 0.05
_TIME_MARGIN_H: Final = 0.05


@dataclass(frozen=True)
class Reference:
    """The best voyage found: hours, fuel [t] and the highest wave [m]."""

    hours: float
    fuel_t: float
    highest_wave_m: float


@dataclass(frozen=True, eq=False)
class _Voyage:
    """A request with the objects that price it."""

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField
    ship: Ship
    line: tuple[Floats, Floats]

    @property
    def longest_h(self) -> float:
        """Longest time under way [h]."""
        by = self.request.arrive_by
        return inf if by is None else (by - self.request.departs_at) / timedelta(hours=1)

    @property
    def wave_limit_m(self) -> float:
        """Greatest significant wave height allowed [m]."""
        limit = self.request.limits.wave_height_m
        return inf if limit is None else limit

    def simulate(self, genes: Floats, segment_nm: float) -> Simulation:
        """Simulate the voyage of a vector of offsets and speeds."""
        track = self._track(genes[:_KNOTS], segment_nm)
        depth_m = np.full(track.distance_nm.shape, np.nan)
        if segment_nm == _FINE_NM:
            depth_m = self.sea.depth_m(*track.sample_segments(11)).min(axis=1)
        return simulate_track(
            track,
            self._speeds_kn(genes[_KNOTS:], track),
            ship=self.ship,
            departs_at=self.request.departs_at,
            weather=self.weather,
            depth_m=depth_m,
        )

    def _track(self, offsets: Floats, segment_nm: float) -> Track:
        lats, lngs, courses = self._spread_line(segment_nm)
        at = np.linspace(0.0, 1.0, lats.size)
        knots = np.linspace(0.0, 1.0, _KNOTS + 2)
        shift_nm = PchipInterpolator(knots, np.concatenate([[0.0], offsets, [0.0]]))(at)
        moved_lats = np.clip(lats - _OFFSET_NM * shift_nm * np.sin(courses) / 60.0, -80.0, 80.0)
        east = _OFFSET_NM * shift_nm * np.cos(courses) / 60.0 / np.cos(np.radians(lats))
        return _as_track(moved_lats, np.asarray(wrap_longitude(lngs + east)))

    @cache  # noqa: B019  a voyage lives as long as its search
    def _spread_line(self, segment_nm: float) -> tuple[Floats, Floats, Floats]:
        """Return the great circle in segments: points [deg] and the course at each [rad]."""
        lats, lngs = resample_line(EARTH_RADIUS_NM, *self.line, segment_nm)
        courses = np.radians(rhumb_course_deg(lats[:-1], lngs[:-1], lats[1:], lngs[1:]))
        return lats, lngs, np.append(courses, courses[-1])

    def _speeds_kn(self, shares: Floats, track: Track) -> Floats:
        at = (track.cumulative_nm[:-1] + track.cumulative_nm[1:]) / (2.0 * track.length_nm)
        share = np.interp(at, np.linspace(0.0, 1.0, shares.size), shares)
        least, most = self.request.speed_min_kn, self.request.speed_max_kn
        return np.asarray(least + (most - least) * np.clip(share, 0.0, 1.0))

    def fined_fuel_t(self, genes: Floats) -> float:
        """Return the fuel of a voyage with penalties for violations [t]."""
        try:
            simulation = self.simulate(genes, _COARSE_NM)
        except VoyageError:
            return 1e6
        late_h = max(0.0, simulation.total_h - self.longest_h + _TIME_MARGIN_H)
        met_m = simulation.weather_at_middles(self.weather).wave_height_m
        over_m = np.maximum(met_m - self.wave_limit_m + _WAVE_MARGIN_M, 0.0)
        track = simulation.track
        gaps_nm = _measure_gaps_nm(self.sea.waters.field, track.lats[1:-1], track.lngs[1:-1])
        return (
            simulation.total_fuel_t
            + _LATE_T_PER_H * late_h
            + _WAVE_T_PER_M * float(over_m.sum())
            + _LAND_T * float(np.maximum(1.0 - gaps_nm / _LAND_NM, 0.0).sum())
        )


@njit(cache=True)
def _measure_gaps_nm(field, lats, lngs):  # type: ignore[no-untyped-def]
    """Return the distance of each place to land [nm]."""
    gaps_nm = np.empty(lats.size)
    for n in range(lats.size):
        gaps_nm[n] = get_clearance_nm(field, lats[n], lngs[n])
    return gaps_nm


def _as_track(lats: Floats, lngs: Floats) -> Track:
    """Return a track of open water through positions."""
    distance_nm = great_circle_distance_nm(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    eastward = np.asarray(direction_difference(lngs[1:], lngs[:-1]))
    n = distance_nm.size
    return Track(
        lats=lats,
        lngs=lngs,
        cumulative_nm=np.concatenate([[0.0], np.cumsum(distance_nm)]),
        leg=np.arange(n),
        distance_nm=distance_nm,
        course_deg=rhumb_course_deg(lats[:-1], lngs[:-1], lats[1:], lngs[1:]),
        middle_lats=(lats[:-1] + lats[1:]) / 2.0,
        middle_lngs=np.asarray(wrap_longitude(lngs[:-1] + eastward / 2.0)),
        speed_cap_kn=np.full(n, inf),
        wait_h=np.zeros(n),
        in_passage=np.zeros(n, dtype=np.bool_),
        is_inland=np.zeros(n, dtype=np.bool_),
        in_ice=np.zeros(n, dtype=np.bool_),
    )


def find_reference(
    request: VoyageRequest, sea: SeaAtlas, weather: WeatherField, seed: int
) -> Reference | None:
    """Search for the best voyage; ``None`` if nothing keeps the limits.

    Every start is searched separately; the best that keeps the limits in the fine simulation
    counts.
    """
    ends = np.array([request.departure, request.arrival]).T
    ship = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
    voyage = _Voyage(request, sea, weather, ship, (ends[0], ends[1]))
    found = [_search_lattice(voyage, start, seed + n) for n, start in enumerate(_STARTS)]
    kept = [each for each in found if each is not None]
    in_time = [each for each in kept if each.hours <= voyage.longest_h]
    if in_time:
        return min(in_time, key=lambda each: each.fuel_t)
    return min(kept, key=lambda each: each.hours, default=None)


def _search_lattice(voyage: _Voyage, start: tuple[float, float], seed: int) -> Reference | None:
    bow, speed = start
    shape = np.sin(np.pi * np.linspace(0.0, 1.0, _KNOTS + 2)[1:-1])
    first = np.concatenate([bow * shape, np.full(_KNOTS, speed)])
    options = {
        "seed": seed + 1,
        "maxfevals": _EVALUATIONS,
        "verbose": -9,
        "CMA_stds": [1.0] * _KNOTS + [_SPEED_SHARE] * _KNOTS,
        "tolfun": 1e-3,
        "tolflatfitness": 30,
    }
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # it warns of a missing plotting library, which is not needed
        import cma

        best, _ = cma.fmin2(voyage.fined_fuel_t, first, 0.5, options)
    simulation = voyage.simulate(np.asarray(best), _FINE_NM)
    highest_m = float(simulation.weather_at_middles(voyage.weather).wave_height_m.max())
    if highest_m > voyage.wave_limit_m:
        return None
    return Reference(simulation.total_h, simulation.total_fuel_t, highest_m)
