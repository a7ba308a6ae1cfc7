"""Motions of the bow in a seaway: slamming, deck wetness, vertical acceleration.

Heave and pitch by the closed-form responses of J.J. Jensen, A.E. Mansour, A.S.
Olsen, Estimation of ship motions using closed-form expressions, Ocean
Engineering 31 (2004) 61-85. Probabilities after M.K. Ochi, Prediction of
occurrence and severity of ship slamming at sea, 5th ONR Symposium (1964).
Limits for merchant ships: NORDFORSK, Assessment of ship performance in a seaway
(1987).
"""

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats
from app.engine.compiled import njit_borrowing
from app.engine.constants import GRAVITY_MS2
from app.engine.vessel.seaway import OMEGAS
from app.engine.vessel.waves import bretschneider_spectrum, mean_period_s

ComplexArray = NDArray[np.complex128]

#: Station of slamming forward of midships over L: 0.1 L aft of the forward perpendicular
#: (Ochi 1964).
_SLAM_STATION: Final = 0.40

#: Limit of the probability of green water on deck; NORDFORSK (1987).
DECK_WETNESS_LIMIT: Final = 0.05

#: Greatest share of the bow height that the bow wave takes. An assumption: Tasaki's formula is that
#: of cargo ships, and the bow wave of a fast ferry does not wet its deck in calm water.
_BOW_WAVE_SHARE: Final = 0.5

#: Probability of a slam from which slamming is reported: about one an hour at an encounter period
#: of 7 s. The limit at which the master slows down is several times as high.
SLAMMING_EXPECTED: Final = 0.002

#: Greatest angle off the bow of seas that mainly cause pitch [deg]; beyond it the bow's motion is
#: mainly heave, which a lower speed does not reduce.
BOW_SEAS_DEG: Final = 60.0

#: Limit of the vertical acceleration at the bridge, root mean square [g]; NORDFORSK (1987).
BRIDGE_ACCELERATION_LIMIT_G: Final = 0.15


@dataclass(frozen=True, slots=True)
class BowGeometry:
    """Geometry for the motions of the bow: lengths, draughts and heights [m], CB on the length.

    ``bow_height_m`` is above the water, ``entrance_m`` the length of the waterline's entrance,
    ``bridge_m`` the position of the bridge forward of midships.
    """

    length_m: float
    breadth_m: float
    draft_m: float
    draft_fore_m: float
    bow_height_m: float
    block_coefficient: float
    entrance_m: float
    bridge_m: float

    @property
    def bow_wave_s2m(self) -> float:
        """Height of the ship's bow wave over squared speed [s2/m].

        ``0.75 B (L / L_E) Fn^2`` of R. Tasaki, On the shipment of water in head waves, 10th ITTC
        (1963), at most the stagnation head ``V^2 / 2 g``.
        """
        formula = 0.75 * self.breadth_m / self.entrance_m
        return min(formula, 0.5) / GRAVITY_MS2

    @property
    def slam_speed_ms(self) -> float:
        """Ochi's threshold of relative vertical speed, 0.093 sqrt(g L) [m/s]."""
        return 0.093 * math.sqrt(GRAVITY_MS2 * self.length_m)

    @property
    def slamming_limit(self) -> float:
        """Limit of the probability of slamming: 0.03 to 100 m, 0.01 from 300 m; NORDFORSK."""
        return 0.03 - 0.02 * self._length_share(300.0)

    @property
    def bow_acceleration_limit_g(self) -> float:
        """Limit of the vertical acceleration at the forward perpendicular, rms [g].

        0.275 to 100 m, 0.05 from 330 m; NORDFORSK (1987), linear between as in Faltinsen, Sea
        loads on ships and offshore structures (1990), table 1.1.
        """
        return 0.275 - 0.225 * self._length_share(330.0)

    def _length_share(self, greatest_m: float) -> float:
        return min(max((self.length_m - 100.0) / (greatest_m - 100.0), 0.0), 1.0)


@njit_borrowing(cache=True)
def dry_height_m(bow_height_m: float, bow_wave_s2m: float, speed_ms: float) -> float:
    """Return the height of the bow over the ship's own bow wave [m]."""
    return bow_height_m - min(bow_wave_s2m * speed_ms**2, _BOW_WAVE_SHARE * bow_height_m)


class Deviations(NamedTuple):
    """Standard deviations of motions over significant wave height.

    Relative motion at the slam station and at the stem [m/m], relative speed at the slam
    station [1/s], vertical acceleration at the forward perpendicular and at the bridge [1/s2].
    """

    slam: float
    stem: float
    slam_speed: float
    bow_acceleration: float
    bridge_acceleration: float


def minimum_bow_height_m(
    length_m: float, block_coefficient: float, waterplane_coefficient: float, draft_m: float
) -> float:
    """Return the least bow height over the summer waterline [m]; ICLL 1966/2003, regulation 39.

    The waterplane's coefficient is used for that of its forward half.
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
    bow: BowGeometry, speed_ms: float, off_bow_rad: Floats, omega: Floats
) -> tuple[ComplexArray, ComplexArray, Floats, Floats]:
    """Compute heave [m/m] and pitch [rad/m] as complex responses to a wave at midships.

    Also returned are the wave number along the ship [1/m, positive in head seas] and the
    frequency of encounter [rad/s]. Jensen et al. (2004), eqs. 1 to 9, with the phases of their
    equations of motion, because near resonance the phase lag causes slamming. Inputs broadcast; a
    pitch is positive bow up, and leads by a quarter period in long waves. The approximation is
    least accurate abeam, where pitch vanishes.
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
    bow: BowGeometry, speed_ms: float, off_bow_rad: Floats, omega: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Compute squared responses per squared wave amplitude, in the order of :class:`Deviations`."""
    heave, pitch, along, encounter = vertical_responses(bow, speed_ms, off_bow_rad, omega)

    def relative(station_m: float) -> Floats:
        wave = np.exp(1j * along * station_m)
        return np.asarray(np.abs(heave + station_m * pitch - wave) ** 2)

    def acceleration(station_m: float) -> Floats:
        return np.asarray(np.abs(heave + station_m * pitch) ** 2 * encounter**4)

    slam = relative(_SLAM_STATION * bow.length_m)
    return (
        slam,
        relative(0.5 * bow.length_m),
        slam * encounter**2,
        acceleration(0.5 * bow.length_m),
        acceleration(bow.bridge_m),
    )


def deviation_table(
    bow: BowGeometry, speeds_ms: Floats, peak_periods_s: Floats, headings: Floats
) -> Floats:
    """Compute :class:`Deviations` by speed, period and heading off the bow [deg], last axis 5."""
    spectra = bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(peak_periods_s)[:, None])
    weights = spectra * _trapezoid_weights(OMEGAS)
    off_bow = np.radians(headings)[:, None]
    squares = np.array([motion_spectra(bow, float(v), off_bow, OMEGAS[None]) for v in speeds_ms])
    return np.ascontiguousarray(np.sqrt(squares @ weights.T).transpose(0, 3, 2, 1))


def _trapezoid_weights(points: Floats) -> Floats:
    """Return the weights of the trapezoidal rule at uneven points."""
    steps = np.diff(points)
    return np.asarray(0.5 * (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)))
