"""Minimal Flask handlers on the same rows with psycopg, for comparison.

They have no key, organization, validation, tags or log; :mod:`benchmarks.api` compares the service
with them.
"""

import os
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, jsonify, request
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from app.services.vessels.telemetry_fields import FIELDS

_REVISION = """
    SELECT c.id, c.organization_id, c.created_at, c.latest_revision, c.completed_revision,
        v.name AS vessel_name, r.revision, r.request, r.status, r.progress, r.stage, r.failure,
        r.provenance, r.summary, r.label, r.warnings, r.queued_at, r.started_at, r.finished_at
"""
_JOINED = """
    FROM charting c
    JOIN vessel v ON v.id = c.vessel_id
    JOIN charting_revision r ON r.charting_id = c.id AND r.revision = c.latest_revision
"""
_ONE = f"{_REVISION}, r.plan {_JOINED} WHERE c.id = %s"
_PAGE = f"{_REVISION} {_JOINED} ORDER BY c.id DESC LIMIT %s OFFSET %s"
_COUNT = "SELECT count(*) AS total FROM charting"
_NAMES = ("organization_id", "vessel_id", "timestamp", *(field.column for field in FIELDS))
_INSERT = (
    f"INSERT INTO telemetry ({', '.join(_NAMES)}) VALUES ({', '.join(['%s'] * len(_NAMES))})"  # noqa: S608
    " RETURNING *"
)


def create_app() -> Flask:
    """Create the bare application on ``DATABASE_URL``, as ``ORGANIZATION_ID``."""
    pool = ConnectionPool(
        os.environ["DATABASE_URL"], min_size=4, max_size=8, kwargs={"row_factory": dict_row},
        configure=_enter, open=False,
    )  # fmt: skip
    app = Flask(__name__)

    @app.before_request
    def connect() -> None:
        pool.open()  # after the fork; no effect if it is open

    @app.get("/charting/<charting_id>")
    def get_charting(charting_id: str) -> Response:
        with pool.connection() as connection:
            return jsonify(connection.execute(_ONE, (charting_id,)).fetchone())

    @app.get("/charting")
    def list_chartings() -> Response:
        page, size = int(request.args.get("page", 1)), int(request.args.get("pageSize", 20))
        with pool.connection() as connection:
            items = connection.execute(_PAGE, (size, (page - 1) * size)).fetchall()
            total = connection.execute(_COUNT).fetchone()
        return jsonify(items=items, page=page, pageSize=size, **(total or {}))

    @app.post("/telemetry/<vessel_id>")
    def create_telemetry(vessel_id: str) -> tuple[Response, int]:
        with pool.connection() as connection:
            row = connection.execute(_INSERT, _values(vessel_id, request.get_json())).fetchone()
        return jsonify(row), 201

    return app


def _enter(connection: Any) -> None:
    """Enter the organization once per connection."""
    connection.execute(
        "SELECT set_config('app.organization', %s, false)", (os.environ["ORGANIZATION_ID"],)
    )
    connection.commit()


def _values(vessel_id: str, body: dict[str, Any]) -> list[Any]:
    instant = datetime.fromisoformat(body["timestamp"]).astimezone(UTC)
    readings = [body.get(field.name) for field in FIELDS]
    return [os.environ["ORGANIZATION_ID"], vessel_id, instant, *readings]
