"""Synthetic ensembles: storms over an ocean, and draws with errors that grow with lead time.

A forecast, its members and the truth are draws of one world: storms displaced, stronger or weaker,
over a background that is higher or lower. The forecast is the draw without error. Nothing here uses
the engine's model of typical error, so that one can be measured by the other.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from app.engine.arrays import Floats
from app.engine.request import VoyageRequest
from app.engine.weather import RegularGrid, WeatherField, WeatherRun
from benchmarks.storm_weather import Storms, build_run

_STEP_DEG = 1.5
_STEP_H = 6.0
#: Storms that form in a square of 10 degrees per day.
_BIRTHS = 0.03
#: Standard deviation of errors at lead time 0, growth per day, and maximum: of a storm's place
#: along each axis [deg], and of the logarithms of its strength and of the background. Forecast
#: and analysed storms are about a degree apart on the second day and four on the fifth (Froude et
#: al. 2007, Mon. Wea. Rev. 135, 2545).
_PLACE = (0.3, 0.45, 5.0)
_STRENGTH = (0.05, 0.035, 0.4)
_BACKGROUND = (0.08, 0.03, 0.35)
_WAVES = 12
#: Margin of an ocean beyond a voyage's ends, north and south, west and east [deg].
_MARGIN_DEG = (14.0, 22.0)


@dataclass(frozen=True)
class SyntheticOcean:
    """Storms of an ocean over some days from a departure, by seed.

    ``bounds`` are south, west, north and east [deg], with the east beyond 180 if necessary.
    """

    seed: int
    departs_at: datetime
    climatology: WeatherRun
    bounds: tuple[float, float, float, float]
    days: int

    @property
    def hours(self) -> Floats:
        """Hours of the steps since the departure."""
        return np.arange(0.0, 24.0 * self.days + _STEP_H, _STEP_H)

    def draw(self, number: int, issued_h: float = 0.0) -> WeatherField:
        """Return one draw: 0 is without error, any other a member, a truth or a forecast.

        Errors grow with the time since ``issued_h``, hours since the departure.
        """
        waves, winds = self._states(number, self._lead_days(issued_h))
        name = f"ocean-{self.seed}-{number}"
        run = build_run(name, self._grid, self.departs_at, self.hours, waves, winds)
        return WeatherField(self.climatology, (run,))

    @property
    def _grid(self) -> RegularGrid:
        south, west, north, east = self.bounds
        rows, columns = (int((b - a) / _STEP_DEG) + 1 for a, b in ((south, north), (west, east)))
        return RegularGrid(south, _STEP_DEG, rows, west, _STEP_DEG, columns)

    def _lead_days(self, issued_h: float) -> Floats:
        return np.maximum(self.hours - issued_h, 0.0) / 24.0

    def _states(self, number: int, days: Floats) -> tuple[Floats, Floats]:
        """Return waves (height, period, from east, from north) and wind (u, v) at all steps."""
        storms = self._born()
        random = np.random.default_rng([self.seed, number])
        errors = (number > 0) * random.standard_normal((3, storms.lat.size))
        grid = self._grid
        lats = (grid.lat_first + _STEP_DEG * np.arange(grid.n_lat))[:, None]
        lngs = (grid.lng_first + _STEP_DEG * np.arange(grid.n_lng))[None, :]
        factors = self._background(random, lats, lngs, days, has_error=number > 0)
        states = [
            _state(storms, errors, factors[step], lats, lngs, float(hour), float(days[step]))
            for step, hour in enumerate(self.hours)
        ]
        return np.stack([state[0] for state in states]), np.stack([state[1] for state in states])

    def _born(self) -> Storms:
        """Draw the storms that are in the ocean at some time."""
        random = np.random.default_rng(self.seed)
        south, west, north, east = self.bounds
        squares = (north - south) * (east - west) / 100.0
        count = int(_BIRTHS * squares * (self.days + 4.0))
        side = 1.0 if north + south > 0.0 else -1.0

        def between(least: float, greatest: float) -> Floats:
            return random.uniform(least, greatest, count)

        return Storms(
            lat=between(south, north),
            lng=between(west - 20.0, east),
            born_h=between(-96.0, 24.0 * self.days),
            lives_h=between(72.0, 168.0),
            north_deg_h=side * between(-0.02, 0.10),
            east_deg_h=between(0.25, 0.75),
            wave_m=between(5.0, 11.0),
            radius_deg=between(5.0, 10.0),
        )

    def _background(
        self,
        random: np.random.Generator,
        lats: Floats,
        lngs: Floats,
        days: Floats,
        *,
        has_error: bool,
    ) -> Floats:
        """Return factors of the background, smooth in place and time, (steps, rows, columns)."""
        numbers = random.standard_normal((_WAVES, 3)) * np.array([0.15, 0.15, 0.04])
        phases = random.uniform(0.0, 2.0 * np.pi, _WAVES)
        hours = self.hours[:, None, None]
        noise = sum(
            np.cos(north * lats + east * lngs + rate * hours + phase)
            for (north, east, rate), phase in zip(numbers, phases, strict=True)
        ) * np.sqrt(2.0 / _WAVES)
        growth = np.array([_grown(_BACKGROUND, day) for day in days])
        return np.asarray(np.exp(has_error * growth[:, None, None] * noise))


def make_ocean(
    request: VoyageRequest, seed: int, climatology: WeatherRun, days: int
) -> SyntheticOcean:
    """Return the ocean around a voyage."""
    lats = sorted((request.departure.lat, request.arrival.lat))
    west, east = request.departure.lng, request.arrival.lng
    if abs(east - west) > 180.0:
        west, east = (lng + 360.0 if lng < 0.0 else lng for lng in (west, east))
    low, high = sorted((west, east))
    rows, columns = _MARGIN_DEG
    bounds = (max(lats[0] - rows, -75.0), low - columns, min(lats[1] + rows, 75.0), high + columns)
    return SyntheticOcean(seed, request.departs_at, climatology, bounds, days)


def _grown(error: tuple[float, float, float], days: float) -> float:
    first, a_day, greatest = error
    return min(first + a_day * days, greatest)


def _state(
    storms: Storms,
    errors: Floats,
    factor: Floats,
    lats: Floats,
    lngs: Floats,
    hour: float,
    days: float,
) -> tuple[Floats, Floats]:
    """Return waves and wind at one step, from the storms alive then."""
    alive = np.flatnonzero((hour > storms.born_h) & (hour < storms.born_h + storms.lives_h))
    belt = np.sin(np.radians(np.abs(lats) * 3.0 - 90.0)) + np.zeros_like(lngs)
    height = (1.2 + 1.3 * np.sin(np.radians(np.minimum(np.abs(lats) * 1.7, 90.0)))) * factor
    east, north = 7.0 * belt * factor, np.zeros_like(belt)
    away_deg, log_strength = _grown(_PLACE, days), _grown(_STRENGTH, days)
    for storm in alive:
        since_h = hour - storms.born_h[storm]
        age = since_h / storms.lives_h[storm]
        y = lats - (storms.lat[storm] + storms.north_deg_h[storm] * since_h)
        x = lngs - (storms.lng[storm] + storms.east_deg_h[storm] * since_h)
        y, x = y - away_deg * errors[0, storm], x - away_deg * errors[1, storm]
        x = x * np.cos(np.radians(storms.lat[storm]))
        strength = np.sin(np.pi * age) * np.exp(log_strength * errors[2, storm])
        share = strength * np.exp(-2.0 * (x**2 + y**2) / storms.radius_deg[storm] ** 2)
        height = height + (storms.wave_m[storm] - 2.0) * share * (height < 12.0)
        turn = np.sign(storms.lat[storm]) / (np.hypot(x, y) + 0.3)
        wind_ms = 2.4 * storms.wave_m[storm] * share
        east, north = east - wind_ms * turn * y, north + wind_ms * turn * x
    height = np.minimum(height, 16.0)
    speed = np.hypot(east, north) + 1e-9
    calm = np.minimum(1.0, 45.0 / speed)
    wave = np.stack([height, 4.5 * np.sqrt(height + 0.5), -east / speed, -north / speed], axis=-1)
    return wave, np.stack([east * calm, north * calm], axis=-1)
