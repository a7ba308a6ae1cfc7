"""Commands with the settings of the installation of `make run`."""

import os
import subprocess
import sys
from pathlib import Path

from app.config import Settings

SCRIPT = Path(__file__).parents[3] / "scripts" / "command.py"
SERVERS = ("DATABASE_URL", "REDIS_URL")


def call(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    others = {name: value for name, value in os.environ.items() if name not in SERVERS}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=others | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_has_the_secrets_of_the_installation(settings: Settings, tmp_path: Path) -> None:
    servers = {"DATABASE_URL": settings.database_url, "REDIS_URL": settings.redis_url}
    done = call("orgs", "create", "By command", STATE_DIR=str(tmp_path), **servers)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_without_a_running_installation_the_command_says_so(tmp_path: Path) -> None:
    refused = call("doctor", STATE_DIR=str(tmp_path))
    assert refused.returncode == 1
    assert f"No `make run` is running in {tmp_path}." in refused.stderr
