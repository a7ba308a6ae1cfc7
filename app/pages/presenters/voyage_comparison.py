"""Voyages side by side: their figures, differences to the first voyage, and the best of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.engine.formatting import cut
from app.engine.units import ms_to_kn
from app.pages.presenters.filters import difference, duration, figure, mass


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a summary as shown: ``read`` converts its value to ``unit``.

    Of some figures the least is best; of a clearance that is known on parts of a route none is.
    """

    label: str
    name: str
    unit: str = ""
    decimals: int = 0
    is_least_best: bool = True
    read: Callable[[float], float] = float

    def read_all(self, summaries: Sequence[Mapping[str, Any]]) -> list[float | None]:
        """Return the values of summaries in ``unit``; ``None`` where a summary has none."""
        stored = (summary.get(self.name) for summary in summaries)
        return [None if value is None else self.read(value) for value in stored]

    def write(self, value: float | None) -> str:
        """Format a value without its unit; a dash if it is not known."""
        if self.unit == "mt":
            return mass(value, self.decimals)
        if self.name == "durationH":
            return "–" if value is None else duration(value)
        return figure(value, self.decimals)


@dataclass(frozen=True, slots=True)
class Cell:
    """A voyage's value of a figure, and its difference to that of the first voyage."""

    text: str
    more: str = ""
    is_best: bool = False


FIGURES: Final = (
    Figure("Duration", "durationH"),
    Figure("Distance", "distanceNm", "nm"),
    Figure("Mean speed", "avgSpeedKn", "kn", 1, is_least_best=False),
    Figure("Fuel", "fuelMt", "mt", 1),
    Figure("CO₂", "co2Mt", "mt"),
    Figure("Saved", "savedPct", "%", 1, is_least_best=False),
    Figure("In ECAs", "ecaDistanceNm", "nm"),
    Figure("Fuel in ECAs", "ecaFuelMt", "mt", 1),
    Figure("Max wave height", "maxWaveM", "m", 1),
    Figure("Max wind", "maxWindMs", "kn", read=lambda speed: float(ms_to_kn(speed))),
    Figure("Min UKC where known", "minUkcM", "m", 1, False, lambda margin: cut(margin, 1)),
    Figure("No depth known", "depthUnknownNm", "nm"),
    Figure("Unproven water", "unprovenNm", "nm", 1),
    Figure("Forecast coverage", "forecastCoveragePct", "%", is_least_best=False),
)


def find_best(each: Figure, values: Sequence[float | None]) -> set[int]:
    """Return the indices of the best values as shown; none if all known ones are shown alike."""
    known = {n: round(value, each.decimals) for n, value in enumerate(values) if value is not None}
    if not each.is_least_best or len(set(known.values())) < 2:
        return set()
    least = min(known.values())
    return {n for n, value in known.items() if value == least}


def compare_figures(
    voyages: Sequence[Mapping[str, Any]],
) -> list[tuple[Figure, list[Cell]]]:
    """List the figures with a cell for each voyage, which is empty without a plan.

    The best is marked only between the same ports: a shorter voyage to another port is no better.
    """
    is_same_trip = len({(voyage["from"], voyage["to"]) for voyage in voyages}) == 1
    return [(each, _list_cells(each, voyages, is_same_trip)) for each in FIGURES]


def _list_cells(
    each: Figure, voyages: Sequence[Mapping[str, Any]], is_same_trip: bool
) -> list[Cell]:
    values = each.read_all([voyage["summary"] or {} for voyage in voyages])
    best = find_best(each, values) if is_same_trip else set()
    return [
        Cell(each.write(value), _write_more(each, value, values[0]) if n else "", n in best)
        for n, value in enumerate(values)
    ]


def _write_more(each: Figure, value: float | None, first: float | None) -> str:
    if value is None or first is None:
        return ""
    more = difference(value, first, each.decimals, each.unit)
    return f"{more} h" if more and each.name == "durationH" else more
