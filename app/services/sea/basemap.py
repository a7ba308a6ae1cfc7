"""Base map tiles, packed for the wire: built once, kept under the data folder."""

import gzip
import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from threading import Lock

from app.datasources import basemap

#: Part of every tile's address; raise it when the tiles' content or shape changes.
VERSION = "2"
#: Zooms kept as files; finer tiles are quick to cut and too many to keep.
FILED_ZOOM = 8

#: Tiles are built one at a time: neighbours share the coast that the first has read.
_building = Lock()


class NoSuchTile(Exception):
    """The address lies outside the tile pyramid."""


@lru_cache(maxsize=1024)
def get_tile(folder: Path, z: int, x: int, y: int) -> bytes:
    """Answer a tile as gzipped JSON (see :func:`app.datasources.basemap.build_tile`).

    Raises :class:`NoSuchTile` outside zoom 0 to 12 or the world's square.
    """
    if not (0 <= z <= basemap.MAX_ZOOM and 0 <= x < 2**z and 0 <= y < 2**z):
        raise NoSuchTile(f"{z}/{x}/{y}")
    path = folder / VERSION / str(z) / str(x) / f"{y}.json.gz"
    if z <= FILED_ZOOM and path.exists():
        return path.read_bytes()
    with _building:
        tile = basemap.build_tile(z, x, y)
    text = json.dumps(tile, separators=(",", ":"))
    packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    if z <= FILED_ZOOM:
        _file_away(path, packed)
    return packed


def _file_away(path: Path, content: bytes) -> None:
    """Write so that another process sees either nothing or the whole tile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(unfinished).replace(path)
