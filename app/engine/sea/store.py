"""Files of the sea atlas: memory-mapped arrays and a manifest."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.errors import DataMissing
from app.engine.sea.bridges import Bridge
from app.engine.sea.passages import Passage
from app.engine.sea.search.hierarchy import Hierarchy

#: Version of the arrays and their meaning.
_FORMAT_VERSION: Final = 8
MANIFEST: Final = "manifest.json"
#: Arrays shared by all hierarchies of an atlas.
_SHARED: Final = ("parent", "doors")


def name_hierarchies(hierarchies: Sequence[Hierarchy]) -> dict[str, NDArray[Any]]:
    """Return the arrays of hierarchies by their names in files; shared ones once."""
    named = {
        f"hierarchy_{name}": array
        for name, array in hierarchies[0]._asdict().items()
        if name in _SHARED
    }
    for number, hierarchy in enumerate(hierarchies):
        arrays = hierarchy._asdict().items()
        named |= {f"hierarchy{number}_{name}": a for name, a in arrays if name not in _SHARED}
    return named


def pick_hierarchies(arrays: Mapping[str, NDArray[Any]]) -> tuple[Hierarchy, ...]:
    """Return the hierarchies from arrays named by :func:`name_hierarchies`."""
    count = sum(name.endswith("_heads") for name in arrays)
    return tuple(
        Hierarchy(
            *(
                arrays[f"hierarchy_{name}" if name in _SHARED else f"hierarchy{number}_{name}"]
                for name in Hierarchy._fields
            )
        )
        for number in range(count)
    )


def write_atlas(
    folder: Path,
    arrays: Mapping[str, NDArray[Any]],
    passages: Sequence[Passage],
    inputs: str,
    sources: Sequence[str] = (),
    bridges: Sequence[Bridge] = (),
) -> None:
    """Write arrays and, last, the manifest with passages and bridges into an existing folder.

    ``inputs`` is the hash of all inputs of the arrays, ``sources`` are those of coast and depths.
    """
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
    manifest = {
        "format": _FORMAT_VERSION,
        "inputs": inputs,
        "sources": list(sources),
        "arrays": sorted(arrays),
        "passages": [asdict(passage) for passage in passages],
        "bridges": [asdict(bridge) for bridge in bridges],
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of an atlas of the present format, or None."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    manifest: dict[str, Any] = json.loads(path.read_text())
    return manifest if manifest.get("format") == _FORMAT_VERSION else None


class StoredAtlas(NamedTuple):
    """An atlas as stored: memory-mapped arrays by name, records, and the hash of the inputs."""

    arrays: dict[str, NDArray[Any]]
    passages: tuple[Passage, ...]
    bridges: tuple[Bridge, ...]
    inputs: str
    sources: tuple[str, ...]


def open_stored(folder: Path) -> StoredAtlas:
    """Memory-map the arrays, read-only, and read the rest.

    Raise :class:`DataMissing` if the folder has no atlas of this format.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise DataMissing(
            "The sea atlas has not been built; run the set-up again.", folder=str(folder)
        )
    return StoredAtlas(
        arrays={
            name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))
            for name in manifest["arrays"]
        },
        passages=tuple(map(Passage.of, manifest["passages"])),
        bridges=tuple(map(Bridge.of, manifest["bridges"])),
        inputs=str(manifest["inputs"]),
        sources=tuple(manifest["sources"]),
    )
