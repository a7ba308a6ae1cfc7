"""Open-water propellers of the Wageningen B-series.

Source: M.W.C. Oosterveld, P. van Oossanen, Further computer-analyzed data of
the Wageningen B-screw series, International Shipbuilding Progress 22 (1975)
251-262, tables 5 and 6 (Reynolds number 2e6).
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.polynomial.polynomial import polyval

from app.engine.arrays import Floats
from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3

#: Range of the series in pitch over diameter, to which ratios are clipped.
_PITCH_RATIO_RANGE: Final = (0.5, 1.4)

#: Largest blade area ratio of the series.
SERIES_AREA_RATIO_MAX: Final = 1.05

#: Blade area ratios of merchant propellers: KVLCC2 0.431, JBC 0.50, KCS and DTC 0.80.
_AREA_RATIO_MIN: Final = 0.40
_AREA_RATIO_MAX: Final = 0.85

#: Terms of KT: coefficient, then the powers of J, P/D, AE/A0 and Z.
_KT_TERMS: Final = np.array(
    [
        (0.00880496, 0, 0, 0, 0),
        (-0.204554, 1, 0, 0, 0),
        (0.166351, 0, 1, 0, 0),
        (0.158114, 0, 2, 0, 0),
        (-0.147581, 2, 0, 1, 0),
        (-0.481497, 1, 1, 1, 0),
        (0.415437, 0, 2, 1, 0),
        (0.0144043, 0, 0, 0, 1),
        (-0.0530054, 2, 0, 0, 1),
        (0.0143481, 0, 1, 0, 1),
        (0.0606826, 1, 1, 0, 1),
        (-0.0125894, 0, 0, 1, 1),
        (0.0109689, 1, 0, 1, 1),
        (-0.133698, 0, 3, 0, 0),
        (0.00638407, 0, 6, 0, 0),
        (-0.00132718, 2, 6, 0, 0),
        (0.168496, 3, 0, 1, 0),
        (-0.0507214, 0, 0, 2, 0),
        (0.0854559, 2, 0, 2, 0),
        (-0.0504475, 3, 0, 2, 0),
        (0.010465, 1, 6, 2, 0),
        (-0.00648272, 2, 6, 2, 0),
        (-0.00841728, 0, 3, 0, 1),
        (0.0168424, 1, 3, 0, 1),
        (-0.00102296, 3, 3, 0, 1),
        (-0.0317791, 0, 3, 1, 1),
        (0.018604, 1, 0, 2, 1),
        (-0.00410798, 0, 2, 2, 1),
        (-0.000606848, 0, 0, 0, 2),
        (-0.0049819, 1, 0, 0, 2),
        (0.0025983, 2, 0, 0, 2),
        (-0.000560528, 3, 0, 0, 2),
        (-0.00163652, 1, 2, 0, 2),
        (-0.000328787, 1, 6, 0, 2),
        (0.000116502, 2, 6, 0, 2),
        (0.000690904, 0, 0, 1, 2),
        (0.00421749, 0, 3, 1, 2),
        (0.0000565229, 3, 6, 1, 2),
        (-0.00146564, 0, 3, 2, 2),
    ]
)

_KQ_TERMS: Final = np.array(
    [
        (0.00379368, 0, 0, 0, 0),
        (0.00886523, 2, 0, 0, 0),
        (-0.032241, 1, 1, 0, 0),
        (0.00344778, 0, 2, 0, 0),
        (-0.0408811, 0, 1, 1, 0),
        (-0.108009, 1, 1, 1, 0),
        (-0.0885381, 2, 1, 1, 0),
        (0.188561, 0, 2, 1, 0),
        (-0.00370871, 1, 0, 0, 1),
        (0.00513696, 0, 1, 0, 1),
        (0.0209449, 1, 1, 0, 1),
        (0.00474319, 2, 1, 0, 1),
        (-0.00723408, 2, 0, 1, 1),
        (0.00438388, 1, 1, 1, 1),
        (-0.0269403, 0, 2, 1, 1),
        (0.0558082, 3, 0, 1, 0),
        (0.0161886, 0, 3, 1, 0),
        (0.00318086, 1, 3, 1, 0),
        (0.015896, 0, 0, 2, 0),
        (0.0471729, 1, 0, 2, 0),
        (0.0196283, 3, 0, 2, 0),
        (-0.0502782, 0, 1, 2, 0),
        (-0.030055, 3, 1, 2, 0),
        (0.0417122, 2, 2, 2, 0),
        (-0.0397722, 0, 3, 2, 0),
        (-0.00350024, 0, 6, 2, 0),
        (-0.0106854, 3, 0, 0, 1),
        (0.00110903, 3, 3, 0, 1),
        (-0.000313912, 0, 6, 0, 1),
        (0.0035985, 3, 0, 1, 1),
        (-0.00142121, 0, 6, 1, 1),
        (-0.00383637, 1, 0, 2, 1),
        (0.0126803, 0, 2, 2, 1),
        (-0.00318278, 2, 3, 2, 1),
        (0.00334268, 0, 6, 2, 1),
        (-0.00183491, 1, 1, 0, 2),
        (0.000112451, 3, 2, 0, 2),
        (-0.0000297228, 3, 6, 0, 2),
        (0.000269551, 1, 0, 1, 2),
        (0.00083265, 2, 0, 1, 2),
        (0.00155334, 0, 2, 1, 2),
        (0.000302683, 0, 6, 1, 2),
        (-0.0001843, 0, 0, 2, 2),
        (-0.000425399, 0, 3, 2, 2),
        (0.0000869243, 3, 3, 2, 2),
        (-0.0004659, 0, 6, 2, 2),
        (0.0000554194, 1, 6, 2, 2),
    ]
)


@dataclass(frozen=True, slots=True)
class Propeller:
    """A propeller of the B-series: diameter and pitch [m], area ratio, blades."""

    diameter_m: float
    pitch_m: float
    area_ratio: float
    blades: int

    @property
    def pitch_ratio(self) -> float:
        """Pitch over diameter."""
        return self.pitch_m / self.diameter_m

    def polynomials(self) -> tuple[Floats, Floats]:
        """Return KT and KQ as cubics in J, each of shape (4,), lowest power first."""
        return (self._cubic(_KT_TERMS), self._cubic(_KQ_TERMS))

    def _cubic(self, terms: Floats) -> Floats:
        pitch_ratio = min(max(self.pitch_ratio, _PITCH_RATIO_RANGE[0]), _PITCH_RATIO_RANGE[1])
        weights = (
            terms[:, 0]
            * pitch_ratio ** terms[:, 2]
            * self.area_ratio ** terms[:, 3]
            * float(self.blades) ** terms[:, 4]
        )
        return np.bincount(terms[:, 1].astype(np.int64), weights, 4).astype(np.float64)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Operating point of a propeller: advance ratio, KT and KQ."""

    advance_ratio: float
    thrust_coefficient: float
    torque_coefficient: float

    @property
    def efficiency(self) -> float:
        """Open-water efficiency J KT / (2 pi KQ)."""
        return (
            self.advance_ratio * self.thrust_coefficient / (2.0 * math.pi * self.torque_coefficient)
        )


def _zero_thrust_advance_ratio(propeller: Propeller) -> float:
    """Find the smallest positive J without thrust."""
    thrust, _ = propeller.polynomials()
    grid = np.linspace(0.05, 1.8, 351)
    below = np.flatnonzero(polyval(grid, thrust) <= 0.0)
    return float(grid[below[0]]) if below.size else 1.8


def operating_point(propeller: Propeller, thrust_loading: float) -> OperatingPoint:
    """Find the operating point at which KT / J^2 equals a thrust loading, by bisection.

    ``thrust_loading`` is T / (rho D^2 VA^2), zero or more; without bound near bollard pull.
    """
    thrust, torque = propeller.polynomials()
    k0, k1, k2, k3 = thrust.tolist()
    low, high = 0.0, _zero_thrust_advance_ratio(propeller)
    for _ in range(50):
        middle = 0.5 * (low + high)
        if k0 + middle * (k1 + middle * (k2 - thrust_loading + middle * k3)) > 0.0:
            low = middle
        else:
            high = middle
    advance = 0.5 * (low + high)
    return OperatingPoint(advance, float(polyval(advance, thrust)), float(polyval(advance, torque)))


def loading_curves(propeller: Propeller) -> tuple[Floats, Floats, Floats]:
    """Compute thrust loading KT/J^2, torque loading KQ/J^3 and 1/J along the open-water curve.

    From zero thrust to J = 0.15, shapes (200,), thrust loading ascending.
    """
    thrust, torque = propeller.polynomials()
    advance = np.geomspace(_zero_thrust_advance_ratio(propeller), 0.15, 200)
    return (
        np.maximum(polyval(advance, thrust), 0.0) / advance**2,
        polyval(advance, torque) / advance**3,
        1.0 / advance,
    )


def keller_area_ratio(
    thrust_n: float, diameter_m: float, immersion_m: float, blades: int, screws: int
) -> float:
    """Blade area ratio that avoids cavitation; Keller (1966) in Holtrop & Mennen (1982).

    ``immersion_m`` is the shaft's depth [m]; K is 0.2 for one screw, 0.1 for two.
    """
    pressure_pa = 99_047.0 + SEA_WATER_DENSITY_KGM3 * GRAVITY_MS2 * immersion_m
    constant = 0.2 if screws == 1 else 0.1
    return (1.3 + 0.3 * blades) * thrust_n / (pressure_pa * diameter_m**2) + constant


def merchant_area_ratio(area_ratio: float) -> float:
    """Limit a blade area ratio to those of merchant propellers."""
    return min(max(area_ratio, _AREA_RATIO_MIN), _AREA_RATIO_MAX)


def best_pitch_m(diameter_m: float, area_ratio: float, blades: int, thrust_loading: float) -> float:
    """Find the pitch [m] of the highest open-water efficiency at a thrust loading.

    The maximum of the parabola through the best ratio of a grid and its neighbours, so that the
    pitch has no steps. At light loadings the efficiency is flat from a ratio of about 1.2, and the
    polynomials have a second maximum at the end of the series, which is left out.
    """
    ratios = np.linspace(0.55, 1.2, 27)
    efficiencies = [
        operating_point(
            Propeller(diameter_m, ratio * diameter_m, area_ratio, blades), thrust_loading
        ).efficiency
        for ratio in ratios
    ]
    best = int(np.argmax(efficiencies))
    if not 0 < best < ratios.size - 1:
        return float(ratios[best]) * diameter_m
    finer, top, coarser = efficiencies[best - 1 : best + 2]
    shift = 0.5 * (finer - coarser) / (finer - 2.0 * top + coarser)
    return float(ratios[best] + shift * (ratios[1] - ratios[0])) * diameter_m
