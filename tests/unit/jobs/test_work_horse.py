"""A work-horse that uses no processor time counts as hanging."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.jobs.work_horse import WorkHorse
from tests.waiting import wait_until


@pytest.fixture
def busy() -> Iterator[int]:
    """A process that never rests."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield process.pid
    process.kill()
    process.wait()


def test_one_that_is_busy_works(busy: int) -> None:
    horse = WorkHorse(busy)
    assert horse.has_worked()
    wait_until(horse.has_worked, "work of a busy process")


def test_one_that_is_stopped_does_not(busy: int) -> None:
    horse = WorkHorse(busy)
    os.kill(busy, signal.SIGSTOP)
    wait_until(lambda: not horse.has_worked(), "rest of a stopped process")
    assert not horse.has_worked()


def test_one_that_is_gone_does_not() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert not WorkHorse(process.pid).has_worked()
