"""Reports of ships of known response, with the errors of real reports."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.calibration.calibrating import observe
from app.engine.calibration.fitting import Fit
from app.engine.calibration.parameters import MONTH_H, NO_TREND
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import FuelType, ShipParticulars, ShipType

#: Noise of a noon report's fuel, Student's t with 4 degrees of freedom; speeds and voyages.
_NOISE: Final = 0.04
_LEG_DAYS: Final = 15

#: Types, deadweights [t], lengths, breadths, depths and draughts [m], service speeds [kn].
_SHIPS: Final = (
    (ShipType.BULK_CARRIER, 180_000, 292.0, 282.0, 45.0, 24.7, 18.2, 14.5),
    (ShipType.BULK_CARRIER, 82_000, 229.0, 225.5, 32.3, 20.1, 14.4, 14.0),
    (ShipType.BULK_CARRIER, 58_000, 190.0, 185.0, 32.3, 18.0, 12.8, 14.2),
    (ShipType.BULK_CARRIER, 37_000, 180.0, 176.8, 29.8, 15.0, 10.6, 14.0),
    (ShipType.TANKER, 300_000, 333.0, 320.0, 60.0, 30.4, 20.5, 15.5),
    (ShipType.TANKER, 115_000, 250.0, 240.0, 44.0, 21.0, 14.9, 14.8),
    (ShipType.CHEMICAL_TANKER, 50_000, 183.0, 174.0, 32.2, 18.8, 12.2, 14.5),
    (ShipType.CONTAINER_SHIP, 65_000, 275.0, 263.0, 40.0, 24.2, 12.5, 23.5),
    (ShipType.CONTAINER_SHIP, 34_000, 209.0, 196.9, 29.8, 16.4, 10.5, 20.0),
    (ShipType.GENERAL_CARGO, 12_000, 138.0, 130.0, 21.0, 11.0, 7.9, 15.0),
    (ShipType.GAS_CARRIER, 54_000, 225.0, 215.0, 36.6, 22.0, 11.6, 16.8),
    (ShipType.LNG_CARRIER, 94_000, 295.0, 283.0, 46.4, 26.5, 11.5, 19.5),
)


@dataclass(frozen=True)
class KnownShip:
    """A ship with its reports and its truth: logarithms, and reports in other units.

    ``truth`` holds the level of resistance at the last report, the draught's exponent, and the
    factors of weather and consumption; ``planted`` the indexes of reports in a wrong unit.
    """

    particulars: ShipParticulars
    reports: ShipReports
    truth: Floats
    planted: dict[int, str]


def list_particulars() -> list[ShipParticulars]:
    """Return twelve ships of all common types."""
    return [
        ShipParticulars(
            *(kind, float(dwt), loa, lbp, breadth, depth, draft, draft, speed),
            fuel_type=FuelType.VLSFO,
        )
        for kind, dwt, loa, lbp, breadth, depth, draft, speed in _SHIPS
    ]


def make_ship(
    particulars: ShipParticulars,
    seed: int,
    days: int = 365,
    *,
    with_power: bool = False,
    with_faults: bool = True,
) -> KnownShip:
    """Return noon reports of a ship with a hidden response, gaps, drift and bad sensors."""
    random = np.random.default_rng(seed)
    truth = np.array(
        [random.normal(0.0, 0.12), random.normal(-0.05, 0.12), random.normal(0.0, 0.25), 0.0]
    )
    truth[3] = random.normal(0.0, 0.05) if with_power else 0.0
    reports = _voyages(particulars, random, days)
    drift = 0.06 * reports.times_h / (12.0 * MONTH_H)
    seen = observe(particulars, reports)
    rate = Fit(truth, np.zeros((4, 4)), NO_TREND, 1.0, 1.0)
    drifted = seen._replace(
        response=seen.response._replace(calm_n=seen.response.calm_n * np.exp(drift))
    )
    power, fuel = seen.response.power_and_fuel(rate.resistance(drifted)[0])
    if with_power:
        power = power * np.exp(0.03 * random.standard_t(4, power.size))
        fuel = seen.response.fuel_of_power(power) * np.exp(0.015 * random.normal(size=power.size))
        reports = reports._replace(power_kw=power)
    else:
        fuel = fuel * np.exp(_NOISE * random.standard_t(4, fuel.size))
    reports = reports._replace(fuel_t_per_h=fuel * np.exp(truth[3]))
    truth[0] += drift[-1]
    planted: dict[int, str] = {}
    if with_faults:
        reports, planted = _spoil(reports, random)
    return KnownShip(particulars, reports, truth, planted)


def _voyages(given: ShipParticulars, random: np.random.Generator, days: int) -> ShipReports:
    """Return days at sea, laden and in ballast in turn, in seas that vary over days."""
    at_sea = np.flatnonzero(random.uniform(size=days) < 0.75)
    count = at_sea.size
    laden = (at_sea // _LEG_DAYS) % 2 == 0
    light = 0.6 * given.draft_design_m
    draft = np.where(laden, given.draft_design_m, light) + random.normal(0.0, 0.15, count)
    wind = np.empty(count)
    level = 8.0
    for i in range(count):
        level = 8.0 + 0.6 * (level - 8.0) + random.normal(0.0, 2.6)
        wind[i] = max(level, 0.5)
    waves = np.maximum(0.4 + 0.021 * wind**2 + random.normal(0.0, 0.2, count), 0.2)
    wind_from = random.uniform(0.0, 360.0, count)
    return ShipReports(
        times_h=24.0 * (at_sea + 1.0),
        hours=np.full(count, 24.0),
        speed_kn=given.service_speed_kn * random.uniform(0.72, 1.0, count),
        course_deg=np.where(laden, 80.0, 260.0) + random.normal(0.0, 10.0, count),
        draft_m=draft,
        trim_m=np.where(laden, 0.0, 0.01 * given.lbp_m),
        wave_height_m=waves,
        wave_period_s=5.0 * np.sqrt(waves),
        wave_from_deg=wind_from + random.normal(0.0, 15.0, count),
        wind_speed_ms=wind,
        wind_from_deg=wind_from,
        fuel_t_per_h=np.ones(count),
        power_kw=np.full(count, np.nan),
        noise=np.full(count, np.nan),
        is_noon=np.ones(count, dtype=np.bool_),
    )


def _spoil(reports: ShipReports, random: np.random.Generator) -> tuple[ShipReports, dict[int, str]]:
    """Plant wrong units, a dead sensor and missing figures."""
    fuel, speed = reports.fuel_t_per_h.copy(), reports.speed_kn.copy()
    waves = reports.wave_height_m.copy()
    count = fuel.size
    planted: dict[int, str] = {}
    places = random.permutation(count)
    for unit, factor in (("lb/h", 2204.6), ("kg/h", 1000.0)):
        for i in places[:2].tolist():
            fuel[i] *= factor
            planted[i] = unit
        places = places[2:]
    speed[places[0]] *= 1.852
    planted[int(places[0])] = "km/h"
    waves[places[1]], fuel[places[2]] = 99.0, -1.0
    speed[places[3]] = np.nan
    return reports._replace(fuel_t_per_h=fuel, speed_kn=speed, wave_height_m=waves), planted
