"""Motions of the bow in a seaway: slamming, water on deck, acceleration.

Heave and pitch by the closed-form responses of J.J. Jensen, A.E. Mansour, A.S.
Olsen, Estimation of ship motions using closed-form expressions, Ocean
Engineering 31 (2004) 61-85. Probabilities after M.K. Ochi, Prediction of
occurrence and severity of ship slamming at sea, 5th ONR Symposium (1964).
Limits for merchant ships: NORDFORSK, Assessment of ship performance in a seaway
(1987).
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.constants import GRAVITY_MS2
from app.engine.vessel.seaway import OMEGAS
from app.engine.vessel.waves import bretschneider_spectrum, mean_period_s

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]

#: Where slams are counted: 0.1 L aft of the forward perpendicular (Ochi 1964).
SLAM_STATION: Final = 0.40

#: Probability of green water on deck that is too much; NORDFORSK (1987).
DECK_WETNESS_LIMIT: Final = 0.05


@dataclass(frozen=True, slots=True)
class BowGeometry:
    """Length, breadth, mean draught, draught forward and bow height over water [m]; CB."""

    length_m: float
    breadth_m: float
    draft_m: float
    draft_fore_m: float
    bow_height_m: float
    block_coefficient: float

    @property
    def slam_speed_ms(self) -> float:
        """Ochi's threshold of relative vertical speed, 0.093 sqrt(g L) [m/s]."""
        return 0.093 * math.sqrt(GRAVITY_MS2 * self.length_m)

    @property
    def slamming_limit(self) -> float:
        """Probability of a slam that is too much: 0.03 to 100 m, 0.01 from 330 m."""
        return 0.03 - 0.02 * min(max((self.length_m - 100.0) / 230.0, 0.0), 1.0)


def minimum_bow_height_m(
    length_m: float, block_coefficient: float, waterplane_coefficient: float, draft_m: float
) -> float:
    """Least bow height over the summer waterline [m]; ICLL 1966/2003, regulation 39.

    The waterplane's coefficient stands for that of its forward half.
    """
    hundred = length_m / 100.0
    size_mm = 6075.0 * hundred - 1875.0 * hundred**2 + 200.0 * hundred**3
    shape = (
        2.08
        + 0.609 * block_coefficient
        - 1.603 * waterplane_coefficient
        - 0.0129 * length_m / draft_m
    )
    return size_mm * shape / 1000.0


def vertical_responses(
    bow: BowGeometry, speed_ms: float, off_bow_rad: Array, omega: Array
) -> tuple[ComplexArray, ComplexArray, Array, Array]:
    """Heave [m/m] and pitch [rad/m] as complex responses to a wave at midships.

    Also the wave number along the ship [1/m, positive in head seas] and the
    frequency of encounter [rad/s]. Jensen et al. (2004), eqs. 1 to 9, with the
    phases of their equations of motion kept: near resonance it is the lag that
    makes the bow slam. Inputs broadcast; a pitch is positive bow up, and leads
    by a quarter period in long waves. Roughest abeam, where pitch vanishes.
    """
    cosine = np.cos(off_bow_rad)
    number = omega**2 / GRAVITY_MS2
    froude = speed_ms / math.sqrt(GRAVITY_MS2 * bow.length_m)
    ratio = np.maximum(np.abs(1.0 + froude * np.sqrt(number * bow.length_m) * cosine), 0.05)
    breadth = bow.breadth_m * bow.block_coefficient
    immersion = number * bow.draft_m * ratio**2
    radiated = 2.0 * np.sin(0.5 * number * breadth * ratio**2) * np.exp(-immersion)
    damping = radiated**2 / (number * breadth * ratio**2)
    along = np.maximum(np.abs(number * cosine), 1e-6)
    response = (
        np.exp(-along * bow.draft_m)
        * (1.0 - number * bow.draft_m + 1j * damping / ratio)
        / (1.0 - 2.0 * immersion + 1j * damping)
    )
    half = 0.5 * along * bow.length_m
    sense = np.where(cosine >= 0.0, 1.0, -1.0)
    lever = 6.0 / (half**2 * bow.length_m) * (np.sin(half) - half * np.cos(half))
    heave = response * np.sin(half) / half
    return heave, 1j * sense * response * lever, along * sense, omega * ratio


def motion_spectra(
    bow: BowGeometry, speed_ms: float, off_bow_rad: Array, omega: Array
) -> tuple[Array, Array, Array]:
    """Squared responses at the bow, per wave amplitude squared.

    Relative motion at the slam station and at the stem, and relative speed at
    the slam station; shapes broadcast.
    """
    heave, pitch, along, encounter = vertical_responses(bow, speed_ms, off_bow_rad, omega)

    def relative(station_m: float) -> Array:
        wave = np.exp(1j * along * station_m)
        return np.asarray(np.abs(heave + station_m * pitch - wave) ** 2)

    slam = relative(SLAM_STATION * bow.length_m)
    return slam, relative(0.5 * bow.length_m), slam * encounter**2


def bow_deviations(
    bow: BowGeometry, speed_ms: float, off_bow_deg: float, peak_period_s: float
) -> tuple[float, float, float]:
    """Standard deviations over Hs of slam-station motion, stem motion and slam-station speed.

    [m/m], [m/m], [1/s]; long-crested sea, Bretschneider spectrum.
    """
    spectrum = bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(peak_period_s))
    heading = np.full_like(OMEGAS, math.radians(off_bow_deg))
    squares = motion_spectra(bow, speed_ms, heading, OMEGAS)
    slam, stem, speed = (float(np.trapezoid(s * spectrum, OMEGAS)) ** 0.5 for s in squares)
    return slam, stem, speed


def slamming_probability(bow: BowGeometry, motion_m: float, speed_ms: float) -> float:
    """Probability of a slam per wave met, from standard deviations; Ochi (1964), eq. 5."""
    if motion_m <= 0.0 or speed_ms <= 0.0:
        return 0.0
    emerging = (bow.draft_fore_m / motion_m) ** 2
    return math.exp(-0.5 * (emerging + (bow.slam_speed_ms / speed_ms) ** 2))


def deck_wetness_probability(bow: BowGeometry, motion_m: float) -> float:
    """Probability per wave met that the stem is under water, from a standard deviation."""
    if motion_m <= 0.0:
        return 0.0
    return math.exp(-0.5 * (bow.bow_height_m / motion_m) ** 2)
