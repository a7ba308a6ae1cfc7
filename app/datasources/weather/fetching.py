"""Forecasts from the two weather centres with open data.

- NOAA: GFS (wind, pressure, ice; 0.5 degree) and GFS-Wave (0.25 degree), the
  wanted fields by byte ranges from the inventory of each file.
- ECMWF: open data of the IFS (0.25 degree), streams ``oper`` and ``wave``, the wanted messages by
  byte ranges from the index of each file.

Every step is a separate file in the folder of its run, so that an interrupted fetch
continues where it stopped.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from app.datasources.stored_files import make_folder
from app.datasources.weather.downloading import (
    ByteRange,
    Downloader,
    DownloadFailed,
    NotThere,
    join_ranges,
)

Progress = Callable[[int, int], None]

NOAA_URL: Final = "https://noaa-gfs-bdp-pds.s3.amazonaws.com"
ECMWF_URL: Final = "https://data.ecmwf.int/forecasts"

#: Hours between runs, and how many runs back are looked for.
_CYCLE_H: Final = 6
_GFS_CYCLES_BACK: Final = 5
_ECMWF_CYCLES_BACK: Final = 8

#: Step between fields that are fetched [h].
_STEP_H: Final = 3

#: ECMWF's steps are further apart beyond this [h].
_ECMWF_FINE_H: Final = 144
_ECMWF_COARSE_STEP_H: Final = 6

#: Length of ECMWF's runs of 06 and 18 h [h]. Since cycle 50r1 (May 2026) they are in the streams of
#: the long ones, ``oper`` and ``wave``, no longer in ``scda`` and ``scwv`` (ECMWF, "Find out how to
#: access ECMWF real-time open data").
_ECMWF_SHORT_H: Final = 144

_ATMOSPHERE_FIELDS: Final = re.compile(
    r":(?:[UV]GRD:10 m above ground|PRMSL:mean sea level|ICEC:surface):"
)
_WAVE_FIELDS: Final = re.compile(
    r":(?:(?:HTSGW|PERPW|DIRPW):surface|(?:SWELL|SWDIR):1 in sequence):"
)

_ECMWF_PARAMETERS: Final = {"oper": ("10u", "10v", "msl"), "wave": ("swh", "pp1d", "mwd")}


class NothingNewer(DownloadFailed):
    """The newest run of a centre is stored already."""


@dataclass(frozen=True)
class Fetched:
    """The files of one run, and the reasons for missing parts."""

    source: str
    reference_time: datetime
    files: tuple[Path, ...]
    left_out: tuple[str, ...] = ()


def fetch_gfs(
    folder: Path,
    now: datetime,
    hours: int,
    progress: Progress,
    *,
    url: str = NOAA_URL,
    downloader: Downloader | None = None,
    newer_than: datetime | None = None,
) -> Fetched:
    """Download the newest complete GFS and GFS-Wave run into a folder of its own.

    Raise :class:`NothingNewer` if that run is no newer than ``newer_than``, and
    :class:`DownloadFailed` if no run is complete or a download fails.
    """
    downloader = downloader or Downloader()
    cycle = _newest_cycle(
        now, _GFS_CYCLES_BACK, lambda when: _gfs_is_complete(downloader, url, when, hours)
    )
    _check_is_newer("gfs", cycle, newer_than)
    into = folder / f"gfs-{cycle:%Y%m%dT%HZ}"
    make_folder(into)
    wanted = list(_gfs_files(url, cycle, hours))
    files = []
    for done, (address, pattern) in enumerate(wanted):
        target = into / address.rsplit("/", 1)[1]
        fetch_noaa(downloader, address, pattern, target)
        files.append(target)
        progress(done + 1, len(wanted))
    return Fetched("gfs", cycle, tuple(files))


def fetch_ecmwf(
    folder: Path,
    now: datetime,
    hours: int,
    progress: Progress,
    *,
    url: str = ECMWF_URL,
    downloader: Downloader | None = None,
    newer_than: datetime | None = None,
) -> Fetched:
    """Download the newest run of ECMWF's open data that has the last step.

    If a run newer than ``newer_than`` is only a short one, of 06 or 18 h, it is downloaded to its
    end: voyages that it does not cover have the stored run. Raise :class:`NothingNewer` if that run
    is no newer than ``newer_than``, and :class:`DownloadFailed` if there is no run or a download
    fails.
    """
    downloader = downloader or Downloader()
    cycle, steps = _find_ecmwf_cycle(downloader, url, now, hours, newer_than)
    into = folder / f"ecmwf-{cycle:%Y%m%dT%HZ}"
    make_folder(into)
    wanted = [(stream, step) for stream in _ECMWF_PARAMETERS for step in steps]
    files = []
    for done, (stream, step) in enumerate(wanted):
        target = into / f"{stream}-{step:03d}.grib2"
        if not target.exists():
            address = ecmwf_address(url, cycle, stream, step, "fc")
            messages = list(list_messages(downloader, address, "fc", _ECMWF_PARAMETERS[stream]))
            if not messages:
                raise DownloadFailed(f"{address}.index: none of the wanted fields is listed")
            fetch_messages(downloader, address, messages, target)
        files.append(target)
        progress(done + 1, len(wanted))
    return Fetched("ecmwf", cycle, tuple(files))


def _check_is_newer(source: str, cycle: datetime, newer_than: datetime | None) -> None:
    if newer_than is not None and cycle <= newer_than:
        raise NothingNewer(f"the newest run of {source} is still that of {cycle:%Y-%m-%d %H:%MZ}")


def _list_cycles(now: datetime, most: int) -> list[datetime]:
    latest = now.replace(hour=now.hour - now.hour % _CYCLE_H, minute=0, second=0, microsecond=0)
    return [latest - timedelta(hours=back * _CYCLE_H) for back in range(most)]


def _newest_cycle(now: datetime, most: int, is_complete: Callable[[datetime], bool]) -> datetime:
    cycles = _list_cycles(now, most)
    for cycle in cycles:
        if is_complete(cycle):
            return cycle
    raise DownloadFailed(f"no complete run since {cycles[-1]:%Y-%m-%d %H:%MZ}")


def _gfs_is_complete(downloader: Downloader, url: str, cycle: datetime, hours: int) -> bool:
    """Return whether the inventories of the last step are there; they are written last."""
    try:
        for address, pattern in list(_gfs_files(url, cycle, hours))[-2:]:
            _read_ranges(downloader, address, pattern)
    except NotThere:
        return False
    return True


def _gfs_files(url: str, cycle: datetime, hours: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    base = f"{url}/gfs.{cycle:%Y%m%d}/{cycle:%H}"
    for step in range(0, hours + 1, _STEP_H):
        yield f"{base}/atmos/gfs.t{cycle:%H}z.pgrb2.0p50.f{step:03d}", _ATMOSPHERE_FIELDS
        yield (
            f"{base}/wave/gridded/gfswave.t{cycle:%H}z.global.0p25.f{step:03d}.grib2",
            _WAVE_FIELDS,
        )


def fetch_noaa(
    downloader: Downloader, address: str, pattern: re.Pattern[str], target: Path
) -> None:
    """Download the wanted fields of a file with an inventory, unless they are there already."""
    if target.exists():
        return
    downloader.fetch(address, _read_ranges(downloader, address, pattern), target)
    check_grib(target)


def _read_ranges(downloader: Downloader, address: str, pattern: re.Pattern[str]) -> list[ByteRange]:
    """Byte ranges of a file's wanted fields; raises :class:`DownloadFailed` if none is listed."""
    try:
        ranges = noaa_ranges(downloader.read_text(f"{address}.idx"), pattern)
    except ValueError as fault:
        raise DownloadFailed(f"{address}.idx: what came is no inventory") from fault
    if not ranges:
        raise DownloadFailed(f"{address}.idx: none of the wanted fields is listed")
    return ranges


def noaa_ranges(inventory: str, pattern: re.Pattern[str]) -> list[ByteRange]:
    """Byte ranges of the wanted lines of a wgrib2 inventory, neighbours joined.

    Raises ValueError for another text.
    Each line begins ``number:first byte:``; a message ends where the next begins.
    Lines of fields packed into one message share their first byte.
    """
    lines = [line for line in inventory.splitlines() if line.count(":") >= 3]
    firsts = sorted({int(line.split(":")[1]) for line in lines})
    after: dict[int, int | None] = dict(zip(firsts, [*firsts[1:], None], strict=True))
    wanted = sorted({int(line.split(":")[1]) for line in lines if pattern.search(line)})
    return join_ranges(ByteRange(first, after[first]) for first in wanted)


def check_grib(path: Path, lengths: Sequence[int] = ()) -> None:
    """Check that a file can be whole; raises :class:`DownloadFailed` and removes it.

    GRIB begins and ends with marks; an inventory of another file cuts elsewhere. With
    ``lengths`` [bytes] each of its messages is checked.
    """
    with path.open("rb") as file:
        first = 0
        for length in lengths or [path.stat().st_size]:
            file.seek(first)
            head = file.read(4)
            first += length
            file.seek(max(first - 4, 0))
            if (head, file.read(4)) != (b"GRIB", b"7777"):
                path.unlink()
                raise DownloadFailed(f"{path.name}: what came is not whole GRIB messages")


def _ecmwf_steps(hours: int) -> list[int]:
    fine = range(0, min(hours, _ECMWF_FINE_H) + 1, _STEP_H)
    coarse = range(_ECMWF_FINE_H + _ECMWF_COARSE_STEP_H, hours + 1, _ECMWF_COARSE_STEP_H)
    return [*fine, *coarse]


def _find_ecmwf_cycle(
    downloader: Downloader, url: str, now: datetime, hours: int, newer_than: datetime | None
) -> tuple[datetime, list[int]]:
    """Find the run to download and its steps; the newest long one is stored before a short one."""
    steps, short = _ecmwf_steps(hours), _ecmwf_steps(min(hours, _ECMWF_SHORT_H))
    cycle = _newest_cycle(
        now, _ECMWF_CYCLES_BACK, lambda when: _ecmwf_has_step(downloader, url, when, steps[-1])
    )
    if newer_than is not None and cycle <= newer_than:
        for later in _list_cycles(now, _ECMWF_CYCLES_BACK):
            # a long run of 00 or 12 h that is not yet complete is no short one
            is_short = later > newer_than and later.hour % (2 * _CYCLE_H) == _CYCLE_H
            if is_short and _ecmwf_has_step(downloader, url, later, short[-1]):
                return later, short
    _check_is_newer("ecmwf", cycle, newer_than)
    return cycle, steps


def _ecmwf_has_step(downloader: Downloader, url: str, cycle: datetime, step: int) -> bool:
    """Return whether the index of a step's waves is there; it is written last."""
    try:
        downloader.read_text(f"{ecmwf_address(url, cycle, 'wave', step, 'fc')}.index")
    except NotThere:
        return False
    return True


def ecmwf_address(url: str, cycle: datetime, stream: str, step: int, kind: str) -> str:
    """Address of a file of ECMWF's open data, without its ending."""
    base = f"{url}/{cycle:%Y%m%d}/{cycle:%H}z/ifs/0p25/{stream}"
    return f"{base}/{cycle:%Y%m%d%H%M%S}-{step}h-{stream}-{kind}"


@dataclass(frozen=True)
class Message:
    """Offset and length of a message in its file [bytes]; ``number`` is its member, 0 if none."""

    number: int
    first: int
    length: int


def list_messages(
    downloader: Downloader, address: str, kind: str, parameters: Collection[str]
) -> Iterator[Message]:
    """Messages of a kind, ``fc`` or ``pf``, in the index of a file, a line of JSON for each.

    Raise :class:`NotThere` if there is no index, and :class:`DownloadFailed` for another text.
    """
    for line in downloader.read_text(f"{address}.index").splitlines():
        try:
            entry = json.loads(line)
            if entry["type"] != kind or entry["param"] not in parameters:
                continue
            number = int(entry["number"]) if kind == "pf" else 0
            first, length = int(entry["_offset"]), int(entry["_length"])
            if first < 0 or length <= 0:
                raise ValueError(f"{length} bytes at {first}")
        except (ValueError, KeyError, TypeError) as fault:
            raise DownloadFailed(
                f"{address}.index: {line[:80]!r} is not a line of an index"
            ) from fault
        yield Message(number, first, length)


def fetch_messages(
    downloader: Downloader, address: str, messages: Sequence[Message], target: Path
) -> None:
    """Download messages of a file; the target is created when they are whole."""
    messages = sorted(messages, key=lambda message: message.first)
    part = target.with_name(f"{target.name}.part")
    ranges = join_ranges(ByteRange(m.first, m.first + m.length) for m in messages)
    downloader.fetch(f"{address}.grib2", ranges, part)
    check_grib(part, [message.length for message in messages])
    part.rename(target)
