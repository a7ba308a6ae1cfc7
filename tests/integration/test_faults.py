"""No accepted work is lost or done twice when parts of the running service are killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from local_processes import free_port

from benchmarks.faults import suffer
from benchmarks.installation import Installation, installation

#: One of each kind of part but workers, which test_workers.py kills; ``benchmarks.faults`` tries
#: many more.
KILLED = ("Redis killed and flushed", "PostgreSQL restarted", "PostgreSQL killed", "web killed")

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas"), pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def service(atlas: Path) -> Iterator[Installation]:
    """The service as `make run` starts it, on servers of its own."""
    with pytest.MonkeyPatch.context() as patch:
        # it has its own servers, and its processes are not this test session's
        for name in ("DATABASE_URL", "REDIS_URL", "PROMETHEUS_MULTIPROC_DIR"):
            patch.delenv(name, raising=False)
        with installation(free_port()) as running:
            yield running


@pytest.mark.parametrize("fault", KILLED)
def test_nothing_is_lost_or_doubled_and_all_goes_on(service: Installation, fault: str) -> None:
    outcome = suffer(service, fault, lead_s=1.0, tail_s=1.0)
    assert outcome.accepted > 12, outcome
    assert (outcome.lost, outcome.doubled) == (0, 0), outcome
