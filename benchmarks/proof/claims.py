"""What is claimed: each claim with its source, the benchmark that measures it, and its marks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Mark:
    """What is asked of one figure of a benchmark's result.

    ``key`` names it in the result, ``take`` makes one number of it. A figure beyond a mark fails
    the proof, beyond an aim it only falls short. A timed figure differs between machines.
    """

    key: str
    says: str
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
        """Whether a figure is as asked; one that was not measured is not."""
        return figure is not None and self.least <= figure <= self.most

    @property
    def asked(self) -> str:
        """What is asked, in words."""
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
    """A claim: where what it is compared with comes from, and the benchmark that measures it.

    ``arguments`` are the benchmark's, ``quick`` those of a quick run; ``None``: left out then.
    """

    name: str
    benchmark: str
    source: str
    marks: tuple[Mark, ...]
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] | None = ()

    def command(self, *, quick: bool) -> tuple[str, ...] | None:
        """Return what is run after ``python -m``; ``None`` where a quick run leaves it out."""
        arguments = self.quick if quick else self.arguments
        return None if arguments is None else (f"benchmarks.{self.benchmark}", *arguments)


def _none(key: str, says: str) -> Mark:
    return Mark(key, says, least=0, most=0)


def _largest(values: Mapping[str, float]) -> float:
    return max((abs(value) for value in values.values()), default=0.0)


_FILES: Final = {
    "legs_on_land": "legs on land",
    "areas_entered": "forbidden areas entered",
    "xtd_overclaimed": "corridors wider than the water",
    "turns_impossible": "turns that the ship cannot make",
    "schema_broken": "files that break the schema of RTZ",
    "not_written": "files not written",
    "times_wrong": "times at odds",
    "speeds_wrong": "speeds at odds",
    "miles_wrong": "miles at odds",
    "depths_wrong": "depths at odds",
}

CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "Distances between ports",
        "distances",
        "NGA Pub. 151, Distances between Ports, 11th ed., 2001; coast judged by GEOS",
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
        (_none("wrong", "places taken for the other"),),
    ),
    Claim(
        "Hull formulas",
        "hull",
        "Holtrop and Mennen 1982, 1984; ITTC 1957; ITTC 7.5-04-01-01.1; Fujiwara 2005; Kwon 2008",
        (
            Mark("max_total_error_pct", "total resistance, worst", most=1.0, unit=" %"),
            Mark("max_component_error_pct", "components, worst", most=2.0, unit=" %"),
            Mark("max_formula_error_pct", "other formulas, worst", most=1.0, unit=" %"),
            Mark("tank_resistance_bias_pct", "modern hulls in the tank, bias",
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
            Mark("bias_without_type_pct", "bias by type, worst", most=6, unit=" %", take=_largest),
            Mark("interval_coverage_pct", "inside the 90 % interval",
                 least=85, most=95, unit=" %"),
            Mark("third_median_abs_error_pct", "a third point foretold by two declared ones",
                 most=4, unit=" %", is_aim=True),
        ),
    ),
    Claim(
        "Calibration with a year of reports",
        "calibration",
        "fleets of twelve ships whose response is known, the last 30 % of the records held out",
        (
            Mark("after_median_abs_pct", "error on held-out records, median", most=4, unit=" %"),
            Mark("parameters_inside_pct", "parameters inside their 90 % interval",
                 least=85, unit=" %"),
            _none("worse", "ships made worse"),
            Mark("units_named_pct", "wrong units named", least=100, unit=" %"),
        ),
        ("--synthetic", "2"),
        ("--synthetic", "1"),
    ),
    Claim(
        "Problems whose optimum is known",
        "analytic",
        "closed forms: Zermelo's problems, great circles, gates, obstacles, refraction",
        (
            Mark("unsolved", "problems beyond their tolerance", least=0, most=0, take=len),
            Mark("median_error_pct", "median error", most=0.01, unit=" %"),
            Mark("max_error_pct", "worst error", most=0.3, unit=" %"),
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
            Mark("import_s", "taken in within", most=15, unit=" s", is_timed=True, is_aim=True),
            Mark("million_along_tracks_s", "a million look-ups along tracks",
                 most=0.2, unit=" s", is_timed=True, is_aim=True),
        ),
        quick=None,
    ),
    Claim(
        "Exported files, judged by themselves",
        "exported_routes",
        "WGS 84 by PROJ, coast and areas by GEOS; the files alone",
        (
            Mark("planned", "voyages planned", least=1),
            *(_none(key, says) for key, says in _FILES.items()),
        ),
        ("--n", "300", "--seed", "11"),
        ("--n", "30", "--seed", "11"),
    ),
    Claim(
        "Optimised voyages",
        "optimise",
        "made storms; waves along densely drawn legs; the same search at 30 times the work",
        (
            _none("refused", "voyages refused"),
            _none("limits_broken", "wave limits broken"),
            _none("legs_on_land", "legs on land"),
            Mark("saved_median_pct", "saved against the shortest route, median",
                 least=0, unit=" %"),
            Mark("to_finer_run_pct", "above the finer search, median",
                 most=0.05, unit=" %", is_aim=True),
            Mark("to_finer_run_most_pct", "above the finer search, worst",
                 most=0.25, unit=" %", is_aim=True),
            Mark("median_s", "planned within, median",
                 most=0.5, unit=" s", is_timed=True, is_aim=True),
            Mark("p95_s", "planned within, 95th percentile",
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
            _none("dominated", "points that another beats"),
            Mark("fuel_ratio", "fuel of the soonest to that of the cheapest", least=1.05),
        ),
    ),
    Claim(
        "The API against a bare handler",
        "api",
        "Flask handlers that read the same rows, under the same server, in turns",
        (
            Mark("get_ratio", "a charting read", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
            Mark("list_ratio", "chartings listed", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
            Mark("telemetry_ratio", "telemetry sent", most=1.6, unit=" times",
                 is_timed=True, is_aim=True),
        ),
        quick=("--pairs", "3", "--requests", "300"),
    ),
)  # fmt: skip
