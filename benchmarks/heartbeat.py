"""Gaps between progress reports of a long planning, and the time until it is cancelled.

``python -m benchmarks.heartbeat [--plannings N] [--cancels N] [--port N]``

The voyage is Rotterdam to Singapore, by all candidate routes, with weather and a wave limit. First
it is planned in this process through seeded storms; each call of progress is recorded with the
lines before and after each gap. Then, unless ``--cancels 0``, it is requested from a running
service and cancelled at times spread over its duration. A gap is given by the clock and in
processor time; on a busy machine the latter counts.
"""

import argparse
import os
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np

from app.engine.errors import LimitsTooTight
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.installation import Installation, installation, wait_until
from benchmarks.memory import LONG_VOYAGE
from benchmarks.optimise import SHIPS
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import make_storms

DEPARTS_AT = datetime(2026, 1, 10, tzinfo=UTC)
ROTTERDAM, SINGAPORE = Position(51.98, 4.05), Position(1.2, 103.9)
#: A limit that shapes the route, and one that no route keeps: a refusal searches longest.
WAVE_LIMITS_M = (6.0, 1.0)
LONGEST_SHOWN = 8
ENGINE = f"{Path('app', 'engine')}{os.sep}"
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Gap:
    """Silence between two calls of progress [s], with the lines of the engine around it."""

    clock_s: float
    processor_s: float
    after: str
    before: str
    stage: str


@dataclass
class Listener:
    """Recorder of the gaps between calls of progress."""

    gaps: list[Gap] = field(default_factory=list)
    _clock_s: float = field(default_factory=time.perf_counter)
    _processor_s: float = field(default_factory=time.process_time)
    _caller: str = "the beginning"

    def __call__(self, _fraction: float, stage: str) -> None:
        """Record a call of progress."""
        self.note(find_caller(), stage)

    def note(self, caller: str, stage: str) -> None:
        """End one gap and begin the next."""
        clock_s, processor_s = time.perf_counter(), time.process_time()
        silence = clock_s - self._clock_s, processor_s - self._processor_s
        self.gaps.append(Gap(*silence, self._caller, caller, stage))
        self._caller = caller
        self._clock_s, self._processor_s = time.perf_counter(), time.process_time()


def find_caller() -> str:
    """Return the line of the engine that calls progress."""
    frames = [f for f in traceback.extract_stack() if ENGINE in f.filename]
    frame = next(f for f in reversed(frames) if Path(f.filename).name != "progress.py")
    return f"{frame.filename.split(ENGINE)[1]}:{frame.lineno} {frame.name}"


def make_request(wave_limit_m: float) -> VoyageRequest:
    """Return the long voyage."""
    ship, loading = SHIPS["Kamsarmax"]
    return VoyageRequest(
        departure=ROTTERDAM,
        arrival=SINGAPORE,
        departs_at=DEPARTS_AT,
        ship=ship,
        loading=loading,
        speed_min_kn=11.0,
        speed_max_kn=14.5,
        limits=Limits(wave_height_m=wave_limit_m),
    )


def listen(sea: SeaAtlas, weather: WeatherField, request: VoyageRequest) -> list[Gap]:
    """Return the gaps of one planning."""
    listener = Listener()
    try:
        plan_voyage(request, sea, weather, on_progress=listener)
    except LimitsTooTight:
        listener.note("the refusal", "Refusing")
    else:
        listener.note("the end", "Ending")
    return listener.gaps


def cancel_often(service: Installation, times: int) -> Iterator[float]:
    """Return the seconds from cancelling to CANCELLED, for several moments of a planning."""
    whole_s = max(time_planning(service) for _ in range(2))  # the first one is a warm-up
    for moment in range(times):
        charting_id = order(service)
        reach(service, charting_id, {"RUNNING"})
        time.sleep((moment + 0.5) / times * whole_s)
        asked = time.perf_counter()
        status, _ = service.ask("POST", f"/charting/{charting_id}/cancel")
        if status == 200:
            ended = reach(service, charting_id, {"CANCELLED", "COMPLETED"})
            if ended == "CANCELLED":
                yield time.perf_counter() - asked


def time_planning(service: Installation) -> float:
    """Return the seconds of an uninterrupted planning."""
    charting_id = order(service)
    reach(service, charting_id, {"RUNNING"})
    began = time.perf_counter()
    reach(service, charting_id, {"COMPLETED"})
    return time.perf_counter() - began


def order(service: Installation) -> str:
    """Request the long voyage; return its id."""
    return service.place_order(LONG_VOYAGE | {"maxWaveHeight": WAVE_LIMITS_M[0]})


def reach(service: Installation, charting_id: str, statuses: set[str]) -> str:
    """Wait until a charting has one of some statuses; return it."""
    query = f"SELECT status FROM charting_revision WHERE charting_id = '{charting_id}'"  # noqa: S608
    found = [""]

    def is_reached() -> bool:
        found[0] = str(service.rows(query)[0][0])
        return found[0] in statuses

    if not wait_until(is_reached, PATIENCE_S, every_s=0.02):
        raise RuntimeError(f"a charting is still {found[0]}")
    return found[0]


def report(gaps: Sequence[Gap], cancels_s: Sequence[float]) -> None:
    """Print the longest gaps and the figures of all."""
    longest = sorted(gaps, key=lambda gap: gap.processor_s, reverse=True)[:LONGEST_SHOWN]
    print_table(
        ["clock s", "processor s", "after", "before", "stage"],
        [(f"{g.clock_s:.2f}", f"{g.processor_s:.2f}", g.after, g.before, g.stage) for g in longest],
    )
    clock_s, processor_s = (
        [getattr(g, f"{kind}_s") for g in gaps] for kind in ("clock", "processor")
    )
    print_result(
        {
            "calls": len(gaps),
            "gap_longest_s": round(max(clock_s), 2),
            "gap_longest_processor_s": round(max(processor_s), 2),
            "gap_p99_s": round(float(np.quantile(clock_s, 0.99)), 3),
            "gap_p99_processor_s": round(float(np.quantile(processor_s, 0.99)), 3),
            "cancels": len(cancels_s),
            "cancel_median_s": round(median(cancels_s), 2) if cancels_s else None,
            "cancel_longest_s": round(max(cancels_s), 2) if cancels_s else None,
        }
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plannings", type=int, default=1, help="for each wave limit")
    parser.add_argument("--cancels", type=int, default=12)
    parser.add_argument("--port", type=int, default=8030)
    asked = parser.parse_args()
    sea = open_atlas()
    climatology = open_climatology()
    gaps: list[Gap] = []
    for seed in range(asked.plannings):
        weather = make_storms(seed, DEPARTS_AT, climatology, days=40)
        for limit_m in WAVE_LIMITS_M:
            if not gaps:
                listen(sea, weather, make_request(limit_m))  # compiles kernels that are not cached
            gaps += listen(sea, weather, make_request(limit_m))
    cancels_s: list[float] = []
    if asked.cancels:
        with installation(asked.port) as service:
            cancels_s = list(cancel_often(service, asked.cancels))
    report(gaps, cancels_s)


if __name__ == "__main__":
    main()
