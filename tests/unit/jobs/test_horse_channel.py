"""Messages between a worker and its work-horse."""

import os
from collections.abc import Callable, Iterator

import pytest

from app.jobs.horse_channel import HorseChannel

TASK = {"job": "one", "queue": "planning", "execution": "two"}


@pytest.fixture
def channel() -> Iterator[HorseChannel]:
    made = HorseChannel()
    yield made
    made.close()


def in_a_horse(channel: HorseChannel, work: Callable[[], bool]) -> int:
    """Fork a work-horse that ends well if its work does; return its process."""
    pid = os.fork()
    if pid == 0:
        channel.become_horse()
        os._exit(0 if work() else 1)
    channel.become_worker()
    return pid


def ends_well(pid: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_work_horse_takes_the_job_that_follows(channel: HorseChannel) -> None:
    def work() -> bool:
        channel.say_done()
        return channel.take_over(60.0) == TASK

    horse = in_a_horse(channel, work)
    assert channel.wait_for_end()
    assert channel.wait_for_end(), "seen again by who was interrupted as he saw it"
    assert channel.hand_over(TASK)
    assert not channel.wait_for_end(), "it ended without waiting for another job"
    assert ends_well(horse)


def test_a_work_horse_that_ends_in_its_job_is_noticed(channel: HorseChannel) -> None:
    horse = in_a_horse(channel, lambda: True)
    assert not channel.wait_for_end()
    assert ends_well(horse)


def test_a_job_is_not_lost_on_a_work_horse_that_left(channel: HorseChannel) -> None:
    def work() -> bool:
        channel.say_done()
        return channel.take_over(0.01) is None

    assert ends_well(in_a_horse(channel, work))
    assert channel.wait_for_end()
    assert not channel.hand_over(TASK)


def test_a_work_horse_without_a_worker_takes_nothing(channel: HorseChannel) -> None:
    def work() -> bool:
        channel.say_done()
        return channel.take_over(60.0) is None

    horse = in_a_horse(channel, work)
    assert channel.wait_for_end()
    channel.close()
    assert ends_well(horse)
