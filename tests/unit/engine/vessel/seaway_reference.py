"""Risks of a ship in a seaway by the formulas, to which the compiled risks are compared."""

import math
from dataclasses import dataclass

import numpy as np

from app.engine.constants import GRAVITY_MS2
from app.engine.units import KNOT_MS, direction_difference
from app.engine.vessel.bow_motion import (
    BOW_SEAS_DEG,
    BRIDGE_ACCELERATION_LIMIT_G,
    DECK_WETNESS_LIMIT,
    SLAMMING_EXPECTED,
    BowGeometry,
    Deviations,
    dry_height_m,
    motion_spectra,
)
from app.engine.vessel.loaded_ship import LoadedShip
from app.engine.vessel.rolling import SeaRisk, encounter_period_s, rolling_risks
from app.engine.vessel.seakeeping import bow_geometry, roll_period_s
from app.engine.vessel.seaway import OMEGAS, PERIOD_MAX_S, PERIOD_MIN_S
from app.engine.vessel.waves import bretschneider_spectrum, mean_period_s
from app.engine.weather.records import Weather


@dataclass(frozen=True, slots=True)
class SeawayAssessment:
    """Risks and motions of a ship at a speed and course in a sea.

    Periods [s]; probabilities per wave encountered; vertical acceleration at the bow, rms [g].
    """

    risks: SeaRisk
    natural_roll_period_s: float
    encounter_period_s: float
    slamming_probability: float
    deck_wetness_probability: float
    bow_acceleration_g: float


def assess_seaway(
    ship: LoadedShip, speed_kn: float, course_deg: float, weather: Weather
) -> SeawayAssessment:
    """Assess rolling, slamming, deck wetness and accelerations at a speed, heading and weather."""
    bow, roll_s = bow_geometry(ship), roll_period_s(ship)
    off_bow = abs(float(direction_difference(weather.wave_from_deg, course_deg)))
    height_m = weather.wave_height_m
    period_s = min(max(weather.wave_period_s, PERIOD_MIN_S), PERIOD_MAX_S)
    found = bow_deviations(bow, speed_kn * KNOT_MS, off_bow, period_s)
    slamming = slamming_probability(bow, found.slam * height_m, found.slam_speed * height_m)
    wetness = deck_wetness_probability(bow, found.stem * height_m, speed_kn * KNOT_MS)
    bow_g = found.bow_acceleration * height_m / GRAVITY_MS2
    bridge_g = found.bridge_acceleration * height_m / GRAVITY_MS2
    sea = speed_kn, off_bow, height_m, period_s
    risks = SeaRisk(rolling_risks(*sea, roll_s, bow.length_m, bow.breadth_m, bow.draft_m))
    if slamming > SLAMMING_EXPECTED:
        risks |= SeaRisk.SLAMMING
    if wetness > DECK_WETNESS_LIMIT:
        risks |= SeaRisk.DECK_WETNESS
    heavy_bow = bow_g > bow.bow_acceleration_limit_g and off_bow <= BOW_SEAS_DEG
    if heavy_bow or bridge_g > BRIDGE_ACCELERATION_LIMIT_G:
        risks |= SeaRisk.VERTICAL_ACCELERATION
    met_s = encounter_period_s(period_s, speed_kn, off_bow)
    return SeawayAssessment(risks, roll_s, met_s, slamming, wetness, bow_g)


def bow_deviations(
    bow: BowGeometry, speed_ms: float, off_bow_deg: float, peak_period_s: float
) -> Deviations:
    """Compute standard deviations of motions in a long-crested sea of Bretschneider's spectrum."""
    spectrum = bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(peak_period_s))
    heading = np.full_like(OMEGAS, math.radians(off_bow_deg))
    squares = motion_spectra(bow, speed_ms, heading, OMEGAS)
    return Deviations(*(float(np.trapezoid(s * spectrum, OMEGAS)) ** 0.5 for s in squares))


def slamming_probability(bow: BowGeometry, motion_m: float, speed_ms: float) -> float:
    """Return the probability of a slam per wave encountered; Ochi (1964), eq. 5.

    ``motion_m`` and ``speed_ms`` are standard deviations of relative motion and velocity.
    """
    if motion_m <= 0.0 or speed_ms <= 0.0:
        return 0.0
    emerging = (bow.draft_fore_m / motion_m) ** 2
    return math.exp(-0.5 * (emerging + (bow.slam_speed_ms / speed_ms) ** 2))


def deck_wetness_probability(bow: BowGeometry, motion_m: float, speed_ms: float) -> float:
    """Return the probability of deck wetness per wave encountered.

    ``motion_m`` is the standard deviation of relative motion at the stem. The bow height is
    reduced by the ship's bow wave.
    """
    if motion_m <= 0.0:
        return 0.0
    height_m = dry_height_m(bow.bow_height_m, bow.bow_wave_s2m, speed_ms)
    return math.exp(-0.5 * (height_m / motion_m) ** 2)
