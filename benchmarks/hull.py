"""Ship formulas compared with published and worked figures: ``python -m benchmarks.hull``.

Cases: the example of Holtrop and Mennen with its components, the ITTC-1957 line, STAWAVE-1 and 2,
Fujiwara's wind coefficients and forces, Kwon's speed loss; and modern hulls in the towing tank, on
which the formulas are not based. Without ``--cases`` the figures of the tests are used.
"""

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import ShipType
from app.engine.vessel import calm_water as cw
from app.engine.vessel import wave_making as wm
from app.engine.vessel import waves, wind
from app.engine.vessel.hull_form import HullForm, waterplane_coefficient
from app.engine.vessel.propulsion import thrust_deduction_single_screw
from app.engine.vessel.ship_types import TYPE_STATISTICS
from benchmarks import holtrop_1982, kwon, stawave
from benchmarks.report import print_result, print_table

CASES = Path("tests/data/published_hull_figures.json")
KNOT_MS = 1852.0 / 3600.0

#: Water of the worked example: 1025 kg/m3, 1.18831e-6 m2/s.
EXAMPLE_WATER = cw.Water(1025.0, 1.188_31e-6)
LOADINGS: dict[str, kwon.Condition] = {"n": "normal", "l": "laden", "b": "ballast"}


@dataclass(frozen=True)
class Check:
    """One figure: a total, a component or a single formula."""

    kind: Literal["total", "component", "formula", "tank"]
    name: str
    expected: float
    computed: float

    @property
    def error_pct(self) -> float:
        """Relative error [%]; of a figure of zero, the absolute difference times 100."""
        scale = abs(self.expected) if self.expected else 1.0
        return 100.0 * abs(self.computed - self.expected) / scale

    @property
    def signed_pct(self) -> float:
        """Relative error with its sign [%]."""
        return 100.0 * (self.computed / self.expected - 1.0)


def _holtrop_hull(given: dict[str, Any]) -> HullForm:
    return HullForm(
        length_waterline_m=given["L_wl"],
        length_perpendiculars_m=given.get("L_pp", given["L_wl"]),
        breadth_m=given["B"],
        draft_fore_m=given["T_F"],
        draft_aft_m=given["T_A"],
        volume_m3=given["displacement_m3"],
        midship_coefficient=given["C_M"],
        waterplane_coefficient=given["C_WP"],
        lcb_pct=given["lcb_pct_of_L_fwd"],
        bulb_area_m2=given["A_BT"],
        bulb_centre_m=given["h_B"],
        transom_area_m2=given["A_T"],
        appendage_area_m2=given["S_APP"],
        appendage_factor=given["one_plus_k2"],
        stern_coefficient=given["C_stern"],
    )


def _holtrop_components(hull: HullForm, speed_ms: float) -> tuple[dict[str, float], float]:
    """Return the components under the names of the published table, and the total [kN]."""
    found = holtrop_1982.calm_water_resistance(hull, speed_ms, EXAMPLE_WATER)
    bulb = hull.bulb_area_m2 > 0.0
    m1, _ = wm.wave_exponents(hull, found.froude_number)
    components = {
        "Fn": found.froude_number,
        "LR": wm.length_of_run_m(hull),
        "c12": holtrop_1982.draft_length_factor(hull),
        "c13": holtrop_1982.stern_factor(hull),
        "one_plus_k1": found.form_factor,
        "CP": hull.prismatic_coefficient,
        "CB": hull.block_coefficient,
        "S_m2": found.wetted_surface_m2,
        "CF": found.friction_coefficient,
        "RF_kN": found.frictional_n / 1e3,
        "RAPP_kN": found.appendage_n / 1e3,
        "iE": wm.half_angle_of_entrance_deg(hull),
        "c1": wm.entrance_factor(hull),
        "c2": wm.bulb_wave_factor(hull),
        "c3": wm.bulb_size_factor(hull),
        "c4": cw.allowance_draft_ratio(hull),
        "c5": wm.transom_wave_factor(hull),
        "c7": wm.breadth_length_factor(hull),
        "c15": wm.slenderness_factor(hull),
        "m1": m1,
        "m2": holtrop_1982.wave_exponent(hull, found.froude_number),
        "lam": wm.wave_phase(hull),
        "RW_kN": found.wave_n / 1e3,
        "PB": cw.bulb_emergence(hull) if bulb else 0.0,
        "Fni": cw.bulb_froude_number(hull, speed_ms) if bulb else 0.0,
        "RB_kN": found.bulb_n / 1e3,
        "FnT": cw.transom_froude_number(hull, speed_ms) if hull.transom_area_m2 else 0.0,
        "RTR_kN": found.transom_n / 1e3,
        "CA": found.allowance_coefficient,
        "RA_kN": found.correlation_n / 1e3,
    }
    return components, found.total_n / 1e3


def check_holtrop(name: str, case: dict[str, Any]) -> Iterator[Check]:
    """Check the worked example: total, effective power and every published component."""
    speed_ms = case["inputs"]["speed_kn"] * KNOT_MS
    components, total_kn = _holtrop_components(_holtrop_hull(case["inputs"]), speed_ms)
    if "total_resistance" in case:
        yield Check("total", f"{name} R", case["total_resistance"]["value"], total_kn)
    if "effective_power" in case:
        power_kw = total_kn * speed_ms
        yield Check("total", f"{name} PE", case["effective_power"]["value"], power_kw)
    for key, value in case.get("published_components", {}).items():
        if key in components and value != 0.0:
            yield Check("component", f"{name} {key}", value, components[key])


def check_ittc57(case: dict[str, Any]) -> Iterator[Check]:
    """Check the friction line."""
    for row in case["values"]:
        computed = cw.ittc57_friction_coefficient(row["Re"])
        yield Check("formula", f"ITTC-57 Re {row['Re']:.0e}", row["CF"], computed)


def check_stawave1(case: dict[str, Any]) -> Iterator[Check]:
    """Check resistance and height limit of STAWAVE-1; the worked rows use 1025 kg/m3."""
    for row in case["examples"]:
        name = f"STAWAVE-1 Hs {row['Hs']} B {row['B']}"
        computed = stawave.stawave1_n(row["Hs"], row["B"], row["L_BWL"], 1025.0) / 1e3
        yield Check("formula", name, row["value"], computed)


def check_stawave2(case: dict[str, Any]) -> Iterator[Check]:
    """Check STAWAVE-2 in regular and irregular head waves."""
    for row in case["examples"]:
        hull = waves.WaveHull(
            row["Lpp"], row["B"], row["T"], row["T"], row["CB"], 0.2, 0.2, row["kyy"]
        )
        speed_ms = row["V_mps"]
        name = f"STAWAVE-2 {row['ship']}"
        for regular in row.get("regular_head", []):
            motion = float(stawave.stawave2_motion(hull, speed_ms, regular["omega"])) / 1e3
            reflection = float(stawave.stawave2_reflection(hull, speed_ms, regular["omega"])) / 1e3
            at = f"{name} w {regular['omega']:.2f}"
            yield Check("formula", f"{at} motion", regular["R_AWM_kN_per_m2"], motion)
            yield Check("formula", f"{at} reflection", regular["R_AWR_kN_per_m2"], reflection)
        omega = np.linspace(0.15, 6.0, 1200)
        transfer = stawave.stawave2_motion(hull, speed_ms, omega) + stawave.stawave2_reflection(
            hull, speed_ms, omega
        )
        for sea in row.get("irregular_head_PM", []):
            force_n = stawave.irregular_resistance_n(transfer, omega, sea["Hs"], sea["T1"])
            at = f"{name} Hs {sea['Hs']} T1 {sea['T1']}"
            yield Check("formula", at, sea["R_AW_kN"], force_n / 1e3)


def check_wind(case: dict[str, Any]) -> Iterator[Check]:
    """Check Fujiwara's coefficients, a force, and the apparent wind."""
    houses = {}
    for row in case["examples"]:
        house = wind.Superstructure(
            row["L"], row["B"], row["Axv"], row["Ayv"], row["Aod"], row["hbr"], row["cmc"],
            row["hc"],
        )  # fmt: skip
        houses[row["ship"]] = house
        coefficients = wind.wind_coefficients(house)
        for point in row["CAA"]:
            computed = wind.wind_coefficient(coefficients, point["psi"])
            name = f"Fujiwara {row['ship']} {point['psi']}"
            yield Check("formula", name, point["CAA"], computed)
    if "force_example" in case:
        house = next(iter(houses.values()))
        force_n = wind.wind_force_n(wind.wind_coefficients(house), house.front_area_m2, 16.0, 0.0)
        yield Check("formula", "Fujiwara force", case["force_example"]["value"], force_n / 1e3)
    apparent = case.get("apparent_wind", {})
    for point in apparent.get("rows", []):
        speed_ms, angle = wind.apparent_wind(
            apparent["ship_mps"], apparent["true_wind_mps"], point["true_angle_off_bow"]
        )
        name = f"apparent wind {point['true_angle_off_bow']}"
        yield Check("formula", f"{name} speed", point["app_speed"], speed_ms)
        yield Check("formula", f"{name} angle", point["app_angle"], angle)


def check_kwon(case: dict[str, Any]) -> Iterator[Check]:
    """Check Kwon's loss against its table, also where the table is out of range."""
    for row in case["examples"]:
        row_name, block = row["CU_row"]
        condition = LOADINGS[row_name]
        computed = kwon.speed_loss_pct(
            kwon.direction_factor(row["BN"], row["angle"]),
            kwon.speed_factor(condition, block, row["Fn"]),
            kwon.form_factor(row["BN"], row["disp_m3"], row["form"]),
        )
        yield Check("formula", f"Kwon {row['id']}", row["value"], computed)


def check_tank(case: dict[str, Any]) -> Iterator[Check]:
    """Check total resistance of modern hulls without extrapolation, and (1 - t)."""
    for row in case["examples"]:
        hull = tank_hull(row)
        computed = 1e3 * tank_resistance_coefficient(row, hull)
        yield Check("tank", f"{row['id']} CT 10^3", row["CT_1e3"], computed)
        if row["thrust_deduction"] is not None:
            deduction = thrust_deduction_single_screw(hull, row["D_prop"])
            yield Check(
                "tank", f"{row['id']} 1 - t", 1.0 - row["thrust_deduction"], 1.0 - deduction
            )


def tank_resistance_coefficient(row: dict[str, Any], hull: HullForm) -> float:
    """Compute the total resistance coefficient of a model at its Reynolds number."""
    speed_ms = row["Fn"] * math.sqrt(GRAVITY_MS2 * row["L_pp"])
    found = cw.calm_water_resistance(hull, speed_ms)
    pressure = 0.5 * SEA_WATER_DENSITY_KGM3 * speed_ms**2 * row["S_m2"]
    viscous = found.form_factor * cw.ittc57_friction_coefficient(row["Re"])
    waves = (found.wave_n + found.bulb_n) / pressure
    return float(viscous * found.wetted_surface_m2 / row["S_m2"] + waves)


def tank_hull(row: dict[str, Any]) -> HullForm:
    """Return a published hull, with the bulb of its type, by the regressions alone."""
    length_m, breadth_m, draft_m = row["L_wl"], row["B"], row["T"]
    block = row["displacement_m3"] / (length_m * breadth_m * draft_m)
    bulb = TYPE_STATISTICS[ShipType(row["type"])].bulb_ratio
    return HullForm(
        length_waterline_m=length_m,
        length_perpendiculars_m=row["L_pp"],
        breadth_m=breadth_m,
        draft_fore_m=draft_m,
        draft_aft_m=draft_m,
        volume_m3=row["displacement_m3"],
        midship_coefficient=row["C_M"],
        waterplane_coefficient=waterplane_coefficient(block),
        lcb_pct=row["lcb_pct_of_L_fwd"],
        bulb_area_m2=bulb * breadth_m * draft_m * row["C_M"],
        bulb_centre_m=0.42 * draft_m,
        transom_area_m2=0.0,
        appendage_area_m2=0.0,
        appendage_factor=1.0,
        stern_coefficient=0.0,
    )


CHECKS = {
    "ittc57": check_ittc57,
    "stawave1": check_stawave1,
    "stawave2": check_stawave2,
    "wind_fujiwara": check_wind,
    "kwon": check_kwon,
    "tank": check_tank,
}


def list_checks(cases: dict[str, Any]) -> list[Check]:
    """List every figure of a case file."""
    checks: list[Check] = []
    for name, case in cases.items():
        if name.startswith("holtrop"):
            checks += check_holtrop(name, case)
        elif name in CHECKS:
            checks += CHECKS[name](case)
    return checks


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    checks = list_checks(json.loads(parser.parse_args(arguments).cases.read_text()))
    print_table(
        ["kind", "figure", "expected", "computed", "error %"],
        [
            [c.kind, c.name, f"{c.expected:.6g}", f"{c.computed:.6g}", f"{c.error_pct:.3f}"]
            for c in checks
        ],
    )

    def worst(kind: str) -> float | None:
        errors = [c.error_pct for c in checks if c.kind == kind]
        return round(max(errors), 4) if errors else None

    in_tank = [c.signed_pct for c in checks if c.kind == "tank" and "CT" in c.name]
    print_result(
        {
            "cases": len(checks),
            "max_total_error_pct": worst("total"),
            "max_component_error_pct": worst("component"),
            "max_formula_error_pct": worst("formula"),
            "tank_resistance_errors_pct": [round(error, 1) for error in in_tank],
            "tank_resistance_bias_pct": round(fmean(in_tank), 1) if in_tank else None,
        }
    )


if __name__ == "__main__":
    main()
