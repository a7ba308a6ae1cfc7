"""Run linters, type checks, import rules and all tests: `make test`.

Tests use their own servers under var/test, separate from a running `make run`. All checks run even
if one fails. The linters run in parallel with build and tests; their output follows that of the
tests.
The exit status is 0 only if everything passed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from local_processes import ServiceError
from local_services import SERVERS, run_as_script
from prepare import build, install, run_with_services
from setup_steps import ROOT, VAR, VENV, SetupError, say

TREES = ("app", "benchmarks", "migrations", "scripts", "tests")
DESCRIPTION = "docs/api/openapi.json"
BIN, NODE_BIN = VENV / "bin", ROOT / "node_modules" / ".bin"
LINTS: Mapping[str, Sequence[str | Path]] = {
    "ruff": (BIN / "ruff", "check", *TREES),
    "format": (BIN / "ruff", "format", "--check", *TREES),
    "types": (BIN / "mypy", "app", "scripts"),
    "imports": (BIN / "lint-imports", "--no-cache", "--no-logo"),
    # the committed description; a test compares it with the service
    "spectral": (NODE_BIN / "spectral", "lint", "--fail-severity=hint", DESCRIPTION),
    "redocly": (NODE_BIN / "redocly", "lint", "--format=stylish", DESCRIPTION),
}

#: One process more than a small machine has cores, because one mostly waits for processes that it
#: has started. See tests/conftest.py.
SIDE_BY_SIDE = "--numprocesses=3"


def run_lints() -> int:
    """Run every linter; 0 when all pass."""
    failed = []
    # otherwise redocly reports its use and looks for newer versions
    environment = os.environ | {
        "REDOCLY_TELEMETRY": "off",
        "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    }
    for name, command in LINTS.items():
        started = time.monotonic()
        result = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        verdict = "failed" if result.returncode else "good"
        say(f"{name}: {verdict} ({time.monotonic() - started:.0f} s)")
        if result.returncode:
            failed.append(name)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


@contextmanager
def lints_beside() -> Iterator[subprocess.Popen[bytes]]:
    """Run the linters in a parallel process; print their output at the end."""
    with tempfile.TemporaryFile() as said:
        lints = subprocess.Popen(
            [sys.executable, __file__, "--lint"], stdout=said, stderr=subprocess.STDOUT
        )
        try:
            yield lints
            lints.wait()
        finally:
            lints.terminate()  # ends them if the tests were interrupted
            lints.wait()
            said.seek(0)
            sys.stdout.buffer.write(said.read())
            sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    """Run the requested checks; 0 when all pass."""
    parser = argparse.ArgumentParser(description="lint, types, imports and tests")
    parser.add_argument("--lint", action="store_true", help="linters only, no tests")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest; default: all tests")
    asked = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        if asked.lint:
            return run_lints()
        install(own_servers=SERVERS, development=True)
        with lints_beside() as lints:
            build()
            tests = run_with_services(VAR / "test", ("-m", "pytest", SIDE_BY_SIDE, *asked.pytest))
    except (SetupError, ServiceError) as error:
        say(f"\n{error}")
        return 1
    return 1 if tests or lints.returncode else 0


if __name__ == "__main__":
    run_as_script(main)
