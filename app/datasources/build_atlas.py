"""Build the sea atlas from coastline, depths and passages: once, at set-up.

``python -m app.datasources.build_atlas --out var/atlas``
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

import numpy as np

from app.datasources.bathymetry import InvalidBathymetry, load_bathymetry
from app.datasources.bridges import load_bridges
from app.datasources.checksums import write_checksums
from app.datasources.etopo import ETOPO5_PATH, blank_lakes, load_depths
from app.datasources.gshhg import find_gshhg_files, load_coastline
from app.datasources.islands import load_islands
from app.datasources.passages import load_passages
from app.datasources.shoal_areas import load_shoal_areas
from app.engine.progress import Progress
from app.engine.sea.bridges import Bridge
from app.engine.sea.build import build_arrays
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.passages import Passage
from app.engine.sea.shoal_areas import ShoalArea
from app.engine.sea.shoals import blank_unknown
from app.engine.sea.store import read_manifest, write_atlas

_APP: Final = Path(__file__).parents[1]
#: Modules that determine the contents of an atlas, by their files.
BUILDERS: Final = (
    "datasources/bathymetry",
    "datasources/etopo",
    "datasources/gshhg",
    "engine/geodesy/vectors",
    "engine/sea/bridges",
    "engine/sea/build",
    "engine/sea/clearance",
    "engine/sea/coast",
    "engine/sea/depth",
    "engine/sea/gates",
    "engine/sea/graph",
    "engine/sea/mouths",
    "engine/sea/offing",
    "engine/sea/passages",
    "engine/sea/proving",
    "engine/sea/quadtree",
    "engine/sea/raster",
    "engine/sea/search/astar",
    "engine/sea/search/barriers",
    "engine/sea/search/conditions",
    "engine/sea/search/dissection",
    "engine/sea/search/heap",
    "engine/sea/search/hierarchy",
    "engine/sea/search/labels",
    "engine/sea/search/leaving",
    "engine/sea/search/potentials",
    "engine/sea/search/sphere",
    "engine/sea/shoal_areas",
    "engine/sea/shoals",
    "engine/sea/squares",
    "engine/sea/store",
)


def build_atlas(folder: Path, progress: Progress, bathymetry: Path | None = None) -> bool:
    """Build the atlas into a folder, unless it is there already, from the same inputs.

    The folder appears whole or not at all. ``progress`` is called with the share done (0..1) and
    what is being done. ``bathymetry`` is the operator's grid of depths, which counts wherever it
    reaches. Returns whether anything was built. Raise :class:`FileNotFoundError` if the packages of
    coastline or depths are not installed, and :class:`InvalidBathymetry` if ``bathymetry`` is no
    grid of depths.
    """
    passages, bridges, areas = load_passages(), load_bridges(), load_shoal_areas()
    inputs = hash_inputs(passages, bridges, areas, bathymetry)
    manifest = read_manifest(folder)
    if manifest is not None and manifest["inputs"] == inputs:
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        progress(0.0, "Reading the coastline")
        shore = load_coastline()
        fine = (
            None
            if bathymetry is None
            else load_bathymetry(bathymetry, lambda s, what: progress(0.05 * s, what))
        )
        depths = load_depths()
        if fine is not None:
            depths = np.where(fine.nodes == NO_DEPTH, depths, fine.nodes)
        depths = blank_lakes(depths, shore)
        steps = None if fine is None else blank_unknown(fine.steps, depths)
        arrays = build_arrays(
            shore.vertices, shore.starts, depths, passages, progress, steps, areas
        )
        sources = ["GSHHG", "ETOPO5", *([] if fine is None else [fine.source])]
        write_atlas(workshop, arrays, passages, inputs, sources, bridges)
        write_checksums(workshop)
        _evict(workshop)
        workshop.chmod(0o755)
        _replace(folder, workshop)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    progress(1.0, "Sea atlas ready")
    return True


def _evict(folder: Path) -> None:
    """Drop the files of a folder from the system's page cache.

    It keeps a file that was just written in pieces of up to 2 MB, each of which becomes part of the
    memory of a process that reads a byte of it. Pieces read from disk are small.
    """
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())  # only what is on disk can be dropped
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def hash_inputs(
    passages: Sequence[Passage],
    bridges: Sequence[Bridge],
    areas: Sequence[ShoalArea],
    bathymetry: Path | None = None,
) -> str:
    """Hash of all inputs of the atlas: source data, own data and the building code."""
    digest = hashlib.sha256()
    if bathymetry is not None and not bathymetry.is_file():
        raise InvalidBathymetry(f"BATHYMETRY names {bathymetry}, which is not a file.")
    depths = (ETOPO5_PATH,) if bathymetry is None else (ETOPO5_PATH, bathymetry)
    for path in (*find_gshhg_files(), *depths):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    digest.update(find_gshhg_files()[1].read_bytes())
    own = [*map(asdict, passages), *map(asdict, bridges), *map(asdict, areas)]
    own += map(asdict, load_islands())
    digest.update(json.dumps(own).encode())
    for module in BUILDERS:
        digest.update((_APP / f"{module}.py").read_bytes())
    return digest.hexdigest()[:16]


def find_bathymetry() -> Path | None:
    """Find the grid of depths named by the environment variable ``BATHYMETRY``."""
    named = os.environ.get("BATHYMETRY")
    return Path(named) if named else None


def _replace(folder: Path, workshop: Path) -> None:
    """Replace the old folder by the new one; readers keep their mapped files."""
    old = folder.with_name(f".{folder.name}-old-{os.getpid()}")
    if folder.exists():
        folder.rename(old)
    workshop.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the sea atlas.")
    parser.add_argument("--out", type=Path, default=Path("var/atlas"))
    parser.add_argument("--bathymetry", type=Path, default=find_bathymetry())
    options = parser.parse_args(arguments)

    def report(share: float, what: str) -> None:
        sys.stderr.write(f"{share:5.0%} {what}\n")

    if not build_atlas(options.out, report, options.bathymetry):
        report(1.0, "Sea atlas is up to date")


if __name__ == "__main__":
    main()
