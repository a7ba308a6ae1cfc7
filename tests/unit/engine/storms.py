"""A storm over the North Atlantic, for voyages that must deal with it."""

import numpy as np

from app.engine.voyage import Loading, Position, VoyageRequest
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values
from app.engine.weather.times import hours_since_epoch
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX
from tests.unit.engine.weather.seas import uniform_climatology

OFF_NEW_YORK = Position(40.4, -73.8)
BISHOP_ROCK = Position(49.8, -6.5)
CALM_M = 1.5


def make_storm(height_m: float = 10.0) -> WeatherField:
    """Waves of a height amid a storm 700 nm wide that moves east at 7 kn; 1.5 m elsewhere.

    It begins at 45 N 50 W, which the great circle from New York crosses.
    """
    grid = RegularGrid(20.0, 1.0, 51, -90.0, 1.0, 100)
    lats, lngs = 20.0 + np.arange(51.0)[:, None], -90.0 + np.arange(100.0)
    hours = np.arange(0.0, 361.0, 3.0)
    shares = [
        np.exp(-((lats - 45.0 - h / 30.0) ** 2 + (0.7 * (lngs + 50.0 - h / 6.0)) ** 2) / 18.0)
        for h in hours
    ]
    heights = CALM_M + (height_m - CALM_M) * np.array(shares)
    periods = 4.5 * np.sqrt(heights + 0.5)
    from_west = np.stack([heights, periods, -np.ones_like(heights), 0.0 * heights], axis=-1)
    times_h = list(hours_since_epoch(DEPARTS_AT) + hours)
    waves = layer_from_values(Group.WAVE, grid, times_h, from_west)
    return WeatherField(uniform_climatology(), (WeatherRun("storm", {Group.WAVE: waves}),))


def make_crossing() -> VoyageRequest:
    """From New York to the Channel, for the least fuel."""
    return VoyageRequest(
        departure=OFF_NEW_YORK,
        arrival=BISHOP_ROCK,
        departs_at=DEPARTS_AT,
        ship=KAMSARMAX,
        loading=Loading(12.2, 0.0, 68_000.0),
        speed_min_kn=9.0,
        speed_max_kn=14.5,
    )
