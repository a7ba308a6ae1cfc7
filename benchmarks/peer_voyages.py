"""Voyages for peer programs, as JSON."""

import json
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.units import KNOT_MS
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.kernels import fuel_rate
from app.engine.vessel.relative_sea import find_relative_sea
from app.engine.weather import WeatherField
from benchmarks.land_check import LandCheck
from benchmarks.optimise import DATES, SHIPS, Case, make_request

ROUTES: Final = (
    "Bishop Rock - New York",
    "Gibraltar - Norfolk",
    "Santos - Cape Town",
    "San Francisco - Yokohama",
    "Rotterdam - Halifax",
    "Fremantle - Cape Town",
)
#: Grid for peers: step and margin beyond the ends [deg], and times [h].
_GRID_DEG, _MARGIN_DEG, _GRID_H = 1.0, 12.0, 12.0
_POLAR_LATITUDE: Final = 75.0
#: Block coefficient for a peer that needs the ship's weight.
_BLOCK: Final = 0.8
#: Wind speeds [kn] and angles off the bow [deg] of the polar, and speeds as shares of the mean.
_WINDS_KN, _ANGLES_DEG = range(0, 61, 10), range(0, 181, 20)
_POLAR_SHARES: Final = np.linspace(0.3, 1.3, 41)
#: Waves of a wind: height [m] over the square of the wind [m/s], and the greatest height [m].
_SEA_PER_WIND2, _HIGHEST_SEA_M = 0.0246, 9.0


@dataclass(frozen=True, eq=False)
class Voyage:
    """A voyage given to all programs."""

    case: Case
    request: VoyageRequest
    ship: Ship

    @property
    def longest_h(self) -> float:
        """Longest time under way [h]."""
        by = self.request.arrive_by or self.request.departs_at
        return (by - self.request.departs_at) / timedelta(hours=1)

    @property
    def mean_speed_kn(self) -> float:
        """A speed between the slowest and the fastest ordered [kn]."""
        return 0.5 * (self.request.speed_min_kn + self.request.speed_max_kn)


def list_voyages(count: int, sea: SeaAtlas) -> list[Voyage]:
    """List a number of voyages in one month, with the ships in turn."""
    voyages = []
    for route, ship in zip(ROUTES[:count], cycle(SHIPS), strict=False):
        request = make_request(Case(route, ship, DATES[0]), sea)
        built = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
        voyages.append(Voyage(Case(route, ship, DATES[0]), request, built))
    return voyages


def write_question(voyage: Voyage, weather: WeatherField, check: LandCheck) -> str:
    """Return a voyage as JSON for a peer."""
    request = voyage.request
    ship = request.ship
    weight_t = 1.025 * _BLOCK * ship.lbp_m * ship.breadth_m * request.loading.draft_m
    return json.dumps(
        {
            "start": request.departure,
            "end": request.arrival,
            "departs_h": hours_since_epoch(request.departs_at),
            "longest_h": 1.5 * voyage.longest_h,
            "speed_kn": voyage.mean_speed_kn,
            "ship": {
                "draft_m": request.loading.draft_m,
                "length_m": ship.lbp_m,
                "breadth_m": ship.breadth_m,
                "displacement_t": weight_t,
            },
            "polar": write_polar(voyage),
            "grid": make_grid(voyage, weather, check),
        }
    )


def make_grid(voyage: Voyage, weather: WeatherField, check: LandCheck) -> dict[str, Any]:
    """Return water and weather around a voyage, longitudes relative to its middle."""
    start, end = voyage.request.departure, voyage.request.arrival
    east = (end.lng - start.lng + 180.0) % 360.0 - 180.0
    meridian = float(np.floor(start.lng + east / 2.0))
    lats = _spread(min(start.lat, end.lat), max(start.lat, end.lat))
    lats = lats[np.abs(lats) < _POLAR_LATITUDE]
    lngs = _spread(-abs(east) / 2.0, abs(east) / 2.0)
    departs_h = hours_since_epoch(voyage.request.departs_at)
    hours = departs_h + np.arange(0.0, 1.2 * voyage.longest_h + _GRID_H, _GRID_H)
    placed = (lngs + meridian + 180.0) % 360.0 - 180.0
    water = ~check.find_land(*(each.ravel() for each in np.meshgrid(placed, lats)))
    return {
        "meridian": meridian,
        "step_deg": _GRID_DEG,
        "lats": lats.tolist(),
        "lngs": lngs.tolist(),
        "hours": hours.tolist(),
        "water": water.reshape(lats.size, lngs.size).tolist(),
        **_sample_grid(weather, lats, placed, hours),
    }


def _spread(least: float, greatest: float) -> Floats:
    """Return the middles of the grid's cells along one side [deg]."""
    first, last = np.floor(least - _MARGIN_DEG), np.ceil(greatest + _MARGIN_DEG)
    return np.arange(first + _GRID_DEG / 2.0, last, _GRID_DEG)


def _sample_grid(
    weather: WeatherField, lats: Floats, lngs: Floats, hours: Floats
) -> dict[str, Any]:
    """Return wind and current to east and north [m/s], shape (times, 2, rows, columns)."""
    met = weather.sample(lats[:, None], lngs, hours[:, None, None])
    blown, set_to = np.radians(met.wind_from_deg + 180.0), np.radians(met.current_to_deg)
    set_ms = met.current_speed_kn * KNOT_MS
    wind = np.stack([np.sin(blown), np.cos(blown)], axis=1) * met.wind_speed_ms[:, None]
    current = np.stack([np.sin(set_to), np.cos(set_to)], axis=1) * set_ms[:, None]
    return {"wind": np.round(wind, 2).tolist(), "current": np.round(current, 3).tolist()}


def write_polar(voyage: Voyage) -> str:
    """Return speeds at the power of the mean calm-water speed, by wind and angle off the bow."""
    speeds = _POLAR_SHARES * voyage.mean_speed_kn
    power_kw = _read_power_kw(voyage.ship, voyage.mean_speed_kn, 0.0, 0.0)
    lines = ["\t".join(["TWA\\TWS", *map(str, _WINDS_KN)])]
    for angle in _ANGLES_DEG:
        row = [str(angle)]
        for wind_kn in _WINDS_KN:
            powers = [_read_power_kw(voyage.ship, kn, wind_kn * KNOT_MS, angle) for kn in speeds]
            row.append(f"{np.interp(power_kw, np.maximum.accumulate(powers), speeds):.2f}")
        lines.append("\t".join(row))
    return "\n".join(lines) + "\n"


def _read_power_kw(ship: Ship, speed_kn: float, wind_ms: float, angle_deg: float) -> float:
    """Return the power at a speed in a wind and its sea [kW]."""
    height_m = min(_SEA_PER_WIND2 * wind_ms**2, _HIGHEST_SEA_M)
    period_s = 4.5 * float(np.sqrt(height_m + 0.5))
    sea = find_relative_sea(0.0, height_m, period_s, angle_deg, wind_ms, angle_deg, np.inf)
    return float(fuel_rate(ship.kernel_parameters, float(speed_kn), sea)[0])
