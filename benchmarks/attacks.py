"""Outcome of attacks on a running service, and their effect on other organizations.

``python -m benchmarks.attacks [--port N] [--seconds N]``

The attacks are bounded, and run on separate servers of this machine only. *Before* is the outcome
when the attack was first tried, *after* the current one. *Others* is the 95th percentile of the
time in which another organization reads meanwhile, for attacks that aim at it.
"""

import argparse
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

import numpy as np
import psycopg
from psycopg import sql

from app.services.sea import basemap
from benchmarks.attack_target import Outcome, Target, p95
from benchmarks.attacks_on_trust import TRUST_ATTACKS
from benchmarks.installation import installation, run
from benchmarks.report import print_result, print_table

SLOW_SOCKETS = 64
QUEUED_ORDERS = 60
PLAN_PATIENCE_S = 600.0
ESCALATIONS = (
    "RESET ROLE; GRANT pg_execute_server_program TO CURRENT_USER",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "ALTER TABLE charting DISABLE ROW LEVEL SECURITY",
    "ALTER ROLE SESSION_USER BYPASSRLS",
    "SET ROLE chartroom_backup",
    "SET ROLE chartroom_eraser",
    "CREATE ROLE escalated LOGIN SUPERUSER",
)
MALFORMED = (
    ("POST", "/charting", b"[" * 100_000),
    ("POST", "/charting", b'{"latFrom": ' + b"9" * 400 + b"}"),
    ("POST", "/constraints", b'{"geometry": {"type": "Polygon", "coordinates": 5}}'),
    ("GET", "/charting?page=9223372036854775807", None),
    ("GET", "/charting?search=%00", None),
    ("GET", "/charting/x?revision=99999999999999999999", None),
    ("BREW", "/vessel", None),
)


def send_slowly(target: Target) -> Outcome:
    """Hold sockets open with half a request."""
    place = ("127.0.0.1", target.service.settings.port)
    with ExitStack() as stack, target.reading() as took:
        for _ in range(SLOW_SOCKETS):
            held = stack.enter_context(socket.create_connection(place))
            held.sendall(b"POST /v1/charting HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        time.sleep(target.seconds)
        status, _ = target.ask("GET", "/healthz")
    after = f"{SLOW_SOCKETS} sockets: /healthz {status}"
    before = "16 sockets: /healthz times out"
    return Outcome(1, "half-sent requests", before, after, status == 200, p95(took))


def ask_for_faults(target: Target) -> Outcome:
    """Send batches of the largest size in which everything is invalid."""
    vessel = target.make_vessel(target.attacker)
    record = {f"unknown{n}": n for n in range(40)}
    batch = json.dumps([record] * 4999).encode()
    path = f"/v1/telemetry/{vessel}/batch"
    with target.reading() as took, ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda _: target.ask("POST", path, batch), range(8))]
    largest = max(len(body) for _, body in answers) / 1e6
    statuses = sorted({status for status, _ in answers})
    return Outcome(
        2, "endless lists of errors", "46 MB, others time out",
        f"{largest:.2f} MB, statuses {statuses}", largest < 1.0, p95(took),
    )  # fmt: skip


def crowd_the_queue(target: Target) -> Outcome:
    """Queue many chartings before one of another organization.

    Judged by the attacker's plans finished before the other's, not by the time, which depends on
    the machine.
    """
    theirs, ours = target.make_vessel(target.other), target.make_vessel(target.attacker)
    await_plan(target, theirs)  # workers are warm from now on
    for _ in range(QUEUED_ORDERS):
        target.order(target.attacker, ours)
    with target.reading() as took:
        before = count_planned(target)
        began = time.perf_counter()
        state = await_plan(target, theirs)
        waited = time.perf_counter() - began
        overtaken = count_planned(target) - before
    after = f"{state} after {overtaken} of {QUEUED_ORDERS} orders, {waited:.0f} s"
    is_fair = state == "COMPLETED" and overtaken <= QUEUED_ORDERS / 10
    return Outcome(3, "crowded queue", "120 orders: 140 s", after, is_fair, p95(took))


def await_plan(target: Target, vessel_id: str) -> str:
    """Request a voyage as the other organization, wait for its plan; return its status."""
    charting = json.loads(target.order(target.other, vessel_id)[1])["id"]
    path = f"/v1/charting/{charting}?addCharting=false"
    state = "QUEUED"
    end = time.perf_counter() + PLAN_PATIENCE_S
    while state in ("QUEUED", "RUNNING") and time.perf_counter() < end:
        time.sleep(0.2)
        state = json.loads(target.ask("GET", path, key=target.other)[1])["status"]
    return state


def count_planned(target: Target) -> int:
    """Count the attacker's finished plannings."""
    query = "SELECT count(*) FROM charting_revision WHERE status NOT IN ('QUEUED', 'RUNNING')"
    return int(target.service.rows(query)[0][0])


def escalate(target: Target) -> Outcome:
    """Try to gain rights from the database logins of web and worker."""
    risen = 0
    for variable in ("WEB_DATABASE_URL", "WORKER_DATABASE_URL"):
        for statement in ESCALATIONS:
            with psycopg.connect(target.service.logins[variable]) as database:
                try:
                    database.execute(sql.SQL(statement))  # type: ignore[arg-type]
                    risen += 1
                except psycopg.errors.InsufficientPrivilege:
                    database.rollback()
    tries = 2 * len(ESCALATIONS)
    return Outcome(
        4, "rights in the database", "RESET ROLE, GRANT", f"{risen} of {tries}", not risen
    )


def draw_tiles(target: Target) -> Outcome:
    """Request chart tiles and use invented methods without a sign-in."""
    with target.reading() as took, ThreadPoolExecutor(8) as pool:
        paths = [f"/basemap/{basemap.VERSION}/8/{x}/{y}" for x in range(12) for y in range(12)]
        statuses = {s for s, _ in pool.map(lambda path: target.ask("GET", path), paths)}
    is_refused = not statuses & {0, 500} and p95(took) < 1.0
    after = f"statuses {sorted(statuses)}"
    return Outcome(8, "anonymous tiles", "0.9 CPU s each", after, is_refused, p95(took))


class _Slow(BaseHTTPRequestHandler):
    """Receiver of webhooks that never answers in time."""

    def do_POST(self) -> None:
        """Keep the sender waiting."""
        time.sleep(40.0)

    def log_message(self, *arguments: object) -> None:
        """Log nothing."""


def hold_webhooks(target: Target) -> Outcome:
    """Send many test calls to a receiver that does not answer."""
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hook = {"url": f"http://127.0.0.1:{receiver.server_port}/", "events": ["charting.completed"]}
    status, body = target.ask("POST", "/v1/webhooks", hook)
    if status != 201:
        receiver.shutdown()
        return Outcome(9, "slow receivers", "130 s", f"refused with {status}", True)
    address = f"/v1/webhooks/{json.loads(body)['id']}/test"
    with target.reading() as took, ThreadPoolExecutor(8) as pool:
        statuses = {s for s, _ in pool.map(lambda _: target.ask("POST", address), range(24))}
        time.sleep(target.seconds)
    receiver.shutdown()
    after = f"24 test calls, statuses {sorted(statuses)}"
    return Outcome(9, "slow receivers", "others' wait 130 s", after, p95(took) < 1.0, p95(took))


def store_bulk(target: Target) -> Outcome:
    """Request voyages with very large areas, then list them."""
    vessel = target.make_vessel(target.attacker)
    angle = np.linspace(0.0, 2.0 * np.pi, 3000, endpoint=False)
    ring = np.round(np.stack([np.sin(angle) - 30.0, np.cos(angle) + 45.0], axis=1), 9).tolist()
    area = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    status, _ = target.order(target.attacker, vessel, noGoAreas=[area] * 60)
    size = len(target.ask("GET", "/v1/charting")[1]) / 1e6
    after = f"order {status}, list {size:.2f} MB"
    return Outcome(10, "stored bulk", "list of 4.7 MB", after, size < 0.5)


def choose_poor_passwords(target: Target) -> Outcome:
    """Create users with passwords that are easily guessed."""
    mine = f"{uuid4().hex[:12]}@attack.example"
    words = ("aaaaaaaaaaaa", "password1234", mine)
    bodies = [{"email": mine, "role": "viewer", "password": word} for word in words]
    statuses = [target.ask("POST", "/v1/users", body)[0] for body in bodies]
    is_refused = set(statuses) == {422}
    return Outcome(11, "poor passwords", "accepted", f"statuses {statuses}", is_refused)


def probe_addresses(target: Target) -> Outcome:
    """Invite an address that another organization has, and one that nobody has."""
    taken = f"{uuid4().hex}@other.example"
    target.ask("POST", "/v1/users", {"email": taken, "role": "viewer"}, target.other)
    free = f"{uuid4().hex}@other.example"
    statuses = [
        target.ask("POST", "/v1/users", {"email": email, "role": "viewer"})[0]
        for email in (taken, free)
    ]
    is_neutral = len(set(statuses)) == 1
    return Outcome(15, "addresses of others", "409 for theirs", f"statuses {statuses}", is_neutral)


def reach_within(target: Target) -> Outcome:
    """Register webhook receivers inside the machine's own networks."""
    urls = ("http://169.254.169.254/", "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/")
    hooks = [{"url": url, "events": ["charting.completed"]} for url in urls]
    statuses = [target.ask("POST", "/v1/webhooks", hook)[0] for hook in hooks]
    return Outcome(16, "webhooks inwards", "reached", f"{statuses}", 201 not in statuses)


def send_malformed(target: Target) -> Outcome:
    """Send malformed requests."""
    statuses = [target.ask(method, f"/v1{path}", body)[0] for method, path, body in MALFORMED]
    is_refused = all(400 <= status < 500 for status in statuses)
    return Outcome(17, "malformed requests", "500", f"{statuses}", is_refused)


ATTACKS: tuple[Callable[[Target], Outcome], ...] = (
    send_slowly,
    ask_for_faults,
    crowd_the_queue,
    escalate,
    draw_tiles,
    hold_webhooks,
    store_bulk,
    choose_poor_passwords,
    probe_addresses,
    reach_within,
    send_malformed,
)


def report(outcomes: Sequence[Outcome]) -> None:
    """Print the table and the figures."""
    print_table(
        ("", "attack", "before", "after", "repelled", "others p95 s"),
        [
            (o.number, o.attack, o.before, o.after, "yes" if o.is_repelled else "NO",
             "" if o.others_p95_s is None else o.others_p95_s)
            for o in outcomes
        ],
    )  # fmt: skip
    print_result(
        {
            "attacks": len(outcomes),
            "succeeded": [o.number for o in outcomes if not o.is_repelled],
            "othersP95S": {
                str(o.number): o.others_p95_s for o in outcomes if o.others_p95_s is not None
            },
        }
    )


def main() -> None:
    """Run the attacks and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8040)
    parser.add_argument("--seconds", type=float, default=8.0, help="duration of an attack")
    asked = parser.parse_args()
    os.environ["WEBHOOKS_REACH_LOOPBACK"] = "1"  # for the slow receiver
    with installation(asked.port) as service:
        environment = run.build_environment() | service.services.environment()
        run.flask(environment, "orgs", "create", "Other")
        attacker, other = (
            run.flask(environment, "keys", "issue", "--org", name, "--role", "admin").strip()
            for name in ("Benchmark", "Other")
        )
        target = Target(service, attacker, other, asked.seconds)
        outcomes = [attack(target) for attack in (*ATTACKS, *TRUST_ATTACKS)]
        report(sorted(outcomes, key=lambda outcome: outcome.number))


if __name__ == "__main__":
    main()
