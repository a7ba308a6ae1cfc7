"""Safety of a ship in a seaway, for readers and for the search.

Brings together rolling (MSC.1/Circ.1228) and the motions of the bow. The
search uses :func:`seaway_risks` on :class:`SeakeepingParameters`; readers use
:func:`assess_seaway`.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from app.engine.units import KNOT_MS, direction_difference
from app.engine.vessel.bow_motion import (
    DECK_WETNESS_LIMIT,
    BowGeometry,
    bow_deviations,
    deck_wetness_probability,
    minimum_bow_height_m,
    motion_spectra,
    slamming_probability,
)
from app.engine.vessel.kernels import off_bow_deg
from app.engine.vessel.rolling import (
    SeaRisk,
    encounter_period_s,
    natural_roll_period_s,
    rolling_risks,
)
from app.engine.vessel.seaway import OMEGAS, PERIOD_MAX_S, PERIOD_MIN_S
from app.engine.vessel.ship_types import TYPE_STATISTICS
from app.engine.vessel.waves import bretschneider_spectrum, mean_period_s
from app.engine.voyage import ShipParticulars, Weather

if TYPE_CHECKING:
    from app.engine.vessel.ship import Ship

Array = NDArray[np.float64]

#: Steps of the table of bow motions: speeds [m/s], peak periods [s], headings [deg].
_SPEED_STEP_MS: Final = 1.5
_PERIOD_STEP_S: Final = 0.5
_HEADING_STEP_DEG: Final = 10.0

#: Places in ``SeakeepingParameters.scalars``.
(_ROLL_PERIOD, _LENGTH, _DRAFT_FORE, _BOW_HEIGHT, _SLAM_SPEED, _SLAM_LIMIT) = range(6)
(_BREADTH, _DRAFT) = range(6, 8)


class SeakeepingParameters(NamedTuple):
    """A ship's seakeeping as arrays.

    ``scalars``, shape (8,): natural roll period [s], length, draught forward and
    bow height [m], slam threshold [m/s], limit of slamming probability, breadth and mean
    draught [m].
    ``motions``, shape (speeds, periods, headings, 3): standard deviations of bow
    motions over significant height, as :func:`~.bow_motion.bow_deviations`.
    """

    scalars: Array
    motions: Array


@dataclass(frozen=True, slots=True)
class SeawayAssessment:
    """What a sea does to a ship at a speed and course.

    Periods [s]; probabilities per wave met.
    """

    risks: SeaRisk
    natural_roll_period_s: float
    encounter_period_s: float
    slamming_probability: float
    deck_wetness_probability: float


def metacentric_height_m(particulars: ShipParticulars, draft_m: float) -> float:
    """Usual metacentric height [m] of the type, growing as the draught falls.

    An estimate where the loading computer's value is not known: the type's share
    of the breadth at design draught, in inverse proportion to the draught, as the
    waterplane's inertia over the displacement is.
    """
    share = TYPE_STATISTICS[particulars.ship_type].gm_ratio
    return share * particulars.breadth_m * particulars.draft_design_m / draft_m


def roll_period_s(ship: "Ship") -> float:
    """Natural roll period of a ship as loaded [s], with her usual metacentric height."""
    hull = ship.hull
    height_m = metacentric_height_m(ship.particulars, hull.draft_m)
    return natural_roll_period_s(hull.breadth_m, hull.draft_m, hull.length_waterline_m, height_m)


def bow_geometry(ship: "Ship") -> BowGeometry:
    """The bow of a ship as loaded, its height the load-line convention's least or the deck's."""
    particulars, hull = ship.particulars, ship.hull
    summer_m = particulars.draft_scantling_m
    least_m = minimum_bow_height_m(
        hull.length_perpendiculars_m,
        hull.block_coefficient,
        hull.waterplane_coefficient,
        summer_m,
    )
    over_summer_m = max(least_m, particulars.depth_m - summer_m)
    return BowGeometry(
        length_m=hull.length_perpendiculars_m,
        breadth_m=hull.breadth_m,
        draft_m=hull.draft_m,
        draft_fore_m=hull.draft_fore_m,
        bow_height_m=max(over_summer_m + summer_m - hull.draft_fore_m, 0.1),
        block_coefficient=hull.block_coefficient,
    )


def assess_seaway(
    ship: "Ship", speed_kn: float, course_deg: float, weather: Weather
) -> SeawayAssessment:
    """Rolling, slamming and wetness of a ship at a speed, heading and weather."""
    bow, roll_s = bow_geometry(ship), roll_period_s(ship)
    off_bow = abs(float(direction_difference(weather.wave_from_deg, course_deg)))
    height_m = weather.wave_height_m
    period_s = min(max(weather.wave_period_s, PERIOD_MIN_S), PERIOD_MAX_S)
    slam, stem, speed = bow_deviations(bow, speed_kn * KNOT_MS, off_bow, period_s)
    slamming = slamming_probability(bow, slam * height_m, speed * height_m)
    wetness = deck_wetness_probability(bow, stem * height_m)
    sea = speed_kn, off_bow, height_m, period_s
    risks = SeaRisk(rolling_risks(*sea, roll_s, bow.length_m, bow.breadth_m, bow.draft_m))
    if slamming > bow.slamming_limit:
        risks |= SeaRisk.SLAMMING
    if wetness > DECK_WETNESS_LIMIT:
        risks |= SeaRisk.DECK_WETNESS
    return SeawayAssessment(
        risks, roll_s, encounter_period_s(period_s, speed_kn, off_bow), slamming, wetness
    )


def build_seakeeping_parameters(ship: "Ship") -> SeakeepingParameters:
    """Fill the arrays of a ship for :func:`seaway_risks`."""
    bow = bow_geometry(ship)
    scalars = np.array(
        [
            roll_period_s(ship),
            bow.length_m,
            bow.draft_fore_m,
            bow.bow_height_m,
            bow.slam_speed_ms,
            bow.slamming_limit,
            bow.breadth_m,
            bow.draft_m,
        ]
    )
    periods = np.arange(PERIOD_MIN_S, PERIOD_MAX_S + 0.1, _PERIOD_STEP_S)
    spectra = np.stack(
        [bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(float(tp))) for tp in periods]
    )
    weights = spectra * _trapezoid_weights(OMEGAS)
    headings = np.radians(np.arange(0.0, 180.1, _HEADING_STEP_DEG))[:, None]
    speeds = np.arange(0.0, ship.speed_range_ms[1] + _SPEED_STEP_MS, _SPEED_STEP_MS)
    motions = np.empty((speeds.size, periods.size, headings.size, 3))
    for i, speed_ms in enumerate(speeds):
        for k, squares in enumerate(motion_spectra(bow, float(speed_ms), headings, OMEGAS[None])):
            motions[i, :, :, k] = np.sqrt(weights @ squares.T)
    return SeakeepingParameters(scalars, motions)


def _trapezoid_weights(points: Array) -> Array:
    """Weights of the trapezoidal rule at uneven points."""
    steps = np.diff(points)
    return np.asarray(0.5 * (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)))


@numba.njit(cache=True, error_model="numpy")
def _deviation(motions: Array, at: tuple[float, float, float], column: int) -> float:
    """Trilinear look-up of a column of the table; held at its edges."""
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


@numba.njit(cache=True, error_model="numpy")
def seaway_risks(
    parameters: SeakeepingParameters,
    speed_kn: float,
    course_deg: float,
    wave_height_m: float,
    wave_period_s: float,
    wave_from_deg: float,
) -> int:
    """Bits of :class:`SeaRisk` at one speed, course and sea; compiled."""
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
    if math.exp(-0.5 * emerging) > scalars[_SLAM_LIMIT]:
        risks |= 16
    if math.exp(-0.5 * (scalars[_BOW_HEIGHT] / stem_m) ** 2) > DECK_WETNESS_LIMIT:
        risks |= 32
    return risks
