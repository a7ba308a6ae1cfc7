"""Images of `make image` in containers: read-only, as any user, without capabilities."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from containers import Container, Runtime, Store
from setup_steps import SetupError

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("buildah", "bwrap"))),
    reason="buildah or bubblewrap is not installed, or this is not root",
)
PROGRAMS = ("sh", "setpriv", "touch", "grep", "id", "sleep")
IMAGE = "localhost/few-programs:1"
USER = (1_234_567, 0)
SCRATCH = "/tmp"  # noqa: S108 - the container's own


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with an image of a few of this machine's programs."""
    store, files = Store(tmp_path_factory.mktemp("store")), tmp_path_factory.mktemp("files")
    for program in map(shutil.which, PROGRAMS):
        needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        libraries = [word for word in needed.stdout.split() if word.startswith("/")]
        for path in (program, *libraries):
            there = files / str(path).lstrip("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(path), there)
    for folder in ("dev", "proc", "sys", "tmp", "data"):
        (files / folder).mkdir()
    with store.container("scratch") as made:
        store.buildah("add", "--quiet", made, files, "/")
        store.buildah("config", "--env", f"PATH={os.environ['PATH']}", made)
        store.buildah("commit", "--quiet", "--format=docker", made, IMAGE)
    return store


@pytest.fixture(scope="module")
def runtime(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    volume = tmp_path_factory.mktemp("volume")
    volume.chmod(0o2775)
    (variables,) = store.configuration(IMAGE)["Env"]
    with store.container(IMAGE) as container:
        yield Runtime(
            root=Path(store.buildah("mount", container).strip()),
            environment={"PATH": variables.removeprefix("PATH=")},
            user=USER,
            volumes={"/data": volume},
            scratch=(SCRATCH,),
        )


def test_an_image_is_found_by_its_name(store: Store) -> None:
    assert store.has(IMAGE)
    assert not store.has("localhost/nothing:1")


WRITTEN = {"/": False, "/bin": False, "/dev": False, "/sys": False, SCRATCH: True, "/data": True}


@pytest.mark.parametrize(("place", "may"), WRITTEN.items())
def test_a_process_writes_to_volume_and_scratch_only(
    runtime: Runtime, place: str, may: bool
) -> None:
    assert runtime.can("any", "sh", "-c", f"id && touch {place}/written") is may
    assert runtime.can("any", "id"), "the container itself works"


def test_what_is_written_belongs_to_the_user(runtime: Runtime) -> None:
    assert runtime.can("any", "touch", "/data/mine")
    found = (runtime.volumes["/data"] / "mine").stat()
    assert (found.st_uid, found.st_gid) == USER


def test_a_process_has_no_rights_and_gains_none(runtime: Runtime) -> None:
    for line in ("CapPrm:\t0*$", "CapEff:\t0*$", "CapBnd:\t0*$", "NoNewPrivs:\t1$"):
        assert runtime.can("any", "grep", "-P", line, "/proc/self/status"), line


def test_a_container_that_fails_says_why(runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="status 3:\nno such sea"):
        runtime.run("any", ["sh", "-c", "echo no such sea; exit 3"], tmp_path / "log")


def test_a_container_stops_on_request(runtime: Runtime, tmp_path: Path) -> None:
    script = "trap 'exit 7' TERM; echo up; while :; do sleep 0.1; done"
    started: Container = runtime.start("any", ["sh", "-c", script], tmp_path / "log")
    while not started.log.read_text():
        assert started.process.poll() is None
        time.sleep(0.05)
    assert started.stop() == 7
