"""Spatial index of the passages' water."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.geodesy import leg_distance_nm, sample_leg
from app.engine.plan import LegGeometry
from app.engine.request import Position
from app.engine.sea.coast import DEGREE_M
from app.engine.sea.passages import Passage

#: Distance between the samples of a leg [nm].
_SAMPLE_NM: Final = 0.25
#: Longest leg that can follow a passage [nm]; centre lines turn more often.
_LONGEST_NM: Final = 150.0


@dataclass(frozen=True)
class PassageIndex:
    """Index of passages by the bounds of their water."""

    passages: tuple[Passage, ...]

    def find_followed(
        self, a: Position, b: Position, geometry: LegGeometry, name: str | None = None
    ) -> Passage | None:
        """Find the passage whose water contains a whole leg.

        Of several it is the one with the name given, else the widest: fairways may share water.
        """
        near = self._contain(a) & self._contain(b)
        if not near.any() or leg_distance_nm(a, b, geometry) > _LONGEST_NM:
            return None
        lats, lngs = sample_leg(a, b, geometry, _SAMPLE_NM)
        followed = [
            passage
            for passage in (self.passages[n] for n in np.flatnonzero(near))
            if (passage.distances_m(lats, lngs) <= passage.half_width_m).all()
        ]
        return max(followed, key=lambda each: (each.name == name, each.half_width_m), default=None)

    @cached_property
    def _bounds(self) -> NDArray[np.float64]:
        """South, north, middle longitude and half the width [deg], shape (n, 4)."""
        return np.array([_bound(passage) for passage in self.passages])

    def _contain(self, place: Position) -> NDArray[np.bool_]:
        """Mask of the passages whose bounds contain a place, shape (n,)."""
        south, north, middle, span = self._bounds.T
        east = np.abs((place.lng - middle + 180.0) % 360.0 - 180.0)
        return np.asarray((south <= place.lat) & (place.lat <= north) & (east <= span))


def _bound(passage: Passage) -> tuple[float, float, float, float]:
    lats, lngs = np.array(passage.centre_line).T
    lngs = np.unwrap(lngs, period=360.0)
    reach = passage.half_width_m / DEGREE_M
    wide = reach / max(0.05, float(np.cos(np.radians(np.abs(lats).max()))))
    middle = 0.5 * (lngs.min() + lngs.max())
    return lats.min() - reach, lats.max() + reach, middle, 0.5 * np.ptp(lngs) + wide
