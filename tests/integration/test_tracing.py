"""Traces of requests, jobs and stages at a collector; none without a collector."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID

import pytest
from flask import Flask
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from rq.serializers import JSONSerializer

from app import create_app, tracing
from app.config import Settings
from app.jobs.worker import ChartroomWorker
from app.services.platform import queue
from app.services.platform.fair_queue import JobFunction, KnownJob
from tests.integration.client import CHARTING, ApiClient

pytestmark = pytest.mark.usefixtures("redis")

TRACE = "0af7651916cd43dd8448eb211c80319c"


class Collector(ThreadingHTTPServer):
    """Keeps the spans that it is sent, by name."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Intake)
        self.spans: list[Span] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def named(self, name: str) -> Span:
        (span,) = (span for span in self.spans if span.name == name)
        return span


class Intake(BaseHTTPRequestHandler):
    """The collector's side of OTLP over HTTP."""

    server: Collector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent = ExportTraceServiceRequest.FromString(body)
        for resource in sent.resource_spans:
            for scope in resource.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "chartroom-test")
        yield server
        tracing._provider().shutdown()
        tracing._provider.cache_clear()
        server.shutdown()
        thread.join()


@pytest.fixture
def traced_app(settings: Settings, collector: Collector) -> Iterator[Flask]:
    app = create_app(settings)
    yield app
    app.extensions["chartroom"].close()


@pytest.mark.usefixtures("atlas")
def test_a_trace_goes_from_the_request_by_the_queue_to_the_stages(
    traced_app: Flask, worker_app: Flask, planner: ApiClient, collector: Collector
) -> None:
    client = ApiClient(traced_app.test_client(), planner.key)
    given = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    vessel = client.make_vessel()["id"]
    body = CHARTING | {"vesselId": vessel}
    order = client.post("/charting", body, headers=given).get_json()
    tracing._provider().force_flush()
    request_span = collector.named("POST /v1/charting")
    assert request_span.trace_id.hex() == TRACE
    assert request_span.parent_span_id.hex() == "b7ad6b7169203331"
    shown = {each.key: each.value for each in request_span.attributes}
    assert shown["http.response.status_code"].int_value == 201
    assert planner.key not in str(collector.spans)

    work_off(worker_app, order["id"])
    job_span = collector.named(JobFunction.OPTIMISE)
    assert job_span.trace_id.hex() == TRACE
    assert job_span.parent_span_id == request_span.span_id
    stages = [span for span in collector.spans if span.parent_span_id == job_span.span_id]
    assert len(stages) > 2
    assert all(span.end_time_unix_nano >= span.start_time_unix_nano for span in stages)


def work_off(app: Flask, charting_id: str) -> None:
    """Do the charting's job as a work-horse does, here."""
    with app.app_context():
        worker = ChartroomWorker(app)
        job = KnownJob.fetch(
            queue.job_id_of(UUID(charting_id), 1), worker.connection, serializer=JSONSerializer
        )
        worker.prepare_execution(job)
        worker.perform_job(job, queue.planning_queue())


def test_nothing_of_it_is_asked_for_where_no_collector_is_named() -> None:
    # as where its packages are not installed
    program = "import sys; sys.modules['opentelemetry'] = None; import worker, wsgi, webhook_worker"
    addresses = {"DATABASE_URL": "postgresql://none", "REDIS_URL": "redis://none"}
    environment = {k: v for k, v in os.environ.items() if k not in tracing.ENDPOINTS} | addresses
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_a_job_is_queued_without_a_trace_where_no_collector_is_named(
    planner: ApiClient, app: Flask
) -> None:
    order = planner.order(vesselId=planner.make_vessel()["id"])
    with app.app_context():
        job = queue._find(queue.job_id_of(UUID(order["id"]), 1))
    assert job is not None
    assert set(job.meta) == {"organization"}


def test_an_endpoint_without_the_packages_is_refused_at_the_start(
    settings: Settings, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(tracing.TracingMissing, match="requirements-tracing"):
        create_app(settings)
    monkeypatch.undo()
