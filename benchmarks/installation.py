"""The complete service on temporary servers, as ``make run`` starts it, for benchmarks."""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "scripts"))

import run  # noqa: E402
from local_services import LocalServices  # noqa: E402
from setup_steps import find_chromium  # noqa: E402, F401 - for the benchmarks of pages
from supervisor import Supervisor  # noqa: E402

ANSWER_PATIENCE_S = 10.0
#: Variables of folders; default: the project's own.
OWN_FILES = ("ATLAS_DIR", "WEATHER_DIR", "NUMBA_CACHE_DIR")

VESSEL = {
    "name": "Noordster", "dateConstructed": "2015-06-01", "dwt": 82000, "loa": 229, "lbp": 225.5,
    "breadth": 32.26, "depth": 20.05, "draftDesign": 12.2, "serviceSpeed": 14, "draftScant": 14.45,
    "pitch": 5.1, "type": 1,
}  # fmt: skip
SHORT_VOYAGE = {
    "latFrom": 51.98, "lngFrom": 4.0, "portFromName": "Rotterdam", "latTo": 51.5, "lngTo": 1.2,
    "portToName": "London", "startDate": "2026-03-01T06:00:00Z", "speedRangeMin": 10,
    "speedRangeMax": 14, "draft": 10, "trim": 0, "rpm": 95, "dwt": 60000, "lbp": 225.5,
    "pitch": 5.1, "optimizationType": "FUEL", "routeType": "WX",
}  # fmt: skip


@dataclass
class Installation:
    """A running service, its processes and its servers."""

    settings: run.Settings
    services: LocalServices
    supervisor: Supervisor
    organization_id: str
    key: str
    logins: dict[str, str]
    vessel_id: str = ""
    tending: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Call an operation; return status and body, or status 0 without an answer."""
        request = urllib.request.Request(  # noqa: S310 - our own address
            f"{self.settings.address}/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-API-Key": self.key, "Content-Type": "application/json"} | (headers or {}),
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_PATIENCE_S) as answer:  # noqa: S310
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except (OSError, ValueError):
            return 0, None

    def order(self, voyage: dict[str, Any], idempotency_key: str) -> tuple[int, Any]:
        """Request a charting."""
        body = voyage | {"vesselId": self.vessel_id}
        return self.ask("POST", "/charting", body, {"Idempotency-Key": idempotency_key})

    def place_order(self, voyage: dict[str, Any]) -> str:
        """Request a charting that must be accepted; return its id."""
        status, body = self.order(voyage, uuid4().hex)
        if status != 201:
            raise RuntimeError(f"a request was answered {status}: {body}")
        return str(body["id"])

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Query the organization's rows directly in the database."""
        with psycopg.connect(self.services.environment()["DATABASE_URL"]) as database:
            database.execute(
                "SELECT set_config('app.organization', %s, false)", [self.organization_id]
            )
            return database.execute(query).fetchall()

    def kill(self, member: str) -> None:
        """Kill a process and its descendants, as a loss of power does."""
        self.supervisor.kill(member)

    def pids(self, member: str) -> list[int]:
        """List the pids of a member and of its descendants."""
        process = next(m.process for m in self.supervisor.members if m.name == member)
        return [] if process is None else [process.pid, *list_descendants(process.pid)]

    def tend(self, until: threading.Event) -> None:
        """Keep everything running, as ``make run`` does."""
        while not until.wait(run.TEND_EVERY_S):
            with self.tending:
                run.tend(self.supervisor, self.services)


@contextmanager
def installation(port: int, workers: int = 2) -> Iterator[Installation]:
    """Start the service on temporary servers, and remove everything at the end."""
    # not below a private directory, which the servers' accounts cannot enter
    state = Path(tempfile.mkdtemp(prefix="installation-"))
    state.chmod(0o711)
    settings = run.Settings(port, "127.0.0.1", workers, state, external={})
    try:
        with run.servers(settings) as services:
            environment = run.service_environment(settings, services.environment()) | {
                "NUMBA_NUM_THREADS": "1",
                "WEATHER_SOURCE": "none",
                **{name: os.environ[name] for name in OWN_FILES if name in os.environ},
            }
            logins = run.database_logins(settings, environment["DATABASE_URL"])
            run.flask(environment | logins, "migrate")
            organization_id = run.flask(environment, "orgs", "create", "Benchmark").strip()
            key = run.flask(environment, "keys", "issue", "--org", "Benchmark").strip()
            supervisor = Supervisor(environment, ROOT, lambda _: None)
            made = Installation(settings, services, supervisor, organization_id, key, logins)
            with _running(made):
                yield made
    finally:
        shutil.rmtree(state, ignore_errors=True)


@contextmanager
def _running(made: Installation) -> Iterator[None]:
    ended = threading.Event()
    tender = threading.Thread(target=made.tend, args=[ended], daemon=True)
    try:
        web_login, worker_login = (
            made.logins[f"{each}_DATABASE_URL"] for each in ("WEB", "WORKER")
        )
        made.supervisor.start(run.web_server(made.settings, web_login))
        run.wait_until_ready(made.settings, made.supervisor)
        made.supervisor.start(
            *run.workers(made.settings, worker_login),
            run.webhook_worker(made.settings, worker_login),
        )
        tender.start()
        made.vessel_id = made.ask("POST", "/vessel", VESSEL)[1]["id"]
        yield
    finally:
        ended.set()
        if tender.is_alive():
            tender.join()
        made.supervisor.stop()


def list_descendants(pid: int) -> list[int]:
    """List the descendants of a process."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [each for child in map(int, text.split()) for each in (child, *list_descendants(child))]


def wait_until(condition: Any, within_s: float, every_s: float = 0.2) -> bool:
    """Wait for a condition; return whether it came true in time."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(every_s)
    return True
