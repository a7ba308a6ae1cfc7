"""Whether watching a fleet keeps orders waiting: voyages under way, all due at once, beside orders.

``python -m benchmarks.watched_fleet [--voyages N] [--orders N] [--every S] [--workers N]``

Crossings of the North Atlantic are planned, departed yesterday and report themselves. Orders then
come one every some seconds, first while nothing is watched, then from the moment at which every
voyage falls due, as after a new forecast. Delays are from an order to its plan.
"""

import argparse
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from statistics import median
from typing import Any
from uuid import uuid4

import numpy as np

from app.records.instants import format_instant
from benchmarks.installation import SHORT_VOYAGE, VESSEL, Installation, installation, wait_until
from benchmarks.report import print_result, print_table

PATIENCE_S = 3000.0
#: Orders of one organization that may be planned at once, with room below its quota.
_AT_ONCE = 100
_ACTIVE = "SELECT count(*) FROM charting_revision WHERE status IN ('QUEUED', 'RUNNING')"
_UNWATCHED = (
    "SELECT count(*) FROM voyage_execution WHERE state = 'UNDER_WAY' AND watched_at IS NULL"
)
_DUE = "SELECT count(*) FROM voyage_execution WHERE watch_due_at IS NOT NULL"
_MAKE_DUE = "UPDATE voyage_execution SET watch_due_at = now() WHERE state = 'UNDER_WAY' RETURNING 1"
_DELAYS = (
    "SELECT extract(epoch FROM finished_at - queued_at) FROM charting_revision"
    " ORDER BY queued_at DESC LIMIT {}"
)


def draw_voyages(seed: int, departs_at: datetime) -> Iterator[dict[str, Any]]:
    """Draw crossings of the North Atlantic from a departure."""
    random = np.random.default_rng(seed)
    while True:
        start, end = random.uniform((36, -62), (42, -52)), random.uniform((40, -25), (50, -13))
        yield SHORT_VOYAGE | {
            "latFrom": round(start[0], 3), "lngFrom": round(start[1], 3), "portFromName": "West",
            "latTo": round(end[0], 3), "lngTo": round(end[1], 3), "portToName": "East",
            "startDate": format_instant(departs_at), "isAlterFrom": True,
        }  # fmt: skip


def send(service: Installation, path: str, body: Any) -> Any:
    """Post, again while the service is too busy, and answer what was made."""
    for _ in range(10):
        status, answer = service.ask("POST", path, body)
        if status in (200, 201, 202):
            return answer
        time.sleep(1.0)
    raise RuntimeError(f"{path} was answered {status}: {answer}")


def put_to_sea(service: Installation, voyages: int, departs_at: datetime) -> None:
    """Plan voyages, report their ships up to now, and wait until each was watched once."""
    sailing = []
    for voyage in islice(draw_voyages(1, departs_at), voyages):
        wait_until(lambda: service.rows(_ACTIVE)[0][0] < _AT_ONCE, PATIENCE_S)
        vessel_id = send(service, "/vessel", VESSEL)["id"]
        sailing.append((vessel_id, send(service, "/charting", voyage | {"vesselId": vessel_id})))
    wait_until(lambda: service.rows(_ACTIVE)[0][0] == 0, PATIENCE_S, every_s=1.0)
    now = format_instant(datetime.now(UTC))
    for vessel_id, charting in sailing:
        _, track = service.ask("GET", f"/charting/{charting['id']}/track")
        records = [
            {
                **{"timestamp": at["time"], "latitude": at["lat"], "longitude": at["lng"]},
                **{"speed": at["speedKn"], "heading": at["courseDeg"] % 360, "rpm": 84},
                **{"fuelConsumption": 24, "draft": 10, "engineLoad": 60},
            }
            for at in track["items"]
            if at["time"] <= now
        ]
        send(service, f"/telemetry/{vessel_id}/batch", records)
        send(service, f"/charting/{charting['id']}/start", {"at": format_instant(departs_at)})
    service.rows(_MAKE_DUE)
    wait_until(lambda: service.rows(_UNWATCHED)[0][0] == 0, PATIENCE_S, every_s=1.0)


def order(service: Installation, orders: int, every_s: float, departs_at: datetime) -> list[float]:
    """Order a voyage every so often; answer the delay of each [s]."""
    for voyage in islice(draw_voyages(2, departs_at), orders):
        began = time.monotonic()
        status, body = service.order(voyage, uuid4().hex)
        if status != 201:
            raise RuntimeError(f"an order was answered {status}: {body}")
        time.sleep(max(0.0, every_s - (time.monotonic() - began)))
    wait_until(lambda: service.rows(_ACTIVE)[0][0] == 0, PATIENCE_S)
    return [float(row[0]) for row in service.rows(_DELAYS.format(orders))]


def run(service: Installation, voyages: int, orders: int, every_s: float) -> dict[str, object]:
    """Measure orders alone, then beside watches."""
    departs_at = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=24)
    put_to_sea(service, voyages, departs_at)
    order(service, 5, 0.0, departs_at)  # both workers are warm
    alone = order(service, orders, every_s, departs_at)
    service.rows(_MAKE_DUE)
    began = time.monotonic()
    beside = order(service, orders, every_s, departs_at)
    wait_until(lambda: service.rows(_DUE)[0][0] == 0, PATIENCE_S, every_s=1.0)
    watched_s = time.monotonic() - began
    rows = [(name, f"{median(each):.2f}", f"{max(each):.2f}")
            for name, each in (("alone", alone), ("beside watches", beside))]  # fmt: skip
    print_table(("orders", "median delay [s]", "longest [s]"), rows)
    return {
        "voyages": voyages,
        "orders": orders,
        "alone_median_s": round(median(alone), 2),
        "beside_median_s": round(median(beside), 2),
        "more_pct": round(100.0 * (median(beside) / median(alone) - 1.0), 1),
        "all_watched_s": round(watched_s, 1),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voyages", type=int, default=200)
    parser.add_argument("--orders", type=int, default=50)
    parser.add_argument("--every", type=float, default=6.0, help="seconds between orders")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=8036)
    asked = parser.parse_args()
    with installation(asked.port, asked.workers) as service:
        print_result(run(service, asked.voyages, asked.orders, asked.every))


if __name__ == "__main__":
    main()
