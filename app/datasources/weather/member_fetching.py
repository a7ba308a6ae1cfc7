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
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

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
    steps = range(0, hours + 1, _STEP_H)
    centre = {"ecmwf": _Ecmwf, "gefs": _Gefs}[ensemble](downloader, url, cycle, numbers)
    files, left_out = centre.fetch(into, steps, progress)
    return Fetched(source, cycle, tuple(files), tuple(left_out))


@dataclass(frozen=True)
class _Centre(ABC):
    downloader: Downloader
    url: str
    cycle: datetime
    numbers: Sequence[int]

    @abstractmethod
    def fetch(
        self, into: Path, steps: Sequence[int], progress: Progress
    ) -> tuple[list[Path], list[str]]:
        """Fetch all steps; return the files and what was left out."""


class _Ecmwf(_Centre):
    def fetch(
        self, into: Path, steps: Sequence[int], progress: Progress
    ) -> tuple[list[Path], list[str]]:
        """Fetch step by step; the last is written last, so it is looked for first."""
        for stream in _ECMWF_PARAMETERS:
            self._list_messages(stream, steps[-1])
        wanted = [(stream, step) for stream in _ECMWF_PARAMETERS for step in steps]
        missing: dict[int, str] = {}
        files = []
        for done, (stream, step) in enumerate(wanted):
            target = into / f"{stream}-{step:03d}.grib2"
            listed = into / f"{stream}-{step:03d}.json"
            if not target.exists():
                messages = self._list_messages(stream, step)
                listed.write_text(json.dumps(sorted({m.number for m in messages})))
                address = ecmwf_address(self.url, self.cycle, stream, step, "ef")
                fetch_messages(self.downloader, address, messages, target)
            for number in set(self.numbers) - set(json.loads(listed.read_text())):
                missing.setdefault(number, f"member {number}: not in {stream} at {step} h")
            files.append(target)
            progress(done + 1, len(wanted))
        return files, [missing[number] for number in sorted(missing)]

    def _list_messages(self, stream: str, step: int) -> list[Message]:
        """Messages of the wanted members; raises :class:`NotThere` when there are too few."""
        address = ecmwf_address(self.url, self.cycle, stream, step, "ef")
        listed = list_messages(self.downloader, address, "pf", _ECMWF_PARAMETERS[stream])
        messages = [message for message in listed if message.number in self.numbers]
        members = {message.number for message in messages}
        if len(members) < _LEAST_SHARE * len(self.numbers):
            raise NotThere(
                f"{address}.index: {len(members)} of {len(self.numbers)} members are listed"
            )
        return messages


class _Gefs(_Centre):
    def fetch(
        self, into: Path, steps: Sequence[int], progress: Progress
    ) -> tuple[list[Path], list[str]]:
        """Fetch member by member; one whose last step is not there is left out."""
        files, left_out = [], []
        for done, number in enumerate(self.numbers):
            try:
                files += self._fetch_member(into, number, steps)
            except NotThere as fault:
                left_out.append(f"member {number}: {fault}")
                if len(left_out) > (1.0 - _LEAST_SHARE) * len(self.numbers):
                    raise
            progress(done + 1, len(self.numbers))
        return files, left_out

    def _fetch_member(self, into: Path, number: int, steps: Sequence[int]) -> list[Path]:
        """All files of a member, the last step's first."""
        files = []
        for step in reversed(steps):
            for address, pattern in self._files(number, step):
                target = into / f"p{number:02d}-{step:03d}-{address.rsplit('/', 1)[1]}"
                fetch_noaa(self.downloader, address, pattern, target)
                files.append(target)
        return files

    def _files(self, number: int, step: int) -> Iterator[tuple[str, re.Pattern[str]]]:
        base = f"{self.url}/gefs.{self.cycle:%Y%m%d}/{self.cycle:%H}"
        hour = f"t{self.cycle:%H}z"
        yield (
            f"{base}/atmos/pgrb2ap5/gep{number:02d}.{hour}.pgrb2a.0p50.f{step:03d}",
            _GEFS_ATMOSPHERE,
        )
        yield (
            f"{base}/wave/gridded/gefs.wave.{hour}.p{number:02d}.global.0p25.f{step:03d}.grib2",
            _GEFS_WAVES,
        )
