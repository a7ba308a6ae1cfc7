"""Preparations: folders of what is built, bytecode for every account."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import prepare

NAMES = ("ATLAS_DIR", "WEATHER_DIR", "NUMBA_CACHE_DIR")
ASK = "import prepare; print(prepare.build_environment()['ATLAS_DIR'], prepare.own_folders())"


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


def test_what_is_built_goes_where_the_environment_says(tmp_path):
    def ask(**environment: str) -> list[str]:
        folder = Path(prepare.__file__).parent
        plain = {name: text for name, text in os.environ.items() if name not in NAMES}
        return subprocess.run(
            [sys.executable, "-c", ASK],
            env=plain | environment,
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()

    assert ask() == [str(prepare.VAR / "atlas")]
    atlas, stamp = ask(ATLAS_DIR=str(tmp_path))
    assert atlas == str(tmp_path)
    assert stamp != ask(WEATHER_DIR=str(tmp_path))[1], "each place is built by itself"
