import re
import subprocess
import sys

import pytest
import setup_steps
from setup_steps import (
    SetupError,
    SystemPackage,
    fingerprint,
    install_system_packages,
    is_done,
    mark_done,
    run_logged,
    system_packages,
)


@pytest.fixture(autouse=True)
def log(tmp_path, monkeypatch):
    path = tmp_path / "setup.log"
    monkeypatch.setattr(setup_steps, "LOG", path)
    return path


def test_work_is_done_until_one_of_its_inputs_changes(tmp_path):
    inputs = [tmp_path / "a", tmp_path / "b"]
    for path in inputs:
        path.write_text("1")
    stamp = tmp_path / "stamp"
    assert not is_done(stamp, *inputs)
    mark_done(stamp, *inputs)
    assert is_done(stamp, *inputs)
    inputs[1].write_text("2")
    assert not is_done(stamp, *inputs)


def test_a_fingerprint_shows_contents_apart(tmp_path):
    path = tmp_path / "a"
    path.write_text("1")
    first = fingerprint(path)
    path.write_text("2")
    assert fingerprint(path) != first


def test_a_failed_command_is_reported_with_the_end_of_its_output():
    command = [sys.executable, "-c", "print('no such mirror'); raise SystemExit(2)"]
    with pytest.raises(SetupError, match=r"Fetching: failed(.|\n)*no such mirror"):
        run_logged("Fetching", command)


def test_a_command_that_may_fail_does_not_stop_the_set_up(log):
    run_logged("Fetching", ["false"], must_succeed=False)
    assert log.read_text() == "\n$ false\n"


def test_steps_in_parallel_have_a_log_of_their_own(log, tmp_path, monkeypatch, capsys):
    other = tmp_path / "parallel.log"
    monkeypatch.setattr(setup_steps, "PARALLEL_LOG", other)
    command = [sys.executable, "-c", "print('no such package'); raise SystemExit(2)"]
    with pytest.raises(SetupError, match=r"Fetching: failed(.|\n)*no such package"):
        run_logged("Fetching", command, in_parallel=True)
    assert other.exists()
    assert not log.exists()
    assert re.fullmatch(r"  Fetching … \d+ s\n", capsys.readouterr().out)


def test_nothing_is_asked_of_apt_when_all_is_there(monkeypatch):
    monkeypatch.setattr(setup_steps.shutil, "which", lambda _: pytest.fail("apt was looked for"))
    install_system_packages([SystemPackage("redis-server", lambda: True, "job queue")])


def test_without_apt_what_is_missing_is_named_with_its_purpose(monkeypatch):
    monkeypatch.setattr(setup_steps.shutil, "which", lambda _: None)
    with pytest.raises(SetupError, match="redis-server: job queue"):
        install_system_packages([SystemPackage("redis-server", lambda: False, "job queue")])


def test_without_root_or_sudo_the_command_for_an_administrator_is_given(monkeypatch):
    monkeypatch.setattr(setup_steps.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup_steps.shutil, "which", lambda name: name if name != "sudo" else None)
    with pytest.raises(SetupError, match="Ask an administrator for: apt-get install redis-server"):
        install_system_packages([SystemPackage("redis-server", lambda: False, "job queue")])


def test_servers_of_ones_own_make_the_packages_of_servers_needless():
    names = {p.name for p in system_packages(own_database=False, own_redis=False, browser=False)}
    assert not names & {"postgresql-postgis", "redis-server", "chromium-headless-shell"}
    names = {p.name for p in system_packages(own_database=True, own_redis=True, browser=True)}
    assert {"postgresql-postgis", "redis-server", "chromium-headless-shell"} <= names


def test_the_scripts_need_nothing_but_the_standard_library():
    scripts = setup_steps.ROOT / "scripts"
    command = [sys.executable, "-I", "-S", "-c"]
    load = f"import sys; sys.path.insert(0, {str(scripts)!r}); import local_services, run"
    result = subprocess.run([*command, load], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("version", "is_remade"), [((3, 9), True), ((3, 11), False), ((3, 100), False)]
)
def test_a_virtual_environment_of_too_old_a_python_is_made_anew(
    tmp_path, monkeypatch, version, is_remade
):
    python = tmp_path / "python"
    pretend = f"import sys; sys.version_info = {version}; exec(sys.argv[1])"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{pretend}" "$2"\n')
    python.chmod(0o755)
    monkeypatch.setattr(setup_steps, "PYTHON", python)
    made = []
    monkeypatch.setattr(setup_steps, "run_logged", lambda title, command: made.append(command))
    setup_steps.make_virtual_environment()
    assert bool(made) is is_remade
