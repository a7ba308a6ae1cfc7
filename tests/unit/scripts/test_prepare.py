"""Preparations: bytecode for every account."""

import os
import stat

import prepare


def test_every_account_may_enter_the_folders_of_bytecode(monkeypatch, tmp_path):
    for name in ("app", "migrations"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").touch()
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    callers = os.umask(0o077)
    try:
        prepare.compile_bytecode()
    finally:
        os.umask(callers)
    folders = list(tmp_path.rglob("__pycache__"))
    assert [stat.S_IMODE(each.stat().st_mode) for each in folders] == [0o755, 0o755]
