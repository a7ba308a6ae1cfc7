"""Estimated against published main-engine fuel: ``python -m benchmarks.foc``.

Cases are vessels with published consumption at speeds. Laden points are run at
the design draught; "average" ones as the mean of laden and ballast; ballast
points are reported and not scored. Without ``--cases`` the published figures
kept with the tests are used.
"""

import argparse
import json
import math
from pathlib import Path
from statistics import median
from typing import Any

from app.engine.particulars import FuelType, Loading, ShipParticulars, ShipType
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.foc import ballast_ship, service_point
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

#: Moulded depth over draught where a case doesn't give the depth; it moves only
#: the windage.
DEPTH_OVER_DRAFT = 1.36


def particulars_of(vessel: dict[str, Any]) -> ShipParticulars:
    """Particulars from a case, with what it leaves out filled in."""
    draft_m = vessel["draftDesign"]
    return ShipParticulars(
        ship_type=SHIP_TYPES[vessel.get("type", 9)],
        dwt_t=vessel["dwt"],
        loa_m=vessel.get("loa") or 1.04 * vessel["lbp"],
        lbp_m=vessel["lbp"],
        breadth_m=vessel["breadth"],
        depth_m=vessel.get("depth") or DEPTH_OVER_DRAFT * draft_m,
        draft_design_m=draft_m,
        draft_scantling_m=vessel.get("draftScant") or draft_m,
        service_speed_kn=vessel["serviceSpeed"],
        pitch_m=vessel.get("pitch"),
        fuel_type=FuelType(vessel.get("fuelType", "VLSFO")),
        installed_power_kw=vessel.get("installedPowerKw"),
        propeller_diameter_m=vessel.get("propellerDiameter"),
        year_built=_year_built(vessel),
    )


def _year_built(vessel: dict[str, Any]) -> int | None:
    built = vessel.get("dateConstructed") or vessel.get("yearBuilt")
    return int(str(built)[:4]) if built else None


def estimate_mt_per_day(laden: Ship, ballast: Ship, loading: str, speed_kn: float) -> float:
    """Fuel in service at a speed, for a loading of the cases."""
    ships = {"laden": (laden,), "ballast": (ballast,)}.get(loading, (laden, ballast))
    return sum(service_point(ship, speed_kn).foc_mt_per_day for ship in ships) / len(ships)


def speed_exponent(ship: Ship) -> float:
    """Mean d ln(fuel) / d ln(speed) over the service range, 80 to 100 % of service speed."""
    full_kn = ship.particulars.service_speed_kn
    low, high = (service_point(ship, f * full_kn).foc_mt_per_day for f in (0.8, 1.0))
    return math.log(high / low) / math.log(1.0 / 0.8)


def run(cases: list[dict[str, Any]]) -> tuple[list[list[object]], dict[str, list[float]]]:
    """Rows to print, and signed errors [%] and exponents by kind."""
    rows: list[list[object]] = []
    found: dict[str, list[float]] = {"scored": [], "ballast": [], "exponent": []}
    for case in cases:
        particulars = particulars_of(case["vessel"])
        draft_m = particulars.draft_design_m
        laden = build_ship(particulars, Loading(draft_m, 0.0, particulars.dwt_t))
        ballast = ballast_ship(particulars)
        found["exponent"].append(speed_exponent(laden))
        for point in case["points"]:
            estimate = estimate_mt_per_day(laden, ballast, point["loading"], point["speed_kn"])
            error = 100.0 * (estimate / point["mt_per_day"] - 1.0)
            found["ballast" if point["loading"] == "ballast" else "scored"].append(error)
            rows.append(
                [
                    case["id"][:38],
                    point["loading"],
                    point["speed_kn"],
                    point["mt_per_day"],
                    f"{estimate:.1f}",
                    f"{error:+.1f}",
                ]
            )
    return rows, found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    cases = json.loads(parser.parse_args().cases.read_text())["vessels"]
    rows, found = run(cases)
    print_table(["vessel", "loading", "kn", "mt/day", "estimate", "error %"], rows)
    scored, ballast = found["scored"], found["ballast"]
    print_result(
        {
            "cases": len(scored),
            "median_abs_error_pct": round(median(map(abs, scored)), 2),
            "max_abs_error_pct": round(max(map(abs, scored)), 2),
            "bias_pct": round(median(scored), 2),
            "exponent_min": round(min(found["exponent"]), 2),
            "exponent_max": round(max(found["exponent"]), 2),
            "ballast_cases": len(ballast),
            "ballast_median_abs_error_pct": round(median(map(abs, ballast)), 2)
            if ballast
            else None,
            "ballast_bias_pct": round(median(ballast), 2) if ballast else None,
        }
    )


if __name__ == "__main__":
    main()
