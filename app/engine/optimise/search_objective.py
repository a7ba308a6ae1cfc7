"""The objective of a search: prices, and the times and speeds allowed."""

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.windows import Timetable

Floats = NDArray[np.float64]

#: Price of fuel where time alone counts: of sailings as soon, as where all wait for the same
#: area, the one that burns least is taken [h/t].
LEAST_PRICE: Final = 1e-6


@dataclass(frozen=True)
class SearchObjective:
    """The sum that a search minimises: fuel [t] and hours at their prices.

    With ``longest_h`` it arrives within so many hours. ``value_of_time`` is the fuel [t] that an
    hour less costs against the duration: hours, ascending, and tonnes. Speeds are ordered
    between the two given [kn]; ``slowest`` is the shortest route simulated at the lower.
    ``wait_price`` is what an hour's wait must save [t], where whole simulations are compared.
    """

    departs_h: float
    speed_min_kn: float
    speed_max_kn: float
    fuel_price: float
    hour_price: float
    value_of_time: tuple[Floats, Floats]
    longest_h: float | None
    slowest: Timetable | None = None
    wait_price: float = 0.0

    @property
    def hour_value(self) -> float:
        """Fuel that another hour would save [t]; 0 without a latest arrival."""
        return (
            0.0 if self.longest_h is None else float(np.interp(self.longest_h, *self.value_of_time))
        )

    @property
    def arrive_by_h(self) -> float:
        """Latest arrival, in hours like ``departs_h``."""
        return inf if self.longest_h is None else self.departs_h + self.longest_h

    def bin_prices(self, window_h: tuple[Floats, Floats], bins: int) -> Floats:
        """Return the value of an hour [t] in each bin of the windows at the stages."""
        first, last = window_h[0][-1], window_h[1][-1]
        arrivals_h = first + (last - first) * (np.arange(bins) + 0.5) / bins
        return np.asarray(np.interp(arrivals_h - self.departs_h, *self.value_of_time))
