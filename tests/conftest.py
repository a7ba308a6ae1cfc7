"""How several processes share the tests: ``pytest --numprocesses=3``."""

import os

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

# how long an example takes says nothing of whether it is right
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# what tests start fetches nothing: they have no network, and say so
os.environ["WEATHER_SOURCE"] = "none"

#: What one process runs, one after the other, and begins with. First what mostly waits for
#: processes that it has started, while others compute: the service and its pages, and hosts
#: whose coming and going browsers do not bear; workers that are killed. Then what shares an atlas.
TOGETHER = (
    ("tests/e2e/", "tests/integration/test_two_hosts.py"),
    (
        "tests/integration/test_faults.py",
        "tests/integration/test_workers.py",
        "tests/integration/test_watching_outages.py",
        "tests/integration/test_webhook_worker.py",
        "tests/integration/scripts/",
    ),
    ("tests/unit/engine/sea/",),
)


def rank(name: str) -> int:
    """The place of a test's group in TOGETHER; the last for all that are in none."""
    return next((n for n, group in enumerate(TOGETHER) if name.startswith(group)), len(TOGETHER))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: rank(item.nodeid))


class FileByFile(LoadFileScheduling):
    """Tests of a file stay together, and so do those of some groups."""

    def _split_scope(self, nodeid: str) -> str:
        group = TOGETHER[rank(nodeid) :][:1]
        return group[0][0] if group else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileByFile:
    config.option.loadscopereorder = False  # the groups first, as they are listed
    return FileByFile(config, log)
