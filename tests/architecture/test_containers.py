"""Containers hold and run what `make run` does: both are read and compared."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import local_postgres
import local_redis
import pytest
import run
import yaml
from check_image import SCRATCH, SET_UP, WORKERS
from local_processes import service_account
from local_services import VARIABLES
from prepare import build_environment
from setup_steps import system_packages

ROOT = Path(__file__).parents[2]
#: What compose names after what it starts, and `make run` after its own.
ADDRESSES = set(VARIABLES.values())
NOT_OF_OURS = {"postgis", "redis", "balancer"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return read["services"]


@pytest.fixture(scope="module")
def stages() -> list[list[tuple[str, str]]]:
    """The Dockerfile's instructions, stage by stage."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    read: list[list[tuple[str, str]]] = []
    for line in filter(None, lines):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            read.append([])
        read[-1].append((word, rest))
    return read


def of(stage: list[tuple[str, str]], word: str) -> list[str]:
    return [rest for found, rest in stage if found == word]


def apt_packages(stage: list[tuple[str, str]]) -> set[str]:
    (line,) = [rest for rest in of(stage, "RUN") if "apt-get install" in rest]
    command = line.split("apt-get install")[1].split("&&")[0]
    return {word for word in command.split() if not word.startswith("-")}


def image_environment(stages: list[list[tuple[str, str]]]) -> dict[str, str]:
    (line,) = of(stages[-1], "ENV")
    return dict(pair.split("=", 1) for pair in shlex.split(line))


@pytest.fixture
def settings(tmp_path: Path) -> run.Settings:
    return run.Settings(8000, "0.0.0.0", 2, tmp_path, external={})  # noqa: S104


def test_the_system_packages_are_those_of_make_run(stages: list[Any]) -> None:
    needed = system_packages(own_database=False, own_redis=False, browser=False)
    names = {re.sub(r"python3\.\d+-venv", "python3-venv", package.name) for package in needed}
    assert names <= apt_packages(stages[0]) | apt_packages(stages[-1])
    assert {"ferret-datasets", "libncarg-data"} <= apt_packages(stages[-1]), "data is read here"


def test_the_packages_are_the_pinned_ones(stages: list[Any]) -> None:
    steps = " ".join(of(stages[0], "RUN"))
    assert "--require-hashes -r requirements.txt" in steps
    assert "--require-hashes --no-deps -r requirements-data.txt" in steps
    assert "npm ci --no-progress --omit=dev" in steps
    assert "scripts/vendor.py" in steps
    assert "requirements-dev" not in steps


def test_python_is_new_enough_for_the_project(stages: list[Any]) -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    # Debian 12 has Python 3.11 and PostgreSQL's clients of version 15
    assert asked == ">=3.11"
    assert {of(stage, "FROM")[0].split()[0] for stage in stages} == {"debian:12-slim"}


def test_every_setting_of_make_run_is_set(
    compose: dict[str, Any], stages: list[Any], settings: run.Settings
) -> None:
    ours = set(run.service_environment(settings, dict.fromkeys(ADDRESSES, "")))
    ours -= set(build_environment()) - {"ATLAS_DIR", "WEATHER_DIR", "NUMBA_CACHE_DIR", "PYTHONPATH"}
    image = image_environment(stages)
    for name in set(compose) - NOT_OF_OURS:
        assert ours <= set(image) | set(compose[name]["environment"]), name
    for name in ("ATLAS_DIR", "WEATHER_DIR", "NUMBA_CACHE_DIR"):
        assert image[name].startswith("/app/var/"), "it is kept in the volume"


def test_web_and_workers_are_run_by_the_same_commands(
    compose: dict[str, Any], stages: list[Any], settings: run.Settings
) -> None:
    (web,) = of(stages[-1], "CMD")
    assert yaml.safe_load(web)[1:] == list(run.web_server(settings).command)[1:]
    worker = list(run.workers(settings)[0].command)[1:]
    for name in ("worker", "worker-2"):
        assert compose[name]["command"][1:] == worker
    webhooks = list(run.webhook_worker(settings).command)[1:]
    assert compose["webhooks"]["command"][1:] == webhooks


def test_the_set_up_builds_and_migrates_as_make_run_does(compose: dict[str, Any]) -> None:
    line = compose["setup"]["command"][-1]
    assert line == (
        ".venv/bin/python scripts/prepare.py && .venv/bin/python -m flask --app wsgi migrate"
    )
    for name in ("web", "worker", "webhooks", "web-2", "worker-2"):
        needs = compose[name]["depends_on"]
        assert needs["setup"]["condition"] == "service_completed_successfully"


def count(compose: dict[str, Any], kind: str, profile: str | None) -> int:
    chosen = [
        service
        for name, service in compose.items()
        if re.fullmatch(rf"{kind}(-\d+)?", name)
        and (not service.get("profiles") or profile in service["profiles"])
    ]
    return sum(service.get("deploy", {}).get("replicas", 1) for service in chosen)


def test_only_the_set_up_signs_in_as_the_owner_of_the_tables(compose: dict[str, Any]) -> None:
    def login(name: str) -> str:
        return str(compose[name]["environment"]["DATABASE_URL"]).split("//")[1].split(":")[0]

    assert login("setup") == "chartroom"
    assert {login(name) for name in ("web", "web-2")} == {"chartroom_web_login"}
    workers = {login(name) for name in ("worker", "worker-2", "webhooks")}
    assert workers == {"chartroom_worker_login"}


def test_two_workers_run_by_default_and_the_scaled_profile_has_two_webs_and_three(
    compose: dict[str, Any], settings: run.Settings
) -> None:
    assert (count(compose, "web", None), count(compose, "worker", None)) == (1, 2)
    assert len(run.workers(settings)) == 2
    assert (count(compose, "web", "scaled"), count(compose, "worker", "scaled")) == (2, 3)
    balanced = re.findall(r"server (web\S*):8000", (ROOT / "deploy" / "balancer.conf").read_text())
    assert sorted(balanced) == ["web", "web-2"]


def test_nothing_of_ours_runs_as_root(stages: list[Any], compose: dict[str, Any]) -> None:
    (user,) = of(stages[-1], "USER")
    assert int(user) > 0
    for name in set(compose) - NOT_OF_OURS:
        assert "user" not in compose[name]
        assert compose[name]["cap_drop"] == ["ALL"]


def test_a_process_writes_to_the_volume_and_to_what_is_gone_with_it_only(
    compose: dict[str, Any], stages: list[Any]
) -> None:
    for name in set(compose) - NOT_OF_OURS:
        assert compose[name]["read_only"] is True
        assert compose[name]["volumes"] == ["data:/app/var"]
        assert [each.split(":")[0] for each in compose[name]["tmpfs"]] == list(SCRATCH)
    # a user that the image does not know writes to the volume by the group it is given
    (line,) = (rest for rest in of(stages[-1], "RUN") if "install --directory" in rest)
    assert "--group=root --mode=2775 var /run/chartroom" in line


def test_the_image_is_checked_by_what_compose_sets_it_up_with(compose: dict[str, Any]) -> None:
    assert compose["setup"]["command"][-1] == SET_UP
    assert [compose[name]["command"][-1] for name in WORKERS] == list(WORKERS.values())


def test_every_service_that_stays_has_its_health_looked_at(
    stages: list[Any], compose: dict[str, Any]
) -> None:
    assert "/readyz" in of(stages[-1], "HEALTHCHECK")[0]
    for name, service in compose.items():
        looked_at = service.get("healthcheck", {"test": "the image's own"})
        assert looked_at.get("test") or name == "setup", name


def test_the_servers_are_set_as_those_of_make_run(compose: dict[str, Any]) -> None:
    redis = local_redis.RedisServer(ROOT, service_account("redis"))
    for line in redis._configuration(6379, "secret").splitlines():
        name, value = line.split(" ", 1)
        if name in ("appendonly", "appendfsync", "maxmemory-policy"):
            assert f"--{name} {value}" in compose["redis"]["command"][-1], line
    version = int(re.match(r"postgis/postgis:(\d+)-", compose["postgis"]["image"])[1])
    assert version >= local_postgres.OLDEST_VERSION
    script = (ROOT / "deploy" / "postgres-init.sh").read_text()
    assert "SUPERUSER" not in script
    for statement in (
        f"CREATE ROLE {local_postgres.NAME} LOGIN CREATEROLE",
        f"CREATE DATABASE {local_postgres.NAME} OWNER {local_postgres.NAME}",
        "CREATE EXTENSION IF NOT EXISTS postgis",
    ):
        assert statement in script


def test_the_image_is_named_by_the_projects_version(compose: dict[str, Any]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for name in set(compose) - NOT_OF_OURS:
        assert compose[name]["image"] == f"chartroom:{version}"


def test_no_secret_is_written_down_and_none_is_left_out_in_silence(compose: dict[str, Any]) -> None:
    text = (ROOT / "compose.yaml").read_text()
    for name in (
        "DATABASE_PASSWORD",
        "WEB_DATABASE_PASSWORD",
        "WORKER_DATABASE_PASSWORD",
        "BACKUP_DATABASE_PASSWORD",
        "REDIS_PASSWORD",
        "SECRET_KEY",
        "POSTGRES_PASSWORD",
    ):
        uses = re.findall(rf"\$\{{{name}(.*?)\}}", text)
        assert uses, name
        assert all(use.startswith(":?") for use in uses), f"{name} must not be empty unsaid"


def test_what_is_copied_is_there(stages: list[Any]) -> None:
    for stage in stages:
        for line in of(stage, "COPY"):
            if not line.startswith("--from"):
                for source in line.split()[:-1]:
                    assert (ROOT / source).exists(), source


def test_the_image_holds_nothing_of_this_machine() -> None:
    left_out = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".git", ".venv", "var", "node_modules", "static/vendor", ".env"} <= set(left_out)


def test_the_script_of_the_cluster_is_plain_shell() -> None:
    script = ROOT / "deploy" / "postgres-init.sh"
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0
    assert script.stat().st_mode & 0o111
