"""Errors of a ship's model before and after calibration: ``python -m benchmarks.calibration``.

``--records FILE --vessel FILE`` fits a ship's response to the first 70 % of its records (CSV) and
compares fuel per day on the rest. The vessel's particulars are a JSON object with the fields of the
API. ``--synthetic N --seed S`` does so for N fleets of twelve ships of known response, and counts
how often the truth lies in the stated 90 % interval.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from app.engine.arrays import Floats
from app.engine.calibration.calibrating import (
    Calibration,
    HeldOut,
    NotEnoughReports,
    calibrate,
    compare_with_estimate,
)
from app.engine.calibration.filtering import (
    FUEL_UNITS,
    SPEED_UNITS,
    find_implausible,
    identify_fuel_units,
)
from app.engine.calibration.parameters import LEVEL
from app.engine.calibration.reports import ShipReports, fuel_of_power
from app.engine.particulars import ShipParticulars
from app.engine.units import KNOT_MS
from benchmarks.foc import particulars_of
from benchmarks.report import print_result, print_table
from benchmarks.ship_records import read_ship_records
from benchmarks.synthetic_reports import KnownShip, list_particulars, make_ship

_Z_90 = 1.6449

#: Units of power [kW].
POWER_UNITS = {"kW": 1.0, "MW": 1000.0, "W": 0.001, "metric hp": 0.7355}
#: Fuel per power with a larger deviation from the engine's [logarithm] is in another unit.
_POWER_REACH = 0.25
#: Shares of the service speed: lower bound under way, and upper bound of usual speeds.
_UNDER_WAY, _FASTEST = 0.4, 1.25
#: A higher median wind is not in m/s: the stormiest seas average about 11 m/s.
_CALMEST_IN_KNOTS = 12.5


def convert_common_units(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    """Return the reports in the model's units if a whole column is clearly in another."""
    reports = _convert_speed(particulars, reports)
    if np.nanmedian(reports.wind_speed_ms) > _CALMEST_IN_KNOTS:
        print("wind is assumed to be in kn: no sea has such an average in m/s")
        reports = reports._replace(wind_speed_ms=reports.wind_speed_ms * KNOT_MS)
    return _convert_power(particulars, _convert_fuel(particulars, reports))


def _convert_speed(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    is_under_way = reports.speed_kn > _UNDER_WAY * particulars.service_speed_kn
    usual_kn = float(np.median(reports.speed_kn[is_under_way])) if is_under_way.any() else 0.0
    if usual_kn <= _FASTEST * particulars.service_speed_kn:
        return reports
    print("speed is assumed to be in km/h, which fits this ship")
    return reports._replace(speed_kn=reports.speed_kn / SPEED_UNITS["km/h"])


def _convert_fuel(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    faulty = find_implausible(particulars, reports)
    steady = reports.take(np.array([i not in faulty for i in range(reports.times_h.size)]))
    if not steady.times_h.size:
        return reports
    unit = _find_common_unit(compare_with_estimate(particulars, steady))
    if unit is None:
        return reports
    print(f"fuel is assumed to be in {unit}, which fits this ship")
    return reports._replace(fuel_t_per_h=reports.fuel_t_per_h / FUEL_UNITS[unit])


def _find_common_unit(log_ratio: Floats) -> str | None:
    """Find the unit of most of the fuel if it is not t/h, from logarithms of fuel ratios."""
    units = list(identify_fuel_units(log_ratio).values())
    most = max(units, key=units.count, default=None)
    return most if most is not None and 2 * units.count(most) > log_ratio.size else None


def _convert_power(particulars: ShipParticulars, reports: ShipReports) -> ShipReports:
    logged = (reports.power_kw > 0.0) & (reports.fuel_t_per_h > 0.0)
    if not logged.any():
        return reports
    power_kw, fuel = reports.power_kw[logged], reports.fuel_t_per_h[logged]

    def apart(factor: float) -> float:
        burnt = fuel_of_power(particulars, factor * power_kw)
        return abs(float(np.median(np.log(fuel / burnt))))

    unit = min(POWER_UNITS, key=lambda name: apart(POWER_UNITS[name]))
    if unit == "kW" or apart(1.0) < _POWER_REACH:
        return reports
    print(f"power is assumed to be in {unit}, which fits the fuel")
    return reports._replace(power_kw=POWER_UNITS[unit] * reports.power_kw)


def print_calibration(found: Calibration) -> None:
    """Print parameters, reports left out and errors on the held-out reports."""
    print_table(
        ["parameter", "logarithm", "standard error", "measured"],
        [
            [e.name, f"{e.value:+.3f}", f"{e.standard_error:.3f}", "yes" if e.is_measured else "no"]
            for e in found.estimates
        ],
    )
    print()
    reasons = Counter(outlier.reason for outlier in found.outliers)
    print_table(["left out", "records"], [[reason, count] for reason, count in reasons.items()])


def run_files(records: Path, vessel: Path) -> dict[str, float | int | None]:
    """Calibrate one ship from files."""
    particulars = particulars_of(json.loads(vessel.read_text(encoding="utf-8")))
    reports = read_ship_records(records)
    if not np.isfinite(reports.draft_m).any():
        print("no draught is given: the design draught is used")
        draft_m = np.full(reports.draft_m.size, particulars.draft_design_m)
        reports = reports._replace(draft_m=draft_m)
    reports = convert_common_units(particulars, reports)
    try:
        found = calibrate(particulars, reports)
    except NotEnoughReports as fault:
        print(fault)
        return summarise(reports.times_h.size, 0, None)
    print_calibration(found)
    return summarise(found.records, found.used, found.held_out)


def summarise(records: int, used: int, judged: HeldOut | None) -> dict[str, float | int | None]:
    """Return the figures of the last line; ``None`` without held-out reports."""
    figures = {} if judged is None else judged._asdict()
    return {
        "records": records,
        "used": used,
        "before_median_abs_pct": figures.get("before_median_abs_pct"),
        "after_median_abs_pct": figures.get("after_median_abs_pct"),
        "before_bias_pct": figures.get("before_bias_pct"),
        "after_bias_pct": figures.get("after_bias_pct"),
        "interval_coverage_pct": figures.get("coverage_pct"),
    }


def level_standard_error(found: Calibration) -> float:
    """Standard error of the logarithm of calm-water resistance at the last report."""
    slope = np.zeros(found.fit.values.size)
    slope[LEVEL] = 1.0
    if found.fit.trend.times_h.size:
        slope[-1] = 1.0
    return float(np.sqrt(slope @ found.fit.covariance @ slope))


def count_inside(ship: KnownShip, found: Calibration) -> tuple[int, int]:
    """Return how many measured parameters lie inside their 90 % interval, and their number."""
    values = np.array([estimate.value for estimate in found.estimates])
    values[0] = np.log(found.response().calm)
    errors = np.array([estimate.standard_error for estimate in found.estimates])
    errors[0] = level_standard_error(found)
    measured = np.array([estimate.is_measured for estimate in found.estimates])
    inside = np.abs(values - ship.truth) <= _Z_90 * errors
    return int(inside[measured].sum()), int(measured.sum())


def run_synthetic(fleets: int, seed: int) -> dict[str, float | int]:
    """Calibrate fleets of ships of known response."""
    inside = measured = named = planted = worse = records = used = 0
    judged = []
    for fleet in range(fleets):
        for number, particulars in enumerate(list_particulars()):
            ship = make_ship(particulars, seed + 1000 * fleet + number, with_power=number % 3 == 0)
            found = calibrate(particulars, ship.reports)
            right, of = count_inside(ship, found)
            inside, measured = inside + right, measured + of
            reasons = {outlier.index: outlier.reason for outlier in found.outliers}
            planted += len(ship.planted)
            named += sum(unit in reasons.get(i, "") for i, unit in ship.planted.items())
            records, used = records + found.records, used + found.used
            if found.held_out is not None:
                judged.append(found.held_out)
                worse += not found.held_out.is_better
    means = np.median(np.array(judged), axis=0)
    print_table(
        ["ships", "inside 90 %", "units detected", "larger error held out"],
        [[12 * fleets, f"{inside} of {measured}", f"{named} of {planted}", worse]],
    )
    return {
        "records": records,
        "used": used,
        "before_median_abs_pct": float(means[1]),
        "after_median_abs_pct": float(means[3]),
        "before_bias_pct": float(means[2]),
        "after_bias_pct": float(means[4]),
        "interval_coverage_pct": float(np.mean([found.coverage_pct for found in judged])),
        "parameters_inside_pct": 100.0 * inside / measured,
        "units_named_pct": 100.0 * named / planted,
        "worse": worse,
    }


def main() -> None:
    """Calibrate from files, or synthetic ships; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--records", type=Path, help="CSV of a ship's records")
    parser.add_argument("--vessel", type=Path, help="JSON of the vessel's particulars")
    parser.add_argument(
        "--synthetic", type=int, default=1, help="number of fleets of twelve synthetic ships"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if (given.records is None) != (given.vessel is None):
        parser.error("--records and --vessel go together")
    if given.records is not None:
        print_result(run_files(given.records, given.vessel))
    else:
        print_result(run_synthetic(given.synthetic, given.seed))


if __name__ == "__main__":
    main()
