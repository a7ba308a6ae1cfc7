"""Voluntary speed reduction: the greatest speed with acceptable motions in heavy weather.

The master slows down so that none of these limits is exceeded:

- slamming, deck wetness, vertical acceleration at the bridge, and at the bow in bow seas:
  NORDFORSK, Assessment of ship performance in a seaway (1987), limits for merchant ships, as in
  O.M. Faltinsen, Sea loads on ships and offshore structures (1990), table 1.1;
- surf-riding and successive high waves from astern: MSC.1/Circ.1228, 4.2.1 and 4.2.2.

The speed is never below steerage way, at which the ship is hove to.
"""

import math
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import GRAVITY_MS2
from app.engine.particulars import MotionLimits
from app.engine.units import KNOT_MS
from app.engine.vessel import kernels, rolling, seakeeping
from app.engine.vessel.bow_motion import (
    BOW_SEAS_DEG,
    BRIDGE_ACCELERATION_LIMIT_G,
    DECK_WETNESS_LIMIT,
    BowGeometry,
    deviation_table,
    dry_height_m,
)
from app.engine.vessel.loaded_ship import LoadedShip
from app.engine.vessel.seaway import HEADINGS_DEG, PERIOD_MAX_S, PERIOD_MIN_S
from app.engine.vessel.waves import mean_period_s

#: Steerage way [kn]: the minimum navigational speed of the interim guidelines on minimum
#: propulsion power, MEPC.232(65).
STEERAGE_KN: Final = 4.0

#: Greatest significant height over the wavelength of the spectrum's peak; the average limit of
#: DNV-RP-C205, 3.5.5, is 1/15.
_STEEPEST: Final = 0.1

#: Axes of the table beside headings: peak periods [s], significant heights [m].
_PERIODS_S: Final = np.arange(PERIOD_MIN_S, PERIOD_MAX_S + 0.1, kernels.VOLUNTARY_PERIOD_STEP_S)
_HEIGHTS_M: Final = np.arange(0.0, 16.1, kernels.VOLUNTARY_HEIGHT_STEP_M)
#: Number of speeds at which motions are computed.
_SPEEDS: Final = 10


def voluntary_speed_table(ship: LoadedShip) -> Floats:
    """Compute the greatest speeds [kn] with acceptable motions, (periods, headings, heights).

    They are between steerage way and the greatest speed of the ship model, which means that the
    speed is not limited. Waves that are too steep to occur have the value of the steepest ones.
    """
    top_kn = ship.speed_range_kn[1]
    speeds_kn = np.linspace(min(STEERAGE_KN, 0.5 * top_kn), top_kn, _SPEEDS)
    # a height that exceeds a limit at some speed exceeds it at every higher one
    allowed_m = np.minimum.accumulate(_heights_by_motions(ship, speeds_kn * KNOT_MS), axis=0)
    table = np.empty((_PERIODS_S.size, HEADINGS_DEG.size, _HEIGHTS_M.size))
    for i in range(_PERIODS_S.size):
        for j in range(HEADINGS_DEG.size):
            table[i, j] = np.interp(_HEIGHTS_M, allowed_m[::-1, i, j], speeds_kn[::-1])
    table = np.maximum(np.minimum(table, _speeds_by_circular(ship)), speeds_kn[0])
    highest_m = _STEEPEST * GRAVITY_MS2 * _PERIODS_S**2 / (2.0 * math.pi)
    last = (highest_m / kernels.VOLUNTARY_HEIGHT_STEP_M).astype(np.int64)
    occurring = np.minimum(np.arange(_HEIGHTS_M.size), last[:, None])
    return np.ascontiguousarray(np.take_along_axis(table, occurring[:, None, :], axis=2))


def _heights_by_motions(ship: LoadedShip, speeds_ms: Floats) -> Floats:
    """Compute the greatest significant heights [m] by motions, shape (speeds, periods, headings).

    Motions are proportional to the height, so that each limit corresponds to a height.
    """
    bow = seakeeping.bow_geometry(ship)
    limits = ship.particulars.motion_limits
    moved = np.maximum(deviation_table(bow, speeds_ms, _PERIODS_S, HEADINGS_DEG), 1e-9)
    slam, stem, slam_speed, bow_ms2, bridge_ms2 = np.moveaxis(moved, -1, 0)
    slams = np.hypot(bow.draft_fore_m / slam, bow.slam_speed_ms / slam_speed)
    dry_m = np.array([dry_height_m(bow.bow_height_m, bow.bow_wave_s2m, v) for v in speeds_ms])
    at_bow = np.where(HEADINGS_DEG <= BOW_SEAS_DEG, _bow_limit_ms2(bow, limits) / bow_ms2, np.inf)
    return np.asarray(
        np.minimum.reduce(
            [
                _least_heights(slams, _given(limits.slamming, bow.slamming_limit)),
                _least_heights(
                    dry_m[:, None, None] / stem, _given(limits.deck_wetness, DECK_WETNESS_LIMIT)
                ),
                at_bow,
                BRIDGE_ACCELERATION_LIMIT_G * GRAVITY_MS2 / bridge_ms2,
            ]
        )
    )


def _bow_limit_ms2(bow: BowGeometry, limits: MotionLimits) -> float:
    return GRAVITY_MS2 * _given(limits.bow_acceleration_g, bow.bow_acceleration_limit_g)


def _given(limit: float | None, usual: float) -> float:
    return usual if limit is None else limit


def _least_heights(amplitudes: Floats, probability: float) -> Floats:
    """Return the heights at which Rayleigh-distributed amplitudes reach a probability.

    Amplitudes are in standard deviations at a height of one metre; a probability of 1 is never
    reached.
    """
    if probability >= 1.0:
        return np.full_like(amplitudes, np.inf)
    return np.asarray(amplitudes / math.sqrt(-2.0 * math.log(probability)))


def _speeds_by_circular(ship: LoadedShip) -> Floats:
    """Compute the greatest speeds [kn] by MSC.1/Circ.1228, shape (periods, headings, heights)."""
    length_m, service_kn = ship.hull.length_perpendiculars_m, ship.particulars.service_speed_kn
    astern = np.maximum(-np.cos(np.radians(HEADINGS_DEG)), 1e-9)
    surfing_kn = np.where(
        HEADINGS_DEG > rolling.SURF_RIDING_FROM_DEG,
        rolling.SURF_RIDING_KN * math.sqrt(length_m) / astern,
        np.inf,
    )
    periods_s = mean_period_s(_PERIODS_S)[:, None]
    long_waves = GRAVITY_MS2 * periods_s**2 / (2.0 * math.pi) > rolling.GROUP_LENGTHS * length_m
    # a ship that overtakes the wave groups at its service speed need not slow down into them
    slowest_kn, fastest_kn = (rate * periods_s for rate in rolling.GROUP_KN_PER_S)
    overtaken = service_kn * astern >= fastest_kn
    groups_kn = np.where(long_waves & ~overtaken, slowest_kn / astern, np.inf)
    steep = rolling.least_surf_riding_height_m(length_m) <= _HEIGHTS_M
    return np.minimum(
        np.where(steep, surfing_kn[:, None], np.inf),
        np.where(rolling.GROUP_HEIGHTS * length_m < _HEIGHTS_M, groups_kn[:, :, None], np.inf),
    )
