"""Telemetry of the demo's ships, from each ship's model with deviations.

A ship has its own resistance, fouls with time and meets another sea than planned; its sensors
scatter. Predicted and actual fuel therefore differ by a few per cent, which calibration can find.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from app.engine.particulars import Loading, MeasuredResponse
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.relative_sea import find_relative_sea
from app.engine.weather.records import Weather, WeatherSource
from benchmarks.foc import particulars_of

#: Calm-water resistance over the estimate, by number of the ship.
HIDDEN_RESISTANCE = (1.05, 0.94, 1.03, 1.06)
#: Resistance of waves and wind over the estimate.
HIDDEN_WEATHER = 1.1
#: Rise of resistance by fouling in a year, from the last cleaning on.
FOULING_A_YEAR = 0.04
#: Relative scatter of a record's fuel flow.
FUEL_NOISE = 0.025
#: Speed kept at sea over the service speed.
SPEED_SHARE = 0.88


class DemoShip:
    """A ship of the demo's fleet with its true response."""

    def __init__(self, vessel: Mapping[str, Any], number: int) -> None:
        given = particulars_of({name: value for name, value in vessel.items() if value is not None})
        self.number = number
        self.loading = Loading(given.draft_design_m, 0.0, 0.8 * given.dwt_t)
        calm = HIDDEN_RESISTANCE[number % len(HIDDEN_RESISTANCE)]
        response = MeasuredResponse(calm=calm, weather=HIDDEN_WEATHER)
        self.particulars = replace(given, response=response)

    @cached_property
    def ship(self) -> Ship:
        """The loaded ship with its hidden resistance."""
        return build_ship(self.particulars, self.loading)

    def report(
        self, instant: datetime, place: tuple[float, float], heading_deg: float
    ) -> dict[str, Any]:
        """Return a record at sea."""
        met = find_sea(instant, place[0], self.number)
        wanted_kn = SPEED_SHARE * self.particulars.service_speed_kn
        waves = (met.wave_height_m, met.wave_period_s, met.wave_from_deg)
        wind = (met.wind_speed_ms, met.wind_from_deg)
        sea = find_relative_sea(heading_deg, *waves, *wind, math.inf)
        speed_kn = self.ship.attainable_speed_kn(wanted_kn, sea)
        found = self.ship.performance(speed_kn, course_deg=heading_deg, weather=met)
        months = (instant - datetime(instant.year, 1, 1, tzinfo=UTC)) / timedelta(days=30.4)
        chance = random.Random(f"{self.number} {instant:%Y%m%d%H}")  # noqa: S311 - no secret
        fouled = 1.0 + FOULING_A_YEAR * (months / 12.0 - 0.5)
        power_kw = min(found.power_kw * fouled, self.ship.engine.mcr_kw)
        fuel = 24.0 * found.fuel_t_per_h * power_kw / found.power_kw
        return {
            "timestamp": instant.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "latitude": round(place[0], 4),
            "longitude": round(place[1], 4),
            "speed": round(speed_kn * chance.gauss(1.0, 0.01), 2),
            "heading": round(heading_deg, 1) % 360,
            "rpm": round(found.rpm * chance.gauss(1.0, 0.003), 1),
            "fuelConsumption": round(fuel * chance.gauss(1.0, FUEL_NOISE), 2),
            "draft": self.loading.draft_m,
            "engineLoad": round(100.0 * power_kw / self.ship.engine.mcr_kw, 1),
            "windSpeed": round(met.wind_speed_ms * chance.gauss(1.0, 0.08), 1),
            "windDirection": round(met.wind_from_deg + chance.gauss(0.0, 8.0), 0) % 360,
            "mePower": round(power_kw * chance.gauss(1.0, 0.01)),
        }


def find_sea(instant: datetime, lat: float, number: int) -> Weather:
    """Return the weather at an hour: a seasonal mean by latitude, and passing weather systems.

    Mean wave heights are those commonly quoted for the Atlantic, 1.7 m in the trades and at 50
    degrees in summer, 3.5 m in winter, less a tenth because ships avoid the worst.
    """
    hours = (instant - datetime(2020, 1, 1, tzinfo=UTC)) / timedelta(hours=1)
    winter = 0.5 + 0.5 * math.copysign(1.0, lat) * math.cos(2.0 * math.pi * hours / 8766.0)
    poleward = min(max((abs(lat) - 25.0) / 25.0, 0.0), 1.0)
    mean_m = 1.5 + 1.6 * poleward * winter
    phases = (hours / 13.0 + number, hours / 21.0 + 2.0 * number, hours / 34.0)
    system = sum(map(math.sin, phases)) / math.sqrt(1.5)
    height_m = mean_m * math.exp(0.35 * system - 0.06)
    # westerlies beyond 30 degrees, trades this side of it
    usual_deg = 255.0 if abs(lat) > 30.0 else 90.0 - math.copysign(35.0, lat)
    from_deg = (usual_deg + 40.0 * math.sin(hours / 29.0 + number)) % 360.0
    source = WeatherSource.CLIMATOLOGY
    return Weather(
        wave_height_m=height_m,
        wave_period_s=1.296 * 3.86 * math.sqrt(height_m),
        wave_from_deg=from_deg,
        wind_speed_ms=8.0 * math.sqrt(height_m / 2.0),
        wind_from_deg=from_deg,
        current_speed_kn=0.0,
        current_to_deg=0.0,
        wave_source=source,
        wind_source=source,
        current_source=source,
    )
