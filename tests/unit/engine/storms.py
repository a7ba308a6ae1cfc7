"""Storms over the North Atlantic for tests of planning."""

from functools import cache

import numpy as np

from app.engine.arrays import Floats
from app.engine.particulars import Loading
from app.engine.request import Position, VoyageRequest
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX
from tests.unit.engine.weather.seas import uniform_climatology

OFF_NEW_YORK = Position(40.4, -73.8)
BISHOP_ROCK = Position(49.8, -6.5)
CALM_M = 1.5


@cache
def make_storm(height_m: float = 10.0) -> WeatherField:
    """Return waves that rise to a height in a storm 700 nm wide, moving east at 7 kn, over 1.5 m.

    It begins at 45 N 50 W, which the great circle from New York crosses.
    """
    lats, lngs = 20.0 + np.arange(51.0)[:, None], -90.0 + np.arange(100.0)
    hours = np.arange(0.0, 361.0, 3.0)
    shares = [
        np.exp(-((lats - 45.0 - h / 30.0) ** 2 + (0.7 * (lngs + 50.0 - h / 6.0)) ** 2) / 18.0)
        for h in hours
    ]
    return _as_field(CALM_M + (height_m - CALM_M) * np.array(shares), hours)


def make_wall(
    south_lat: float, height_m: float = 9.0, *, south_of_it_m: float = CALM_M
) -> WeatherField:
    """Return waves of two heights north and south of a latitude, from 45 to 35 W, at all times."""
    lats, lngs = 20.0 + np.arange(51.0)[:, None], -90.0 + np.arange(100.0)
    in_wall = np.where(lats >= south_lat, height_m, south_of_it_m)
    heights = np.where(np.abs(lngs + 40.0) <= 5.0, in_wall, CALM_M)
    return _hold(heights, 720.0)


def make_even(height_m: float, last_h: float = 360.0) -> WeatherField:
    """Return waves of a height everywhere, for fifteen days unless other hours are given."""
    return _hold(np.full((51, 100), height_m), last_h)


def _hold(heights: Floats, last_h: float) -> WeatherField:
    """Return waves of the same heights at steps of twelve hours, shape (51, 100)."""
    hours = np.arange(0.0, last_h + 1.0, 12.0)
    return _as_field(np.broadcast_to(heights, (hours.size, 51, 100)), hours)


def make_rough_north() -> WeatherField:
    """Return waves that rise from 1.5 m south of 36 N to 3.3 m north of 46 N, at all times.

    The cheapest track leads far to the south and is much longer than the soonest.
    """
    lats = 20.0 + np.arange(51.0)[:, None]
    heights = CALM_M + 0.18 * np.clip(lats - 36.0, 0.0, 10.0) + np.zeros(100)
    return _hold(heights, 720.0)


def make_passing_storm(height_m: float, *, after_h: float) -> WeatherField:
    """Return waves of 1.5 m everywhere that rise to a height and ease within some 15 hours."""
    hours = np.arange(0.0, 97.0, 3.0)
    heights_m = CALM_M + (height_m - CALM_M) * np.exp(-(((hours - after_h) / 6.0) ** 2))
    return _as_field(np.broadcast_to(heights_m[:, None, None], (hours.size, 51, 100)), hours)


def make_easing(height_m: float = 5.0) -> WeatherField:
    """Return waves of a height everywhere that decrease to 1.5 m in six days."""
    hours = np.arange(0.0, 721.0, 12.0)
    heights_m = CALM_M + (height_m - CALM_M) * np.clip(1.0 - hours / 144.0, 0.0, 1.0)
    return _as_field(np.broadcast_to(heights_m[:, None, None], (hours.size, 51, 100)), hours)


def make_storms(seed: int, number: int) -> WeatherField:
    """Return waves of several storms that form, move east and decay; 1.5 m elsewhere."""
    random = np.random.default_rng(seed)
    lats, lngs = 20.0 + np.arange(51.0)[:, None], -90.0 + np.arange(100.0)
    hours = np.arange(0.0, 361.0, 6.0)
    heights = np.full((hours.size, lats.size, lngs.size), CALM_M)
    for _ in range(number):
        lat, lng = random.uniform(38.0, 54.0), random.uniform(-75.0, -10.0)
        peak_m, radius_deg = random.uniform(5.0, 11.0), random.uniform(4.0, 8.0)
        since_h = (hours - random.uniform(-60.0, 240.0))[:, None, None]
        east_deg_h, north_deg_h = random.uniform(0.2, 0.7), random.uniform(-0.02, 0.08)
        north, east = lats - lat - north_deg_h * since_h, 0.7 * (lngs - lng - east_deg_h * since_h)
        strength = np.sin(np.pi * np.clip(since_h / 140.0, 0.0, 1.0))
        share = strength * np.exp(-2.0 * (north**2 + east**2) / radius_deg**2)
        heights = np.maximum(heights, CALM_M + (peak_m - CALM_M) * share)
    return _as_field(heights, hours)


def make_ending_storm(
    lng: float, radius_deg: float, ends_h: float, height_m: float = 8.0
) -> WeatherField:
    """Return waves from the east of 1 m that rise to a height at 45 N and a longitude.

    The storm fades in the last twelve hours before it ends.
    """
    grid = RegularGrid(30.0, 1.0, 31, -60.0, 1.0, 41)
    hours = np.arange(0.0, 241.0, 3.0)
    lats, lngs = 30.0 + np.arange(31.0)[:, None], -60.0 + np.arange(41.0)
    shape = np.exp(-(((lats - 45.0) / 4.0) ** 2) - ((lngs - lng) / radius_deg) ** 2)
    fading = np.clip((ends_h - hours) / 12.0, 0.0, 1.0)
    height = 1.0 + (height_m - 1.0) * fading[:, None, None] * shape
    values = np.stack([height, np.full_like(height, 9.0), np.ones_like(height), 0.0 * height], -1)
    layer = layer_from_values(Group.WAVE, grid, list(hours_since_epoch(DEPARTS_AT) + hours), values)
    return WeatherField(uniform_climatology(), (WeatherRun("storm", {Group.WAVE: layer}),))


def _as_field(heights: Floats, hours: Floats) -> WeatherField:
    """Return waves from the west over the North Atlantic, at hours since the departure."""
    grid = RegularGrid(20.0, 1.0, 51, -90.0, 1.0, 100)
    periods = 4.5 * np.sqrt(heights + 0.5)
    from_west = np.stack([heights, periods, -np.ones_like(heights), 0.0 * heights], axis=-1)
    times_h = list(hours_since_epoch(DEPARTS_AT) + hours)
    waves = layer_from_values(Group.WAVE, grid, times_h, from_west)
    return WeatherField(uniform_climatology(), (WeatherRun("storm", {Group.WAVE: waves}),))


def make_crossing() -> VoyageRequest:
    """Return the request of a voyage from New York to the Channel for the least fuel."""
    return VoyageRequest(
        departure=OFF_NEW_YORK,
        arrival=BISHOP_ROCK,
        departs_at=DEPARTS_AT,
        ship=KAMSARMAX,
        loading=Loading(12.2, 0.0, 68_000.0),
        speed_min_kn=9.0,
        speed_max_kn=14.5,
    )
