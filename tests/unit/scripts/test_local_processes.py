import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from local_processes import (
    Account,
    ProcessMark,
    can_reach,
    free_port,
    own_directory,
    port_is_free,
    read_record,
    service_account,
    spawn,
    tail,
    write_private,
)

from tests.waiting import PATIENCE_S, wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
NOBODY = Account("nobody", 65534, 65534)


def test_a_live_process_is_known_by_pid_and_start():
    mark = ProcessMark.of(os.getpid())
    assert mark.is_alive
    assert ProcessMark.from_record(mark.as_record()) == mark


def test_another_process_that_got_the_number_is_not_taken_for_the_first():
    mark = ProcessMark.of(os.getpid())
    assert not ProcessMark(mark.pid, mark.ticks - 1).is_alive


def test_a_process_that_ended_is_not_alive():
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert not ProcessMark.of(process.pid).is_alive


@pytest.mark.parametrize("record", [None, {}, {"pid": 1}, "torn"])
def test_a_record_without_a_process_names_none(record):
    assert ProcessMark.from_record(record) is None


def test_a_server_is_stopped_by_the_signal_asked_for(tmp_path):
    process = spawn(SLEEP, log=tmp_path / "log")
    ProcessMark.of(process.pid).stop(signal.SIGTERM, patience_s=PATIENCE_S)
    assert not ProcessMark.of(process.pid).is_alive


def test_a_server_that_ignores_the_signal_is_killed(tmp_path):
    script = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); "
    log = tmp_path / "log"
    process = spawn([sys.executable, "-c", script + "time.sleep(60)"], log=log)
    wait_for(lambda: log.read_text().strip() == "1")
    mark = ProcessMark.of(process.pid)
    mark.stop(signal.SIGTERM, patience_s=0.2)
    assert not mark.is_alive


@pytest.mark.parametrize(("sig", "lives"), [(signal.SIGTERM, False), (None, True)])
def test_a_tied_server_dies_with_its_master_and_a_free_one_does_not(tmp_path, sig, lives):
    scripts = Path(sys.modules["local_processes"].__file__).parent
    master = f"""
import signal, sys, time
from pathlib import Path
sys.path.insert(0, {str(scripts)!r})
from local_processes import spawn
process = spawn({SLEEP!r}, log=Path({str(tmp_path / "log")!r}), death_signal={sig and int(sig)!r})
print(process.pid, flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", master]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        mark = ProcessMark.of(int(process.stdout.readline()))
        assert mark.is_alive
        process.kill()
    assert mark.wait(0.3 if lives else PATIENCE_S) is not lives
    mark.stop(signal.SIGKILL, patience_s=PATIENCE_S)


def test_a_port_in_use_is_not_free_and_another_is_given():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not port_is_free(port)
        assert free_port(port) != port


def test_a_wanted_port_that_is_free_is_given_again():
    port = free_port()
    assert free_port(port) == port


def test_a_secret_is_for_its_owner_only_and_replaces_the_old_one(tmp_path):
    path = tmp_path / "secret"
    for text in ("first", "second"):
        write_private(path, text)
        assert path.read_text() == text
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{torn", "[1]"])
def test_a_torn_record_reads_as_empty(tmp_path, text):
    path = tmp_path / "record.json"
    path.write_text(text)
    assert read_record(path) == {}


def test_a_server_directory_is_closed_to_others(tmp_path):
    own_directory(tmp_path / "data", service_account("nobody"))
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="an own account reaches its own directories")
def test_an_account_cannot_reach_what_lies_behind_a_closed_door(tmp_path):
    tmp_path.chmod(0o700)
    assert not can_reach(NOBODY, tmp_path / "var" / "postgres")
    for step in (tmp_path, *tmp_path.parents[:-1]):
        if step.stat().st_uid == 0 and step.name.startswith(("pytest-", "popen-", tmp_path.name)):
            step.chmod(0o711)
    assert can_reach(NOBODY, tmp_path / "var" / "postgres")


def test_the_end_of_a_log_is_reported_and_a_missing_log_as_such(tmp_path):
    log = tmp_path / "log"
    assert tail(log) == "(no log)"
    log.write_text("\n".join("abc"))
    assert tail(log, lines=2) == "b\nc"


def wait_for(condition):
    wait_until(condition, "such thing", every_s=0.02)
