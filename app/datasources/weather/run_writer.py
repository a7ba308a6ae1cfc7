"""Writing of a weather run: allocate and fill its layers, then rename it atomically."""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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
    RunUnreadable,
    check_arrays,
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
    """Layers of one grid and time axis, whose channels lie side by side."""

    groups: tuple[Group, ...]
    axes: LayerAxes
    file_name: str
    array: NDArray[np.int16]

    def first_value(self, group: Group) -> int:
        """Index of a layer's first channel among the values of a cell."""
        before = self.groups[: self.groups.index(group)]
        return sum(len(CHANNELS[other]) for other in before)

    def view(self, group: Group) -> NDArray[np.int16]:
        """A layer's part, ``(n_time, n_lat, n_lng, n_channel)``."""
        first, grid = self.first_value(group), self.axes.grid
        table = self.array.reshape(len(self.axes.times_h), grid.n_lat, grid.n_lng, -1)
        return table[..., first : first + len(CHANNELS[group])]


def allocate(path: Path, groups: Iterable[Group], axes: LayerAxes) -> NDArray[np.int16]:
    """Allocate the file of a block's array, and map it; raise :class:`OSError` if it has no room.

    Writing to a mapped file that the disk has no room for would end the process.
    """
    n_value = sum(len(CHANNELS[group]) for group in groups)
    array: NDArray[np.int16] = np.lib.format.open_memmap(
        path, mode="w+", dtype=np.int16, shape=(len(axes.times_h), axes.grid.n_cell, n_value)
    )
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return array


class DraftFolder:
    """A folder that is being written; a context manager that leaves nothing behind on failure."""

    def __init__(self, parent: Path) -> None:
        self._parent = parent

    def __enter__(self) -> Self:
        make_folder(self._parent)
        sweep(self._parent)
        self._folder = Path(tempfile.mkdtemp(prefix=".making-", dir=self._parent))
        share(self._folder)
        return self

    def __exit__(self, *_error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write_nearest(
        self, group: Group, grid: RegularGrid, known: Bools, *, is_climatology: bool = False
    ) -> None:
        limit_km = borrowing_limit_km(group, is_climatology=is_climatology)
        nearest = nearest_known(grid, known.ravel(), limit_km)
        np.save(self._folder / f"{group}.nearest.npy", nearest)


class RunWriter(DraftFolder):
    """Writes one run."""

    def __init__(self, parent: Path, *, cyclic: bool = False) -> None:
        super().__init__(parent)
        self._cyclic = cyclic
        self._blocks: list[Block] = []

    def __exit__(self, *error: object) -> None:
        self._blocks.clear()
        super().__exit__(*error)

    def add_layers(self, layers: Mapping[Group, LayerAxes]) -> dict[Group, NDArray[np.int16]]:
        """Allocate layers; return their arrays, initially all missing, to be filled.

        Each has shape ``(n_time, n_lat, n_lng, n_channel)``, packed, and may be a
        part of a greater one.
        """
        for groups in side_by_side(layers):
            axes = layers[groups[0]]
            file_name = f"{'-'.join(groups)}.npy"
            array = allocate(self._folder / file_name, groups, axes)
            array[:] = MISSING
            self._blocks.append(Block(groups, axes, file_name, array))
        return {group: block.view(group) for group, block in self._layers()}

    def _layers(self) -> Iterator[tuple[Group, Block]]:
        for block in self._blocks:
            for group in block.groups:
                yield group, block

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
        for group, block in self._layers():
            grid = block.axes.grid
            known = np.zeros((grid.n_lat, grid.n_lng), dtype=bool)
            for step in block.view(group):
                known |= step[..., 0] != MISSING
            self._write_nearest(group, grid, known, is_climatology=self._cyclic)
        digest = self._digest()
        stamp = "" if reference_time is None else f"-{reference_time:%Y%m%dT%HZ}"
        name = f"{source}{stamp}-{digest[:10]}"
        manifest = {
            "format": FORMAT,
            "name": name,
            "source": source,
            "reference_time": None if reference_time is None else reference_time.isoformat(),
            "cyclic": self._cyclic,
            "sha256": digest,
            "notes": list(notes),
            "origins": dict(origins or {}),
            "layers": {group: layer_manifest(group, block) for group, block in self._layers()},
        }
        write_durably(self._folder / MANIFEST, json.dumps(manifest, indent=1))
        target = self._parent / (folder_name or name)
        put_in_place(self._folder, target, replace=folder_name is not None)
        return open_run(target)

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for block in self._blocks:
            digest.update(json.dumps([block.groups, asdict(block.axes)]).encode())
            for step in block.array:
                digest.update(step)
            block.array.flush()  # type: ignore[attr-defined]
        return digest.hexdigest()


def side_by_side(layers: Mapping[Group, LayerAxes]) -> Iterator[tuple[Group, ...]]:
    """The groups of each block."""
    felt: dict[LayerAxes, list[Group]] = defaultdict(list)
    for group in _FELT:
        if group in layers:
            felt[layers[group]].append(group)
    yield from map(tuple, felt.values())
    yield from ((group,) for group in layers if group not in _FELT)


def layer_manifest(group: Group, block: Block) -> dict[str, Any]:
    """Entry of a layer in a manifest."""
    return {
        "grid": asdict(block.axes.grid),
        "times_h": list(block.axes.times_h),
        "channels": [asdict(channel) for channel in CHANNELS[group]],
        "block": block.file_name,
        "first_value": block.first_value(group),
    }


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
