"""Memory and throughput of a running service with a full queue.

``python -m benchmarks.memory [--chartings N] [--total N] [--port N]``

``--chartings`` requests (50) are queued at once on two workers, repeatedly until ``--total`` (200)
are planned, which shows whether memory grows. Reading memory takes a tenth of the machine, so
chartings an hour are measured before, on one more queue without reading.

*Written* memory is private to a process. *Own* adds pages of mapped files, mainly of the atlas,
that only this process has touched; the system reclaims them when memory is short. *Share* adds its
part of shared pages (PSS), atlas and weather included.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.installation import SHORT_VOYAGE, Installation, installation, wait_until
from benchmarks.report import print_result, print_table

SAMPLE_EVERY_S = 0.25
END_PATIENCE_S = 3600.0
LONG_VOYAGE = SHORT_VOYAGE | {
    "latTo": 1.25, "lngTo": 103.83, "portToName": "Singapore",
    "avoidWarZones": False, "avoidPiracyAreas": False,
}  # fmt: skip
#: One in this many requests is for the long voyage.
LONG_ONE_IN = 5
KINDS = ("written", "own", "share")


@dataclass(frozen=True)
class Memory:
    """Memory of a process or of several [MB]."""

    written: float = 0.0
    own: float = 0.0
    share: float = 0.0

    def __add__(self, other: "Memory") -> "Memory":
        return Memory(self.written + other.written, self.own + other.own, self.share + other.share)


@dataclass
class Watch:
    """Repeated measurement of the memory of each member's processes."""

    service: Installation
    read: dict[str, list[Memory]] = field(default_factory=dict)
    horses: list[Memory] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Sample until stopped."""
        while not self.ended.wait(SAMPLE_EVERY_S):
            for member in self.service.supervisor.members:
                each = [memory_of(pid) for pid in self.service.pids(member.name)]
                self.read.setdefault(member.name, []).append(sum(each, Memory()))
                if member.name.startswith("worker-"):
                    self.horses += each[1:]

    def peak_mb(self, member: str, kind: str) -> float:
        """Return a member's peak of one kind of memory [MB]."""
        return max(getattr(memory, kind) for memory in self.read[member])


def memory_of(pid: int) -> Memory:
    """Return the memory of a process; zero for one that has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return Memory()
    mb = {line.split(":")[0]: int(line.split()[1]) / 1024.0 for line in text.splitlines()[1:]}
    written = mb["Private_Dirty"]
    return Memory(written, written + mb["Private_Clean"], mb["Pss"])


def plan_all(service: Installation, count: int) -> None:
    """Queue a number of chartings at once and wait until all have ended."""
    for number in range(count):
        service.place_order(SHORT_VOYAGE if number % LONG_ONE_IN else LONG_VOYAGE)
    wait_until(lambda: not active(service), END_PATIENCE_S, every_s=0.5)


def active(service: Installation) -> int:
    """Return how many chartings are queued or running."""
    query = "SELECT count(*) FROM charting_revision WHERE status IN ('QUEUED', 'RUNNING')"
    return int(service.rows(query)[0][0])


def idle_mb(service: Installation) -> dict[str, float]:
    """Return the written memory of each idle member [MB]."""
    time.sleep(2.0)
    return {
        member.name: sum(memory_of(pid).written for pid in service.pids(member.name))
        for member in service.supervisor.members
    }


def watched(service: Installation, work: Callable[[], None]) -> Watch:
    """Measure memory while work is done."""
    watch = Watch(service)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        work()
    finally:
        watch.ended.set()
        thread.join()
    return watch


def report(
    service: Installation, at_once: int, rate_h: float, watch: Watch, idle: dict[str, list[float]]
) -> None:
    """Print the memory of each member, and, last, one JSON object."""
    completed = int(
        service.rows("SELECT count(*) FROM charting_revision WHERE status = 'COMPLETED'")[0][0]
    )
    total = int(service.rows("SELECT count(*) FROM charting_revision")[0][0])
    print(f"{at_once} queued at once: {rate_h:.0f} chartings an hour on two workers")
    print_table(
        ["process", "idle before", "idle after", "peak written", "peak own", "peak share"],
        [
            [
                name,
                *(
                    f"{mb:.0f} MB"
                    for mb in (*idle[name], *map(partial(watch.peak_mb, name), KINDS))
                ),
            ]
            for name in watch.read
        ],
    )
    workers = [name for name in watch.read if name.startswith("worker-")]
    most = {kind: max(watch.peak_mb(name, kind) for name in workers) for kind in KINDS}
    web_mb = [memory.own for memory in watch.read["web"]]
    print_result(
        {
            "chartings": total,
            "completed": completed,
            "per_hour": round(rate_h),
            "worker_peak_written_mb": round(most["written"]),
            "worker_peak_mb": round(most["own"]),
            "worker_peak_pss_mb": round(most["share"]),
            "planning_peak_written_mb": round(max((h.written for h in watch.horses), default=0.0)),
            "planning_peak_mb": round(max((h.own for h in watch.horses), default=0.0)),
            "worker_growth_mb": round(max(idle[name][1] - idle[name][0] for name in workers), 1),
            "web_peak_mb": round(max(web_mb)),
            "web_median_mb": round(statistics.median(web_mb)),
        }
    )


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description="Measure the memory of a running service.")
    parser.add_argument("--chartings", type=int, default=50)
    parser.add_argument("--total", type=int, default=200)
    parser.add_argument("--port", type=int, default=8030)
    asked = parser.parse_args()
    with installation(asked.port) as service:
        plan_all(service, 4)  # warms up both workers and the approaches of the ports
        started = time.monotonic()
        plan_all(service, asked.chartings)
        rate_h = asked.chartings / (time.monotonic() - started) * 3600.0
        before = idle_mb(service)

        def plan_batches() -> None:
            for _ in range(asked.total // asked.chartings):
                plan_all(service, asked.chartings)

        watch = watched(service, plan_batches)
        after = idle_mb(service)
        idle = {name: [before[name], after[name]] for name in before}
        report(service, asked.chartings, rate_h, watch, idle)


if __name__ == "__main__":
    main()
