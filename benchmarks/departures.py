"""Quality and time of the comparison of departures.

``python -m benchmarks.departures [--cases N [--exhaustive]] [--seed S]``

Without ``--cases``: 41 departures (ten days by six hours) of a voyage of 3,000 nm and of one of
8,300 nm are compared and timed, in synthetic oceans (``synthetic_ensembles``). With ``--cases``:
voyages of the storms benchmark. ``--exhaustive`` also plans every departure in full and compares
the fuel of the chosen departure with that of the best. ``--step`` and ``--days`` set the window.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from app.engine.departures.sweep import compare_departures
from app.engine.departures.window import DepartureWindow
from app.engine.errors import VoyageError
from app.engine.planner import plan_voyage
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField, WeatherRun
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.members import list_timed
from benchmarks.report import print_result, print_table
from benchmarks.storms import list_requests
from benchmarks.synthetic_ensembles import make_ocean


def measure_speed(sea: SeaAtlas, climatology: WeatherRun, seed: int) -> dict[str, object]:
    """Time comparisons of 41 departures and print them."""
    rows = []
    result: dict[str, object] = {}
    for name, request, days in list_timed():
        weather = make_ocean(request, seed, climatology, days + 10).draw(0)
        plan_voyage(request, sea, weather)  # kernels and atlas are warm
        window = DepartureWindow(request.departs_at, request.departs_at + timedelta(days=10), 6.0)
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        compared = compare_departures(request, window, sea, weather)
        seconds, cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
        refined = sum(outcome.is_refined for outcome in compared.outcomes)
        rows.append((name, len(compared.outcomes), refined, f"{seconds:.1f}", f"{cpu_s:.1f}"))
        print(*rows[-1], flush=True)
        result |= {f"{name} s": round(seconds, 1), f"{name} processor s": round(cpu_s, 1)}
    print_table(["length", "departures", "refined", "seconds", "processor s"], rows)
    return result


def measure_choice(
    cases: int, seed: int, sea: SeaAtlas, climatology: WeatherRun, days: float, step_h: float,
    *, exhaustive: bool,
) -> dict[str, object]:  # fmt: skip
    """Compare the chosen departures with the best of full plans of all; print a table."""
    rows, excesses = [], []
    for number, (name, request) in enumerate(list_requests(cases, seed)):
        request = _free_arrival(request)
        weather = make_ocean(request, 1000 * seed + number, climatology, days=32).draw(0)
        last = request.departs_at + timedelta(days=days)
        window = DepartureWindow(request.departs_at, last, step_h)
        began_s = time.perf_counter()
        compared = compare_departures(request, window, sea, weather)
        seconds, best = time.perf_counter() - began_s, compared.best
        refined = sum(outcome.is_refined for outcome in compared.outcomes)
        excess_pct = None
        if exhaustive:
            fuel_t = {each: _plan_fuel_t(request, each, sea, weather)
                      for each in window.list_departures()}  # fmt: skip
            least_t = min((t for t in fuel_t.values() if t is not None), default=None)
            chosen_t = None if best is None else fuel_t[best.departs_at]
            if least_t is not None:
                excess_pct = 100.0 if chosen_t is None else 100.0 * (chosen_t / least_t - 1.0)
                excesses.append(excess_pct)
        rows.append((
            number, name, len(compared.outcomes), refined, f"{seconds:.1f}",
            "none" if best is None else f"{best.departs_at:%d %b %H:%M}",
            "" if excess_pct is None else f"{excess_pct:.3f}",
        ))  # fmt: skip
        print(*rows[-1], flush=True)
    print_table(["no", "voyage", "departures", "refined", "s", "best", "excess %"], rows)
    return {
        "cases": len(rows),
        "exhaustive": len(excesses),
        "worst_excess_pct": round(max(excesses), 3) if excesses else None,
        "within_0.2_pct": sum(excess <= 0.2 for excess in excesses),
    }


def _free_arrival(request: VoyageRequest) -> VoyageRequest:
    """Return a voyage for the least fuel at one speed: only the weather ranks its departures."""
    speed_kn = 0.5 * (request.speed_min_kn + request.speed_max_kn)
    return replace(request, arrive_by=None, speed_min_kn=speed_kn)


def _plan_fuel_t(
    request: VoyageRequest, departs_at: datetime, sea: SeaAtlas, weather: WeatherField
) -> float | None:
    try:
        return plan_voyage(replace(request, departs_at=departs_at), sea, weather).summary.fuel_t
    except VoyageError:
        return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--exhaustive", action="store_true", help="plan every departure in full")
    parser.add_argument("--days", type=float, default=10.0)
    parser.add_argument("--step", type=float, default=6.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sea = open_atlas()
    climatology = open_climatology()
    if not options.cases:
        print_result(measure_speed(sea, climatology, options.seed))
        return
    print_result(
        measure_choice(
            options.cases, options.seed, sea, climatology, options.days, options.step,
            exhaustive=options.exhaustive,
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
