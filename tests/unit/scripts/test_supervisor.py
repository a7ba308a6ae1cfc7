import os
import signal
import sys

import pytest
import supervisor
from local_processes import ProcessMark
from supervisor import Member, Supervisor, Unstable

from tests.waiting import PATIENCE_S, wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
PARENT_OF_A_STRAY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], process_group=0)
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def company(tmp_path):
    companies = []

    def make(*commands, **options):
        members = [
            Member(f"member-{n}", command, tmp_path / f"{n}.log", **options)
            for n, command in enumerate(commands)
        ]
        said = []
        new = Supervisor(os.environ, tmp_path, said.append)
        companies.append(new)
        new.start(*members)
        return new, members, said

    yield make
    for each in companies:
        each.stop()


def test_a_member_that_ends_is_started_again_and_said(company):
    whole, (member,), said = company(SLEEP)
    first = member.process
    first.kill()
    first.wait()
    whole.tend()
    assert member.process.pid != first.pid
    assert member.process.poll() is None
    assert said == ["member-0 ended (-9); started again"]


def test_a_member_whose_name_begins_with_that_of_an_ended_one_goes_on(company):
    whole, members, said = company(*[["sleep", "60"]] * 11)
    longer = members[10].process
    for _ in range(2):
        members[1].process.kill()
        members[1].process.wait()
        whole.tend()
    assert longer.poll() is None
    assert said == ["member-1 ended (-9); started again"] * 2


def test_members_in_good_health_are_left_alone(company):
    whole, (member,), said = company(SLEEP)
    first = member.process
    whole.tend()
    assert member.process is first
    assert said == []


def test_a_member_that_ends_again_and_again_ends_the_whole_with_its_last_words(company):
    whole, (member,), _ = company([sys.executable, "-c", "print('out of coal')"])

    def tend_until_unstable():
        for _ in range(supervisor.RESTARTS_IN_A_ROW + 1):
            member.process.wait()
            whole.tend()

    with pytest.raises(Unstable, match=r"member-0 ended 6 times within a minute(.|\n)*out of coal"):
        tend_until_unstable()


def test_stop_ends_every_member_even_a_deaf_one(company, monkeypatch):
    monkeypatch.setattr(supervisor, "NUDGE_AFTER_S", 0.1)
    monkeypatch.setattr(supervisor, "STOP_PATIENCE_S", 0.3)
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); "
    whole, members, _ = company(SLEEP, [sys.executable, "-c", deaf + "time.sleep(60)"])
    wait_for_text(members[1].log)
    whole.stop()
    assert [member.process.returncode for member in members] == [-15, -9]


def test_stop_ends_a_job_that_has_left_its_workers_process_group(company):
    whole, (member,), _ = company([sys.executable, "-c", PARENT_OF_A_STRAY])
    stray = ProcessMark.of(int(wait_for_text(member.log)))
    whole.stop()
    assert stray.wait(PATIENCE_S)


def test_a_job_outlives_its_killed_worker_and_ends_with_the_whole(company):
    whole, (member,), _ = company([sys.executable, "-c", PARENT_OF_A_STRAY], leave_children=True)
    job = ProcessMark.of(int(wait_for_text(member.log)))
    os.kill(member.process.pid, signal.SIGKILL)
    member.process.wait()
    whole.tend()
    assert job.is_alive
    whole.stop()
    assert job.wait(PATIENCE_S)


def wait_for_text(log):
    wait_until(lambda: log.read_text().strip(), "text in the log", every_s=0.02)
    return log.read_text().split()[0]
