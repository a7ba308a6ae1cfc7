"""Distribution of the tests over processes: ``pytest --numprocesses=3``."""

import gc
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import ModuleType

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.receiver import Receiver, listening

# the time of an example does not matter on a busy machine; each run draws other examples
settings.register_profile(
    "untimed", deadline=None, max_examples=int(os.environ.get("EXAMPLES", "40"))
)
settings.load_profile("untimed")

# tests start dozens of processes: without bytecode each compiles every module that it imports
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def check_address(term: str, value: str) -> bool:
    """Check an address by rfc3987_syntax, which is loaded for the first one only.

    jsonschema imports it wherever a schema may be checked, and it takes two seconds to build all
    its parsers.
    """
    if sys.modules["rfc3987_syntax"] is late_parser:
        del sys.modules["rfc3987_syntax"]
    is_valid: bool = importlib.import_module("rfc3987_syntax").is_valid_syntax(term, value)
    return is_valid


late_parser = ModuleType("rfc3987_syntax")
late_parser.is_valid_syntax = check_address  # type: ignore[attr-defined]
sys.modules["rfc3987_syntax"] = late_parser

# as workers do: what plannings release would stay with the process, which forks the slower for it
run_path(f"{Path(__file__).parents[1]}/app/jobs/memory.py")["return_large_arrays"]()

# what is loaded and collected stays: to look for garbage in it would take a fifth of that time
gc.disable()

# tests have no network: the services that they start fetch no weather
os.environ["WEATHER_SOURCE"] = "none"

#: Groups of tests that one process runs one after another, before all others. The first groups
#: take longest, and mostly wait for processes that they have started: the halves of the browser
#: tests, each with a service of its own, and the hosts whose changes disturb browsers; workers that
#: are killed. Weather files are read in forks, which take the longer the more a process holds, and
#: processes grow. The next group shares compiled kernels, the last one an atlas.
TOGETHER = (
    (*(f"tests/e2e/test_{letter}" for letter in "abcdef"), "tests/integration/test_two_hosts.py"),
    ("tests/e2e/",),
    (
        "tests/integration/test_faults.py",
        "tests/integration/test_workers.py",
        "tests/integration/test_watching_outages.py",
        "tests/integration/test_webhook_worker.py",
        "tests/integration/scripts/",
    ),
    ("tests/integration/weather/", "tests/unit/datasources/weather/"),
    (
        "tests/unit/benchmarks/test_problems_with_known_optima.py",
        "tests/unit/engine/optimise/test_against_known_optima.py",
    ),
    ("tests/unit/engine/sea/",),
)


def rank(name: str) -> int:
    """Return the index of a test's group in TOGETHER; its length for a test in no group."""
    return next((n for n, group in enumerate(TOGETHER) if name.startswith(group)), len(TOGETHER))


def pytest_configure(config: pytest.Config) -> None:
    """Begin each process's collection elsewhere: what one has compiled, the others read."""
    if all(map(os.path.isdir, config.args)):
        number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        first = number % len(config.args)
        config.args[:] = config.args[first:] + config.args[:first]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in the same order in all processes: groups first."""
    items.sort(key=lambda item: (rank(item.nodeid), item.nodeid.partition("::")[0]))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with listening() as one:
        yield one


class FileByFile(LoadFileScheduling):
    """Scheduler that keeps the tests of a file, and of a group, in one process."""

    def _split_scope(self, nodeid: str) -> str:
        group = TOGETHER[rank(nodeid) :][:1]
        return group[0][0] if group else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileByFile:
    config.option.loadscopereorder = False  # keep the order: groups first
    return FileByFile(config, log)
