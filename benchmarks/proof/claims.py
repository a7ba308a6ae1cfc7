"""Claims, each with its source, its benchmark and the required range of each figure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Mark:
    """Required range of one figure of a benchmark's result.

    ``key`` is the figure's name in the result; ``take`` converts its value to one number. A figure
    out of range fails the proof, unless the range is an aim. A timed figure depends on the machine.
    """

    key: str
    label: str
    least: float = -inf
    most: float = inf
    unit: str = ""
    is_aim: bool = False
    is_timed: bool = False
    take: Callable[[Any], float] = float

    def read(self, result: Mapping[str, Any]) -> float | None:
        """Return the figure; ``None`` where the result has none."""
        found = result.get(self.key)
        return None if found is None else self.take(found)

    def holds(self, figure: float | None) -> bool:
        """Return whether a figure is in range; one that was not measured is not."""
        return figure is not None and self.least <= figure <= self.most

    @property
    def asked(self) -> str:
        """The required range as text."""
        if self.least == self.most:
            return f"{self.most:g}{self.unit}"
        if self.least == -self.most:
            return f"within ± {self.most:g}{self.unit}"
        if self.least == -inf:
            return f"at most {self.most:g}{self.unit}"
        if self.most == inf:
            return f"at least {self.least:g}{self.unit}"
        return f"{self.least:g} to {self.most:g}{self.unit}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with the source of its comparison and the benchmark that measures it.

    ``arguments`` are passed to the benchmark, ``quick`` in a quick run; ``None`` skips it there.
    """

    name: str
    benchmark: str
    source: str
    marks: tuple[Mark, ...]
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] | None = ()

    def command(self, *, quick: bool) -> tuple[str, ...] | None:
        """Return the words after ``python -m``; ``None`` where a quick run skips the claim."""
        arguments = self.quick if quick else self.arguments
        return None if arguments is None else (f"benchmarks.{self.benchmark}", *arguments)


def _none(key: str, label: str) -> Mark:
    return Mark(key, label, least=0, most=0)


def _largest(values: Mapping[str, float]) -> float:
    return max((abs(value) for value in values.values()), default=0.0)


_FILES: Final = {
    "legs_on_land": "legs on land",
    "areas_entered": "forbidden areas entered",
    "xtd_overclaimed": "cross-track distances wider than the clear water",
    "turns_impossible": "turns tighter than the ship can make",
    "schema_broken": "files that violate the RTZ schema",
    "not_written": "files not written",
    "times_wrong": "inconsistent times",
    "speeds_wrong": "inconsistent speeds",
    "miles_wrong": "inconsistent distances",
    "depths_wrong": "inconsistent depths",
}

CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "Distances between ports",
        "distances",
        "NGA Pub. 151, Distances between Ports, 11th ed., 2001; coast checked by GEOS",
        (
            _none("failed", "pairs refused"),
            Mark("median_error_pct", "median error, absolute", most=1.2, unit=" %"),
            Mark("median_long_error_pct", "median error over 1,500 nm", most=0.6, unit=" %"),
            Mark("median_signed_pct", "median error, signed", least=-0.8, most=0.8, unit=" %"),
            Mark("within_tolerance_pct", "pairs within their tolerance", least=88, unit=" %"),
            _none("legs_on_land", "legs on land"),
        ),
    ),
    Claim(
        "Land and water",
        "land_truth",
        "charts and sailing directions, 28 places",
        (_none("wrong", "misclassified places"),),
    ),
    Claim(
        "Hull formulas",
        "hull",
        "Holtrop and Mennen 1982, 1984; ITTC 1957; ITTC 7.5-04-01-01.1; Fujiwara 2005; Kwon 2008",
        (
            Mark("max_total_error_pct", "total resistance, largest error", most=1.0, unit=" %"),
            Mark("max_component_error_pct", "resistance components, largest error",
                 most=2.0, unit=" %"),
            Mark("max_formula_error_pct", "other formulas, largest error", most=1.0, unit=" %"),
            Mark("tank_resistance_bias_pct", "modern hulls against towing tests, bias",
                 least=-5, most=5, unit=" %"),
        ),
    ),
    Claim(
        "Consumption from particulars",
        "foc",
        "published fuel of 26 vessels: index specifications, charter parties, builders",
        (
            Mark("median_abs_error_pct", "median error", most=6, unit=" %"),
            Mark("bias_pct", "bias", least=-3, most=3, unit=" %"),
            Mark("bias_without_type_pct", "largest bias with one ship type left out",
                 most=6, unit=" %", take=_largest),
            Mark("interval_coverage_pct", "points inside the 90 % interval",
                 least=85, most=95, unit=" %"),
            Mark("third_median_abs_error_pct",
                 "a third point predicted from two declared ones, median error",
                 most=4, unit=" %", is_aim=True),
        ),
    ),
    Claim(
        "Calibration with a year of reports",
        "calibration",
        "fleets of twelve synthetic ships of known response, the last 30 % of the records held out",
        (
            Mark("after_median_abs_pct", "error on held-out records, median", most=4, unit=" %"),
            Mark("parameters_inside_pct", "parameters inside their 90 % interval",
                 least=85, unit=" %"),
            _none("worse", "ships with a larger error than before"),
            Mark("units_named_pct", "wrong units detected", least=100, unit=" %"),
        ),
        ("--synthetic", "2"),
        ("--synthetic", "1"),
    ),
    Claim(
        "Problems whose optimum is known",
        "analytic",
        "closed-form solutions: Zermelo's problems, great circles, gates, obstacles, refraction",
        (
            Mark("unsolved", "problems outside their tolerance", least=0, most=0, take=len),
            Mark("median_error_pct", "median error", most=0.01, unit=" %"),
            Mark("max_error_pct", "largest error", most=0.3, unit=" %"),
        ),
        ("--cases", "tests/data/analytic_routing.json"),
        ("--cases", "tests/data/analytic_routing.json", "--only", "zermelo"),
    ),
    Claim(
        "Forecasts read from GRIB",
        "weather",
        "an independent reader (gribberish) on a forecast of 405 fields encoded by ecCodes",
        (
            Mark("samples_compared", "messages compared", least=405),
            Mark("samples_max_difference", "largest difference", most=1e-4),
            Mark("import_s", "import time", most=15, unit=" s", is_timed=True, is_aim=True),
            Mark("million_along_tracks_s", "a million look-ups along tracks",
                 most=0.2, unit=" s", is_timed=True, is_aim=True),
        ),
        quick=None,
    ),
    Claim(
        "Exported files",
        "exported_routes",
        "the files alone, with WGS 84 by PROJ, coast and areas by GEOS",
        (
            Mark("planned", "voyages planned", least=1),
            *(_none(key, label) for key, label in _FILES.items()),
        ),
        ("--n", "300", "--seed", "11"),
        ("--n", "30", "--seed", "11"),
    ),
    Claim(
        "Optimised voyages",
        "optimise",
        "synthetic storms; waves sampled along legs; the same search with 30 times the work",
        (
            _none("refused", "voyages refused"),
            _none("limits_broken", "wave limits broken"),
            _none("legs_on_land", "legs on land"),
            Mark("saved_median_pct", "fuel saved against the shortest route, median",
                 least=0, unit=" %"),
            Mark("to_finer_run_pct", "fuel above the finer search, median",
                 most=0.05, unit=" %", is_aim=True),
            Mark("to_finer_run_most_pct", "fuel above the finer search, largest",
                 most=0.25, unit=" %", is_aim=True),
            Mark("median_s", "planning time, median",
                 most=0.5, unit=" s", is_timed=True, is_aim=True),
            Mark("p95_s", "planning time, 95th percentile",
                 most=1.5, unit=" s", is_timed=True, is_aim=True),
        ),
        ("--voyages", "24", "--finer", "8"),
        ("--voyages", "6", "--finer", "1"),
    ),
    Claim(
        "Trade-off through a storm",
        "storm_front",
        "each point against the others, and against the constant speed on the shortest route",
        (
            Mark("points", "points of the curve", least=5),
            _none("dominated", "dominated points"),
            Mark("fuel_ratio", "fuel of the earliest arrival over that of the cheapest",
                 least=1.05),
        ),
    ),
    Claim(
        "The API compared with a bare handler",
        "api",
        "Flask handlers that read the same rows under the same server, measured alternately",
        (
            Mark("get_ratio", "GET charting, time ratio", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
            Mark("list_ratio", "list of chartings, time ratio", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
            Mark("telemetry_ratio", "POST telemetry, time ratio", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
        ),
        quick=("--pairs", "3", "--requests", "300"),
    ),
)  # fmt: skip
