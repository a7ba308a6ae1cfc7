"""Writing of weather runs and their members: fill the layers, then rename the folder at once."""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from app.datasources.stored_files import make_folder, remove_folder, share
from app.datasources.weather.store import (
    FORMAT,
    MANIFEST,
    MEMBERS,
    RunUnreadable,
    check_arrays,
    member_prefix,
    open_run,
    set_aside,
)
from app.engine.arrays import Bools
from app.engine.weather import Group, RegularGrid, WeatherRun
from app.engine.weather.groups import CHANNELS, MISSING
from app.engine.weather.layer import borrowing_limit_km, nearest_known

#: Groups that are looked up together, and so lie side by side.
_FELT: Final = (Group.WIND, Group.WAVE, Group.CURRENT)

#: Time after which an unfinished run counts as abandoned [s].
_ABANDONED_S: Final = 86_400.0


@dataclass(frozen=True)
class LayerAxes:
    """The grid and the time steps [h] of a layer."""

    grid: RegularGrid
    times_h: tuple[float, ...]


@dataclass(frozen=True)
class Block:
    """Layers of one grid and time axis, whose channels lie side by side in one file."""

    groups: tuple[Group, ...]
    axes: LayerAxes

    @property
    def file_name(self) -> str:
        """Name of the file, after the prefix of a member."""
        return f"{'-'.join(self.groups)}.npy"

    def first_value(self, group: Group) -> int:
        """Index of a layer's first channel among the values of a cell."""
        before = self.groups[: self.groups.index(group)]
        return sum(len(CHANNELS[other]) for other in before)

    def view(self, array: NDArray[np.int16], group: Group) -> NDArray[np.int16]:
        """A layer's part of the block's array, ``(n_time, n_lat, n_lng, n_channel)``."""
        first, grid = self.first_value(group), self.axes.grid
        table = array.reshape(len(self.axes.times_h), grid.n_lat, grid.n_lng, -1)
        return table[..., first : first + len(CHANNELS[group])]

    def allocate(self, path: Path) -> NDArray[np.int16]:
        """Allocate the array's file, and map it; raise :class:`OSError` if it has no room.

        Writing to a mapped file that the disk has no room for would end the process.
        """
        n_value = sum(len(CHANNELS[group]) for group in self.groups)
        shape = len(self.axes.times_h), self.axes.grid.n_cell, n_value
        array: NDArray[np.int16] = np.lib.format.open_memmap(
            path, mode="w+", dtype=np.int16, shape=shape
        )
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
        return array

    def describe(self, group: Group) -> dict[str, Any]:
        """Entry of a layer in a manifest."""
        return {
            "grid": asdict(self.axes.grid),
            "times_h": list(self.axes.times_h),
            "channels": [asdict(channel) for channel in CHANNELS[group]],
            "block": self.file_name,
            "first_value": self.first_value(group),
        }


class DraftFolder:
    """A folder that is being written; a context manager that leaves nothing behind on failure."""

    def __init__(self, parent: Path, *, cyclic: bool = False) -> None:
        self._parent, self._cyclic = parent, cyclic
        self._blocks: list[Block] = []
        self._known: dict[Group, Bools] = {}

    def __enter__(self) -> Self:
        make_folder(self._parent)
        sweep(self._parent)
        self._folder = Path(tempfile.mkdtemp(prefix=".making-", dir=self._parent))
        share(self._folder)
        return self

    def __exit__(self, *_error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _add_blocks(self, layers: Mapping[Group, LayerAxes]) -> list[Block]:
        added = [Block(groups, layers[groups[0]]) for groups in side_by_side(layers)]
        self._blocks += added
        for group, axes in layers.items():
            self._known[group] = np.zeros((axes.grid.n_lat, axes.grid.n_lng), dtype=bool)
        return added

    def _note_known(self, group: Group, array: NDArray[np.int16]) -> None:
        """Merge the mask of the cells at which a layer has values."""
        for step in array:
            self._known[group] |= step[..., 0] != MISSING

    def _seal(
        self,
        named: Mapping[str, Any],
        notes: tuple[str, ...],
        origins: Mapping[str, str] | None,
        target: Path,
        *,
        replace: bool,
    ) -> None:
        """Write what readers need besides the arrays, and rename the folder to its final name."""
        layers = {group: block for block in self._blocks for group in block.groups}
        for group, block in layers.items():
            limit_km = borrowing_limit_km(group, is_climatology=self._cyclic)
            nearest = nearest_known(block.axes.grid, self._known[group].ravel(), limit_km)
            np.save(self._folder / f"{group}.nearest.npy", nearest)
        manifest = {
            "format": FORMAT,
            **named,
            "cyclic": self._cyclic,
            "notes": list(notes),
            "origins": dict(origins or {}),
            "layers": {group: block.describe(group) for group, block in layers.items()},
        }
        write_durably(self._folder / MANIFEST, json.dumps(manifest, indent=1))
        put_in_place(self._folder, target, replace=replace)


class RunWriter(DraftFolder):
    """Writes one run."""

    def __init__(self, parent: Path, *, cyclic: bool = False) -> None:
        super().__init__(parent, cyclic=cyclic)
        self._arrays: dict[Block, NDArray[np.int16]] = {}

    def __exit__(self, *error: object) -> None:
        self._arrays.clear()
        super().__exit__(*error)

    def add_layers(self, layers: Mapping[Group, LayerAxes]) -> dict[Group, NDArray[np.int16]]:
        """Allocate layers; return their arrays, initially all missing, to be filled.

        Each has shape ``(n_time, n_lat, n_lng, n_channel)``, packed, and may be a
        part of a greater one.
        """
        for block in self._add_blocks(layers):
            array = self._arrays[block] = block.allocate(self._folder / block.file_name)
            array[:] = MISSING
        return self._list_layers()

    def _list_layers(self) -> dict[Group, NDArray[np.int16]]:
        return {
            g: block.view(array, g) for block, array in self._arrays.items() for g in block.groups
        }

    def finish(
        self,
        source: str,
        reference_time: datetime | None,
        notes: tuple[str, ...] = (),
        origins: Mapping[str, str] | None = None,
        folder_name: str | None = None,
    ) -> WeatherRun:
        """Complete the run and rename it to its final name.

        ``folder_name`` replaces the run's own name as that of its folder, and
        then what stood there before.
        """
        for group, array in self._list_layers().items():
            self._note_known(group, array)
        digest = self._digest()
        stamp = "" if reference_time is None else f"-{reference_time:%Y%m%dT%HZ}"
        name = f"{source}{stamp}-{digest[:10]}"
        named = {
            "name": name,
            "source": source,
            "reference_time": None if reference_time is None else reference_time.isoformat(),
            "sha256": digest,
        }
        target = self._parent / (folder_name or name)
        self._seal(named, notes, origins, target, replace=folder_name is not None)
        return open_run(target)

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for block, array in self._arrays.items():
            digest.update(json.dumps([block.groups, asdict(block.axes)]).encode())
            for step in array:
                digest.update(step)
            array.flush()  # type: ignore[attr-defined]
        return digest.hexdigest()


class MemberWriter(DraftFolder):
    """Writes ensemble members next to a stored run, which itself never changes.

    One member's arrays are mapped at a time, so that the memory in use does not
    grow with their number.
    """

    def __init__(self, runs_folder: Path, layers: Mapping[Group, LayerAxes]) -> None:
        super().__init__(runs_folder)
        self._add_blocks(layers)
        self._numbers: list[int] = []

    def add_member(self, number: int) -> None:
        """Allocate the arrays of a member, whose values must all be set then."""
        for block in self._blocks:
            block.allocate(self._find(number, block))
        self._numbers.append(number)

    def open_layer(self, number: int, group: Group) -> NDArray[np.int16]:
        """Map one group of a member."""
        block = next(block for block in self._blocks if group in block.groups)
        return block.view(np.load(self._find(number, block), mmap_mode="r+"), group)

    def open_member(self, number: int) -> dict[Group, NDArray[np.int16]]:
        """Map a member's arrays, to be filled as those of :class:`RunWriter`."""
        return {group: self.open_layer(number, group) for group in self._known}

    def end_member(self, number: int) -> None:
        """Complete a member, and merge the mask of its values."""
        for group, array in self.open_member(number).items():
            self._note_known(group, array)

    def drop_member(self, number: int) -> None:
        """Remove a member that is not stored."""
        self._numbers.remove(number)
        for block in self._blocks:
            self._find(number, block).unlink()

    def finish(
        self,
        run_folder: Path,
        notes: tuple[str, ...] = (),
        origins: Mapping[str, str] | None = None,
    ) -> tuple[int, ...]:
        """Seal the members and add them to a run, in place of any it had."""
        numbers = tuple(sorted(self._numbers))
        self._seal({"members": numbers}, notes, origins, run_folder / MEMBERS, replace=True)
        return numbers

    def _find(self, number: int, block: Block) -> Path:
        return self._folder / f"{member_prefix(number)}{block.file_name}"


def members_size(layers: Mapping[Group, LayerAxes], count: int) -> int:
    """Size of so many members in the store [bytes]."""
    return count * sum(
        2 * len(axes.times_h) * axes.grid.n_cell * len(CHANNELS[group])
        for group, axes in layers.items()
    )


def side_by_side(layers: Mapping[Group, LayerAxes]) -> Iterator[tuple[Group, ...]]:
    """The groups of each block."""
    felt: dict[LayerAxes, list[Group]] = defaultdict(list)
    for group in _FELT:
        if group in layers:
            felt[layers[group]].append(group)
    yield from map(tuple, felt.values())
    yield from ((group,) for group in layers if group not in _FELT)


def sweep(parent: Path) -> None:
    """Remove files that killed processes have left behind."""
    for left in [*parent.glob(".making-*"), *parent.glob(".gone-*")]:
        with suppress(FileNotFoundError):  # another process may remove it just then
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                remove_folder(left)


def put_in_place(folder: Path, target: Path, *, replace: bool) -> None:
    """Share a whole folder and rename it to its final name, with everything on the disk first.

    What stood there is kept unless ``replace`` or it is damaged. It stays until the new folder can
    take its place: deleting gigabytes takes time.
    """
    share(folder)
    for file in folder.iterdir():
        share(file)
        sync(file)
    sync(folder)
    old = None
    if target.exists():
        if not replace and _is_whole(target):  # the same content under the same name
            return
        old = set_aside(target)
    folder.rename(target)
    sync(target.parent)
    if old is not None:
        remove_folder(old)


def _is_whole(run_folder: Path) -> bool:
    """Return whether the arrays of a stored run can be read."""
    try:
        check_arrays(open_run(run_folder))
    except RunUnreadable:
        return False
    return True


def write_durably(path: Path, text: str) -> None:
    """Write a file and sync it to disk."""
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Sync a file or folder to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
