"""The objective of a search: prices, and the times and speeds allowed."""

from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.optimise.surface import cumulative_nm

#: Price of fuel where time alone counts [h/t]. Of trajectories that arrive at nearly the same time,
#: for example because all wait for the same area, the one that burns least is chosen: none makes a
#: detour to lie a mile closer to it. The price is far below what an hour costs at full speed.
MIN_FUEL_PRICE: Final = 2e-2


class Prices(NamedTuple):
    """Prices of fuel [1/t] and hours [1/h] in an objective.

    Where whole simulations are compared, an hour of waiting counts as ``wait`` [t], and a mile that
    the price of an area adds as ``mile`` [1/nm].
    """

    fuel: float
    hour: float
    wait: float = 0.0
    mile: float = 0.0

    @property
    def is_time_alone(self) -> bool:
        """Return whether time alone counts.

        Trajectories that save fuel are then useless: they arrive later, or meet a storm that an
        earlier ship avoids.
        """
        return self.fuel <= MIN_FUEL_PRICE

    @property
    def priced_hour_t(self) -> float:
        """Fuel that an hour costs where areas are priced [t]; 0 where time alone counts."""
        return 0.0 if self.is_time_alone else self.hour / self.fuel


@dataclass(frozen=True)
class Timetable:
    """Hours since departure at points of a route, given as shares of its length."""

    shares: Floats
    hours: Floats

    def along(self, stage_nm: Floats) -> Floats:
        """Return the hours at the stages of another line, at the same shares of its length.

        ``stage_nm``, shape (s - 1,), are the lengths of its stages [nm].
        """
        so_far_nm = cumulative_nm(stage_nm)
        return np.asarray(np.interp(so_far_nm / so_far_nm[-1], self.shares, self.hours))


@dataclass(frozen=True)
class SearchObjective:
    """Objective of a search: prices, and the times and speeds allowed.

    ``longest_h`` is the longest duration, if limited. ``value_of_time`` is the fuel [t] that
    arriving an hour earlier costs, as a function of the duration: hours, ascending, and tonnes.
    Ordered speeds [kn] lie between ``speed_min_kn`` and ``speed_max_kn``; ``slowest`` is the
    simulation of the shortest route at the lower. A ship that ``is_under_way`` cannot depart later.
    """

    departs_h: float
    speed_min_kn: float
    speed_max_kn: float
    prices: Prices
    value_of_time: tuple[Floats, Floats]
    longest_h: float | None
    slowest: Timetable | None = None
    is_under_way: bool = False

    @property
    def label_hour_price(self) -> float:
        """Value of time by which labels of different times are compared [t/h].

        It is at least that of the longest duration, if that is limited.
        """
        if self.longest_h is None:
            return self.prices.hour
        return max(self.prices.hour, float(np.interp(self.longest_h, *self.value_of_time)))

    @property
    def arrive_by_h(self) -> float:
        """Latest arrival in hours since 1970; infinite if the duration is not limited."""
        return inf if self.longest_h is None else self.departs_h + self.longest_h

    def bin_prices(self, window_h: tuple[Floats, Floats], bins: int) -> Floats:
        """Return the value of time [t/h] in each of the bins of the stages' windows.

        ``window_h`` are the first and last times at the stages, two of shape (s,).
        """
        first, last = window_h[0][-1], window_h[1][-1]
        arrivals_h = first + (last - first) * (np.arange(bins) + 0.5) / bins
        return np.asarray(np.interp(arrivals_h - self.departs_h, *self.value_of_time))
