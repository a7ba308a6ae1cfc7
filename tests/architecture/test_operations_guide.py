"""docs/operations.md names commands, settings, files and figures that are there: all of them."""

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
import yaml
from flask import Flask

from app import create_app
from app.config import Settings
from app.logs import FORMAT_VARIABLE
from app.tracing import ENDPOINTS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "operations.md").read_text()
SERVERS = {
    "DATABASE_URL": "postgresql://nobody@localhost:1/none",
    "REDIS_URL": "redis://localhost:1",
}
#: Read by others than the application's settings: the set-up, numba, prometheus-client, the logs,
#: OpenTelemetry.
READ_ELSEWHERE = {
    "BATHYMETRY",
    "NUMBA_CACHE_DIR",
    "PROMETHEUS_MULTIPROC_DIR",
    FORMAT_VARIABLE,
    ENDPOINTS[0],
}


class Asked(Mapping[str, str]):
    """An environment that notes what it is asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return SERVERS[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SERVERS)

    def __len__(self) -> int:
        return len(SERVERS)


@pytest.fixture(scope="module")
def app() -> Flask:
    """The application; nothing is connected until it is asked something."""
    return create_app(Settings(SERVERS["DATABASE_URL"], SERVERS["REDIS_URL"], secret_key="x"))


@pytest.fixture(scope="module")
def settings() -> set[str]:
    """The names of all settings."""
    asked = Asked()
    Settings.from_environment(asked)
    return asked.names | READ_ELSEWHERE


def section(title: str) -> str:
    return GUIDE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_column(title: str) -> set[str]:
    rows = re.findall(r"^\|([^|]+)\|", section(title), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_setting_is_explained_and_none_that_is_not_there(settings: set[str]) -> None:
    assert first_column("Settings") == settings


def test_containers_are_given_every_setting(settings: set[str]) -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    given = set(compose["x-service"]["environment"])
    image = set(re.findall(r"([A-Z_]+)=", (ROOT / "Dockerfile").read_text()))
    # a container has no developer's receivers beside it
    assert settings - {"WEBHOOKS_REACH_LOOPBACK"} <= given | image


def test_every_command_is_there_with_its_options(app: Flask) -> None:
    named = re.findall(r"\.venv/bin/flask --app wsgi ([a-z][^\n`]*)", GUIDE)
    short = re.findall(r"`((?:keys|weather|users|orgs) [a-z]+[^`]*)`", GUIDE)
    assert len(named) > 5
    for line in [*named, *short]:
        words = shlex.split(line)
        command: click.Command = app.cli
        while isinstance(command, click.Group) and words:
            found = command.get_command(click.Context(command), words.pop(0))
            assert found is not None, line
            command = found
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, line


def test_every_file_and_module_is_there() -> None:
    for path in re.findall(r"\((\.\./[^)#]+|[a-z_]+\.md)\)", GUIDE):
        assert (ROOT / "docs" / path).exists(), path
    for path in re.findall(r"\b(?:scripts|deploy|docs)/[\w.-]+", GUIDE):
        assert (ROOT / path).exists(), path
    modules = re.findall(r"python -m (benchmarks\.\w+)", GUIDE)
    assert modules
    for module in modules:
        assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


def test_every_figure_is_explained_and_none_that_is_not_there() -> None:
    names = ("api/metrics.py", "services/platform/metrics.py", "request_notes.py")
    sources = [ROOT / "app" / name for name in names]
    made = {name for path in sources for name in re.findall(r'"(chartroom_\w+)"', path.read_text())}
    assert first_column("Figures") == made
    alarms = set(re.findall(r"chartroom_\w+", section("Figures")))
    assert {re.sub(r"_(count|sum|bucket)$", "", name) for name in alarms} == made


def test_every_field_of_a_line_is_explained() -> None:
    source = (ROOT / "app" / "logs.py").read_text() + (
        ROOT / "app" / "request_notes.py"
    ).read_text()
    fields = set(re.findall(r'^ +"([a-z_]+)": [a-z_]', source, re.MULTILINE))
    fields -= {"version", "disable_existing_loggers", "formatters", "handlers", "root", "loggers"}
    assert {"time", "message", "endpoint", "duration_ms"} <= fields
    assert fields - {"text", "class"} <= first_column("Logs")
