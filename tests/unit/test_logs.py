"""Content of a line of the log, in both forms."""

import json
import logging
from collections.abc import Iterator

import pytest
from flask import Flask

from app import create_app, logs
from app.config import Settings
from app.environment import SettingInvalid


@pytest.fixture
def app() -> Iterator[Flask]:
    """The application; no server is asked anything."""
    app = create_app(
        Settings(
            database_url="postgresql://owner:hidden-password@localhost:1/none",
            redis_url="redis://:hidden-password@localhost:1/0",
            secret_key="hidden-secret",
        )
    )
    yield app
    app.extensions["chartroom"].engine.dispose()


class Lines(logging.Handler):
    """Keeps lines as they would be written."""

    def __init__(self, form: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(form)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(params=[logs.JsonLines, logs.TextLines])
def lines(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    handler = Lines(request.param())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield handler.lines
    root.removeHandler(handler)
    root.setLevel(level)


def write(form: logging.Formatter, message: str, **options: object) -> str:
    record = logging.LogRecord("app.some", logging.INFO, "file", 1, message, (), None)
    record.__dict__.update(options)
    return form.format(record)


def test_a_line_for_machines_is_one_object_with_all_that_was_bound() -> None:
    with logs.bound(charting_id="c", revision=2), logs.bound(attempt=1):
        line = write(logs.JsonLines(), "ended\nwell", fields={"status": "COMPLETED"})
    read = json.loads(line)
    assert "\n" not in line
    assert read["message"] == "ended\nwell"
    assert (read["charting_id"], read["revision"], read["attempt"]) == ("c", 2, 1)
    assert (read["status"], read["level"], read["logger"]) == ("COMPLETED", "INFO", "app.some")
    assert read["time"].endswith("Z")


def test_what_was_bound_is_gone_afterwards() -> None:
    with logs.bound(charting_id="c"):
        pass
    assert "charting_id" not in json.loads(write(logs.JsonLines(), "later"))


def test_a_line_for_people_names_its_fields_after_the_message() -> None:
    with logs.bound(charting_id="c"):
        line = write(logs.TextLines(), "ended")
    assert line.endswith("INFO    ended  charting_id=c")


def test_a_traceback_is_a_field_for_machines() -> None:
    try:
        raise KeyError("broken")
    except KeyError as error:
        line = write(logs.JsonLines(), "failed", exc_info=(KeyError, error, error.__traceback__))
    assert "Traceback" in json.loads(line)["exception"]


def test_every_request_is_a_line_with_its_id_and_without_any_secret(
    app: Flask, lines: list[str]
) -> None:
    app.test_client().get(
        "/v1/charting/0190f0a0-0000-7000-8000-000000000000?search=hidden-query",
        headers={"X-API-Key": "hidden-key", "X-Request-Id": "request-of-mine"},
        json={"password": "hidden-body"},
    )
    line = next(line for line in lines if "/v1/charting/" in line)
    assert "request-of-mine" in line
    assert "0190f0a0-0000-7000-8000-000000000000" in line
    assert "duration_ms" in line
    assert [line for line in lines if "hidden" in line] == []


def test_a_probe_that_is_answered_well_is_no_line(app: Flask, lines: list[str]) -> None:
    app.test_client().get("/healthz")
    assert lines == []


def test_an_unknown_form_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(SettingInvalid, match="LOG_FORMAT=xml is neither text nor json"):
        logs.configuration()
