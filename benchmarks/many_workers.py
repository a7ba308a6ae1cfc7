"""Queue with more workers than processors: workers lost, plannings repeated.

``python -m benchmarks.many_workers [--workers N] [--orders N] [--port N]``

All chartings are queued at once. An ended worker is detected by its process, and a planning that
another worker repeats without a failure by its attempts.
"""

import argparse
import time

from benchmarks.installation import Installation, installation, wait_until
from benchmarks.memory import LONG_VOYAGE
from benchmarks.report import print_result, print_table

PATIENCE_S = 3000.0
ENDED = "SELECT count(*) FROM charting_revision WHERE status NOT IN ('QUEUED', 'RUNNING')"
OUTCOMES = "SELECT status, attempt, count(*) FROM charting_revision GROUP BY 1, 2 ORDER BY 1, 2"


def list_workers(service: Installation) -> dict[str, int]:
    """Return the processes of the planning workers by name."""
    members = [member.name for member in service.supervisor.members]
    return {
        name: service.pids(name)[0]
        for name in members
        if name.startswith("worker") and service.pids(name)
    }


def run(service: Installation, orders: int) -> dict[str, object]:
    """Queue the chartings and wait until all have ended."""
    before = list_workers(service)
    began = time.perf_counter()
    for _ in range(orders):
        service.place_order(LONG_VOYAGE)
    wait_until(lambda: service.rows(ENDED)[0][0] == orders, PATIENCE_S, every_s=1.0)
    seconds = time.perf_counter() - began
    after = list_workers(service)
    rows = service.rows(OUTCOMES)
    print_table(("status", "attempts", "orders"), rows)
    return {
        "workers": len(before),
        "orders": orders,
        "completed": sum(n for status, _, n in rows if status == "COMPLETED"),
        "begunAgain": sum(n for _, attempt, n in rows if attempt > 1),
        "workersLost": sum(after.get(name) != pid for name, pid in before.items()),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--orders", type=int, default=48)
    parser.add_argument("--port", type=int, default=8035)
    asked = parser.parse_args()
    with installation(asked.port, asked.workers) as service:
        print_result(run(service, asked.orders))


if __name__ == "__main__":
    main()
