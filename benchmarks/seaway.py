"""The ship in a seaway compared with published figures: ``python -m benchmarks.seaway``.

- Involuntary speed loss at the power of the service speed in calm water, against Kwon (2008).
- Weather factor f_w in head seas of Beaufort 6, against the standard curves of MEPC.1/Circ.796.
- Wind coefficients, against the data sets of STA-JIP (ISO 15016:2015, annex C).
- The greatest speed that a master keeps, and the share of headings with each alarm.

None of these figures sets a coefficient of the model, except the wind data sets, which the model
uses for their types.
"""

import math
from collections.abc import Iterator
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.vessel import SeaRisk, Ship, build_ship, seaway_risks
from app.engine.vessel import wind_data as data
from app.engine.vessel.kernels import voluntary_speed_kn
from app.engine.vessel.sea_state import BEAUFORT_MS, usual_peak_period_s
from app.engine.vessel.wind import wind_coefficient
from app.engine.weather.records import Weather, WeatherSource
from benchmarks.foc import ballast_ship
from benchmarks.kwon import Condition, find_speed_loss_pct
from benchmarks.report import print_result, print_table

KNOT_MS = 1852.0 / 3600.0


class Case(NamedTuple):
    """A ship with its rows of Kwon's table."""

    name: str
    particulars: ShipParticulars
    condition: Condition

    @property
    def laden(self) -> Ship:
        """The ship at its design draught."""
        return build_ship(
            self.particulars,
            Loading(self.particulars.draft_design_m, 0.0, 0.9 * self.particulars.dwt_t),
        )


def _case(name: str, ship_type: ShipType, condition: Condition, *figures: float) -> Case:
    dwt, loa, lbp, breadth, depth, design, scantling, speed = figures
    given = ShipParticulars(ship_type, dwt, loa, lbp, breadth, depth, design, scantling, speed)
    return Case(name, given, condition)


_BULK, _TANKER, _BOX = ShipType.BULK_CARRIER, ShipType.TANKER, ShipType.CONTAINER_SHIP
_LNG, _CARGO = ShipType.LNG_CARRIER, ShipType.GENERAL_CARGO

#: Deadweight, length over all and between perpendiculars, breadth, depth, design and scantling
#: draught, service speed.
CASES: Final = (
    _case("handysize", _BULK, "laden", 38e3, 180.0, 176.0, 30.0, 15.0, 9.5, 10.5, 14.0),
    _case("kamsarmax", _BULK, "laden", 82e3, 229.0, 225.5, 32.26, 20.05, 12.2, 14.45, 14.0),
    _case("capesize", _BULK, "laden", 180e3, 290.0, 282.0, 45.0, 24.7, 18.2, 18.2, 14.5),
    _case("aframax", _TANKER, "laden", 112e3, 250.0, 240.0, 44.0, 21.0, 13.2, 15.0, 14.5),
    _case("VLCC", _TANKER, "laden", 306e3, 333.0, 320.0, 58.0, 30.0, 20.8, 22.0, 15.5),
    _case("3,600 TEU", _BOX, "normal", 52e3, 244.0, 230.0, 32.2, 19.0, 10.8, 12.0, 22.0),
    _case("8,400 TEU", _BOX, "normal", 102e3, 334.0, 319.0, 42.8, 24.6, 13.0, 14.5, 22.5),
    _case("LNG 174,000 m3", _LNG, "normal", 82e3, 292.0, 286.0, 46.4, 26.5, 11.5, 12.5, 19.5),
    _case("general cargo", _CARGO, "normal", 12e3, 138.0, 130.0, 21.0, 11.0, 8.0, 8.4, 14.0),
)

#: Probable significant height [m] by Beaufort number; WMO manual on codes, table 1100.
WAVE_M: Final = {5: 2.0, 6: 3.0, 7: 4.0, 8: 5.5}
#: Height of the following sea in which fuel is compared [m], and its Beaufort number, between 7.0 m
#: of Beaufort 9 and 9.0 m of Beaufort 10; the same table.
FOLLOWING_M, FOLLOWING_BEAUFORT = 8.0, 9.5
HEADINGS: Final = {"head": 0.0, "bow": 45.0, "beam": 90.0, "following": 180.0}

#: Standard curves of f_w, a ln(capacity) + b, capacity in t deadweight (70 % of it for
#: container ships); MEPC.1/Circ.796, part 2, table 1, from the logs of about 180 ships.
STANDARD_CURVES: Final = {_BULK: (0.0429, 0.294), _TANKER: (0.0238, 0.526), _BOX: (0.0208, 0.633)}

#: Data sets of STA-JIP by type of ship.
DATA_SETS: Final = {
    _TANKER: data.TANKER_LADEN,
    _BOX: data.CONTAINER_LADEN,
    _LNG: data.LNG_PRISMATIC,
}
KEPT_IN_M: Final = (4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 13.5)
HEIGHTS_M: Final = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)


def grown_sea(beaufort: int, from_deg: float) -> Weather:
    """Return the wind of a Beaufort number and its sea."""
    return _sea(WAVE_M[beaufort], from_deg, beaufort)


def _sea(height_m: float, from_deg: float, beaufort: float) -> Weather:
    """Return waves of the usual period, and the wind of a Beaufort force."""
    period_s, wind_ms = float(usual_peak_period_s(height_m)), BEAUFORT_MS * float(beaufort**1.5)
    sea, source = (height_m, period_s, from_deg, wind_ms, from_deg), WeatherSource.CLIMATOLOGY
    return Weather(*sea, 0.0, 0.0, source, source, source)


def speed_kept_kn(ship: Ship, power_kw: float, met: Weather | None) -> float:
    """Return the speed at a power [kn], by bisection."""
    low, high = ship.speed_range_kn
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if ship.performance(middle, weather=met).power_kw > power_kw:
            high = middle
        else:
            low = middle
    return low


def speed_loss_pct(ship: Ship, met: Weather) -> float:
    """Return the loss of the service speed at its calm-water power [%]."""
    speed_kn = ship.particulars.service_speed_kn
    power_kw = ship.performance(speed_kn).power_kw
    return 100.0 * (1.0 - speed_kept_kn(ship, power_kw, met) / speed_kn)


def following_row(case: Case) -> tuple[str, ...]:
    """Return the cells for 8 m from astern: fuel over that in calm water, and loss of speed.

    Fuel and loss of speed [%] by the waves alone and with their wind, and the speed that a master
    keeps [kn].
    """
    ship, speed_kn = case.laden, case.particulars.service_speed_kn
    calm_t = ship.performance(speed_kn).fuel_t_per_h
    waves, grown = (_sea(FOLLOWING_M, 180.0, beaufort) for beaufort in (0.0, FOLLOWING_BEAUFORT))
    fuel = [ship.performance(speed_kn, weather=met).fuel_t_per_h / calm_t for met in (waves, grown)]
    kept = min(ship.voluntary_speed_kn(0.0, grown), speed_kn)
    return (
        case.name,
        *(f"{share:.2f}" for share in fuel),
        *(f"{speed_loss_pct(ship, met):.1f}" for met in (waves, grown)),
        f"{kept:.1f}",
    )


def kwon_loss_pct(case: Case, ship: Ship, beaufort: int, from_deg: float) -> float | None:
    """Return Kwon's loss of the service speed [%], ``None`` beyond his table."""
    froude = ship.hull.froude_number(ship.particulars.service_speed_kn * KNOT_MS)
    hull = ship.hull.volume_m3, ship.hull.block_coefficient
    return find_speed_loss_pct(beaufort, from_deg, froude, *hull, case.condition)


def weather_factor(ship: Ship) -> float:
    """Return f_w: speed in head seas of Beaufort 6 over that in calm water, at 75 % MCR."""
    power_kw = 0.75 * ship.engine.mcr_kw
    return speed_kept_kn(ship, power_kw, grown_sea(6, 0.0)) / speed_kept_kn(ship, power_kw, None)


def standard_weather_factor(particulars: ShipParticulars) -> float | None:
    """Return f_w of the standard curve, ``None`` for types without one."""
    if particulars.ship_type not in STANDARD_CURVES:
        return None
    a, b = STANDARD_CURVES[particulars.ship_type]
    share = 0.7 if particulars.ship_type is _BOX else 1.0
    return a * math.log(share * particulars.dwt_t) + b


def list_losses() -> Iterator[tuple[str, str, int, float, float | None]]:
    """Yield ship, heading, Beaufort number, loss and Kwon's loss [%]."""
    for case in CASES:
        ship = case.laden
        for heading, angle in HEADINGS.items():
            for beaufort in WAVE_M:
                loss = speed_loss_pct(ship, grown_sea(beaufort, angle))
                yield case.name, heading, beaufort, loss, kwon_loss_pct(case, ship, beaufort, angle)


def alarm_shares(ship: Ship, height_m: float) -> dict[SeaRisk, float]:
    """Return the share of headings, steepnesses and speeds with each alarm [%]."""
    service_kn = ship.particulars.service_speed_kn
    met = [
        seaway_risks(
            ship.seakeeping_parameters,
            *(share * service_kn, 0.0, height_m, period * math.sqrt(height_m), float(off_bow)),
        )
        for off_bow in range(0, 181, 5)
        for period in (3.6, 4.3, 5.0)
        for share in (0.6, 0.8, 1.0)
    ]
    return {risk: 100.0 * float(np.mean([bool(m & risk) for m in met])) for risk in SeaRisk}


def list_loss_rows(
    losses: list[tuple[str, str, int, float, float | None]],
) -> list[tuple[str, ...]]:
    """Return the table of losses: ship, heading, and loss and Kwon's by Beaufort number."""
    by_place: dict[tuple[str, str], list[str]] = {}
    for name, heading, _, loss, kwon in losses:
        row = by_place.setdefault((name, heading), [])
        row += [f"{loss:.1f}", "-" if kwon is None else f"{kwon:.0f}"]
    return [(*key, *row) for key, row in by_place.items()]


def _print_losses(losses: list[tuple[str, str, int, float, float | None]]) -> None:
    print("Loss of speed at constant power [%], and Kwon's")
    headers = [cell for beaufort in WAVE_M for cell in (f"Bf {beaufort}", "Kwon")]
    print_table(["ship", "heading", *headers], list_loss_rows(losses))
    print("\nIn 8 m from astern: fuel over that in calm water, and loss of speed [%]")
    headers = ["fuel, waves", "fuel, with wind", "loss, waves", "loss, with wind", "kept kn"]
    print_table(["ship", *headers], map(following_row, CASES))


def weather_factor_row(case: Case) -> tuple[str, ...]:
    """Return ship, f_w and the standard curve's, wind coefficients and those of STA-JIP."""
    ship, standard = case.laden, standard_weather_factor(case.particulars)
    given, angles = DATA_SETS.get(case.particulars.ship_type), (0.0, 30.0, 150.0, 180.0)
    wind = [wind_coefficient(ship.wind, angle) for angle in angles]
    read: list[float] = []
    if given is not None:
        read = np.interp(angles, given.angles_deg, given.coefficients).tolist()
    return (
        case.name,
        f"{weather_factor(ship):.3f}",
        "-" if standard is None else f"{standard:.3f}",
        *(" ".join(f"{value:.2f}" for value in values) or "-" for values in (wind, read)),
    )


def _print_weather_factors() -> list[float]:
    print("\nWeather factor and wind coefficients at 0, 30, 150 and 180 deg")
    rows = [weather_factor_row(case) for case in CASES]
    print_table(["ship", "f_w", "IMO", "wind", "STA-JIP"], rows)
    return [float(found) - float(standard) for _, found, standard, *_ in rows if standard != "-"]


def _print_heavy_weather() -> dict[str, float]:
    print("\nGreatest speed that a master keeps [kn] at Tp = 4.3 sqrt(Hs); *: no reduction")
    rows: list[tuple[str, ...]] = []
    alarms: list[list[object]] = []
    at_one_metre = 0.0
    for case in CASES:
        for loading, ship in (("laden", case.laden), ("ballast", ballast_ship(case.particulars))):
            rows += list_kept_rows(case.name, loading, ship)
            for height in HEIGHTS_M:
                shares = alarm_shares(ship, height)
                alarms.append([case.name, loading, height, *(f"{s:.0f}" for s in shares.values())])
                if height == 1.0:
                    at_one_metre = max(at_one_metre, *shares.values())
    print_table(["ship", "loading", "heading", *map(str, KEPT_IN_M)], rows)
    print("\nShare of headings, steepnesses and speeds with each alarm [%]")
    names = [risk.name.lower().replace("_", " ") for risk in SeaRisk if risk.name]
    print_table(["ship", "loading", "Hs", *names], alarms)
    return {"alarms_at_1m_pct": round(at_one_metre, 1)}


def list_kept_rows(name: str, loading: str, ship: Ship) -> list[tuple[str, ...]]:
    """Return the greatest speeds of a ship by heading and wave height."""
    return [
        (name, loading, heading, *(_kept(ship, height, angle) for height in KEPT_IN_M))
        for heading, angle in HEADINGS.items()
    ]


def _kept(ship: Ship, height_m: float, off_bow: float) -> str:
    period_s = 4.3 * math.sqrt(height_m)
    kept = voluntary_speed_kn(ship.kernel_parameters, height_m, period_s, off_bow)
    return "*" if kept >= ship.particulars.service_speed_kn else f"{kept:.1f}"


def main() -> None:
    """Print the tables and the result."""
    losses = list(list_losses())
    _print_losses(losses)
    factors = _print_weather_factors()
    result: dict[str, Any] = {
        f"{heading}_loss_over_kwon_pct": round(
            median(loss - k for _, h, _, loss, k in losses if h == heading and k is not None), 1
        )
        for heading in HEADINGS
    }
    result["fw_off_standard_max"] = round(max(abs(factor) for factor in factors), 3)
    print_result(result | _print_heavy_weather())


if __name__ == "__main__":
    main()
