"""Wind resistance coefficients measured on ship models, by type.

The data sets of STA-JIP that ISO 15016:2015, annex C, and ITTC 7.5-04-01-01.2 (2014) provide for
ships without wind tunnel tests, read from their curves. Only data sets of one ship in a known
loading are used; the averages over general cargo ships, car carriers and ferries are less specific
than Fujiwara's regression, which depends on the ship's areas.
"""

from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.particulars import ShipParticulars, ShipType
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.wind import WindCoefficients


class DataSet(NamedTuple):
    """Coefficients at relative wind angles in even steps from 0 to 180 deg, resistance positive."""

    name: str
    coefficients: tuple[float, ...]

    @property
    def angles_deg(self) -> Floats:
        """Relative wind angles [deg]."""
        return np.linspace(0.0, 180.0, len(self.coefficients))


TANKER_LADEN: Final = DataSet(
    "280,000 t tanker, conventional bow, laden",
    (
        *(0.96, 0.93, 0.85, 0.73, 0.62, 0.47, 0.34, 0.17, 0.06, -0.05),
        *(-0.14, -0.22, -0.31, -0.40, -0.53, -0.66, -0.75, -0.79, -0.77),
    ),
)
TANKER_BALLAST: Final = DataSet(
    "280,000 t tanker, conventional bow, in ballast",
    (
        *(0.86, 0.76, 0.62, 0.45, 0.32, 0.21, 0.13, 0.06, 0.04, -0.02),
        *(-0.08, -0.19, -0.29, -0.38, -0.47, -0.56, -0.61, -0.66, -0.63),
    ),
)
CONTAINER_LADEN: Final = DataSet(
    "6,800 TEU container ship, laden with containers",
    (0.67, 0.76, 0.66, 0.40, 0.25, 0.21, 0.26, 0.04, -0.36, -0.69, -0.90, -0.85, -0.67),
)
LNG_PRISMATIC: Final = DataSet(
    "LNG carrier, prismatic tanks integrated",
    (
        *(1.02, 0.99, 0.93, 0.83, 0.67, 0.48, 0.30, 0.14, 0.03, -0.05),
        *(-0.11, -0.24, -0.41, -0.56, -0.68, -0.79, -0.88, -0.92, -0.91),
    ),
)


def measured_coefficients(particulars: ShipParticulars, draft_m: float) -> WindCoefficients | None:
    """Return the coefficients of a ship at a draught; ``None`` for types without a data set."""
    match particulars.hull_type:
        case ShipType.LNG_CARRIER:
            return fit(LNG_PRISMATIC)
        case ShipType.CONTAINER_SHIP:
            return fit(CONTAINER_LADEN)
        case ShipType.TANKER:
            light_m, deep_m = ballast_draft_m(particulars), particulars.draft_design_m
            # the draught in ballast of small tankers is that of the design
            span_m = max(deep_m - light_m, 1e-3)
            share = float(np.clip(1.0 - (deep_m - draft_m) / span_m, 0.0, 1.0))
            return _between(fit(TANKER_BALLAST), fit(TANKER_LADEN), share)
    return None


def fit(data: DataSet) -> WindCoefficients:
    """Fit a data set with the terms of Fujiwara's regression, which the kernels use.

    Least squares before the beam and abaft it; within 10 deg of the beam the form's interpolation
    applies.
    """
    angles_deg, values = data.angles_deg, np.array(data.coefficients)
    ahead, astern = (
        _fit_side(np.radians(angles_deg[side]), values[side])
        for side in (angles_deg <= 80.0, angles_deg >= 100.0)
    )
    return WindCoefficients(ahead, astern)


def _fit_side(angles: Floats, values: Floats) -> tuple[float, float, float]:
    cosine, sine = np.cos(angles), np.sin(angles)
    terms = np.stack([cosine, sine**2 * cosine * (1.0 - 0.5 * cosine**2), sine * cosine**3], axis=1)
    along, lift, corner = np.linalg.lstsq(terms, values, rcond=None)[0]
    return float(along), float(lift), float(corner)


def _between(first: WindCoefficients, last: WindCoefficients, share: float) -> WindCoefficients:
    def mix(
        a: tuple[float, float, float], b: tuple[float, float, float]
    ) -> tuple[float, float, float]:
        x, y, z = ((1.0 - share) * u + share * v for u, v in zip(a, b, strict=True))
        return x, y, z

    return WindCoefficients(mix(first.ahead, last.ahead), mix(first.astern, last.astern))
