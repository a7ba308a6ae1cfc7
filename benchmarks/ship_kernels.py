"""Processor time of the ship's kernels: ``python -m benchmarks.ship_kernels``.

Time of one core for 2.5 million (speed, sea state) pairs: by the batch kernel, one pair at a time,
and by the parts of the latter.
"""

import argparse
import math
import time
from collections.abc import Callable

import numpy as np

from app.engine.arrays import Floats
from app.engine.compiled import njit
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel import build_ship, kernels
from app.engine.vessel.batch import (
    ACROSS_MS,
    ALONG_MS,
    SEA_ROWS,
    WAVES,
    add_resistance,
    fuel_of_resistance,
    speed_terms,
)
from app.engine.vessel.relative_sea import find_relative_sea
from benchmarks.report import print_result, print_table

SHIP = ShipParticulars(ShipType.BULK_CARRIER, 180_000, 290, 282, 45, 24.7, 18.2, 18.2, 14.5)


@njit(cache=True, nogil=True, error_model="numpy")
def fuel_rates(
    parameters: kernels.KernelParameters,
    speeds_kn: Floats,
    course_deg: Floats,
    wave_height_m: Floats,
    wave_period_s: Floats,
    wave_from_deg: Floats,
    wind_speed_ms: Floats,
    wind_from_deg: Floats,
    fuel_t_per_h: Floats,
) -> None:
    """Compute the fuel rate [t/h] of each speed in each sea state, in deep water.

    Parameters
    ----------
    parameters
        The ship.
    speeds_kn
        Speeds through the water [kn], shape (m,), above zero.
    course_deg, wave_height_m, wave_period_s, wave_from_deg, wind_speed_ms, wind_from_deg
        The ship's heading and the weather, shapes (n,), units as in ``find_relative_sea``.
    fuel_t_per_h
        Output, shape (m, n).
    """
    scalars = parameters.scalars
    seas, total = np.empty((SEA_ROWS, course_deg.size)), np.empty(course_deg.size)
    for i in range(course_deg.size):
        sea = find_relative_sea(
            course_deg[i],
            wave_height_m[i],
            wave_period_s[i],
            wave_from_deg[i],
            wind_speed_ms[i],
            wind_from_deg[i],
            math.inf,
        )
        wave = kernels.wave_cubic(parameters, sea.wave_height_m, sea.wave_period_s, sea.off_bow_deg)
        for power in range(4):
            seas[WAVES + power, i] = wave[power]
        seas[ALONG_MS, i], seas[ACROSS_MS, i] = sea.ahead_ms, sea.abeam_ms
    for j in range(speeds_kn.size):
        terms = speed_terms(scalars, speeds_kn[j] * KNOT_MS)
        add_resistance(scalars, terms, seas, total)
        fuel_of_resistance(scalars, terms, total, fuel_t_per_h[j])


@njit(error_model="numpy")
def _one_by_one(ship, speeds, course, height, period, wave, wind, wind_from, out):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        sea = find_relative_sea(
            course[i], height[i], period[i], wave[i], wind[i], wind_from[i], np.inf
        )
        out[i] = kernels.fuel_rate(ship, speeds[i % speeds.size], sea)[2]


@njit(error_model="numpy")
def _calm_and_power(ship, speeds, out):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        speed_ms = speeds[i % speeds.size] * KNOT_MS
        calm_n = kernels.calm_resistance_n(ship.scalars, speed_ms)
        out[i] = kernels.power_for_resistance(ship.scalars, speed_ms, calm_n)[2]


@njit(error_model="numpy")
def _waves(ship, speeds, height, period, off_bow, out):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        speed_ms = speeds[i % speeds.size] * KNOT_MS
        out[i] = kernels.wave_resistance_n(ship, speed_ms, height[i], period[i], off_bow[i])


@njit(error_model="numpy")
def _wind(ship, speeds, along, across, out):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        speed_ms = speeds[i % speeds.size] * KNOT_MS
        out[i] = kernels.wind_resistance_n(ship.scalars, speed_ms, along[i], across[i])


def best_ms(run: Callable[[], object], repeats: int = 7) -> float:
    """Return the least processor time of several runs [ms], after compilation."""
    run()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return 1e3 * min(times)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2_500_000)
    parser.add_argument("--speeds", type=int, default=32)
    given = parser.parse_args()
    pairs, width = given.n // given.speeds * given.speeds, given.speeds
    random = np.random.default_rng(1)
    ship = build_ship(SHIP, Loading(18.2, 0.0, 180_000.0)).kernel_parameters
    speeds = np.linspace(8.0, 16.0, width)
    low, high = (0.0, 0.2, 4.0, 0.0, 0.0, 0.0), (360.0, 6.0, 16.0, 360.0, 25.0, 360.0)
    sea = [random.uniform(a, b, pairs) for a, b in zip(low, high, strict=True)]
    states = [column[: pairs // width].copy() for column in sea]
    table, flat = np.empty((width, pairs // width)), np.empty(pairs)
    runs: dict[str, Callable[[], object]] = {
        "batch": lambda: fuel_rates(ship, speeds, *states, table),
        "one by one": lambda: _one_by_one(ship, speeds, *sea, flat),
        "calm water and propulsion": lambda: _calm_and_power(ship, speeds, flat),
        "waves": lambda: _waves(ship, speeds, sea[1], sea[2], sea[3] * 0.5, flat),
        "wind": lambda: _wind(ship, speeds, sea[4], sea[4][::-1].copy(), flat),
    }
    found = {name: best_ms(run) for name, run in runs.items()}
    print_table(
        ["part", "ms", "ns a pair"],
        [[name, f"{ms:.1f}", f"{1e6 * ms / pairs:.1f}"] for name, ms in found.items()],
    )
    print_result(
        {
            "evaluations": pairs,
            "batch_ms": round(found["batch"], 2),
            "one_by_one_ms": round(found["one by one"], 2),
        }
    )


if __name__ == "__main__":
    main()
