"""Estimated main-engine fuel compared with published figures: ``python -m benchmarks.foc``.

Cases are vessels with published consumption at speeds. Laden points are computed at the design
draught, "average" ones as the mean of laden and ballast; ballast points are reported but not
scored. ``basis`` of a case or point states what the figure includes (calm, service or charter
party, as for declared points), so that margins are applied once. Without it, figures of builders
and the press count as calm, all others as of service. Without ``--cases`` the published figures of
the tests are used.

The benchmark also prints the bias by type and without each type, the share of points inside the
90 % interval from particulars, and how well two declared points of a ship predict each other point
of the ship.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from statistics import median
from typing import Any

from app.engine.calibration.declared import fit_declared
from app.engine.particulars import (
    Basis,
    DeclaredPoint,
    FuelType,
    Loading,
    PointSource,
    ShipParticulars,
    ShipType,
)
from app.engine.vessel import Ship, build_ship, fuel_standard_error
from app.engine.vessel.foc import SERVICE_BEAUFORT, service_point
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.loaded_ship import FOULING
from benchmarks.report import print_result, print_table

CASES = Path("tests/data/published_consumption.json")

SHIP_TYPES = {
    1: ShipType.BULK_CARRIER,
    2: ShipType.TANKER,
    3: ShipType.CHEMICAL_TANKER,
    4: ShipType.GAS_CARRIER,
    5: ShipType.CONTAINER_SHIP,
    6: ShipType.GENERAL_CARGO,
    7: ShipType.RO_RO,
    8: ShipType.PASSENGER,
    9: ShipType.OTHER,
    10: ShipType.LNG_CARRIER,
}

#: Moulded depth over draught if a case has no depth; it affects only the windage.
DEPTH_OVER_DRAFT = 1.36

#: Length overall over length between perpendiculars, for cases with one of them.
LOA_OVER_LBP = 1.04


#: Two-sided 90 % of a normal distribution.
NORMAL_90 = 1.645

#: Weather of warranted consumption in charter parties.
GOOD_WEATHER_BEAUFORT = 4.0

#: Sources whose figures are of a design or trial, clean and calm, unless stated.
CALM_SOURCES = ("builder claim", "journalistic")


@dataclass(frozen=True)
class Found:
    """A published point with its estimate [t/day]."""

    name: str
    particulars: ShipParticulars
    point: dict[str, Any]
    basis: Basis
    estimate: float

    @property
    def error_pct(self) -> float:
        """Estimate over the published figure, less one [%]."""
        return 100.0 * (self.estimate / self.point["mt_per_day"] - 1.0)


def particulars_of(vessel: dict[str, Any]) -> ShipParticulars:
    """Return the particulars of a case; missing or null ones are estimated."""
    given = {name: value for name, value in vessel.items() if value is not None}
    draft_m = given.get("draftDesign") or given["draftScant"]
    lbp_m = given.get("lbp") or given["loa"] / LOA_OVER_LBP
    return ShipParticulars(
        ship_type=SHIP_TYPES.get(given.get("type", 9), ShipType.OTHER),
        dwt_t=given["dwt"],
        loa_m=given.get("loa") or LOA_OVER_LBP * lbp_m,
        lbp_m=lbp_m,
        breadth_m=given["breadth"],
        depth_m=given.get("depth") or DEPTH_OVER_DRAFT * draft_m,
        draft_design_m=draft_m,
        draft_scantling_m=given.get("draftScant") or draft_m,
        service_speed_kn=given["serviceSpeed"],
        pitch_m=given.get("pitch"),
        fuel_type=FuelType(given.get("fuelType", "VLSFO")),
        installed_power_kw=given.get("installedPowerKw"),
        propeller_diameter_m=given.get("propellerDiameter"),
        year_built=_year_built(given),
    )


def _year_built(vessel: dict[str, Any]) -> int | None:
    built = vessel.get("dateConstructed") or vessel.get("yearBuilt") or vessel.get("built")
    return int(str(built)[:4]) if built else None


def find_basis(case: dict[str, Any], point: dict[str, Any]) -> Basis:
    """Return the basis of a published figure: as stated, otherwise by its kind of source."""
    stated = point.get("basis") or case.get("basis")
    if stated:
        return Basis(stated)
    return Basis.CALM if case.get("reliability") in CALM_SOURCES else Basis.SERVICE


def estimate_mt_per_day(ships: Sequence[Ship], speed_kn: float, basis: Basis) -> float:
    """Return the fuel at a speed, on a basis, as the mean over loadings."""
    if basis is Basis.CALM:
        found = [24.0 * ship.performance(speed_kn).fuel_t_per_h / FOULING for ship in ships]
    else:
        beaufort = GOOD_WEATHER_BEAUFORT if basis is Basis.CHARTER_PARTY else SERVICE_BEAUFORT
        found = [service_point(ship, speed_kn, beaufort).foc_mt_per_day for ship in ships]
    return sum(found) / len(found)


def speed_exponent(ship: Ship) -> float:
    """Return mean d ln(fuel) / d ln(speed) between 80 and 100 % of service speed."""
    full_kn = ship.particulars.service_speed_kn
    low, high = (service_point(ship, f * full_kn).foc_mt_per_day for f in (0.8, 1.0))
    return math.log(high / low) / math.log(1.0 / 0.8)


def run(cases: list[dict[str, Any]]) -> list[Found]:
    """Return every published point with its estimate."""
    return [found for case in cases for found in _run_case(case)]


def _run_case(case: dict[str, Any]) -> Iterator[Found]:
    particulars = particulars_of(case["vessel"])
    for point in case["points"]:
        basis = find_basis(case, point)
        ships = _load(particulars, point["loading"])
        estimate = estimate_mt_per_day(ships, point["speed_kn"], basis)
        yield Found(case["id"], particulars, point, basis, estimate)


def ballast_ship(particulars: ShipParticulars) -> Ship:
    """Build the ship at its usual ballast draught, trimmed 1 % of the length by the stern."""
    trim_m = 0.01 * particulars.lbp_m
    return build_ship(particulars, Loading(ballast_draft_m(particulars), trim_m, 0.0))


def _load(particulars: ShipParticulars, loading: str) -> list[Ship]:
    laden = build_ship(particulars, Loading(particulars.draft_design_m, 0.0, particulars.dwt_t))
    loadings = {"laden": [laden], "ballast": [ballast_ship(particulars)]}
    return loadings.get(loading) or [laden, ballast_ship(particulars)]


def list_third_errors(found: Sequence[Found]) -> list[float]:
    """List errors [%] of every point of a ship predicted from each two others."""
    errors = []
    ships = groupby(found, key=lambda each: each.name)
    for points in (list(points) for _, points in ships):
        for declared in combinations(points, 2):
            response = fit_declared(points[0].particulars, tuple(map(_declare, declared)))
            known = replace(points[0].particulars, response=response)
            for third in (point for point in points if point not in declared):
                ships_then = _load_declared(known, third.point["loading"])
                speed_kn, claim = third.point["speed_kn"], third.point["mt_per_day"]
                estimate = estimate_mt_per_day(ships_then, speed_kn, third.basis)
                errors.append(100.0 * (estimate / claim - 1.0))
    return errors


def _load_declared(particulars: ShipParticulars, loading: str) -> list[Ship]:
    """Return the loading of a declared point, which has one draught."""
    if loading != "average":
        return _load(particulars, loading)
    return [build_ship(particulars, Loading(_between_m(particulars), 0.0, 0.0))]


def _between_m(particulars: ShipParticulars) -> float:
    return 0.5 * (particulars.draft_design_m + ballast_draft_m(particulars))


def _declare(found: Found) -> DeclaredPoint:
    given, loading = found.particulars, found.point["loading"]
    return DeclaredPoint(
        speed_kn=found.point["speed_kn"],
        fuel_t_per_day=found.point["mt_per_day"],
        source=PointSource.CHARTER_PARTY,
        is_ballast=loading == "ballast",
        draft_m=_between_m(given) if loading == "average" else None,
        basis=found.basis,
    )


def bias_by_type(found: Sequence[Found], *, is_left_out: bool) -> dict[str, float]:
    """Return the median signed error [%] of each type, or of all other types."""
    types = sorted({each.particulars.ship_type for each in found})
    chosen = {
        kind: [f.error_pct for f in found if (f.particulars.ship_type is kind) != is_left_out]
        for kind in types
    }
    return {str(kind): round(median(errors), 2) for kind, errors in chosen.items() if errors}


def coverage_pct(found: Sequence[Found]) -> float:
    """Return the share [%] of points inside the 90 % interval from particulars."""
    inside = [
        abs(math.log(each.estimate / each.point["mt_per_day"]))
        <= NORMAL_90 * fuel_standard_error(each.particulars)
        for each in found
    ]
    return 100.0 * sum(inside) / len(inside)


def summarize(found: Sequence[Found]) -> dict[str, Any]:
    """Return the figures of the last line."""
    scored = [each for each in found if each.point["loading"] != "ballast"]
    ballast = [each.error_pct for each in found if each.point["loading"] == "ballast"]
    errors = [each.error_pct for each in scored]
    exponents = [speed_exponent(_load(each.particulars, "laden")[0]) for each in found]
    thirds = list_third_errors(found)
    return {
        "cases": len(errors),
        "median_abs_error_pct": round(median(map(abs, errors)), 2),
        "max_abs_error_pct": round(max(map(abs, errors)), 2),
        "bias_pct": round(median(errors), 2),
        "bias_by_type_pct": bias_by_type(scored, is_left_out=False),
        "bias_without_type_pct": bias_by_type(scored, is_left_out=True),
        "exponent_min": round(min(exponents), 2),
        "exponent_max": round(max(exponents), 2),
        "ballast_cases": len(ballast),
        "ballast_median_abs_error_pct": round(median(map(abs, ballast)), 2) if ballast else None,
        "ballast_bias_pct": round(median(ballast), 2) if ballast else None,
        "interval_coverage_pct": round(coverage_pct(found), 1),
        "third_points": len(thirds),
        "third_median_abs_error_pct": round(median(map(abs, thirds)), 2) if thirds else None,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    found = run(json.loads(parser.parse_args(arguments).cases.read_text())["vessels"])
    print_table(
        ["vessel", "loading", "basis", "kn", "mt/day", "estimate", "error %", "±90 %"],
        [
            [
                *(each.name[:38], each.point["loading"], each.basis.value),
                *(each.point["speed_kn"], each.point["mt_per_day"], f"{each.estimate:.1f}"),
                f"{each.error_pct:+.1f}",
                f"{100.0 * math.expm1(NORMAL_90 * fuel_standard_error(each.particulars)):.0f}",
            ]
            for each in found
        ],
    )
    print_result(summarize(found))


if __name__ == "__main__":
    main()
