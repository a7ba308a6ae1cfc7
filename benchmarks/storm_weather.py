"""Synthetic weather: wind belts with storms that form, travel and fade, by seed."""

from datetime import datetime
from typing import NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.times import hours_since_epoch
from app.engine.weather import Group, RegularGrid, WeatherField, WeatherRun, layer_from_values

_STEP_DEG = 1.5
_GRID = RegularGrid(-72.0, _STEP_DEG, 97, -180.0, _STEP_DEG, 240)
_STEP_H = 6.0
_STORMS = 170


class Storms(NamedTuple):
    """Depressions with place [deg] and hour of formation; one array per value, shape (s,)."""

    lat: Floats
    lng: Floats
    born_h: Floats
    lives_h: Floats
    north_deg_h: Floats
    east_deg_h: Floats
    wave_m: Floats
    radius_deg: Floats


def make_storms(
    seed: int,
    departs_at: datetime,
    climatology: WeatherRun,
    days: int,
    peaks_m: tuple[float, float] = (5.0, 11.0),
    radii_deg: tuple[float, float] = (4.0, 8.0),
) -> WeatherField:
    """Return waves and wind of ``days`` from a departure, as forecast; currents are climatology.

    ``peaks_m`` and ``radii_deg`` are the least and greatest wave height within a storm, and radius.
    """
    hours = np.arange(0.0, 24.0 * days + _STEP_H, _STEP_H)
    storms = _draw(np.random.default_rng(seed), hours[-1], peaks_m, radii_deg)
    states = [_state_at(storms, hour) for hour in hours]
    waves, winds = (np.stack(values) for values in zip(*states, strict=True))
    run = build_run(f"storms-{seed}", _GRID, departs_at, hours, waves, winds)
    return WeatherField(climatology, (run,))


def build_run(
    name: str,
    grid: RegularGrid,
    issued_at: datetime,
    hours: Floats,
    waves: Floats,
    winds: Floats,
) -> WeatherRun:
    """Build a run from waves (height, period, from east, from north) and wind (u, v).

    ``hours`` count from ``issued_at``; arrays have the shape (hours, rows, columns, values).
    """
    times = (hours_since_epoch(issued_at) + hours).tolist()
    layers = {
        group: layer_from_values(group, grid, times, values)
        for group, values in ((Group.WAVE, waves), (Group.WIND, winds))
    }
    return WeatherRun(name, layers, issued_at)


def _draw(
    random: np.random.Generator,
    last_h: float,
    peaks_m: tuple[float, float],
    radii_deg: tuple[float, float],
) -> Storms:
    def between(least: float, greatest: float) -> Floats:
        return random.uniform(least, greatest, _STORMS)

    side = random.choice([-1.0, 1.0], _STORMS)
    return Storms(
        lat=side * between(32.0, 56.0),
        lng=between(-180.0, 180.0),
        born_h=between(-72.0, last_h),
        lives_h=between(72.0, 168.0),
        north_deg_h=side * between(-0.02, 0.10),
        east_deg_h=between(0.25, 0.75),
        wave_m=between(*peaks_m),
        radius_deg=between(*radii_deg),
    )


def _state_at(storms: Storms, hour: float) -> tuple[Floats, Floats]:
    """Return waves (height, period, from east, from north) and wind (u, v) on the grid."""
    lat = (_GRID.lat_first + _STEP_DEG * np.arange(_GRID.n_lat))[:, None]
    lng = (_GRID.lng_first + _STEP_DEG * np.arange(_GRID.n_lng))[None, :]
    belt = np.sin(np.radians(np.abs(lat) * 3.0 - 90.0)) + np.zeros_like(lng)
    east, north = 7.0 * belt, np.zeros_like(belt)
    height = (
        1.2 + 1.3 * np.sin(np.radians(np.minimum(np.abs(lat) * 1.7, 90.0))) + np.zeros_like(lng)
    )
    for storm in _list_alive(storms, hour):
        share, turn_east, turn_north = _shape(storm, lat, lng, hour)
        height = height + (storm.wave_m - height).clip(min=0.0) * share
        east, north = east + 22.0 * share * turn_east, north + 22.0 * share * turn_north
    speed = np.hypot(east, north) + 1e-9
    period = 4.5 * np.sqrt(height + 0.5)
    wave = np.stack([height, period, -east / speed, -north / speed], axis=-1)
    return wave, np.stack([east, north], axis=-1)


def _list_alive(storms: Storms, hour: float) -> list[Storms]:
    """List the storms that have formed and not yet faded, each with one of each value."""
    since_h = hour - storms.born_h
    is_alive = (since_h > 0.0) & (since_h < storms.lives_h)
    alive = (values[is_alive] for values in storms)
    return [Storms(*storm) for storm in zip(*alive, strict=True)]


def _shape(storm: Storms, lat: Floats, lng: Floats, hour: float) -> tuple[Floats, Floats, Floats]:
    """Return the strength of a storm (0..1) and the direction of its wind, on the grid."""
    since_h = hour - storm.born_h
    age = since_h / storm.lives_h
    north = lat - (storm.lat + storm.north_deg_h * since_h)
    wrapped = (lng - (storm.lng + storm.east_deg_h * since_h) + 180.0) % 360.0 - 180.0
    east = wrapped * np.cos(np.radians(storm.lat))
    share = np.exp(-2.0 * (east**2 + north**2) / storm.radius_deg**2) * np.sin(np.pi * age)
    away = np.hypot(east, north) + 0.3
    turn = np.sign(storm.lat)
    return share, -turn * north / away, turn * east / away
