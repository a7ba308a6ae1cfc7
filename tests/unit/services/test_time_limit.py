"""Time limits of blocks, within the limit of a job."""

import signal
import time
from collections.abc import Iterator

import pytest

from app.services.platform.time_limit import TimeExceeded, time_limit


class JobOver(Exception):
    """The limit of the job around a block."""


@pytest.fixture
def job() -> Iterator[None]:
    """A job of half a second, which is limited as RQ does it."""

    def stop(*_: object) -> None:
        raise JobOver

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def test_a_block_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(TimeExceeded), time_limit(0.05):
        time.sleep(5.0)


def test_a_block_in_time_is_left_alone() -> None:
    handler, (left_s, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with time_limit(0.1):
        pass
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL)[0] == pytest.approx(left_s, abs=1.0)


@pytest.mark.usefixtures("job")
def test_the_limit_of_the_job_stays_in_force() -> None:
    with pytest.raises(TimeExceeded), time_limit(0.05):
        time.sleep(5.0)
    with pytest.raises(JobOver):
        time.sleep(5.0)
