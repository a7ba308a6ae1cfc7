"""Growth and slowdown of the web processes under mixed reads.

Needs the sea atlas and an empty database of its own:

    python scripts/local_services.py run --throwaway --dir var/bench -- \
        python -m benchmarks.soak --minutes 5

Readers request plans of a megabyte, routes as files, pages, lists and statistics, one after
another. Growth is that of each process's own memory (written pages) from the end of the warm-up, a
quarter of the time, to the end. Drift is the change of the 95th percentile between the first and
the last third after the warm-up.
"""

import argparse
import os
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final
from uuid import UUID

import numpy as np
import psycopg
import urllib3
from flask import Flask
from sqlalchemy.orm import Session

from app import create_app
from app.api.examples import BODIES
from app.engine.codes import AlternativeKind
from app.engine.plan import Alternative, RoutePlan
from app.models import Charting, ChartingRevision, ChartingStatus, Role, User, utc_now
from app.services.engine_mapping import store_plan
from app.services.identity import users
from app.services.platform.sessions import operator_session
from benchmarks.fleet import HTML, PASSWORD, sign_in
from benchmarks.memory import memory_of
from benchmarks.report import print_result, print_table
from benchmarks.world import create_organization, prepare_database, serving
from tests.builders import Turn, make_plan

CHARTINGS: Final = 12
#: A voyage of 20,000 nm with many alterations of course.
TURNS: Final = 250
ALTERNATIVES: Final = 4
SAMPLE_EVERY_S: Final = 2.0
#: Share of the time for the warm-up.
WARM_UP: Final = 0.25


@dataclass(frozen=True, slots=True)
class World:
    """Objects to request, and the users who request them."""

    key: str
    cookie: str
    chartings: list[str]
    vessel_id: str


@dataclass
class Watch:
    """Measurements by seconds since the start."""

    memory: list[tuple[float, dict[int, float]]] = field(default_factory=list)
    connections: list[tuple[float, int]] = field(default_factory=list)
    taken: list[tuple[float, float]] = field(default_factory=list)
    failed: int = 0


def main() -> None:
    """Fill a database, serve it, read for some minutes; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--port", type=int, default=8910)
    asked = parser.parse_args()
    settings = prepare_database()
    app = create_app(settings)
    world = fill(app)
    with serving(asked.port) as master:
        watch = soak(world, asked, master, settings.database_url)
    report(watch, 60.0 * asked.minutes)


def fill(app: Flask) -> World:
    """Create an organization with a user, a vessel and chartings that all have a long plan."""
    client, email = app.test_client(), f"soak-{os.getpid()}@ship.example"
    organization_id, key = create_organization(app, "Soak")
    with app.app_context(), operator_session(organization_id) as session:
        make_user(session, organization_id, email)
    headers = {"X-API-Key": key}
    vessel = BODIES["createVessel"] | {"imo": None}
    vessel_id = client.post("/v1/vessel", json=vessel, headers=headers).get_json()["id"]
    order = BODIES["createCharting"] | {"vesselId": vessel_id}
    plan, ids = long_plan(), []
    for _ in range(CHARTINGS):
        ids.append(client.post("/v1/charting", json=order, headers=headers).get_json()["id"])
        # one by one, because of the limit on active chartings
        with app.app_context(), operator_session(organization_id) as session:
            complete(session, UUID(ids[-1]), plan)
    browser = sign_in(app, email)
    cookies = browser._cookies.values()
    cookie = "; ".join(f"{cookie.key}={cookie.value}" for cookie in cookies)
    return World(key, cookie, ids, vessel_id)


def make_user(session: Session, organization_id: UUID, email: str) -> User:
    """Create a user who can sign in."""
    return users.create(
        session, organization_id, email=email, password=PASSWORD, role=Role.PLANNER, name="Bench"
    )


def long_plan() -> RoutePlan:
    """Return a plan of a megabyte, as for a long voyage."""
    turns = [
        Turn(20.0 + 15.0 * np.sin(number / 9.0), -170.0 + 340.0 * number / TURNS)
        for number in range(TURNS)
    ]
    sailed = make_plan(turns)
    others = [
        Alternative(
            AlternativeKind.TOPOLOGY, f"by strait {number}", sailed.summary, sailed.waypoints,
            profile=sailed.profile,
        )
        for number in range(ALTERNATIVES)
    ]  # fmt: skip
    return make_plan(turns, alternatives=others)


def complete(session: Session, charting_id: UUID, plan: RoutePlan) -> None:
    """Store a plan as a worker does."""
    row = session.get_one(ChartingRevision, (charting_id, 1))
    store_plan(row, plan)
    row.areas, row.provenance = [], {"weatherRuns": [], "weatherAreas": []}
    row.status, row.progress, row.finished_at = ChartingStatus.COMPLETED, 1.0, utc_now()
    session.get_one(Charting, charting_id).completed_revision = 1


def soak(world: World, asked: argparse.Namespace, master: int, database_url: str) -> Watch:
    """Read for a duration, and measure the processes meanwhile."""
    watch, begun = Watch(), time.monotonic()
    ends = begun + 60.0 * asked.minutes
    readers = [
        threading.Thread(target=read, args=(world, asked.port, number, begun, ends, watch))
        for number in range(asked.readers)
    ]
    for reader in readers:
        reader.start()
    with psycopg.connect(database_url, autocommit=True) as database:
        while time.monotonic() < ends:
            time.sleep(SAMPLE_EVERY_S)
            at = time.monotonic() - begun
            children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
            watch.memory.append((at, {int(pid): memory_of(int(pid)).written for pid in children}))
            counted = database.execute("SELECT count(*) FROM pg_stat_activity").fetchone()
            watch.connections.append((at, counted[0] if counted else 0))
    for reader in readers:
        reader.join()
    return watch


def read(world: World, port: int, number: int, begun: float, ends: float, watch: Watch) -> None:
    """Send one request after another."""
    chance, pool = random.Random(number), urllib3.PoolManager()
    api, page = {"X-API-Key": world.key}, HTML | {"Cookie": world.cookie}
    while time.monotonic() < ends:
        charting = f"charting/{chance.choice(world.chartings)}"
        path, headers = chance.choice(
            [
                (f"/v1/{charting}", api),
                (f"/v1/{charting}/rtz", api),
                (f"/v1/{charting}/csv", api),
                (f"/v1/{charting}/track", api),
                (f"/v1/{charting}/critical-points", api),
                ("/v1/charting", api),
                (f"/v1/vessel/{world.vessel_id}/stats", api),
                (f"/voyages/{charting.removeprefix('charting/')}", page),
                ("/voyages", page),
            ]
        )
        started = time.monotonic()
        answer = pool.request(
            "GET", f"http://127.0.0.1:{port}{path}", headers=headers, redirect=False
        )
        watch.taken.append((time.monotonic() - begun, time.monotonic() - started))
        if answer.status != 200:
            watch.failed += 1
            print(path, answer.status, answer.data[:200])


def report(watch: Watch, total_s: float) -> None:
    """Print how each process grew, and, last, one JSON object."""
    warm_s = WARM_UP * total_s
    pids = sorted({pid for _, each in watch.memory for pid in each})
    rows, growths = [], []
    for pid in pids:
        series = [(at, each[pid]) for at, each in watch.memory if pid in each]
        after = [mb for at, mb in series if at >= warm_s]
        if len(after) < 10:
            continue
        warm, end = median(after[:5]), median(after[-5:])
        growths.append(100.0 * (end / warm - 1.0))
        rows.append(
            (pid, f"{series[0][1]:.0f}", f"{warm:.0f}", f"{end:.0f}", f"{max(after):.0f}",
             f"{growths[-1]:+.1f} %")
        )  # fmt: skip
    print_table(("process", "first [MB]", "warm [MB]", "end [MB]", "peak [MB]", "growth"), rows)
    third = (total_s - warm_s) / 3.0
    early = [taken for at, taken in watch.taken if warm_s <= at < warm_s + third]
    late = [taken for at, taken in watch.taken if at >= total_s - third]
    p95s = [float(np.percentile(part, 95)) for part in (early, late)]
    held = [count for at, count in watch.connections if at >= warm_s]
    print_result(
        {
            "requests": len(watch.taken),
            "failed": watch.failed,
            "end_mb": round(max(float(row[3]) for row in rows)),
            "peak_mb": round(max(float(row[4]) for row in rows)),
            "growth_pct": round(max(growths), 1),
            "p95_early_ms": round(1e3 * p95s[0]),
            "p95_late_ms": round(1e3 * p95s[1]),
            "p95_drift_pct": round(100.0 * (p95s[1] / p95s[0] - 1.0), 1),
            "connections_min": min(held),
            "connections_max": max(held),
        }
    )


if __name__ == "__main__":
    main()
