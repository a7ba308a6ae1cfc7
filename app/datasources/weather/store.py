"""Weather runs on disk: packed arrays beside a manifest, written once, never changed.

A run is a folder named for its source, reference time and content::

    gfs-20260101T00Z-3f9c0a1b2d/
        manifest.json
        wind.npy            int16 (n_time, n_cell, 2), one chunk per time step
        wind.nearest.npy    int32 (n_cell,)

It is built beside its final place and renamed into it when complete, so a
reader sees a whole run or none. Readers map the files; a run removed while
they are open stays readable to them.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from app.engine.weather import Group, Layer, RegularGrid, WeatherRun
from app.engine.weather.groups import CHANNELS, MISSING
from app.engine.weather.layer import BORROWING_LIMIT_KM, nearest_known

#: Version of the layout on disk.
FORMAT: Final = 1

_MANIFEST: Final = "manifest.json"

#: An unfinished run untouched for this long is nobody's any more [s].
_ABANDONED_S: Final = 86_400.0


class RunUnreadable(Exception):
    """A folder that does not hold a whole run of this format."""


@dataclass(frozen=True)
class RunSummary:
    """What a stored run says of itself.

    ``notes`` tell what was derived, thinned or left out when it was made;
    ``origins`` name the files and their SHA-256.
    """

    name: str
    source: str
    folder: Path
    reference_time: datetime | None
    groups: tuple[Group, ...]
    valid_from: datetime | None
    valid_to: datetime | None
    size_bytes: int
    notes: tuple[str, ...]
    origins: Mapping[str, str]


class RunWriter:
    """Writes one run; a context manager that leaves nothing behind on failure."""

    def __init__(self, parent: Path, *, cyclic: bool = False) -> None:
        self._parent = parent
        self._cyclic = cyclic
        self._layers: dict[Group, tuple[RegularGrid, tuple[float, ...]]] = {}
        self._arrays: dict[Group, NDArray[np.int16]] = {}

    def __enter__(self) -> Self:
        self._parent.mkdir(parents=True, exist_ok=True)
        _sweep(self._parent)
        self._folder = Path(tempfile.mkdtemp(prefix=".making-", dir=self._parent))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._arrays.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def add_layer(
        self, group: Group, grid: RegularGrid, times_h: tuple[float, ...]
    ) -> NDArray[np.int16]:
        """Make room for a layer; fill the returned array, all missing at first.

        Shape ``(n_time, n_lat, n_lng, n_channel)``, packed.
        """
        shape = (len(times_h), grid.n_lat, grid.n_lng, len(CHANNELS[group]))
        flat = (shape[0], grid.n_cell, shape[3])
        array: NDArray[np.int16] = np.lib.format.open_memmap(
            self._folder / f"{group}.npy", mode="w+", dtype=np.int16, shape=flat
        )
        array[:] = MISSING
        self._layers[group] = (grid, times_h)
        self._arrays[group] = array
        return array.reshape(shape)

    def finish(
        self,
        source: str,
        reference_time: datetime | None,
        notes: tuple[str, ...] = (),
        origins: Mapping[str, str] | None = None,
        folder_name: str | None = None,
    ) -> WeatherRun:
        """Seal the run and put it in place at once.

        ``folder_name`` replaces the run's own name as that of its folder, and
        then what stood there before.
        """
        for group in self._layers:
            self._write_nearest(group)
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
            "layers": {group: self._layer_manifest(group) for group in self._layers},
        }
        _write_durably(self._folder / _MANIFEST, json.dumps(manifest, indent=1))
        target = self._parent / (folder_name or name)
        _put_in_place(self._folder, target, replace=folder_name is not None)
        return open_run(target)

    def _write_nearest(self, group: Group) -> None:
        array, (grid, _) = self._arrays[group], self._layers[group]
        known = np.zeros(grid.n_cell, dtype=bool)
        for step in array:
            known |= step[:, 0] != MISSING
        limit_km = np.inf if self._cyclic else BORROWING_LIMIT_KM
        np.save(self._folder / f"{group}.nearest.npy", nearest_known(grid, known, limit_km))

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for group in sorted(self._layers):
            grid, times_h = self._layers[group]
            digest.update(json.dumps([group, asdict(grid), times_h]).encode())
            for step in self._arrays[group]:
                digest.update(step)
            self._arrays[group].flush()  # type: ignore[attr-defined]
        return digest.hexdigest()

    def _layer_manifest(self, group: Group) -> dict[str, Any]:
        grid, times_h = self._layers[group]
        return {
            "grid": asdict(grid),
            "times_h": list(times_h),
            "channels": [asdict(channel) for channel in CHANNELS[group]],
        }


def open_run(folder: Path) -> WeatherRun:
    """A stored run as the engine reads it; nothing is loaded until it is sampled.

    Raises
    ------
    RunUnreadable
        When the folder holds no run, or one of another format.
    """
    manifest = _read_manifest(folder)
    layers = {
        Group(group): Layer(
            Group(group),
            RegularGrid(**entry["grid"]),
            tuple(entry["times_h"]),
            folder / f"{group}.npy",
            folder / f"{group}.nearest.npy",
            manifest["cyclic"],
        )
        for group, entry in manifest["layers"].items()
    }
    return WeatherRun(manifest["name"], layers, _reference_time(manifest))


def summarise_run(folder: Path) -> RunSummary:
    """What a stored run says of itself; raises :class:`RunUnreadable`."""
    manifest = _read_manifest(folder)
    run = open_run(folder)
    times = [t for layer in run.layers.values() for t in layer.times_h]
    spoken = bool(times) and not manifest["cyclic"]
    return RunSummary(
        name=run.name,
        source=manifest["source"],
        folder=folder,
        reference_time=run.reference_time,
        groups=tuple(run.layers),
        valid_from=_moment(min(times)) if spoken else None,
        valid_to=_moment(max(times)) if spoken else None,
        size_bytes=sum(file.stat().st_size for file in folder.iterdir()),
        notes=tuple(manifest["notes"]),
        origins=manifest["origins"],
    )


def list_runs(parent: Path) -> Iterator[RunSummary]:
    """Every whole run in a folder, by name; what is unreadable or unfinished is passed over."""
    if not parent.is_dir():
        return
    for folder in sorted(parent.iterdir()):
        if folder.name.startswith(".") or not (folder / _MANIFEST).is_file():
            continue
        yield summarise_run(folder)


def remove_run(folder: Path) -> None:
    """Take a run away; readers that have it open keep it until they close."""
    gone = folder.with_name(f".gone-{folder.name}")
    folder.rename(gone)
    shutil.rmtree(gone)


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise RunUnreadable(f"{folder.name} holds no weather run: {error}") from error
    if manifest.get("format") != FORMAT:
        raise RunUnreadable(f"{folder.name} has format {manifest.get('format')}, not {FORMAT}")
    for group, entry in manifest["layers"].items():
        stored = [(c["name"], c["scale"], c["offset"]) for c in entry["channels"]]
        if stored != [(c.name, c.scale, c.offset) for c in CHANNELS[Group(group)]]:
            raise RunUnreadable(f"{folder.name} packs {group} in another way")
    return manifest


def _reference_time(manifest: Mapping[str, Any]) -> datetime | None:
    text = manifest["reference_time"]
    return None if text is None else datetime.fromisoformat(text)


def _moment(time_h: float) -> datetime:
    return datetime.fromtimestamp(time_h * 3600.0, UTC)


def _sweep(parent: Path) -> None:
    """Take away what processes that were killed left behind."""
    for left in [*parent.glob(".making-*"), *parent.glob(".gone-*")]:
        if time.time() - left.stat().st_mtime > _ABANDONED_S:
            shutil.rmtree(left, ignore_errors=True)


def _put_in_place(folder: Path, target: Path, *, replace: bool) -> None:
    for file in folder.iterdir():
        _sync(file)
    _sync(folder)
    folder.chmod(0o755)
    if target.exists():
        if not replace:  # the same content under the same name: already there
            return
        remove_run(target)
    folder.rename(target)
    _sync(target.parent)


def _write_durably(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
