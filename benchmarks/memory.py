"""What the processes of a running service need of memory while a queue stands.

``python -m benchmarks.memory [--chartings N] [--total N] [--port N]``

``--chartings`` orders, 50 unless said otherwise, are queued at once on two workers, and again
until ``--total`` (200) are planned, which shows whether anything grows. *Own* memory is what
a process has for itself alone; *share* adds its part of what it shares with others (PSS), atlas
and weather included, which all processes of a machine have in common.
"""

import argparse
import json
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from benchmarks.installation import SHORT_VOYAGE, Installation, installation, wait_until

SAMPLE_EVERY_S = 0.25
END_PATIENCE_S = 3600.0
LONG_VOYAGE = SHORT_VOYAGE | {
    "latTo": 1.25, "lngTo": 103.83, "portToName": "Singapore",
    "avoidWarZones": False, "avoidPiracyAreas": False,
}  # fmt: skip
#: One in this many orders is for the long voyage.
LONG_ONE_IN = 5


@dataclass
class Watch:
    """Reads the memory of each member's processes again and again."""

    service: Installation
    own_mb: dict[str, list[float]] = field(default_factory=dict)
    share_mb: dict[str, list[float]] = field(default_factory=dict)
    horse_mb: list[float] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Sample until told to stop."""
        while not self.ended.wait(SAMPLE_EVERY_S):
            for member in self.service.supervisor.members:
                read = [memory_of(pid) for pid in self.service.pids(member.name)]
                own = [own for own, _ in read]
                self.own_mb.setdefault(member.name, []).append(sum(own))
                self.share_mb.setdefault(member.name, []).append(sum(pss for _, pss in read))
                if member.name.startswith("worker-"):
                    self.horse_mb += own[1:]


def memory_of(pid: int) -> tuple[float, float]:
    """Own pages and proportional share of a process [MB]; nothing of one that has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0, 0.0
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    own = sizes["Private_Dirty"] + sizes["Private_Clean"]
    return own / 1024.0, sizes["Pss"] / 1024.0


def plan_all(service: Installation, count: int) -> None:
    """Queue that many orders at once and wait until every one has ended."""
    for number in range(count):
        voyage = SHORT_VOYAGE if number % LONG_ONE_IN else LONG_VOYAGE
        status, body = service.order(voyage, uuid4().hex)
        if status != 201:
            raise RuntimeError(f"an order was answered {status}: {body}")
    wait_until(lambda: not active(service), END_PATIENCE_S, every_s=0.5)


def active(service: Installation) -> int:
    """How many chartings are queued or being planned."""
    query = "SELECT count(*) FROM charting_revision WHERE status IN ('QUEUED', 'RUNNING')"
    return int(service.rows(query)[0][0])


def idle_mb(service: Installation) -> dict[str, float]:
    """Own memory of each member with nothing to do [MB]."""
    time.sleep(2.0)
    return {
        member.name: sum(memory_of(pid)[0] for pid in service.pids(member.name))
        for member in service.supervisor.members
    }


def watched(service: Installation, work: Callable[[], None]) -> Watch:
    """Do some work and watch the memory meanwhile."""
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
    """Print what each needs, and, last, one JSON object."""
    completed = int(
        service.rows("SELECT count(*) FROM charting_revision WHERE status = 'COMPLETED'")[0][0]
    )
    total = int(service.rows("SELECT count(*) FROM charting_revision")[0][0])
    print(f"{at_once} queued at once: {rate_h:.0f} chartings an hour on two workers")
    print(f"{'process':<12}{'idle before':>12}{'idle after':>12}{'peak own':>11}{'peak share':>12}")
    for name, own in watch.own_mb.items():
        before, after = idle[name]
        share = max(watch.share_mb[name])
        print(f"{name:<12}{before:>9.0f} MB{after:>9.0f} MB{max(own):>8.0f} MB{share:>9.0f} MB")
    workers = [name for name in watch.own_mb if name.startswith("worker-")]
    horse = max(watch.horse_mb, default=0.0)
    print(f"a planning's own memory: {horse:.0f} MB at most")
    last_line = {
        "chartings": total,
        "completed": completed,
        "per_hour": round(rate_h),
        "worker_peak_mb": round(max(max(watch.own_mb[name]) for name in workers)),
        "worker_peak_pss_mb": round(max(max(watch.share_mb[name]) for name in workers)),
        "planning_peak_mb": round(horse),
        "worker_growth_mb": round(max(idle[name][1] - idle[name][0] for name in workers), 1),
        "web_peak_mb": round(max(watch.own_mb["web"])),
        "web_median_mb": round(statistics.median(watch.own_mb["web"])),
    }
    print(json.dumps(last_line))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure the memory of a running service.")
    parser.add_argument("--chartings", type=int, default=50)
    parser.add_argument("--total", type=int, default=200)
    parser.add_argument("--port", type=int, default=8030)
    asked = parser.parse_args()
    with installation(asked.port) as service:
        plan_all(service, 4)  # both workers warm, the approaches of the ports known
        before = idle_mb(service)
        seconds: list[float] = []

        def plan_batches() -> None:
            for _ in range(asked.total // asked.chartings):
                started = time.monotonic()
                plan_all(service, asked.chartings)
                seconds.append(time.monotonic() - started)

        watch = watched(service, plan_batches)
        after = idle_mb(service)
        idle = {name: [before[name], after[name]] for name in before}
        rate_h = asked.chartings / statistics.median(seconds) * 3600.0
        report(service, asked.chartings, rate_h, watch, idle)


if __name__ == "__main__":
    main()
