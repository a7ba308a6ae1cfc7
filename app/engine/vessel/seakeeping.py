"""Safety of a ship in a seaway: rolling (MSC.1/Circ.1228) and motions of the bow.

:func:`seaway_risks` is compiled and uses the tables of :class:`SeakeepingParameters`; the tests
compare it with the formulas.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.compiled import njit_borrowing
from app.engine.constants import GRAVITY_MS2
from app.engine.particulars import ShipParticulars
from app.engine.units import KNOT_MS
from app.engine.vessel.bow_motion import (
    BOW_SEAS_DEG,
    BRIDGE_ACCELERATION_LIMIT_G,
    DECK_WETNESS_LIMIT,
    SLAMMING_EXPECTED,
    BowGeometry,
    deviation_table,
    dry_height_m,
    minimum_bow_height_m,
)
from app.engine.vessel.loaded_ship import LoadedShip
from app.engine.vessel.relative_sea import off_bow_deg
from app.engine.vessel.rolling import (
    SeaRisk,
    natural_roll_period_s,
    rolling_risks,
)
from app.engine.vessel.seaway import PERIOD_MAX_S, PERIOD_MIN_S
from app.engine.vessel.ship_types import TYPE_STATISTICS

#: Steps of the table of bow motions: speeds [m/s], peak periods [s], headings [deg].
_SPEED_STEP_MS: Final = 1.5
_PERIOD_STEP_S: Final = 0.5
_HEADING_STEP_DEG: Final = 10.0

# bits for compiled functions, which know no enumerations
_SLAMMING: Final = int(SeaRisk.SLAMMING)
_DECK_WETNESS: Final = int(SeaRisk.DECK_WETNESS)
_VERTICAL_ACCELERATION: Final = int(SeaRisk.VERTICAL_ACCELERATION)

#: Indices in ``SeakeepingParameters.scalars``.
(_ROLL_PERIOD, _LENGTH, _DRAFT_FORE, _BOW_HEIGHT, _SLAM_SPEED, _BOW_ACCELERATION) = range(6)
(_BREADTH, _DRAFT, _BOW_WAVE) = range(6, 9)


class SeakeepingParameters(NamedTuple):
    """Seakeeping parameters of a ship as arrays.

    ``scalars``, shape (9,): natural roll period [s], length, draught forward and
    bow height [m], slam threshold [m/s], limit of the acceleration at the bow [m/s2], breadth
    and mean draught [m], bow wave over squared speed [s2/m].
    ``motions``, shape (speeds, periods, headings, 5): :class:`~.bow_motion.Deviations`.
    """

    scalars: Floats
    motions: Floats


def metacentric_height_m(particulars: ShipParticulars, draft_m: float) -> float:
    """Estimate the metacentric height [m] by type and draught; that on board is unknown.

    The type's share of the breadth at design draught, in inverse proportion to the draught as the
    waterplane's moment of inertia over the displacement is.
    """
    share = TYPE_STATISTICS[particulars.hull_type].gm_ratio
    return share * particulars.breadth_m * particulars.draft_design_m / draft_m


def roll_period_s(ship: LoadedShip) -> float:
    """Return the natural roll period of a ship as loaded [s], with its usual metacentric height."""
    hull = ship.hull
    height_m = metacentric_height_m(ship.particulars, hull.draft_m)
    return natural_roll_period_s(hull.breadth_m, hull.draft_m, hull.length_waterline_m, height_m)


def bow_geometry(ship: LoadedShip) -> BowGeometry:
    """Return the bow geometry of a ship as loaded.

    The bow height is the least of the load-line convention or that of the deck, if higher; ships
    with closed superstructures forward have theirs.
    """
    particulars, hull = ship.particulars, ship.hull
    statistics = TYPE_STATISTICS[particulars.hull_type]
    summer_m = particulars.draft_scantling_m
    least_m = minimum_bow_height_m(
        hull.length_perpendiculars_m,
        hull.block_coefficient_lpp,
        hull.waterplane_coefficient,
        summer_m,
    )
    over_summer_m = max(least_m, statistics.bow_ratio * particulars.depth_m - summer_m)
    return BowGeometry(
        length_m=hull.length_perpendiculars_m,
        breadth_m=hull.breadth_m,
        draft_m=hull.draft_m,
        draft_fore_m=hull.draft_fore_m,
        bow_height_m=max(over_summer_m + summer_m - hull.draft_fore_m, 0.1),
        block_coefficient=hull.block_coefficient_lpp,
        entrance_m=ship.wave_hull.entrance_m,
        bridge_m=statistics.bridge_ratio * hull.length_perpendiculars_m,
    )


def build_seakeeping_parameters(ship: LoadedShip) -> SeakeepingParameters:
    """Build the arrays of a ship for :func:`seaway_risks`."""
    bow = bow_geometry(ship)
    scalars = np.array(
        [
            roll_period_s(ship),
            bow.length_m,
            bow.draft_fore_m,
            bow.bow_height_m,
            bow.slam_speed_ms,
            bow.bow_acceleration_limit_g * GRAVITY_MS2,
            bow.breadth_m,
            bow.draft_m,
            bow.bow_wave_s2m,
        ]
    )
    periods = np.arange(PERIOD_MIN_S, PERIOD_MAX_S + 0.1, _PERIOD_STEP_S)
    headings = np.arange(0.0, 180.1, _HEADING_STEP_DEG)
    speeds = np.arange(0.0, ship.speed_range_ms[1] + _SPEED_STEP_MS, _SPEED_STEP_MS)
    return SeakeepingParameters(scalars, deviation_table(bow, speeds, periods, headings))


@njit_borrowing(cache=True, error_model="numpy")
def _deviation(motions: Floats, at: tuple[float, float, float], column: int) -> float:
    """Interpolate a column of the table trilinearly, clipped to its edges."""
    value = 0.0
    i, j, k = (
        min(int(at[0]), motions.shape[0] - 2),
        min(int(at[1]), motions.shape[1] - 2),
        min(int(at[2]), motions.shape[2] - 2),
    )
    u, v, w = min(at[0] - i, 1.0), min(at[1] - j, 1.0), min(at[2] - k, 1.0)
    for a in range(2):
        for b in range(2):
            for c in range(2):
                weight = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                value += weight * motions[i + a, j + b, k + c, column]
    return value


@njit_borrowing(cache=True, error_model="numpy")
def seaway_risks(
    parameters: SeakeepingParameters,
    speed_kn: float,
    course_deg: float,
    wave_height_m: float,
    wave_period_s: float,
    wave_from_deg: float,
) -> int:
    """Return the bits of :class:`SeaRisk` at a speed, course and sea."""
    if wave_height_m <= 0.0:
        return 0
    scalars, motions = parameters
    off_bow = off_bow_deg(wave_from_deg, course_deg)
    period_s = min(max(wave_period_s, PERIOD_MIN_S), PERIOD_MAX_S)
    risks = rolling_risks(
        speed_kn,
        off_bow,
        wave_height_m,
        period_s,
        scalars[_ROLL_PERIOD],
        scalars[_LENGTH],
        scalars[_BREADTH],
        scalars[_DRAFT],
    )
    at = (
        speed_kn * KNOT_MS / _SPEED_STEP_MS,
        (period_s - PERIOD_MIN_S) / _PERIOD_STEP_S,
        off_bow / _HEADING_STEP_DEG,
    )
    slam_m = _deviation(motions, at, 0) * wave_height_m
    stem_m = _deviation(motions, at, 1) * wave_height_m
    slam_ms = _deviation(motions, at, 2) * wave_height_m
    emerging = (scalars[_DRAFT_FORE] / slam_m) ** 2 + (scalars[_SLAM_SPEED] / slam_ms) ** 2
    if math.exp(-0.5 * emerging) > SLAMMING_EXPECTED:
        risks |= _SLAMMING
    dry_m = dry_height_m(scalars[_BOW_HEIGHT], scalars[_BOW_WAVE], speed_kn * KNOT_MS)
    if math.exp(-0.5 * (dry_m / stem_m) ** 2) > DECK_WETNESS_LIMIT:
        risks |= _DECK_WETNESS
    bow_ms2 = _deviation(motions, at, 3) * wave_height_m if off_bow <= BOW_SEAS_DEG else 0.0
    bridge_ms2 = _deviation(motions, at, 4) * wave_height_m
    if (
        bow_ms2 > scalars[_BOW_ACCELERATION]
        or bridge_ms2 > BRIDGE_ACCELERATION_LIMIT_G * GRAVITY_MS2
    ):
        risks |= _VERTICAL_ACCELERATION
    return risks
