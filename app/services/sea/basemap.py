"""Compressed base map tiles, built once and stored in the data folder."""

import gzip
import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from threading import Lock

from app.datasources import basemap

#: Part of every tile's URL; raise it when the content or format of tiles changes.
VERSION = "2"
#: Highest zoom stored as files; finer tiles are fast to build and too many to store.
FILED_ZOOM = 8

#: Tiles are built one at a time: neighbours reuse the coastline that the first has read.
_building = Lock()


class NoSuchTile(Exception):
    """The tile lies outside the tile pyramid."""


@lru_cache(maxsize=1024)
def get_tile(folder: Path, z: int, x: int, y: int) -> bytes:
    """Return a tile as gzipped JSON (see :func:`app.datasources.basemap.build_tile`).

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
        _write_atomically(path, packed)
    return packed


def _write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: other processes see either no file or the whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(unfinished).replace(path)
