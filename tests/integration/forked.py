"""Worker processes of tests' own, forked from one that has loaded what all of them need.

To load it takes each process seconds, and tests start dozens. What is forked then does all that
the program does, warming up included; it finds modules, kernels and atlas loaded.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parents[2]


def fork(
    program: Callable[[], int], environment: Mapping[str, str], log: Path
) -> ForkServerProcess:
    """Start a program as a process with this environment; what it says goes into the log."""
    process = _warm().Process(target=_run, args=(program, dict(environment), log))
    process.start()
    return process


@cache
def _warm() -> ForkServerContext:
    """One process for this session that has loaded what workers need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.integration.warm"])
    loading = {
        "ATLAS_DIR": os.environ.get("ATLAS_DIR", str(ROOT / "var" / "atlas")),
        "NUMBA_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
    }
    with patch.dict(os.environ, loading):
        forkserver.ensure_running()
    return context


def _run(program: Callable[[], int], environment: Mapping[str, str], log: Path) -> None:
    with log.open("wb") as file:
        for out in (1, 2):
            os.dup2(file.fileno(), out)
    os.environ.clear()
    os.environ.update(environment)
    sys.exit(program())
