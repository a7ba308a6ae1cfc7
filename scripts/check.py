"""Lint, types, direction of imports and all tests: `make test`.

Everything runs in services of its own under var/test, apart from a running `make run`. All checks
run even when one fails; the tests come last. The exit status is 0 only when all went well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from local_processes import ServiceError
from local_services import SERVERS, exit_on_signals
from prepare import prepare, run_with_services
from setup_steps import ROOT, VAR, VENV, SetupError, say

TREES = ("app", "benchmarks", "migrations", "scripts", "tests")
DESCRIPTION = "docs/api/openapi.json"
BIN, NODE_BIN = VENV / "bin", ROOT / "node_modules" / ".bin"
LINTS: Mapping[str, Sequence[str | Path]] = {
    "ruff": (BIN / "ruff", "check", *TREES),
    "format": (BIN / "ruff", "format", "--check", *TREES),
    "types": (BIN / "mypy", "app", "scripts"),
    "imports": (BIN / "lint-imports", "--no-cache", "--no-logo"),
    # the committed description; a test holds it to what the service says of itself
    "spectral": (NODE_BIN / "spectral", "lint", "--fail-severity=hint", DESCRIPTION),
    "redocly": (NODE_BIN / "redocly", "lint", "--format=stylish", DESCRIPTION),
}

#: Two processes share the tests: see tests/conftest.py.
SIDE_BY_SIDE = "--numprocesses=2"


def run_lints() -> list[str]:
    """Run every check of the text; give the names of those that failed."""
    failed = []
    # redocly would report its use and look for newer versions
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
    return failed


def main(arguments: Sequence[str]) -> int:
    """Check what is asked; 0 when all is well."""
    parser = argparse.ArgumentParser(description="lint, types, imports and tests")
    parser.add_argument("--lint", action="store_true", help="the text only, no tests")
    parser.add_argument("pytest", nargs="*", help="what pytest is to run, if not all")
    asked = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        if not asked.lint:
            prepare(own_servers=SERVERS, development=True)
        failed = run_lints()
        pytest = ("-m", "pytest", SIDE_BY_SIDE, *asked.pytest)
        if not asked.lint and run_with_services(VAR / "test", pytest):
            failed.append("tests")
    except (SetupError, ServiceError) as error:
        say(f"\n{error}")
        return 1
    if failed and failed != ["tests"]:
        say(f"Failed: {', '.join(failed)}")  # what pytest's own last line can't say
    return 1 if failed else 0


if __name__ == "__main__":
    exit_on_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
