"""Two hosts with a web process and a worker each: both plan, and losing one loses no work."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
from redis import Redis

from app import create_app
from app.config import Settings
from tests.integration.client import CHARTING, ApiClient
from tests.integration.hosts import ROOT, Host, Network, network
from tests.integration.weather.test_store_and_service import forecast_file, run
from tests.s3_server import BUCKET, make_bucket, serving_s3
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.atlas,
    pytest.mark.usefixtures("atlas", "redis"),
    pytest.mark.timeout(900),
]

PORT = 8000


@dataclass(frozen=True)
class Site:
    """A host with the service on it: orders are taken at once, planned when its gate is open."""

    host: Host
    key: str
    log: Path

    @property
    def gate(self) -> Path:
        return self.host.folder / "gate"

    @property
    def weather(self) -> Path:
        return self.host.folder / "weather"

    def call(self, method: str, path: str, body: Any = None) -> requests.Response:
        url = f"http://{self.host.address}:{PORT}{path}"
        headers = {"X-API-Key": self.key}
        return requests.request(method, url, json=body, headers=headers, timeout=30)

    def is_ready(self) -> bool:
        try:
            return self.call("GET", "/readyz").ok
        except requests.ConnectionError:
            return False

    def order(self, vessel_id: str) -> str:
        response = self.call("POST", "/v1/charting", CHARTING | {"vesselId": vessel_id})
        assert response.status_code == 201, response.text
        ordered: str = response.json()["id"]
        return ordered

    def count_begun(self) -> int:
        return self.log.read_text().count("planning begins")

    def count_planned(self) -> int:
        return self.log.read_text().count("planning ended")


class Installation:
    """Two sites that share the servers and nothing else, and the rows that both write."""

    def __init__(self, settings: Settings, planner: ApiClient, sites: list[Site]) -> None:
        self._settings = settings
        self._vessel_id: str = planner.make_vessel()["id"]
        self.first, self.second = sites

    def order(self, *at: Site) -> set[str]:
        """Order a voyage at each of these sites."""
        return {site.order(self._vessel_id) for site in at}

    def read(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query, in which ``ordered`` are the chartings of this installation's vessel."""
        ordered = "WITH ordered AS (SELECT id FROM charting WHERE vessel_id = %s) "
        with psycopg.connect(self._settings.database_url) as database:
            return database.execute(ordered + query, [self._vessel_id]).fetchall()

    def completed(self) -> set[str]:
        query = (
            "SELECT charting_id::text FROM charting_revision JOIN ordered ON id = charting_id"
            " WHERE status = 'COMPLETED'"
        )
        return {row[0] for row in self.read(query)}

    def completions(self) -> list[str]:
        query = (
            "SELECT subject_id::text FROM event JOIN ordered ON ordered.id = subject_id"
            " WHERE kind = 'charting.completed'"
        )
        return sorted(row[0] for row in self.read(query))


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Network]:
    with network(tmp_path) as made:
        yield made


@pytest.fixture
def installation(
    settings: Settings, planner: ApiClient, climatology: Path, hosts: Network, tmp_path: Path
) -> Iterator[Installation]:
    """The service on two hosts; the first has taken a forecast in, which it has published."""
    with serving_s3(tmp_path / "s3.log") as endpoint:
        make_bucket(endpoint)
        servers = {
            "DATABASE_URL": hosts.relay(settings.database_url),
            "REDIS_URL": hosts.relay(settings.redis_url),
            "WEATHER_S3_ENDPOINT": hosts.relay(endpoint).rstrip("/"),
        }
        sites = [start_site(hosts.add_host(), settings, planner, servers) for _ in range(2)]
        for site in sites:
            shutil.copytree(climatology, site.weather / "climatology")
        shared = {"weather_bucket": BUCKET, "weather_s3_endpoint": endpoint}
        first = create_app(replace(settings, weather_dir=sites[0].weather, **shared))
        run(first, "import", str(forecast_file(tmp_path / "f.grib2", 12.0)))
        first.extensions["chartroom"].close()
        for site in sites:
            wait_until(site.is_ready, f"web on {site.host.name}")
        yield Installation(settings, planner, sites)


def start_site(host: Host, settings: Settings, planner: ApiClient, servers: dict[str, str]) -> Site:
    environment = servers | {
        "ATLAS_DIR": str(settings.atlas_dir),
        "WEATHER_DIR": str(host.folder / "weather"),
        "WEATHER_SOURCE": "none",
        "WEATHER_BUCKET": BUCKET,
        "SECRET_KEY": str(settings.secret_key),
        "PLANNING_GATE": str(host.folder / "gate"),
        "NUMBA_NUM_THREADS": "1",
    }
    script = str(ROOT / "tests" / "integration" / "slow_worker.py")
    environment["PYTHONPATH"] = ":".join(filter(None, [str(ROOT), *map(str, sys.path)]))
    log = host.start("worker", [sys.executable, script], environment)
    gunicorn = ("-m", "gunicorn", "--workers", "1", "--bind", f"{host.address}:{PORT}", "wsgi:app")
    host.start("web", [sys.executable, *gunicorn], environment)
    return Site(host, planner.key, log)


def test_a_host_that_is_lost_loses_no_order_and_none_is_planned_twice(
    installation: Installation, redis: Redis
) -> None:
    first, second = installation.first, installation.second

    # both plan, each in the forecast that one of them has taken in
    ordered = installation.order(first, second, first, second)
    wait_until(lambda: first.count_begun() and second.count_begun(), "planning on both hosts")
    first.gate.touch()
    second.gate.touch()
    wait_until(lambda: installation.completed() == ordered, "plans of all orders")
    wait_until(lambda: first.count_planned() > 0, "plan by the first host")
    wait_until(lambda: second.count_planned() > 0, "plan by the second host")
    runs = installation.read(
        "SELECT provenance -> 'weatherRuns' ->> 0 FROM charting_revision"
        " JOIN ordered ON id = charting_id"
    )
    assert {name.split("-")[0] for (name,) in runs} == {"file"}

    # the first is lost while both are at a planning and others wait
    first.gate.unlink()
    second.gate.unlink()
    begun = first.count_begun(), second.count_begun()
    ordered |= installation.order(first, second, first, second)
    wait_until(lambda: first.count_begun() > begun[0], "planning on the first host")
    wait_until(lambda: second.count_begun() > begun[1], "planning on the second host")
    first.host.cut_off()
    second.gate.touch()
    ordered |= installation.order(second)
    wait_until(lambda: installation.completed() == ordered, "plans by the host that is left")

    # it comes back, gives up what it was at, and plans again
    planned = first.count_planned()
    second.gate.unlink()
    first.gate.touch()
    first.host.bring_back()
    ordered |= installation.order(second, second)
    wait_until(lambda: first.count_planned() > planned, "plan by the host that is back")
    second.gate.touch()
    wait_until(lambda: installation.completed() == ordered, "plans of all orders")
    assert installation.completions() == sorted(ordered)
