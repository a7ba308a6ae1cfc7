"""Write ensemble members next to a stored run; :mod:`.store` describes the layout.

The packing is that of :mod:`app.engine.weather.groups`. The folder is built
elsewhere and renamed when it is complete; the run itself never changes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.datasources.weather.run_writer import (
    Block,
    DraftFolder,
    LayerAxes,
    allocate,
    layer_manifest,
    put_in_place,
    side_by_side,
    write_durably,
)
from app.datasources.weather.store import FORMAT, MANIFEST, MEMBERS, member_prefix
from app.engine.weather import Group
from app.engine.weather.groups import CHANNELS, MISSING


class MemberWriter(DraftFolder):
    """Writes members.

    One member's arrays are mapped at a time, so that the memory in use does not
    grow with their number.
    """

    def __init__(self, runs_folder: Path, layers: Mapping[Group, LayerAxes]) -> None:
        super().__init__(runs_folder)
        self._layers = layers
        self._blocks = {
            groups: (layers[groups[0]], f"{'-'.join(groups)}.npy")
            for groups in side_by_side(layers)
        }
        self._known = {
            group: np.zeros((axes.grid.n_lat, axes.grid.n_lng), dtype=bool)
            for group, axes in layers.items()
        }
        self._numbers: list[int] = []

    def add_member(self, number: int) -> None:
        """Allocate the arrays of a member, whose values must all be set then."""
        for groups, (axes, name) in self._blocks.items():
            allocate(self._folder / f"{member_prefix(number)}{name}", groups, axes)
        self._numbers.append(number)

    def open_member(self, number: int) -> dict[Group, NDArray[np.int16]]:
        """Map a member's arrays, to be filled as those of :class:`.RunWriter`."""
        blocks = [self._map(number, groups) for groups in self._blocks]
        return {group: block.view(group) for block in blocks for group in block.groups}

    def open_layer(self, number: int, group: Group) -> NDArray[np.int16]:
        """Map one group of a member."""
        groups = next(groups for groups in self._blocks if group in groups)
        return self._map(number, groups).view(group)

    def end_member(self, number: int) -> None:
        """Complete a member, and merge the mask of its values."""
        for group, array in self.open_member(number).items():
            for step in array:
                self._known[group] |= step[..., 0] != MISSING

    def drop_member(self, number: int) -> None:
        """Remove a member that is not stored."""
        self._numbers.remove(number)
        for file in self._folder.glob(f"{member_prefix(number)}*"):
            file.unlink()

    def finish(
        self,
        run_folder: Path,
        notes: tuple[str, ...] = (),
        origins: Mapping[str, str] | None = None,
    ) -> tuple[int, ...]:
        """Seal the members and add them to a run, in place of any it had."""
        for group, known in self._known.items():
            self._write_nearest(group, self._layers[group].grid, known)
        numbers = tuple(sorted(self._numbers))
        write_durably(self._folder / MANIFEST, json.dumps(self._manifest(numbers, notes, origins)))
        put_in_place(self._folder, run_folder / MEMBERS, replace=True)
        return numbers

    def _manifest(
        self, numbers: tuple[int, ...], notes: tuple[str, ...], origins: Mapping[str, str] | None
    ) -> dict[str, Any]:
        empty = np.empty((0, 0, 0), dtype=np.int16)
        blocks = [Block(groups, axes, name, empty) for groups, (axes, name) in self._blocks.items()]
        return {
            "format": FORMAT,
            "members": numbers,
            "cyclic": False,
            "notes": list(notes),
            "origins": dict(origins or {}),
            "layers": {g: layer_manifest(g, block) for block in blocks for g in block.groups},
        }

    def _map(self, number: int, groups: tuple[Group, ...]) -> Block:
        axes, name = self._blocks[groups]
        array: NDArray[np.int16] = np.load(
            self._folder / f"{member_prefix(number)}{name}", mmap_mode="r+"
        )
        return Block(groups, axes, name, array)


def members_size(layers: Mapping[Group, LayerAxes], count: int) -> int:
    """Size of so many members in the store [bytes]."""
    return count * sum(
        2 * len(axes.times_h) * axes.grid.n_cell * len(CHANNELS[group])
        for group, axes in layers.items()
    )
