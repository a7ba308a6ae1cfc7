"""Mean added resistance of a ship in irregular short-crested seas."""

from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.wave_making import length_of_run_m
from app.engine.vessel.waves import (
    WaveHull,
    bretschneider_spectrum,
    mean_period_s,
    snnm_motion,
    snnm_reflection,
)

#: Frequencies of integration [rad/s]: from 31 s to 1.6 s waves.
OMEGAS: Final = np.geomspace(0.20, 4.0, 72)

#: Directions of integration about the mean, and their weights: cosine squared
#: within 90 deg; ITTC 7.5-04-01-01.1 (2021), section 9.
_SPREAD_RAD: Final = np.radians(np.arange(-75.0, 76.0, 15.0))
_SPREAD_WEIGHTS: Final = np.cos(_SPREAD_RAD) ** 2 / np.sum(np.cos(_SPREAD_RAD) ** 2)

#: Range of peak periods [s], to which periods are clipped.
PERIOD_MIN_S: Final = 2.0
PERIOD_MAX_S: Final = 24.0

#: Headings off the bow of a ship's tables of seas [deg].
HEADINGS_DEG: Final = np.linspace(0.0, 180.0, 19)

#: Headings at which the transfer function is computed: every 15 deg.
_HEADINGS: Final = np.radians(np.arange(0.0, 181.0, 15.0))


def wave_hull(hull: HullForm) -> WaveHull:
    """Return the dimensions of a hull for its added resistance in waves.

    The length of entrance, unknown from particulars, is estimated as (1 - CB) of the length (61 m
    of 320 m on KVLCC2, whose CB is 0.81); the length of run is Holtrop & Mennen's.
    """
    length_m = hull.length_perpendiculars_m
    return WaveHull(
        length_m=length_m,
        breadth_m=hull.breadth_m,
        draft_fore_m=hull.draft_fore_m,
        draft_aft_m=hull.draft_aft_m,
        block_coefficient=hull.block_coefficient_lpp,
        entrance_m=(1.0 - hull.block_coefficient_lpp) * length_m,
        run_m=max(length_of_run_m(hull), 0.1 * length_m),
    )


def _transfer_table(hull: WaveHull, speed_ms: float) -> Floats:
    """Compute SNNM added resistance over squared amplitude [N/m2], (headings, frequencies)."""
    heading, omega = _HEADINGS[:, None], OMEGAS[None, :]
    return snnm_motion(hull, speed_ms, omega, heading) + snnm_reflection(
        hull, speed_ms, omega, heading
    )


def resistance_per_height_squared(
    hull: WaveHull, speed_ms: float, peak_periods_s: Floats, headings_deg: Floats
) -> Floats:
    """Compute the mean added resistance over Hs^2 [N/m2], shape (periods, headings).

    Bretschneider spectrum, cosine-squared spreading. Negative where the formulas give a thrust by
    following seas.
    """
    spectra = bretschneider_spectrum(OMEGAS, 1.0, mean_period_s(peak_periods_s)[:, None])
    per_heading = 2.0 * spectra * np.gradient(OMEGAS) @ _transfer_table(hull, speed_ms).T
    return per_heading @ _spreading_weights(headings_deg)


def _spreading_weights(headings_deg: Floats) -> Floats:
    """Return the weights of the transfer function's headings in each mean heading's sea.

    Shape (headings of the transfer function, mean headings): the values of a long-crested sea are
    interpolated at the directions of the spreading and summed.
    """
    turned = np.abs(np.radians(headings_deg)[:, None] + _SPREAD_RAD[None, :])
    folded = np.where(turned > np.pi, 2.0 * np.pi - turned, turned)
    units = np.eye(_HEADINGS.size)
    return np.stack([np.interp(folded, _HEADINGS, unit) @ _SPREAD_WEIGHTS for unit in units])


def irregular_wave_resistance_n(
    hull: WaveHull, speed_ms: float, height_m: float, peak_period_s: float, off_bow_deg: float
) -> float:
    """Compute the mean added resistance [N] in a short-crested sea.

    Significant height [m], peak period [s], direction of the sea off the bow [deg, -180..180].
    Periods are clipped to 2..24 s. A thrust by following seas counts as zero, so that no plan
    depends on it.
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
