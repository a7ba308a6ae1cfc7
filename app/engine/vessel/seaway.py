"""Irregular short-crested seas: mean added resistance of a ship in them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.wave_making import length_of_run_m
from app.engine.vessel.waves import (
    WaveHull,
    bretschneider_spectrum,
    mean_period_s,
    snnm_motion,
    snnm_reflection,
)

Array = NDArray[np.float64]

#: Frequencies of integration [rad/s]: from 31 s to 1.6 s waves.
OMEGAS: Final = np.geomspace(0.20, 4.0, 72)

#: Directions of integration about the mean, and their weights: cosine squared
#: within 90 deg; ITTC 7.5-04-01-01.1 (2021), section 9.
SPREAD_RAD: Final = np.radians(np.arange(-75.0, 76.0, 15.0))
SPREAD_WEIGHTS: Final = np.cos(SPREAD_RAD) ** 2 / np.sum(np.cos(SPREAD_RAD) ** 2)

#: Peak periods [s] answered; beyond them the nearest is taken.
PERIOD_MIN_S: Final = 2.0
PERIOD_MAX_S: Final = 24.0

#: Headings at which the transfer function is worked out: every 15 deg.
_HEADINGS: Final = np.radians(np.arange(0.0, 181.0, 15.0))


def wave_hull(hull: HullForm) -> WaveHull:
    """What wave resistance needs of a hull.

    The entrance, not known from particulars, is taken (1 - CB) of the length
    (61 m of 320 m on KVLCC2, whose CB is 0.81); the run as Holtrop & Mennen's.
    """
    length_m = hull.length_perpendiculars_m
    return WaveHull(
        length_m=length_m,
        breadth_m=hull.breadth_m,
        draft_fore_m=hull.draft_fore_m,
        draft_aft_m=hull.draft_aft_m,
        block_coefficient=hull.block_coefficient,
        entrance_m=(1.0 - hull.block_coefficient) * length_m,
        run_m=max(length_of_run_m(hull), 0.1 * length_m),
    )


def transfer_table(hull: WaveHull, speed_ms: float) -> Array:
    """SNNM added resistance over squared amplitude [N/m2], shape (headings, frequencies)."""
    heading, omega = _HEADINGS[:, None], OMEGAS[None, :]
    return snnm_motion(hull, speed_ms, omega, heading) + snnm_reflection(
        hull, speed_ms, omega, heading
    )


def resistance_per_height_squared(
    hull: WaveHull, speed_ms: float, peak_periods_s: Array, headings_deg: Array
) -> Array:
    """Mean added resistance over Hs^2 [N/m2], shape (periods, headings).

    Bretschneider spectrum, cosine-squared spreading. Negative where the formulas
    find a push from astern.
    """
    spectra = np.stack(
        [bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(float(tp))) for tp in peak_periods_s]
    )
    steps = np.gradient(OMEGAS)
    per_heading = 2.0 * spectra * steps @ transfer_table(hull, speed_ms).T
    turned = np.abs(np.radians(headings_deg)[:, None] + SPREAD_RAD[None, :])
    folded = np.where(turned > np.pi, 2.0 * np.pi - turned, turned)
    return np.stack([np.interp(folded, _HEADINGS, row) @ SPREAD_WEIGHTS for row in per_heading])


def irregular_wave_resistance_n(
    hull: WaveHull, speed_ms: float, height_m: float, peak_period_s: float, off_bow_deg: float
) -> float:
    """Mean added resistance [N] in a short-crested sea.

    Significant height [m], peak period [s], direction the sea comes from off the
    bow [deg, -180..180]. Periods are held in 2..24 s. A push from astern is
    answered with zero: no plan should lean on it.
    """
    if height_m <= 0.0:
        return 0.0
    table = resistance_per_height_squared(
        hull,
        speed_ms,
        np.array([min(max(peak_period_s, PERIOD_MIN_S), PERIOD_MAX_S)]),
        np.array([abs(off_bow_deg)]),
    )
    return max(float(table[0, 0]), 0.0) * height_m**2
