"""OpenTelemetry traces of requests, of the jobs that they queue, and of planning stages.

They are sent by OTLP over HTTP if ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set; the SDK itself reads
its other variables (``OTEL_SERVICE_NAME``, ``OTEL_TRACES_SAMPLER``, headers). Otherwise
OpenTelemetry is not imported. A job's ``meta`` carries the trace context as W3C ``traceparent``.
Spans have routes and ids, never bodies, headers or query strings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, g, request

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
#: Timeout of sending spans at the end of a job [ms].
_FLUSH_WITHIN_MS: Final = 3000


class TracingMissing(Exception):
    """Tracing is configured but its packages are not installed."""


def is_on() -> bool:
    """Return whether traces are sent."""
    return any(os.environ.get(name) for name in ENDPOINTS)


def init_app(app: Flask, process_role: str) -> None:
    """Trace every request, if tracing is configured."""
    if not is_on():
        return
    os.environ.setdefault("OTEL_SERVICE_NAME", f"chartroom-{process_role}")
    _provider()  # reports missing packages at the start
    app.before_request(_begin_request)
    app.after_request(_note_answer)
    app.teardown_request(_end_request)


def carrier() -> dict[str, str]:
    """Trace context for a job's ``meta``, so that its spans belong to this trace."""
    if not is_on():
        return {}
    from opentelemetry.propagate import inject

    taken: dict[str, str] = {}
    inject(taken)
    return taken


@contextmanager
def job(name: str, meta: Mapping[str, Any], **attributes: str) -> Iterator[None]:
    """Open a job's span in the trace of its ``meta``, and send it before the process ends."""
    if not is_on():
        yield
        return
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    tracer = _provider().get_tracer(__name__)
    try:
        with tracer.start_as_current_span(
            name, extract(meta), SpanKind.CONSUMER, attributes=attributes
        ):
            yield
    finally:
        _provider().force_flush(_FLUSH_WITHIN_MS)


class Stages:
    """Spans of stages that follow one another."""

    def __init__(self) -> None:
        self._span: Span | None = None

    def enter(self, stage: str) -> None:
        """End the previous stage, and begin one."""
        self.end()
        if is_on():
            self._span = _provider().get_tracer(__name__).start_span(stage)

    def end(self) -> None:
        """End the last stage."""
        if self._span is not None:
            self._span.end()
            self._span = None


@cache
def _provider() -> TracerProvider:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise TracingMissing(
            f"{ENDPOINTS[0]} is set: install the packages of requirements-tracing.txt"
        ) from error
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _begin_request() -> None:
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    route = request.url_rule.rule if request.url_rule else "none"
    attributes = {
        "http.request.method": request.method,
        "http.route": route,
        "chartroom.request_id": g.request_id,
    }
    tracer = _provider().get_tracer(__name__)
    span = tracer.start_as_current_span(
        f"{request.method} {route}", extract(request.headers), SpanKind.SERVER, attributes
    )
    g.span, g.span_entered = span, span.__enter__()


def _note_answer(response: Response) -> Response:
    if "span_entered" in g:
        g.span_entered.set_attribute("http.response.status_code", response.status_code)
    return response


def _end_request(error: BaseException | None) -> None:
    span = g.pop("span", None)
    if span is not None:
        span.__exit__(type(error) if error else None, error, None)
