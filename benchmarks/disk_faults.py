"""Faults of disk, files and clock of a running service: full disk, truncated files, clock jumps.

Some need private copies of the installation's files (:func:`own_files`). The full disk is a small
file system in memory, which only a superuser can mount.
"""

import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from benchmarks.installation import OWN_FILES, ROOT, Installation, wait_until

#: Duration of a full disk, a truncated file, a wrong clock [s].
LASTING_S: Final = 12.0
#: Size of a disk with room for the servers and some more [MB].
DISK_MB: Final = 600
CLOCK_JUMP_S: Final = 3600
#: A clock with an offset from a mapped file [s]; libfaketime breaks Python's sleep.
_CLOCK: Final = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *ahead;

__attribute__((constructor)) static void map_clock(void) {
    int file = open(getenv("CLOCK_FILE"), O_RDONLY);
    void *mapped = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) ahead = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *ahead;
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
"""

_RETRY_EVERY_S: Final = 0.5
_FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
_BATCH: Final = 2000
_REPORTS: Final = 50
#: Files of atlas and weather that are in use all the time.
_ATLAS_FILE: Final = "edges.npy"
_WEATHER_FILE: Final = "climatology/wind-wave.npy"


class Losses(NamedTuple):
    """Accepted objects besides voyages that are missing or duplicated."""

    lost: int = 0
    doubled: int = 0
    slowest_s: float = 0.0


class Skipped(Exception):
    """A fault cannot be caused on this machine."""


@contextmanager
def own_files(*, small_disk: bool) -> Iterator[None]:
    """Give the next installation private copies of files, which may be damaged.

    The atlas is linked except for the file that is truncated. Its servers are on the small disk
    too.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)
        disk = folder / "disk"
        disk.mkdir()
        if small_disk:
            _mount(disk)
        before = {each: os.environ.get(each) for each in OWN_FILES}
        var = ROOT / "var"
        used = {
            each: Path(path or var / each.split("_")[0].lower()) for each, path in before.items()
        }
        shutil.copytree(used["NUMBA_CACHE_DIR"], folder / "numba")
        shutil.copytree(used["WEATHER_DIR"], disk / "weather")
        _link(used["ATLAS_DIR"], folder / "atlas")
        os.environ["NUMBA_CACHE_DIR"] = str(folder / "numba")
        os.environ["ATLAS_DIR"] = str(folder / "atlas")
        os.environ["WEATHER_DIR"] = str(disk / "weather")
        tempfile.tempdir = str(disk)
        try:
            yield
        finally:
            tempfile.tempdir = None
            for variable, value in before.items():
                os.environ.pop(variable)
                if value is not None:
                    os.environ[variable] = value
            if small_disk:
                subprocess.run(["umount", "--lazy", str(disk)], check=True)  # noqa: S607


def _mount(disk: Path) -> None:
    options = f"size={DISK_MB}m,mode=711"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
    mounted = subprocess.run(command, check=False)
    if mounted.returncode:
        raise Skipped("a small disk cannot be mounted without root")


def _link(atlas: Path, copy: Path) -> None:
    shutil.copytree(atlas.resolve(), copy, copy_function=_link_or_copy)
    harmed = copy / _ATLAS_FILE
    harmed.unlink()
    shutil.copy(atlas / _ATLAS_FILE, harmed)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


class Sender:
    """Sender of numbered parcels, each repeated until it is accepted."""

    def __init__(self, service: Installation, path: str, make: Callable[[int], Any]) -> None:
        self.service, self.path, self.make = service, path, make
        self.accepted, self.slowest_s = 0, 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> "Sender":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _send(self) -> None:
        while not self._ended.is_set():
            key, body = {"Idempotency-Key": uuid4().hex}, self.make(self.accepted)
            # repeat until it is accepted, as a client should
            while not self._is_accepted(body, key):
                time.sleep(_RETRY_EVERY_S)
            self.accepted += 1

    def _is_accepted(self, body: Any, key: dict[str, str]) -> bool:
        began = time.monotonic()
        status, answer = self.service.ask("POST", self.path, body, key)
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        if status in (400, 422):
            raise RuntimeError(f"refused permanently: {answer}")
        return 200 <= status < 300


def fill_disk_in_batches(service: Installation) -> Losses:
    """Fill the disk while batches of telemetry are sent."""
    sender = Sender(service, f"/telemetry/{service.vessel_id}/batch", _telemetry)
    return _fill_disk(service, sender, "telemetry", _BATCH)


def fill_disk_in_imports(service: Installation) -> Losses:
    """Fill the disk while noon reports are imported."""
    sender = Sender(service, f"/vessel/{service.vessel_id}/noon-reports", _noon_reports)
    return _fill_disk(service, sender, "noon_report", _REPORTS)


def _fill_disk(service: Installation, sender: Sender, table: str, rows_each: int) -> Losses:
    filler = service.settings.state.parent / "filler"
    with sender:
        wait_until(lambda: sender.accepted > 0, LASTING_S)
        _fill(filler)
        for _ in range(int(LASTING_S)):
            time.sleep(1.0)
            _fill(filler)
        filler.unlink()
        freed = sender.accepted
        wait_until(lambda: sender.accepted > freed, 120.0)
    stored = int(service.rows(f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608
    missing = sender.accepted * rows_each - stored
    return Losses(max(missing, 0), max(-missing, 0), sender.slowest_s)


def _fill(filler: Path) -> None:
    """Write until the disk is full, also space that others free meanwhile."""
    try:
        with filler.open("ab", buffering=0) as stream:
            while True:
                stream.write(bytes(2**16))
    except OSError:
        return


def _telemetry(number: int) -> list[dict[str, Any]]:
    start = _FIRST + timedelta(seconds=number * _BATCH)
    record = {
        "latitude": 51.9, "longitude": 2.4, "speed": 12.4, "heading": 278, "rpm": 84,
        "fuelConsumption": 24.6, "draft": 10.5, "engineLoad": 61,
    }  # fmt: skip
    times = (start + timedelta(seconds=second) for second in range(_BATCH))
    return [record | {"timestamp": time.isoformat()} for time in times]


def _noon_reports(number: int) -> list[dict[str, Any]]:
    start = datetime(2005, 1, 1, 12, tzinfo=UTC) + timedelta(days=number * _REPORTS)
    days = (start + timedelta(days=day) for day in range(_REPORTS))
    return [{"timestamp": day.isoformat(), "fuel": 28.5, "speedOverGround": 14.0} for day in days]


def cut_in_use(variable: str, name: str, service: Installation) -> None:
    """Truncate a file that processes have mapped, and restore it after a while."""
    file = Path(service.supervisor.environment[variable]) / name
    whole = file.read_bytes()
    os.truncate(file, len(whole) // 2)
    time.sleep(LASTING_S)
    with file.open("r+b") as stream:
        stream.write(whole)


def jump_clock(by_s: int, service: Installation) -> None:
    """Make the clocks of web and workers jump, and jump back later; the database's is right."""
    clock = service.settings.state / "clock"
    clock.write_bytes(bytes(8))
    service.supervisor.environment |= {
        "LD_PRELOAD": str(_compile_clock(service.settings.state)),
        "CLOCK_FILE": str(clock),
    }
    _restart(service)
    for jump in (by_s, 0):
        # in place, because it is mapped
        with clock.open("r+b") as stream:
            stream.write(struct.pack("q", jump))
        time.sleep(LASTING_S)


def _compile_clock(folder: Path) -> Path:
    library = folder / "clock.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
    if shutil.which("cc") is None:
        raise Skipped("there is no compiler for the library that shifts the clock")
    subprocess.run(command, input=_CLOCK, text=True, check=True)
    return library


def _restart(service: Installation) -> None:
    """Restart all members, and wait until the web answers."""
    for member in list_members(service):
        service.kill(member)
    wait_until(lambda: service.ask("GET", "/vessel")[0] == 0, LASTING_S)
    wait_until(lambda: service.ask("GET", "/vessel")[0] == 200, 60.0)


def list_members(service: Installation) -> Sequence[str]:
    """List the names of the supervisor's members."""
    return [member.name for member in service.supervisor.members]


FILLING: Final = {
    "disk full in batches": fill_disk_in_batches,
    "disk full in imports": fill_disk_in_imports,
}
DISK_FAULTS: Final[dict[str, Callable[[Installation], Losses | None]]] = {
    **FILLING,
    "atlas cut in use": partial(cut_in_use, "ATLAS_DIR", _ATLAS_FILE),
    "weather cut in use": partial(cut_in_use, "WEATHER_DIR", _WEATHER_FILE),
    "clock jumps ahead": partial(jump_clock, CLOCK_JUMP_S),
    "clock jumps back": partial(jump_clock, -CLOCK_JUMP_S),
}
