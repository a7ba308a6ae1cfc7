"""How several processes share the tests: ``pytest --numprocesses=2``."""

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

#: Folders whose tests share what is dear to make: the running service, an atlas.
TOGETHER = ("tests/e2e/", "tests/unit/engine/sea/")
#: Of the integration tests these take longest: they go first, lest one process wait for them.
LONGEST = ("tests/integration/test_faults.py", "tests/integration/test_workers.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = [item.nodeid for item in items]
    first = next((n for n, name in enumerate(names) if name.startswith("tests/integration/")), 0)
    items[first:] = sorted(items[first:], key=lambda item: not item.nodeid.startswith(LONGEST))


class FileByFile(LoadFileScheduling):
    """Tests of a file stay together, and so do those of some folders."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileByFile:
    config.option.loadscopereorder = False  # quick ones first, as they are listed
    return FileByFile(config, log)
