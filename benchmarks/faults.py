"""Chartings lost, duplicated and delayed when parts of a running service fail.

``python -m benchmarks.faults [--short] [--only NAME ...] [--port N]``

Clients request voyages continuously, each with an Idempotency-Key of its own, and repeat a request
until it is accepted; a queue exists throughout. Then a fault of ``benchmarks.fault_kinds`` or
``benchmarks.disk_faults`` is caused, under the supervisor of ``make run``.

*Slowest* is the longest time until a request was accepted or refused. *Lost* is an accepted
charting without a plan, *doubled* one with two chartings or two completions. *Accepting* is the
time until the next request is accepted, *recovered* until all chartings under way at the fault, and
the first one after it, are planned.
"""

import argparse
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from benchmarks import disk_faults, fault_kinds
from benchmarks.disk_faults import FILLING, Losses, Skipped, own_files
from benchmarks.fault_kinds import Fault
from benchmarks.installation import SHORT_VOYAGE, Installation, installation, wait_until

FAULTS: dict[str, Fault] = {**fault_kinds.FAULTS, **disk_faults.DISK_FAULTS}
CLIENTS = 3
CROWD = 12
ORDER_EVERY_S = 4.0
RETRY_EVERY_S = 0.5
END_PATIENCE_S = 900.0


@dataclass
class Stream:
    """Clients that request voyages until stopped, and the answers that they got."""

    service: Installation
    accepted: dict[str, float] = field(default_factory=dict)
    refusals: int = 0
    slowest_s: float = 0.0
    ended: threading.Event = field(default_factory=threading.Event)

    def client(self) -> None:
        """Request one voyage after another."""
        while not self.ended.is_set():
            self._order(uuid4().hex)
            self.ended.wait(ORDER_EVERY_S)

    def crowd(self) -> None:
        """Request many voyages at once, so that a queue forms."""
        for _ in range(CROWD):
            self._order(uuid4().hex)

    def _order(self, key: str) -> None:
        # repeat until it is accepted, as a client should
        while True:
            began = time.monotonic()
            status, body = self.service.order(SHORT_VOYAGE, key)
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            if status == 201:
                self.accepted[body["id"]] = time.time()
                return
            self.refusals += 1
            time.sleep(RETRY_EVERY_S)


@dataclass(frozen=True)
class Outcome:
    """Effects of a fault."""

    fault: str
    accepted: int
    completed: int
    lost: int
    doubled: int
    refusals: int
    slowest_s: float
    accepting_after_s: float
    recovered_after_s: float


def suffer(service: Installation, fault: str, lead_s: float, tail_s: float) -> Outcome:
    """Let clients send requests, cause the fault, continue, and collect the effects."""
    stream = Stream(service)
    with _ordering(stream):
        time.sleep(lead_s)
        stream.crowd()
        losses = FAULTS[fault](service) or Losses()
        at = time.time()
        wait_until(lambda: any(when > at for when in stream.accepted.values()), END_PATIENCE_S)
        time.sleep(tail_s)
    wait_until(lambda: not _unfinished(service), END_PATIENCE_S, every_s=1.0)
    return judge(service, stream, fault, at, losses)


@contextmanager
def _ordering(stream: Stream) -> Iterator[None]:
    """Run the clients, and stop them in any case."""
    clients = [threading.Thread(target=stream.client, daemon=True) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield
    finally:
        stream.ended.set()
        for client in clients:
            client.join(END_PATIENCE_S)


def _unfinished(service: Installation) -> int:
    query = "SELECT count(*) FROM charting_revision WHERE status IN ('QUEUED', 'RUNNING')"
    return int(service.rows(query)[0][0])


def judge(service: Installation, stream: Stream, fault: str, at: float, losses: Losses) -> Outcome:
    """Compare the accepted requests with the database."""
    rows = service.rows(
        # the clock of a worker may have been ahead
        "SELECT charting_id::text, status, extract(epoch FROM queued_at)::float,"
        " extract(epoch FROM least(finished_at, now()))::float FROM charting_revision"
    )
    promised = {row[0]: row for row in rows if row[0] in stream.accepted}
    finished = {name: end for name, status, _, end in promised.values() if status == "COMPLETED"}
    under_way = [end for name, end in finished.items() if promised[name][2] < at < end]
    first_later, accepted_at = min(
        ((name, when) for name, when in stream.accepted.items() if when > at),
        key=lambda acceptance: acceptance[1],
    )
    twice = service.rows(
        "SELECT subject_id::text FROM event WHERE kind = 'charting.completed'"
        " GROUP BY subject_id HAVING count(*) > 1"
    )
    unasked = len(rows) - len(promised) - _chartings_before(service, stream)
    return Outcome(
        fault=fault,
        accepted=len(stream.accepted),
        completed=len(finished),
        lost=len(stream.accepted) - len(finished) + losses.lost,
        doubled=unasked + sum(name in stream.accepted for (name,) in twice) + losses.doubled,
        refusals=stream.refusals,
        slowest_s=round(max(stream.slowest_s, losses.slowest_s), 1),
        accepting_after_s=round(accepted_at - at, 1),
        recovered_after_s=round(max([*under_way, finished.get(first_later, at)]) - at, 1),
    )


def _chartings_before(service: Installation, stream: Stream) -> int:
    oldest = min(stream.accepted)  # ids sort by the time of their creation
    return int(service.rows(f"SELECT count(*) FROM charting WHERE id < '{oldest}'")[0][0])  # noqa: S608


def report(outcomes: list[Outcome]) -> None:
    """Print the table and, last, one JSON object."""
    print(
        f"{'fault':<26}{'accepted':>9}{'completed':>10}{'lost':>6}{'doubled':>8}{'retries':>8}"
        f"{'slowest':>9}{'accepting':>11}{'recovered':>11}"
    )
    for o in outcomes:
        print(
            f"{o.fault:<26}{o.accepted:>9}{o.completed:>10}{o.lost:>6}{o.doubled:>8}"
            f"{o.refusals:>8}{o.slowest_s:>7.1f} s{o.accepting_after_s:>9.1f} s"
            f"{o.recovered_after_s:>9.1f} s"
        )
    print(
        json.dumps(
            {
                "faults": len(outcomes),
                "accepted": sum(o.accepted for o in outcomes),
                "completed": sum(o.completed for o in outcomes),
                "lost": sum(o.lost for o in outcomes),
                "doubled": sum(o.doubled for o in outcomes),
                "slowest_s": max(o.slowest_s for o in outcomes),
                "max_recovery_s": max(o.recovered_after_s for o in outcomes),
            }
        )
    )


def main() -> None:
    """Cause the faults and report."""
    parser = argparse.ArgumentParser(description="Kill parts of a running service.")
    parser.add_argument("--short", action="store_true", help="fewer requests around each fault")
    parser.add_argument("--only", nargs="+", choices=FAULTS, help="faults to cause; default: all")
    parser.add_argument("--port", type=int, default=8030)
    asked = parser.parse_args()
    lead_s, tail_s = (6.0, 3.0) if asked.short else (20.0, 20.0)
    outcomes = []
    for fault in asked.only or FAULTS:
        # separate servers for each: one fault does not affect the next
        try:
            with own_files(small_disk=fault in FILLING), installation(asked.port) as service:
                outcomes.append(suffer(service, fault, lead_s, tail_s))
        except Skipped as reason:
            print(f"{fault}: skipped, {reason}", flush=True)
        else:
            print(outcomes[-1], flush=True)
    report(outcomes)


if __name__ == "__main__":
    main()
