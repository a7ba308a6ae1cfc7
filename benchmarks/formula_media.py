"""Ships and currents by formula: media of problems with a known optimum."""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload

from app.engine.arrays import Floats
from app.engine.optimise.medium import fill_rates, prepare_speeds, sample

SPEEDS = ("constant", "linear_y", "two_media", "cos_lat", "sqrt_y")
CURRENTS = (
    "none",
    "uniform",
    "linear_shear",
    "rotation",
    "sink_and_turning",
    "tidal",
    "vortices",
    "double_gyre",
    "jet",
    "eastward_cos_lat",
    "by_leg",
)


class Formula(NamedTuple):
    """Ship and current by formula; the kinds are indexes of SPEEDS and CURRENTS.

    Fuel per hour is constant + factor * speed ** exponent; ``fuel`` is (constant, factor,
    exponent). ``terms`` are vortices, or legs as ends and currents.
    """

    speed: int
    speed_terms: Floats
    current: int
    current_terms: Floats
    terms: Floats
    fuel: Floats


@overload(prepare_speeds, jit_options={"error_model": "numpy"})
def _prepare_by_formula(medium, speeds_kn, prepared) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Formula):
        return None
    return lambda medium, speeds_kn, prepared: None


@overload(sample, jit_options={"error_model": "numpy"})
def _sample_by_formula(medium, lat, lng, time_h, is_inland, conditions) -> Any:  # type: ignore[no-untyped-def]
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Formula):
        return None

    def sample_here(medium, lat, lng, time_h, is_inland, conditions):  # type: ignore[no-untyped-def]
        conditions[0] = _speed_share(medium, lat)
        conditions[1], conditions[2] = _current_kn(medium, lat, lng, time_h)
        conditions[3:] = 0.0
        return True

    return sample_here


@overload(fill_rates, jit_options={"error_model": "numpy"})
def _fill_by_formula(  # type: ignore[no-untyped-def]
    medium, prepared, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
) -> Any:
    if not (isinstance(medium, types.NamedTuple) and medium.instance_class is Formula):
        return None

    def fill(  # type: ignore[no-untyped-def]
        medium, prepared, conditions, depth_m, course, speeds_kn, ground_kn, fuel_per_h, work
    ):
        f = medium.fuel
        # The column of depth holds the roughness of the water.
        factor = depth_m if depth_m < math.inf else 1.0
        for n in range(conditions.shape[1]):
            share, u, v, east, north = (
                conditions[0, n],
                conditions[1, n],
                conditions[2, n],
                course[0, n],
                course[1, n],
            )
            along, across = u * east + v * north, u * north - v * east
            for s in range(speeds_kn.size):
                speed = speeds_kn[s] * share
                if abs(across) < speed:
                    ground_kn[s, n] = along + math.sqrt(speed * speed - across * across)
                else:
                    ground_kn[s, n] = -1.0
                fuel_per_h[s, n] = f[0] + factor * f[1] * speeds_kn[s] ** f[2]

    return fill


@njit(cache=True, error_model="numpy")
def _speed_share(medium: Formula, y: float) -> float:
    """Return the speed at a place as a share of the ordered speed."""
    p = medium.speed_terms
    if medium.speed == 1:
        return float(1.0 + p[1] * y / p[0])
    if medium.speed == 2 and y > p[2]:
        return float(p[1] / p[0])
    if medium.speed == 3:
        return math.cos(math.radians(y))
    if medium.speed == 4:
        return math.sqrt(max(y, 1e-12)) / p[1]
    return 1.0


@njit(cache=True, error_model="numpy")
def _current_kn(medium: Formula, y: float, x: float, time_h: float) -> tuple[float, float]:
    """Return the current at a place and time, along x and along y."""
    c, kind = medium.current_terms, medium.current
    if kind == 4:
        omega = c[1] + c[2] * time_h
        return c[0] * x - omega * y, omega * x + c[0] * y
    if kind == 5:
        wave = math.cos(c[2] * time_h + c[3])
        return c[0] * wave, c[1] * wave
    if kind == 6:
        return _vortices_kn(medium, y, x)
    if kind == 7:
        u = -c[0] * math.sin(math.pi * x / c[1]) * math.cos(math.pi * y / c[1])
        return u, c[0] * math.cos(math.pi * x / c[1]) * math.sin(math.pi * y / c[1])
    if kind == 10:
        return _current_of_leg_kn(medium.terms, x), 0.0
    return _steady_current_kn(c, kind, y, x)


@njit(cache=True, error_model="numpy")
def _steady_current_kn(c: Floats, kind: int, y: float, x: float) -> tuple[float, float]:
    u, v = 0.0, 0.0
    if kind == 1:
        u, v = c[0], c[1]
    elif kind == 2:
        u = c[0] * y
    elif kind == 3:
        u, v = -c[0] * y, c[0] * x
    elif kind == 8:
        u = c[0] * math.exp(-((y / c[1]) ** 2))
    elif kind == 9:
        u = c[0] * math.cos(math.radians(y))
    return u, v


@njit(cache=True, error_model="numpy")
def _current_of_leg_kn(legs: Floats, x: float) -> float:
    """Return the current on the leg at a place; a row of ``legs`` is its end [nm] and current."""
    for n in range(legs.shape[0] - 1):
        if x < legs[n, 0]:
            return legs[n, 1]
    return legs[-1, 1]


@njit(cache=True, error_model="numpy")
def _vortices_kn(medium: Formula, y: float, x: float) -> tuple[float, float]:
    c, u, v = medium.current_terms, 0.0, 0.0
    for n in range(medium.terms.shape[0]):
        dx = x / c[1] - medium.terms[n, 1]
        dy = y / c[1] - medium.terms[n, 2]
        pull = c[0] * medium.terms[n, 0] / (3.0 * (dx * dx + dy * dy) + 1.0)
        u -= pull * dy
        v += pull * dx
    return u, v


def read_formula(case: dict[str, Any]) -> Formula:
    """Return the medium of a case."""
    speed, current = case.get("ship_speed", {}), dict(case.get("current", {"type": "none"}))
    kind = speed.get("type", "constant")
    speed_terms = {
        "constant": lambda: [speed.get("kn", 10.0)],
        "linear_y": lambda: [speed["kn_at_0"], speed["kn_per_nm"]],
        "two_media": lambda: [speed["kn_below"], speed["kn_above"], speed["boundary_y_nm"]],
        "cos_lat": lambda: [speed["kn"]],
        "sqrt_y": lambda: [speed["kn_at_1nm"] * 5.0, 5.0],
    }[kind]()
    terms = current.pop("terms", [[0.0, 0.0, 0.0]])
    current_kind = current.pop("type")
    if current_kind == "double_gyre":
        # without a length its cells are one mile wide
        length_nm = current.pop("length_nm", 1.0)
        current = {"amplitude": next(iter(current.values())), "length": length_nm}
    flat = [
        value
        for entry in current.values()
        for value in (entry.values() if isinstance(entry, dict) else [entry])
    ]
    return Formula(
        SPEEDS.index(kind),
        np.array(speed_terms, dtype=np.float64),
        CURRENTS.index(current_kind),
        np.array([*flat, 0.0], dtype=np.float64),
        np.array(terms, dtype=np.float64),
        np.array([0.0, 0.0, 1.0]),
    )
