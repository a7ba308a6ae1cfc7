"""Prometheus metrics: access and values."""

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis

from app import create_app
from app.config import Settings
from tests.integration.client import ApiClient

ROOT = Path(__file__).parents[2]
TOKEN = {"Authorization": "Bearer token of the operator"}

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture
def watched(settings: Settings) -> Iterator[Flask]:
    """An application whose operator watches it."""
    app = create_app(replace(settings, metrics_token="token of the operator"))
    yield app
    app.extensions["chartroom"].close()


def samples_of(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(app: Flask) -> Samples:
    answer = app.test_client().get("/metrics", headers=TOKEN)
    assert answer.status_code == 200, answer.text
    return samples_of(answer.text)


def of(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def test_without_a_token_of_the_operators_there_is_nothing_to_see(http: FlaskClient) -> None:
    assert http.get("/metrics", headers=TOKEN).status_code == 404


def test_only_the_operators_token_opens_the_figures(watched: Flask, admin: ApiClient) -> None:
    client = watched.test_client()
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"X-API-Key": admin.key}).status_code == 401
    assert client.get("/metrics", headers=TOKEN).status_code == 200


def test_requests_are_counted_by_endpoint_and_status(watched: Flask, viewer: ApiClient) -> None:
    client = ApiClient(watched.test_client(), viewer.key)
    counted = of(
        "chartroom_http_request_seconds_count",
        method="GET",
        endpoint="/v1/vessel/<vesselId>",
        status="404",
    )
    before = scrape(watched).get(counted, 0)
    client.get("/vessel/nothing")
    client.get("/vessel/nothing-either")
    assert scrape(watched)[counted] == before + 2


def test_methods_that_a_client_invents_are_counted_as_one(watched: Flask) -> None:
    for method in ("FROB", "BREW"):
        watched.test_client().open("/healthz", method=method)
    methods = {dict(labels).get("method") for _, labels in scrape(watched)}
    assert "other" in methods
    assert methods.isdisjoint({"FROB", "BREW"})


@pytest.mark.atlas
def test_a_charting_is_seen_to_wait_and_to_end(
    watched: Flask, planner: ApiClient, plan: Callable[[str], None], redis: Redis
) -> None:
    charting_id = planner.order()["id"]
    waiting = scrape(watched)
    assert waiting[of("chartroom_queue_jobs", queue="planning")] == 1
    assert waiting[of("chartroom_chartings_active", status="QUEUED")] == 1
    plan(charting_id)
    ended = scrape(watched)
    assert ended[of("chartroom_chartings_active", status="QUEUED")] == 0
    assert ended[of("chartroom_planning_seconds_count", status="COMPLETED")] == 1
    everything = of("chartroom_planning_seconds_bucket", status="COMPLETED", le="+Inf")
    assert ended[everything] == 1
    assert ended[of("chartroom_planning_seconds_sum", status="COMPLETED")] > 0


def add_run(database_url: str, age_h: float, global_groups: list[str], ahead_h: float) -> None:
    """Add a run of wind, some hours old, that ends some hours ahead."""
    now = datetime.now(UTC)
    reference = now - timedelta(hours=age_h)
    until = now + timedelta(hours=ahead_h)
    row = (f"{age_h} {ahead_h}", "file", reference, reference, until, ["wind"], global_groups)
    with psycopg.connect(database_url) as database:
        database.execute(
            "INSERT INTO weather_run (name, source, reference_time, valid_from, valid_to, groups,"
            " global_groups, notes, size_bytes) VALUES (%s, %s, %s, %s, %s, %s, %s, '{}', 0)",
            row,
        )


def test_the_age_of_the_weather_is_that_of_the_newest_global_forecast(
    watched: Flask, settings: Settings, database_url: str
) -> None:
    age = of("chartroom_weather_age_seconds")
    assert age not in scrape(watched)
    fetching = create_app(
        replace(settings, metrics_token="token of the operator", weather_source="auto")
    )
    assert scrape(fetching)[age] == math.inf
    fetching.extensions["chartroom"].close()
    add_run(database_url, 9, ["wind"], ahead_h=48)
    add_run(database_url, 3, [], ahead_h=48)  # regional
    add_run(database_url, 4, ["wind"], ahead_h=-1)  # over
    try:
        assert scrape(watched)[age] == pytest.approx(9 * 3600, abs=60)
        with psycopg.connect(database_url) as database:
            database.execute("UPDATE weather_run SET retired_at = now()")
        assert age not in scrape(watched)
    finally:
        with psycopg.connect(database_url) as database:
            database.execute("DELETE FROM weather_run")


def test_a_server_that_is_away_is_reported_and_the_rest_goes_on(settings: Settings) -> None:
    app = create_app(
        replace(settings, metrics_token="token of the operator", redis_url="redis://127.0.0.1:1/0")
    )
    read = scrape(app)
    app.extensions["chartroom"].engine.dispose()
    assert read[of("chartroom_up", server="redis")] == 0
    assert read[of("chartroom_up", server="database")] == 1
    assert of("chartroom_chartings_active", status="QUEUED") in read


ASK = """
import os, sys
from app import create_app
app = create_app()
client = app.test_client()
if os.fork() == 0:
    client.get("/healthz")
    client.get("/healthz")
    os._exit(0)
os.wait()
client.get("/healthz")
sys.stdout.write(client.get("/metrics", headers={"Authorization": "Bearer " + 32 * "t"}).text)
"""


def test_the_processes_of_a_web_server_are_counted_together(
    settings: Settings, tmp_path: Path
) -> None:
    environment = os.environ | {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": "for tests alone, 32 characters or more",
        "METRICS_TOKEN": "t" * 32,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
    }
    asked = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert asked.returncode == 0, asked.stderr
    counted = of(
        "chartroom_http_request_seconds_count", method="GET", endpoint="/healthz", status="200"
    )
    assert samples_of(asked.stdout)[counted] == 3
