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

#: Steerage way [kn]: the minimum navigational speed of the interim guidelines on minimum
#: propulsion power, MEPC.232(65).
STEERAGE_KN: Final = 4.0

#: Peak periods of the table [s].
_PERIODS_S: Final = np.arange(PERIOD_MIN_S, PERIOD_MAX_S + 0.1, kernels.VOLUNTARY_PERIOD_STEP_S)
#: Number of speeds of the table.
_SPEEDS: Final = 10
#: Greatest height of the table [m], higher than any sea.
_HIGHEST_M: Final = 50.0
#: Heights of the lower bound [m].
_HEIGHTS_M: Final = np.arange(0.0, 16.1, kernels.VOLUNTARY_HEIGHT_STEP_M)


def table_speeds_kn(ship: LoadedShip) -> Floats:
    """Return the even speeds of the table, from steerage way to the ship model's greatest [kn]."""
    top_kn = ship.speed_range_kn[1]
    return np.linspace(min(STEERAGE_KN, 0.5 * top_kn), top_kn, _SPEEDS)


def allowed_height_table(ship: LoadedShip, speeds_kn: Floats) -> Floats:
    """Compute the greatest significant heights [m] with acceptable motions at some speeds.

    Their shape is (periods, headings, speeds). A height that exceeds a limit at some speed exceeds
    it at every higher one. Motions are proportional to the height, so that each limit corresponds
    to a height.
    """
    heights_m = _heights_by_motions(ship, speeds_kn * KNOT_MS)
    decreasing_m = np.minimum.accumulate(np.minimum(heights_m, _HIGHEST_M), axis=0)
    return np.ascontiguousarray(np.moveaxis(decreasing_m, 0, -1))


def least_speeds_kn(ship: LoadedShip, speeds_kn: Floats, allowed_m: Floats) -> Floats:
    """Return lower bounds of the voluntary speed [kn] in seas of each height of the bound's axis.

    ``allowed_m`` is :func:`allowed_height_table` at ``speeds_kn``.
    """
    by_motions_kn = np.interp(_HEIGHTS_M, allowed_m.min(axis=(0, 1))[::-1], speeds_kn[::-1])
    length_m = ship.hull.length_perpendiculars_m
    astern_kn = [rolling.least_safe_speed_before_sea_kn(length_m, float(h)) for h in _HEIGHTS_M]
    return np.asarray(np.maximum(np.minimum(by_motions_kn, astern_kn), speeds_kn[0]))


def _heights_by_motions(ship: LoadedShip, speeds_ms: Floats) -> Floats:
    """Compute the greatest significant heights [m] at each speed, (speeds, periods, headings)."""
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
