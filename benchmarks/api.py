"""Time of the API relative to bare Flask handlers on the same rows, both under gunicorn.

The two are measured alternately. There is one ship per connection, which sends one telemetry record
after another.

Needs the sea atlas and an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.api
"""

import argparse
import asyncio
import itertools
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from uuid import UUID

import numpy as np
from sqlalchemy import text

from app import create_app
from app.api.examples import BODIES
from app.config import Settings
from app.services.chartings import charting_runs
from app.services.platform.sessions import operator_session
from app.services.vessels import telemetry
from app.services.vessels.telemetry_fields import FIELDS
from benchmarks.report import print_result, print_table
from benchmarks.world import create_organization, prepare_database, serving

CONNECTIONS = 16
CHARTINGS = 40
FIRST = datetime(2025, 1, 1, tzinfo=UTC)

#: Makes the other chartings equal to the planned one.
_PLANNED = (
    "status", "progress", "areas", "provenance", "summary", "label", "warnings", "plan", "profile",
    "track", "started_at", "finished_at",
)  # fmt: skip
_AS_PLANNED = text(
    f"UPDATE charting_revision SET ({', '.join(_PLANNED)}) ="  # noqa: S608
    f" (SELECT {', '.join(_PLANNED)} FROM charting_revision WHERE charting_id = :planned)"
)

#: Generates requests as bytes for a connection.
Requests = Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class World:
    """Objects to request, and the key to request them with."""

    organization_id: UUID
    key: str
    vessel_ids: list[str]
    charting_id: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Duration of a round of requests [s], and of each request."""

    total_s: float
    each_s: list[float]


def main() -> None:
    """Fill a database, serve it both ways, and print the comparison; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--requests", type=int, default=800, help="in each round")
    parser.add_argument("--port", type=int, default=8900, help="first of two free ports")
    arguments = parser.parse_args()
    prepare_database()
    world = fill()
    ports = arguments.port, arguments.port + 1
    bare = serving(
        ports[1], "benchmarks.bare_api:create_app()", ORGANIZATION_ID=str(world.organization_id)
    )
    with serving(ports[0]), bare:
        results = {
            name: compare(name, world, ports, arguments.pairs, arguments.requests)
            for name in ("get", "list", "telemetry")
        }
    print_table(
        ("operation", "ratio", "service [ms]", "bare [ms]", "service p95 [ms]"),
        [
            (name, f"{ratio:.2f}", *(f"{1e3 * median(m.each_s):.1f}" for m in (ours, bare)),
             f"{p95_ms(ours):.1f}")
            for name, (ratio, ours, bare) in results.items()
        ],
    )  # fmt: skip
    ratios = {f"{name}_ratio": round(ratio, 3) for name, (ratio, *_) in results.items()}
    print_result(
        ratios | {"p95_ms": round(max(p95_ms(ours) for _, ours, _ in results.values()), 2)}
    )


def fill() -> World:
    """Create an organization, a vessel and planned chartings, all revisions of one real plan."""
    app = create_app(Settings.from_environment(process_role="web"))
    organization_id, key = create_organization(app, "Benchmark")
    with app.app_context(), operator_session(organization_id) as session:
        telemetry.add_partitions(session, [FIRST])
    client, headers = app.test_client(), {"X-API-Key": key}
    fleet = [
        client.post("/v1/vessel", json=BODIES["createVessel"] | {"imo": None}, headers=headers)
        for _ in range(CONNECTIONS)
    ]
    vessel_ids = [made.get_json()["id"] for made in fleet]
    order = BODIES["createCharting"] | {"vesselId": vessel_ids[0]}
    ids = [
        client.post("/v1/charting", json=order, headers=headers).get_json()["id"]
        for _ in range(CHARTINGS)
    ]
    with app.app_context():
        app.extensions["chartroom"].redis.flushdb()
    worker = create_app(Settings.from_environment(process_role="worker"))
    with worker.app_context():
        charting_runs.run(UUID(ids[-1]), 1)
    with app.app_context(), operator_session(organization_id) as session:
        session.execute(_AS_PLANNED, {"planned": ids[-1]})
        session.execute(text("UPDATE charting SET completed_revision = 1"))
    planned = client.get(f"/v1/charting/{ids[-1]}", headers=headers).get_json()
    if planned["status"] != "COMPLETED":
        raise RuntimeError(planned["failure"])
    return World(organization_id, key, vessel_ids, ids[-1])


def compare(
    name: str, world: World, ports: tuple[int, int], pairs: int, count: int
) -> tuple[float, Measured, Measured]:
    """Return the median over pairs of rounds of the service's time over the bare handlers'."""
    makers = [make_requests(name, world, port, index) for index, port in enumerate(ports)]
    for port, maker in zip(ports, makers, strict=True):
        asyncio.run(ask(port, maker, count // 4))
    rounds = [
        tuple(
            asyncio.run(ask(port, maker, count)) for port, maker in zip(ports, makers, strict=True)
        )
        for _ in range(pairs)
    ]
    ratio = median(ours.total_s / bare.total_s for ours, bare in rounds)
    ours, bare = (
        Measured(sum(m.total_s for m in side), [s for m in side for s in m.each_s])
        for side in zip(*rounds, strict=True)
    )
    return ratio, ours, bare


def make_requests(name: str, world: World, port: int, side: int) -> Requests:
    """Return a generator of requests, to the service (side 0) or the bare handlers (side 1)."""
    base = "" if side else "/v1"
    if name == "get":
        return lambda: request("GET", f"{base}/charting/{world.charting_id}", port, world.key)
    if name == "list":
        return lambda: request("GET", f"{base}/charting?pageSize=20", port, world.key)
    # each side has its own half of a minute, so that no record is sent twice
    instants = (FIRST + timedelta(seconds=n, milliseconds=500 * side) for n in itertools.count())
    fleet = itertools.cycle(world.vessel_ids)
    reading = {field.name: 1.25 for field in FIELDS}

    def next_record() -> bytes:
        body = reading | {"timestamp": next(instants).isoformat().replace("+00:00", "Z")}
        path = f"{base}/telemetry/{next(fleet)}"
        return request("POST", path, port, world.key, json.dumps(body).encode())

    return next_record


def request(method: str, path: str, port: int, key: str, body: bytes = b"") -> bytes:
    """Return a request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-API-Key: {key}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


async def ask(port: int, make: Requests, count: int) -> Measured:
    """Ask ``count`` times over connections that are kept."""
    left = iter(range(count))
    begun = time.perf_counter()
    taken = await asyncio.gather(*(_ask_in_turn(port, make, left) for _ in range(CONNECTIONS)))
    return Measured(time.perf_counter() - begun, list(itertools.chain(*taken)))


async def _ask_in_turn(port: int, make: Requests, left: Iterator[int]) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    taken = []
    for _ in left:
        begun = time.perf_counter()
        writer.write(make())
        await _read_answer(reader)
        taken.append(time.perf_counter() - begun)
    writer.close()
    await writer.wait_closed()
    return taken


async def _read_answer(reader: asyncio.StreamReader) -> None:
    """Read an answer to its end; raises when it is none of success."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    body = await reader.readexactly(length)
    if head.split(" ", 2)[1] not in ("200", "201"):
        raise RuntimeError(head + body.decode())


def p95_ms(measured: Measured) -> float:
    """Return the 95th percentile of a request's time [ms]."""
    return 1e3 * float(np.percentile(measured.each_s, 95))


if __name__ == "__main__":
    main()
