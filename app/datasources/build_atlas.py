"""Build the sea atlas from coastline, depths and passages: once, at set-up.

``python -m app.datasources.build_atlas --out var/atlas``
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.datasources import gshhg
from app.datasources.etopo import ETOPO5_PATH, load_depths
from app.datasources.gshhg import Coastline, find_gshhg_files, load_coastline
from app.datasources.passages import load_passages
from app.engine.sea import clearance, coast, gates, graph, offing, quadtree, raster, store
from app.engine.sea.clearance import build_clearance_field
from app.engine.sea.coast import build_coast_index
from app.engine.sea.gates import build_passage_gate
from app.engine.sea.graph import (
    assemble_graph,
    build_passage_edges,
    compute_landmarks,
    label_components,
    list_passage_nodes,
)
from app.engine.sea.passages import Passage
from app.engine.sea.quadtree import build_cells, build_edges, compute_centres
from app.engine.sea.raster import LandRaster, build_land_raster
from app.engine.sea.store import read_manifest, write_atlas
from app.engine.search import sphere
from app.engine.search.conditions import Waters

#: Code that decides what the arrays hold.
_BUILDERS = (clearance, coast, gates, gshhg, graph, offing, quadtree, raster, sphere, store)

Progress = Callable[[float, str], None]


def build_atlas(
    folder: Path, progress: Progress, passages: Sequence[Passage] | None = None
) -> bool:
    """Build the atlas into a folder, unless it is there already, from the same inputs.

    The folder appears whole or not at all. ``progress`` is called with the share
    done (0..1) and what is being done. Returns whether anything was built.

    Raises
    ------
    FileNotFoundError
        The packages that hold coastline or depths are not installed.
    """
    passages = load_passages() if passages is None else passages
    inputs = hash_inputs(passages)
    manifest = read_manifest(folder)
    if manifest is not None and manifest["inputs"] == inputs:
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        write_atlas(workshop, _build_arrays(passages, progress), passages, inputs)
        workshop.chmod(0o755)
        _replace(folder, workshop)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    progress(1.0, "Sea atlas ready")
    return True


def hash_inputs(passages: Sequence[Passage]) -> str:
    """Hash of all that decides the atlas: source data, passages and the code that builds it."""
    digest = hashlib.sha256()
    for path in (*find_gshhg_files(), ETOPO5_PATH):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    digest.update(find_gshhg_files()[1].read_bytes())
    digest.update(json.dumps([asdict(passage) for passage in passages]).encode())
    for module in _BUILDERS:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:16]


def _build_arrays(passages: Sequence[Passage], progress: Progress) -> dict[str, NDArray[Any]]:
    progress(0.0, "Reading the coastline")
    waters = _build_waters(load_coastline(), progress)
    progress(0.35, "Cutting the sea into cells")
    land = LandRaster(waters.inside, waters.shore)
    cells = build_cells(land)
    pairs = build_edges(cells, land)
    progress(0.60, "Joining canals and straits")
    lats, lngs = compute_centres(cells)
    points, firsts = list_passage_nodes(passages, lats.size)
    lats = np.concatenate([lats, points[:, 0]])
    lngs = np.concatenate([lngs, points[:, 1]])
    edges = build_passage_edges(passages, lats, lngs, firsts, waters)
    sea = assemble_graph(lats, lngs, pairs, edges, waters)
    component = label_components(sea)
    lines = [build_passage_gate(passage, waters) for passage in passages]
    progress(0.75, "Measuring from landmarks")
    bounds, _ = compute_landmarks(sea, component)
    return {
        **waters._asdict(),
        **{f"cell_{name}": array for name, array in cells._asdict().items()},
        **{f"graph_{name}": array for name, array in sea._asdict().items()},
        "component": component,
        "sea_sizes": np.bincount(component),
        "passage_firsts": firsts,
        "gates": np.array([[np.nan] * 4 if line is None else line for line in lines]),
        "bounds": bounds,
        "depths": load_depths(),
    }


def _build_waters(shoreline: Coastline, progress: Progress) -> Waters:
    progress(0.05, "Drawing the coast")
    land = build_land_raster(shoreline.vertices, shoreline.starts)
    index = build_coast_index(shoreline.vertices, shoreline.starts)
    progress(0.20, "Measuring distances from land")
    field = build_clearance_field(land)
    return Waters(land.inside, land.shore, index.edges, index.starts, field)


def _replace(folder: Path, workshop: Path) -> None:
    """Put the new folder in the old one's place; readers keep what they have mapped."""
    old = folder.with_name(f".{folder.name}-old-{os.getpid()}")
    if folder.exists():
        folder.rename(old)
    workshop.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build the sea atlas.")
    parser.add_argument("--out", type=Path, default=Path("var/atlas"))
    options = parser.parse_args(arguments)

    def report(share: float, what: str) -> None:
        sys.stderr.write(f"{share:5.0%} {what}\n")

    if not build_atlas(options.out, report):
        report(1.0, "Sea atlas is up to date")


if __name__ == "__main__":
    main()
