"""Weather runs on disk: packed arrays and a manifest, written once, never changed.

A run is a folder named for its source, reference time and content::

    gfs-20260101T00Z-3f9c0a1b2d/
        manifest.json
        wind-wave.npy       int16 (n_time, n_cell, 2 + 4), one chunk per time step
        wind.nearest.npy    int32 (n_cell,)
        wave.nearest.npy

Ensemble members lie in a folder within that of the run they belong to, which is
the control::

        members/
            manifest.json
            007.wind-wave.npy   int16 (n_time, n_cell, 2 + 4), one for each member
            wind.nearest.npy    int32 (n_cell,), shared by all members
            wave.nearest.npy

All have the same groups, grid and time steps; what they do not hold is the control's.

What a ship feels of wind, waves and current lies side by side in one block, where
all have one grid and time axis, so that a look-up fetches them together.
It is built next to its final place and renamed when complete, so a
reader sees a whole run or none. Readers map the files; a run removed while
they are open stays readable to them.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from app.datasources.stored_files import remove_folder
from app.engine.times import moment_at
from app.engine.weather import Group, Layer, RegularGrid, WeatherRun
from app.engine.weather.groups import CHANNELS
from app.records.instants import read_instant

#: Version of the layout on disk. The first, which is still read, kept every
#: group in a block of its own.
FORMAT: Final = 2
_READABLE: Final = (1, FORMAT)

#: Says what a run holds; written last.
MANIFEST: Final = "manifest.json"

#: The folder of a run's members.
MEMBERS: Final = "members"

#: What mapping an array raises that is missing, private, empty or cut short.
UNREADABLE: Final = (OSError, ValueError, EOFError)


class RunUnreadable(Exception):
    """A folder that does not hold a whole run of this format."""


@dataclass(frozen=True)
class RunSummary:
    """Manifest of a stored run.

    ``global_groups`` cover the seas of the world; ``members`` are the numbers of its
    ensemble members; ``notes`` say what was
    derived, thinned or left out when it was made; ``origins`` name the files and
    their SHA-256.
    """

    name: str
    source: str
    folder: Path
    reference_time: datetime | None
    groups: tuple[Group, ...]
    global_groups: tuple[Group, ...]
    valid_from: datetime | None
    valid_to: datetime | None
    size_bytes: int
    members: tuple[int, ...]
    notes: tuple[str, ...]
    origins: Mapping[str, str]


@dataclass(frozen=True)
class Member:
    """One member of an ensemble: its number, and the groups that differ from the control's."""

    number: int
    run: WeatherRun


def open_run(folder: Path) -> WeatherRun:
    """A stored run as the engine reads it; nothing is loaded until it is sampled.

    Raise :class:`RunUnreadable` if the folder holds no run, or one of another format.
    """
    manifest = read_manifest(folder)
    layers = build_layers(folder, manifest)
    return WeatherRun(manifest["name"], layers, read_instant(manifest["reference_time"]))


def check_arrays(run: WeatherRun) -> None:
    """Map each array of a stored run once.

    Raise :class:`RunUnreadable` if a file is missing, private, or not of the size that the manifest
    gives.
    """
    blocks: dict[Path, NDArray[Any]] = {}
    try:
        for layer in run.layers.values():
            layer.open(blocks)
    except UNREADABLE as error:
        raise RunUnreadable(f"{run.name}: {error}") from error


def build_layers(folder: Path, manifest: Mapping[str, Any], prefix: str = "") -> dict[Group, Layer]:
    """The layers of a manifest; ``prefix`` begins the names of their blocks."""
    return {
        Group(group): Layer(
            Group(group),
            RegularGrid(**entry["grid"]),
            tuple(entry["times_h"]),
            folder / f"{prefix}{entry.get('block', f'{group}.npy')}",
            folder / f"{group}.nearest.npy",
            manifest["cyclic"],
            entry.get("first_value", 0),
        )
        for group, entry in manifest["layers"].items()
    }


def summarise_run(folder: Path) -> RunSummary:
    """Read the manifest of a stored run; raises :class:`RunUnreadable`."""
    manifest = read_manifest(folder)
    run = open_run(folder)
    times = [t for layer in run.layers.values() for t in layer.times_h]
    spoken = bool(times) and not manifest["cyclic"]
    return RunSummary(
        name=run.name,
        source=manifest["source"],
        folder=folder,
        reference_time=run.reference_time,
        groups=tuple(run.layers),
        global_groups=tuple(g for g, layer in run.layers.items() if layer.grid.is_global),
        valid_from=moment_at(min(times)) if spoken else None,
        valid_to=moment_at(max(times)) if spoken else None,
        size_bytes=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        members=list_members(folder),
        notes=tuple(manifest["notes"]),
        origins=manifest["origins"],
    )


def list_runs(parent: Path) -> Iterator[RunSummary]:
    """Every whole run in a folder, by name; what is unreadable or unfinished is passed over."""
    if not parent.is_dir():
        return
    for folder in sorted(parent.iterdir()):
        if not folder.name.startswith("."):
            with suppress(RunUnreadable):
                yield summarise_run(folder)


def open_members(run_folder: Path) -> tuple[Member, ...]:
    """The members of a stored run by number; none where it has none.

    Raise :class:`RunUnreadable` if there is a folder of members that cannot be read.
    """
    folder = run_folder / MEMBERS
    if not folder.is_dir():
        return ()
    manifest = read_manifest(folder)
    return tuple(
        Member(
            number,
            WeatherRun(
                f"{run_folder.name} member {number}",
                build_layers(folder, manifest, member_prefix(number)),
            ),
        )
        for number in manifest["members"]
    )


def list_members(run_folder: Path) -> tuple[int, ...]:
    """Numbers of a stored run's members; none where they cannot be read."""
    folder = run_folder / MEMBERS
    try:
        return tuple(read_manifest(folder)["members"]) if folder.is_dir() else ()
    except RunUnreadable:
        return ()


def member_prefix(number: int) -> str:
    """Prefix of the names of a member's files."""
    return f"{number:03d}."


def remove_run(folder: Path) -> None:
    """Remove a run, or its members; readers that have them open keep them until they close them."""
    remove_folder(set_aside(folder))


def set_aside(folder: Path) -> Path:
    """Rename a run, or its members, to a name that readers do not look for; return its path."""
    gone = folder.with_name(f".gone-{folder.name}")
    remove_folder(gone)  # what a process that was killed left behind
    folder.rename(gone)
    return gone


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a manifest of this format; raises :class:`RunUnreadable`."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise RunUnreadable(f"{folder.name} holds no weather run: {error}") from error
    if manifest.get("format") not in _READABLE:
        raise RunUnreadable(f"{folder.name} has format {manifest.get('format')}, not {FORMAT}")
    for group, entry in manifest["layers"].items():
        stored = [(c["name"], c["scale"], c["offset"]) for c in entry["channels"]]
        if stored != [(c.name, c.scale, c.offset) for c in CHANNELS[Group(group)]]:
            raise RunUnreadable(f"{folder.name} packs {group} in another format")
    return manifest
