"""Ensemble members from the two weather centres, by byte ranges from their indexes.

- ECMWF: open data, streams ``enfo`` (wind) and ``waef`` (waves), 0.25 degree; one
  file for each step holds all members, and its index a line of JSON for each
  message.
- NOAA: GEFS (wind 0.5 degree, waves 0.25 degree); a file and a wgrib2 inventory
  for each member and step.

Every fetched file stays in the folder of its run, so that an interrupted fetch
continues where it stopped. Members that the centre lacks are left out.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from app.datasources.stored_files import make_folder
from app.datasources.weather.downloading import Downloader, NotThere
from app.datasources.weather.fetching import (
    ECMWF_URL,
    Fetched,
    Message,
    Progress,
    ecmwf_address,
    fetch_messages,
    fetch_noaa,
    list_messages,
)

GEFS_URL: Final = "https://noaa-gefs-pds.s3.amazonaws.com"

#: Perturbed members of each centre's ensemble, and the source whose runs they belong to.
ENSEMBLES: Final = {"ecmwf": (50, "ecmwf"), "gefs": (30, "gfs")}

#: Step between fields that are fetched [h], as members are stored.
_STEP_H: Final = 6

#: Less than this share of the members is no ensemble: its centre is not yet done with it.
_LEAST_SHARE: Final = 0.5

_ECMWF_PARAMETERS: Final = {"enfo": ("10u", "10v"), "waef": ("swh", "pp1d", "mwd")}
_GEFS_ATMOSPHERE: Final = re.compile(r":[UV]GRD:10 m above ground:")
_GEFS_WAVES: Final = re.compile(r":(?:HTSGW|PERPW|DIRPW):surface:")


def fetch_members(
    ensemble: str,
    folder: Path,
    cycle: datetime,
    hours: int,
    count: int,
    progress: Progress,
    *,
    url: str | None = None,
    downloader: Downloader | None = None,
) -> Fetched:
    """Download the first ``count`` members of ``ecmwf`` or ``gefs`` for a run that is there.

    Raise :class:`NotThere` if the centre does not have them (yet), and :class:`DownloadFailed` if a
    download fails.
    """
    most, source = ENSEMBLES[ensemble]
    numbers = range(1, min(count, most) + 1)
    into = folder / f"members-{ensemble}-{cycle:%Y%m%dT%HZ}-{len(numbers)}"
    make_folder(into)
    downloader = downloader or Downloader()
    url = url or {"ecmwf": ECMWF_URL, "gefs": GEFS_URL}[ensemble]
    downloader.check_reachable(url)
    wanted = _Wanted(downloader, url, cycle, numbers, range(0, hours + 1, _STEP_H), into)
    fetch = _fetch_ecmwf if ensemble == "ecmwf" else _fetch_gefs
    files, left_out = fetch(wanted, progress)
    return Fetched(source, cycle, tuple(files), tuple(left_out))


class _Wanted(NamedTuple):
    """The members and steps [h] that are wanted of a run, and the folder for their files."""

    downloader: Downloader
    url: str
    cycle: datetime
    numbers: Sequence[int]
    steps: Sequence[int]
    into: Path


def _fetch_ecmwf(wanted: _Wanted, progress: Progress) -> tuple[list[Path], list[str]]:
    """Fetch step by step; the last is written last, so it is looked for first.

    Return the files and what was left out.
    """
    address_of = partial(ecmwf_address, wanted.url, wanted.cycle, kind="ef")
    for stream in _ECMWF_PARAMETERS:
        _list_messages(wanted, stream, address_of(stream, wanted.steps[-1]))
    missing: dict[int, str] = {}
    files = []
    parts = list(product(_ECMWF_PARAMETERS, wanted.steps))
    for done, (stream, step) in enumerate(parts):
        target = wanted.into / f"{stream}-{step:03d}.grib2"
        listed = target.with_suffix(".json")
        if not target.exists():
            address = address_of(stream, step)
            messages = _list_messages(wanted, stream, address)
            listed.write_text(json.dumps(sorted({m.number for m in messages})))
            fetch_messages(wanted.downloader, address, messages, target)
        for number in set(wanted.numbers) - set(json.loads(listed.read_text())):
            missing.setdefault(number, f"member {number}: not in {stream} at {step} h")
        files.append(target)
        progress(done + 1, len(parts))
    return files, [missing[number] for number in sorted(missing)]


def _list_messages(wanted: _Wanted, stream: str, address: str) -> list[Message]:
    """Messages of the wanted members; raises :class:`NotThere` when there are too few."""
    listed = list_messages(wanted.downloader, address, "pf", _ECMWF_PARAMETERS[stream])
    messages = [message for message in listed if message.number in wanted.numbers]
    n_member, n_wanted = len({message.number for message in messages}), len(wanted.numbers)
    if n_member < _LEAST_SHARE * n_wanted:
        raise NotThere(f"{address}.index: {n_member} of {n_wanted} members are listed")
    return messages


def _fetch_gefs(wanted: _Wanted, progress: Progress) -> tuple[list[Path], list[str]]:
    """Fetch member by member; one whose last step is not there is left out.

    Return the files and what was left out.
    """
    files, left_out = [], []
    for done, number in enumerate(wanted.numbers):
        try:
            files += _fetch_gefs_member(wanted, number)
        except NotThere as fault:
            left_out.append(f"member {number}: {fault}")
            if len(left_out) > (1.0 - _LEAST_SHARE) * len(wanted.numbers):
                raise
        progress(done + 1, len(wanted.numbers))
    return files, left_out


def _fetch_gefs_member(wanted: _Wanted, number: int) -> list[Path]:
    """All files of a member, the last step's first."""
    cycle, files = wanted.cycle, []
    base, hour = f"{wanted.url}/gefs.{cycle:%Y%m%d}/{cycle:%H}", f"t{cycle:%H}z"
    for step in reversed(wanted.steps):
        for path, pattern in (
            (f"atmos/pgrb2ap5/gep{number:02d}.{hour}.pgrb2a.0p50.f{step:03d}", _GEFS_ATMOSPHERE),
            (
                f"wave/gridded/gefs.wave.{hour}.p{number:02d}.global.0p25.f{step:03d}.grib2",
                _GEFS_WAVES,
            ),
        ):
            target = wanted.into / f"p{number:02d}-{step:03d}-{path.rsplit('/', 1)[1]}"
            fetch_noaa(wanted.downloader, f"{base}/{path}", pattern, target)
            files.append(target)
    return files
