"""Added resistance in waves by the SNNM method, for all headings.

Headings are relative: 0 is a sea from ahead, 180 from astern. :mod:`benchmarks.stawave` has
formulas for bow seas only, for comparison.
"""

import math
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from app.engine.arrays import FloatOrArray, Floats
from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3

AnyFloats = TypeVar("AnyFloats", float, Floats)

#: Pitch radius of gyration over Lpp; ITTC 7.5-04-01-01.1 (2021), appendix.
_PITCH_GYRATION: Final = 0.25

#: Peak over mean period, Tp / T1, of the Bretschneider spectrum of ITTC (1978).
PEAK_OVER_MEAN: Final = 1.296


@dataclass(frozen=True, slots=True)
class WaveHull:
    """Dimensions of a hull for its added resistance: lengths [m], coefficients.

    ``length_m`` and the block coefficient are between perpendiculars; ``entrance_m`` and
    ``run_m`` are the distances from the perpendiculars at which the waterline has 99 % of its full
    breadth.
    """

    length_m: float
    breadth_m: float
    draft_fore_m: float
    draft_aft_m: float
    block_coefficient: float
    entrance_m: float
    run_m: float
    pitch_gyration: float = _PITCH_GYRATION

    @property
    def draft_max_m(self) -> float:
        """Greater of the draughts fore and aft [m]."""
        return max(self.draft_fore_m, self.draft_aft_m)

    @property
    def log_breadth_to_draft(self) -> float:
        """ln(B/T) of SNNM, at least 0.4, far below the range of the method."""
        return max(math.log(self.breadth_m / self.draft_max_m), 0.4)

    @property
    def trim_angle_rad(self) -> float:
        """Absolute trim angle [rad]."""
        return math.atan(abs(self.draft_aft_m - self.draft_fore_m) / self.length_m)


def snnm_motion(
    hull: WaveHull, speed_ms: float, omega: FloatOrArray, heading_rad: FloatOrArray
) -> Floats:
    """Compute the added resistance by ship motions [N per m2 of amplitude squared].

    SNNM: S. Liu, A. Papanikolaou, Regression analysis of experimental data for
    added resistance in waves of arbitrary heading, Ocean Engineering 206 (2020)
    107357, and ITTC 7.5-04-01-01.1 (2021), appendix. ``omega`` [rad/s] and
    ``heading_rad`` (0 = from ahead, up to pi) broadcast. Between beam and stern
    seas the result is linear in the heading.
    """
    omega_a, heading = np.broadcast_arrays(
        np.asarray(omega, dtype=np.float64), np.asarray(heading_rad, dtype=np.float64)
    )
    ahead = _snnm_motion_ahead(hull, speed_ms, omega_a, np.minimum(heading, 0.5 * np.pi))
    astern = _snnm_motion_astern(hull, speed_ms, omega_a)
    share = np.clip(heading / (0.5 * np.pi) - 1.0, 0.0, 1.0)
    return np.asarray(ahead + (astern - ahead) * share)


def _snnm_motion_ahead(hull: WaveHull, speed_ms: float, omega: Floats, heading: Floats) -> Floats:
    froude = speed_ms / math.sqrt(GRAVITY_MS2 * hull.length_m)
    cosine = np.cos(heading)
    a1 = (
        (0.87 / hull.block_coefficient) ** ((1.0 + froude) * cosine)
        / hull.log_breadth_to_draft
        * (1.0 + 2.0 * cosine)
        / 3.0
    )
    return a1 * _speed_factor(np.float64(froude)) * _snnm_response(hull, froude, omega, heading)


def _snnm_motion_astern(hull: WaveHull, speed_ms: float, omega: Floats) -> Floats:
    root = math.sqrt(GRAVITY_MS2 * hull.length_m)
    group_ms = GRAVITY_MS2 / (2.0 * omega)
    relative = (speed_ms - group_ms) / root
    fullness = 0.87 / hull.block_coefficient
    a1 = np.where(relative >= 0.12, fullness ** (1.0 + relative), fullness)
    a1 = a1 / hull.log_breadth_to_draft
    a2 = np.where(
        relative <= 0.0,
        0.0072 * (2.0 * speed_ms / group_ms - 1.0),
        _speed_factor(np.maximum(relative, 0.0)),
    )
    response = _snnm_response(hull, speed_ms / root, omega, np.full_like(omega, np.pi))
    return np.asarray(a1 * a2 * response)


def _speed_factor(froude: Floats | np.float64) -> Floats:
    """a2 of SNNM for a Froude number of zero or more."""
    return np.asarray(
        np.where(froude < 0.12, 0.0072 + 0.1676 * froude, froude**1.5 * np.exp(-3.5 * froude))
    )


def _snnm_response(hull: WaveHull, froude: float, omega: Floats, heading: Floats) -> Floats:
    """Motion term of SNNM without a1 and a2 [N per m2 of amplitude squared]."""
    reduced = (
        2.142
        * hull.pitch_gyration ** (1.0 / 3.0)
        * omega
        * math.sqrt(hull.length_m / (2.0 * math.pi * GRAVITY_MS2))
        * (hull.block_coefficient / 0.65) ** 0.17
        * (1.0 - 0.111 / hull.block_coefficient * (hull.log_breadth_to_draft - math.log(2.75)))
        * (
            (-1.377 * froude**2 + 1.157 * froude) * np.abs(np.cos(heading))
            + 0.618 * (13.0 + np.cos(2.0 * heading)) / 14.0
        )
    )
    low = reduced < 1.0
    ratio = hull.length_m / hull.breadth_m
    b1 = np.where(low, 11.0, -8.5)
    d1 = np.where(
        low,
        566.0 * (ratio * hull.block_coefficient) ** -2.66,
        -566.0 * ratio**-2.66 * max(4.0 - 125.0 * hull.trim_angle_rad, 0.5),
    )
    a3 = 1.0 + 28.7 * hull.trim_angle_rad
    shape = reduced**b1 * np.exp(b1 / d1 * (1.0 - reduced**d1))
    block = 60.3 * hull.block_coefficient**1.34 * (4.0 * hull.pitch_gyration) ** 2
    return np.asarray(head_sea_scale(hull) * block * a3 * shape)


def snnm_reflection(
    hull: WaveHull, speed_ms: float, omega: FloatOrArray, heading_rad: FloatOrArray
) -> Floats:
    """Compute the added resistance by reflection [N per m2 of amplitude squared].

    SNNM, ITTC 7.5-04-01-01.1 (2021), appendix: the sum over the four flanks of the waterline, bow
    and stern. Shapes as in :func:`snnm_motion`; abaft the beam the result may be negative.
    """
    omega_a, heading = np.broadcast_arrays(
        np.asarray(omega, dtype=np.float64), np.asarray(heading_rad, dtype=np.float64)
    )
    bow = math.atan(0.495 * hull.breadth_m / hull.entrance_m)
    stern = math.atan(0.495 * hull.breadth_m / hull.run_m)
    froude = speed_ms / math.sqrt(GRAVITY_MS2 * hull.length_m)
    drift = 2.0 * omega_a * speed_ms / GRAVITY_MS2
    cosine = np.cos(heading)

    def flank(angle: float, side: float) -> Floats:
        turned = angle + side * heading
        return np.asarray(np.sin(turned) ** 2 + drift * (cosine - math.cos(angle) * np.cos(turned)))

    facing = np.where(heading <= bow, cosine, 0.0)
    fullness = (0.87 / hull.block_coefficient) ** ((1.0 + 4.0 * math.sqrt(froude)) * facing)
    fore = np.where(heading <= np.pi - bow, flank(bow, 1.0), 0.0) + np.where(
        heading <= bow, flank(bow, -1.0), 0.0
    )
    aft = np.where(heading >= stern, flank(stern, -1.0), 0.0) + np.where(
        heading >= np.pi - stern, flank(stern, 1.0), 0.0
    )
    shallow = (4.0, 5.0) if hull.block_coefficient <= 0.75 else (2.0, 3.0)
    stern_draft_m = hull.draft_max_m * (shallow[0] + np.sqrt(np.abs(cosine))) / shallow[1]
    pressure = 2.25 / 4.0 * SEA_WATER_DENSITY_KGM3 * GRAVITY_MS2 * hull.breadth_m
    return np.asarray(
        pressure
        * fullness
        * (
            _draft_factor(hull, omega_a, np.full_like(heading, hull.draft_max_m)) * fore
            - _draft_factor(hull, omega_a, stern_draft_m) * aft
        )
    )


def _draft_factor(hull: WaveHull, omega: Floats, draft_m: Floats) -> Floats:
    """Share of a wave that is reflected at a draught; zero for waves over 2.5 ship lengths."""
    wavelength_m = 2.0 * np.pi * GRAVITY_MS2 / omega**2
    depth = draft_m * (1.0 / wavelength_m - 1.0 / (2.5 * hull.length_m))
    return np.asarray(np.where(depth > 0.0, 1.0 - np.exp(-4.0 * np.pi * depth), 0.0))


def bretschneider_spectrum(
    omega: FloatOrArray, wave_height_m: float, mean_period_s: FloatOrArray
) -> Floats:
    """Return the wave spectrum [m2 s] of ITTC (1978) by significant height [m] and T1 [s].

    Frequencies [rad/s] and periods broadcast.
    """
    omega_a = np.asarray(omega, dtype=np.float64)
    a = 173.0 * wave_height_m**2 / mean_period_s**4
    b = 691.0 / mean_period_s**4
    return np.asarray(a / omega_a**5 * np.exp(-b / omega_a**4))


def mean_period_s(peak_period_s: AnyFloats) -> AnyFloats:
    """Return the mean period T1 of a Bretschneider spectrum [s]."""
    return peak_period_s / PEAK_OVER_MEAN


def head_sea_scale(hull: WaveHull) -> float:
    """4 rho g B^2 / L [N/m2]."""
    return 4.0 * SEA_WATER_DENSITY_KGM3 * GRAVITY_MS2 * hull.breadth_m**2 / hull.length_m
