import os
import shutil
import stat
import subprocess
from pathlib import Path

import process_account
import pytest
from local_processes import Account, ServiceError, can_reach, current_account
from setup_steps import ROOT

NOBODY = Account("nobody", 65534, 65534)
PORT = 8000
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs other accounts")


@pytest.fixture
def python(monkeypatch):
    """A program that every account can run in place of Python, and that prints nothing."""
    program = Path("/usr/bin/true")
    monkeypatch.setattr(process_account, "PYTHON", program)
    monkeypatch.setattr(process_account, "ROOT", Path("/usr"))
    monkeypatch.setattr(process_account, "WRITTEN", ())
    return program


@pytest.fixture
def closed(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path / "inside"


def test_processes_keep_the_account_of_a_caller_other_than_root(monkeypatch, capsys):
    monkeypatch.setattr(process_account, "service_account", lambda _: current_account())
    assert process_account.process_account(PORT) == current_account()
    assert process_account.grant(current_account(), Path("unused")) == {}
    assert capsys.readouterr().out == ""


@needs_root
def test_root_gives_the_processes_to_an_account_that_can_run_them(monkeypatch, python, capsys):
    monkeypatch.setattr(process_account, "service_account", lambda _: NOBODY)
    assert process_account.process_account(PORT) == NOBODY
    assert capsys.readouterr().out == ""


@needs_root
@pytest.mark.parametrize("part", ["ROOT", "PYTHON"])
def test_behind_a_closed_folder_they_run_as_root_with_one_warning(
    monkeypatch, python, closed, capsys, part
):
    monkeypatch.setattr(process_account, "service_account", lambda _: NOBODY)
    monkeypatch.setattr(process_account, part, closed / "bin")
    assert process_account.process_account(PORT).uid == 0
    (warning,) = capsys.readouterr().out.splitlines()
    assert "run as root, because the account 'nobody' cannot reach" in warning
    assert str(closed) in warning
    assert "Run the command as another user" in warning


@needs_root
def test_a_closed_folder_of_metrics_is_named(python, closed):
    reason = process_account.obstacle(NOBODY, PORT, closed / "metrics")
    assert reason == f"the account 'nobody' cannot reach {closed}"


@needs_root
def test_a_python_that_fails_is_named(monkeypatch, python):
    monkeypatch.setattr(process_account, "PYTHON", Path("/usr/bin/false"))
    assert "/usr/bin/false fails for the account 'nobody'" in process_account.obstacle(NOBODY, PORT)
    monkeypatch.setattr(process_account, "PYTHON", Path("/usr/bin/absent"))
    assert "cannot run /usr/bin/absent" in process_account.obstacle(NOBODY, PORT)


@needs_root
def test_a_port_reserved_for_root_is_named(monkeypatch, python):
    monkeypatch.setattr(process_account, "first_unprivileged_port", lambda: 1024)
    assert process_account.obstacle(NOBODY, 80) == "port 80 is reserved for root"
    assert process_account.obstacle(NOBODY, 1024) is None


@needs_root
def test_a_missing_account_is_named(monkeypatch, capsys):
    monkeypatch.setattr(process_account, "NAME", "no-such-account")
    assert process_account.process_account(PORT).uid == 0
    assert "the account 'no-such-account' is missing" in capsys.readouterr().out


@needs_root
def test_root_starts_scripts_with_a_python_that_every_account_may_run():
    is_fit = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"
    python = shutil.which("/usr/bin/python3")
    if python is None or subprocess.run([python, "-c", is_fit], check=False).returncode:
        pytest.skip("the distribution has no Python that makes virtual environments")
    command = [ROOT / "scripts" / "with-python", "-c", "import sys; print(sys.executable)"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert can_reach(NOBODY, Path(said.strip()).resolve().parent)


def test_readable_files_leave_nothing_to_report(tmp_path):
    (tmp_path / "code.py").touch()
    assert process_account.first_unreadable([str(tmp_path)]) is None


def test_a_path_that_is_not_readable_is_reported(tmp_path):
    missing = tmp_path / "missing"
    assert process_account.first_unreadable([str(tmp_path), str(missing)]) == missing


def test_unreadable_bytecode_is_not_reported(tmp_path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "code.pyc").symlink_to("missing")
    assert process_account.first_unreadable([str(tmp_path)]) is None


@needs_root
def test_written_folders_are_given_and_the_kernels_copied(monkeypatch, tmp_path):
    compiled, outside, weather = (tmp_path / name for name in ("numba", "outside", "weather"))
    for folder in (compiled, outside, weather):
        folder.mkdir()
    (compiled / "kernel.nbc").write_text("compiled")
    (weather / "link").symlink_to(outside)
    monkeypatch.setattr(process_account, "KERNELS", compiled)
    monkeypatch.setattr(process_account, "WRITTEN", (weather,))
    stale = tmp_path / "kernels"
    stale.mkdir()
    (stale / "stale.nbc").touch()
    granted = process_account.grant(NOBODY, stale, tmp_path / "metrics")
    assert granted["NUMBA_CACHE_DIR"] == str(stale)
    assert [path.name for path in stale.iterdir()] == ["kernel.nbc"]
    for given in (weather, stale, stale / "kernel.nbc", tmp_path / "metrics"):
        assert given.lstat()[stat.ST_UID] == NOBODY.uid
    assert {path.stat().st_uid for path in (outside, compiled, compiled / "kernel.nbc")} == {0}


@needs_root
def test_kernels_in_the_folder_of_their_copy_are_kept_and_named(monkeypatch, tmp_path):
    (tmp_path / "kernel.nbc").write_text("compiled")
    monkeypatch.setattr(process_account, "KERNELS", tmp_path)
    with pytest.raises(ServiceError, match=f"NUMBA_CACHE_DIR names {tmp_path}"):
        process_account.grant(NOBODY, tmp_path)
    assert (tmp_path / "kernel.nbc").read_text() == "compiled"
