"""Behind PgBouncer in transaction mode, where each transaction may have another connection."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from local_processes import free_port, service_account
from sqlalchemy import text
from sqlalchemy.engine import make_url

from app.config import Settings
from app.services.chartings import charting_runs
from tests.integration.client import ApiClient
from tests.integration.conftest import running_app
from tests.waiting import wait_until

#: Debian keeps it where only root looks.
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
pytestmark = [
    pytest.mark.usefixtures("redis"),
    pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed"),
]
#: Connections to the server, fewer than those to the pooler: they go from hand to hand.
CONNECTIONS = 2
#: More than the driver waits for before it keeps a statement prepared.
ROUNDS = 12


@pytest.fixture
def pooled(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """Settings by which the database is reached through PgBouncer."""
    server, port = make_url(settings.database_url), free_port()
    folder = Path("/tmp") / f"pooler-{port}"  # noqa: S108 - postgres can't enter a test's own
    folder.mkdir(mode=0o755)
    written = folder / "pgbouncer.ini"
    written.write_text(
        "[databases]\n"
        f"{server.database} = host={server.host} port={server.port} dbname={server.database}"
        f" user={server.username} password={server.password}\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = transaction\ndefault_pool_size = {CONNECTIONS}\nmax_client_conn = 100\n"
    )
    # it refuses to run as root
    account = service_account("postgres").uid
    pooler = subprocess.Popen([str(PGBOUNCER), written], user=account, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_open(port), "the pooler")
        url = server.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        yield replace(settings, database_url=url, database_is_pooled=True)
    finally:
        pooler.terminate()
        pooler.wait()
        shutil.rmtree(folder)


def is_open(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@pytest.fixture
def web(pooled: Settings) -> Iterator[Flask]:
    with running_app(pooled) as app:
        yield app


def test_many_requests_at_once_see_their_own_organization_only(
    web: Flask, planner: ApiClient, stranger: ApiClient
) -> None:
    clients = [ApiClient(web.test_client(), each.key) for each in (planner, stranger) * 3]
    mine, theirs = (each.make_vessel(name=f"Ship {each.key[-6:]}") for each in clients[:2])

    def work(number: int) -> None:
        client, own, other = clients[number], *((mine, theirs)[:: 1 if number % 2 == 0 else -1])
        for _ in range(ROUNDS):
            assert client.get(f"/vessel/{own['id']}").status_code == 200
            assert client.get(f"/vessel/{other['id']}").status_code == 404
            assert client.get("/charting").status_code == 200
            assert client.order(vesselId=own["id"])["status"] == "QUEUED"

    with ThreadPoolExecutor(len(clients)) as threads:
        for done in [threads.submit(work, number) for number in range(len(clients))]:
            done.result()


def test_every_transaction_has_its_limits_and_leaves_none_behind(
    web: Flask, pooled: Settings
) -> None:
    asked = text("SELECT current_user, current_setting('statement_timeout')")
    engine = web.extensions["chartroom"].engine
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            connection = stack.enter_context(engine.connect())
            assert connection.execute(asked).one() == ("chartroom_web", "30s")
    with psycopg.connect(pooled.database_url, prepare_threshold=None) as other:
        user, limit = other.execute(asked.text).fetchone() or ()
    assert user != "chartroom_web"
    assert limit == "0"


@pytest.mark.atlas
def test_a_voyage_is_ordered_planned_and_read(
    web: Flask, pooled: Settings, planner: ApiClient
) -> None:
    client = ApiClient(web.test_client(), planner.key)
    ordered = [client.order(vesselId=client.make_vessel()["id"]) for _ in range(2)]
    with running_app(replace(pooled, process_role="worker")) as worker, worker.app_context():
        for each in ordered:
            charting_runs.run(UUID(each["id"]), 1)
    for each in ordered:
        assert client.get(f"/charting/{each['id']}").get_json()["status"] == "COMPLETED"
