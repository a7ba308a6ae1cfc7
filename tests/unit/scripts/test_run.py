import socket
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
import run
from greeting import bare_greeting, first_order
from gunicorn.util import parse_address
from local_processes import port_is_free
from run import Settings, check_port
from setup_steps import SetupError


def settings(**environment):
    return Settings.from_environment(environment)


def test_without_settings_the_service_is_for_this_machine_alone():
    plain = settings()
    assert plain.address == "http://127.0.0.1:8000"
    assert plain.workers == 2
    assert plain.own_servers == ["postgres", "redis"]


def test_a_server_that_is_named_is_not_started():
    assert settings(DATABASE_URL="postgresql://db/x").own_servers == ["redis"]
    assert settings(REDIS_URL="redis://q").own_servers == ["postgres"]
    both = settings(DATABASE_URL="postgresql://db/x", REDIS_URL="redis://q")
    assert both.own_servers == []
    assert both.external == {"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://q"}


def test_an_empty_setting_is_none():
    assert settings(DATABASE_URL="", PORT="").own_servers == ["postgres", "redis"]


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "8000.5"])
def test_a_port_that_is_none_is_refused_by_name(port):
    with pytest.raises(SetupError, match=f"PORT={port} is not a number from 1 to 65535"):
        settings(PORT=port)


def test_a_port_in_use_is_said_plainly_with_a_way_out():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=rf"Port {port} is in use(.|\n)*PORT={port + 1}"):
            check_port(settings(PORT=str(port)))


def test_a_service_open_to_others_is_still_found_on_this_machine():
    assert settings(HOST="0.0.0.0", PORT="80").address == "http://127.0.0.1:80"  # noqa: S104


@pytest.mark.skipif(not port_is_free(0, "::1"), reason="this machine has no IPv6")
@pytest.mark.parametrize(("host", "bound"), [("::1", "[::1]"), ("::", "[::]")])
def test_a_host_may_be_an_ipv6_address(host, bound, tmp_path):
    with socket.create_server((host, 0), family=socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        named = settings(HOST=host, PORT=str(port), STATE_DIR=str(tmp_path))
        with pytest.raises(SetupError, match=f"Port {port} is in use"):
            check_port(named)
        with socket.create_connection((urlsplit(named.address).hostname, port)):
            pass
    check_port(named)
    command = run.web_server(named).command
    assert command[command.index("--bind") + 1] == f"{bound}:{port}"
    assert parse_address(f"{bound}:{port}") == (host, port)


def test_webhooks_reach_this_machine_where_nobody_else_reaches_the_service():
    assert run.developer_environment(settings()) == {"WEBHOOKS_REACH_LOOPBACK": "1"}
    assert run.developer_environment(settings(HOST="0.0.0.0")) == {}  # noqa: S104


def test_where_others_reach_the_service_there_is_a_demo_only_when_asked_for():
    assert settings().has_demo
    assert not settings(HOST="0.0.0.0").has_demo  # noqa: S104
    assert settings(HOST="0.0.0.0", DEMO="1").has_demo  # noqa: S104
    assert "no demo user" in bare_greeting(settings(HOST="0.0.0.0"))  # noqa: S104


def test_the_first_order_leaves_suez_open():
    order = first_order("some ship", datetime(2026, 3, 1, 6, tzinfo=UTC))
    assert (order["avoidWarZones"], order["avoidPiracyAreas"]) == (False, False)
    assert order["startDate"] == "2026-03-01T06:00:00Z"


def test_the_secret_that_signs_sessions_survives_a_restart(tmp_path):
    where = settings(STATE_DIR=str(tmp_path))
    first = run.kept_secret(where, "secret-key")
    assert len(first) >= 32
    assert run.kept_secret(where, "secret-key") == first


def test_a_command_does_not_write_where_web_and_workers_count(tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\n/usr/bin/env\n")
    program.chmod(0o755)
    monkeypatch.setattr(run, "PYTHON", program)
    said = run.flask({"PROMETHEUS_MULTIPROC_DIR": "/shared", "SECRET_KEY": "kept"}, "migrate")
    assert "SECRET_KEY=kept" in said
    assert "PROMETHEUS" not in said
