"""Run a `flask` command with the settings of the `make run` that runs here.

    .venv/bin/python scripts/command.py doctor

STATE_DIR names its folder, if it has another than `var`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import run
from local_services import LocalServices, say
from setup_steps import PYTHON, SetupError


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    try:
        environment = find_environment()
    except SetupError as error:
        say(str(error))
        return 1
    command = [str(PYTHON), "-m", "flask", "--app", "wsgi", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


def find_environment() -> dict[str, str]:
    """Return the environment of the running installation's commands. Raises SetupError."""
    settings = run.Settings.from_environment(os.environ)
    services = LocalServices(settings.state, names=settings.own_servers)
    if not all(services.running().values()):
        raise SetupError(f"No `make run` is running in {settings.state}.")
    return run.command_environment(settings, {**services.environment(), **settings.external})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
