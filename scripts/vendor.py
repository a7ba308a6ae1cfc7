"""Front-end libraries: installed by npm as locked, the needed files copied to static/vendor.

Pages are served from one host, so nothing is linked from elsewhere.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

# folder under static/vendor: package, and which of its files (glob patterns in the package)
LIBRARIES: Mapping[str, tuple[str, Sequence[str]]] = {
    "leaflet": ("leaflet", ["LICENSE", "dist/leaflet.js", "dist/leaflet.css", "dist/images/*"]),
    "leaflet-geoman": (
        "@geoman-io/leaflet-geoman-free",
        ["LICENSE", "dist/leaflet-geoman.min.js", "dist/leaflet-geoman.css"],
    ),
    "uplot": ("uplot", ["LICENSE", "dist/uPlot.esm.js", "dist/uPlot.min.css"]),
    "swagger-ui": (
        "swagger-ui-dist",
        [
            "LICENSE",
            "NOTICE",
            "swagger-ui-bundle.js",
            "swagger-ui-standalone-preset.js",
            "swagger-ui.css",
        ],
    ),
    "ibm-plex-sans": (
        "@fontsource/ibm-plex-sans",
        [
            "LICENSE",
            *(f"files/ibm-plex-sans-latin-{weight}-normal.woff2" for weight in (400, 500, 600)),
            *(f"files/ibm-plex-sans-latin-ext-{weight}-normal.woff2" for weight in (400, 500, 600)),
            "files/ibm-plex-sans-latin-400-italic.woff2",
            "files/ibm-plex-sans-latin-ext-400-italic.woff2",
        ],
    ),
}


def fill(modules: Path, target: Path) -> None:
    """Copy the libraries' files from node_modules to `target`.

    A file keeps its path inside the package less a leading `dist/` or `files/`. The folder is
    made next to the old one and put in its place, so that a running server never sees half of it.
    Raises FileNotFoundError when a package lacks a file that pages rely on.
    """
    draft = target.with_name(f".{target.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    for folder, (package, patterns) in LIBRARIES.items():
        for source, relative in _files(modules / package, patterns):
            destination = draft / folder / relative
            destination.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, destination)
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)


def _files(package: Path, patterns: Sequence[str]) -> list[tuple[Path, Path]]:
    found = []
    for pattern in patterns:
        matches = sorted(package.glob(pattern))
        if not matches:
            raise FileNotFoundError(f"{package.name} has no {pattern}")
        for path in matches:
            relative = path.relative_to(package)
            inner = relative.parts[0] in ("dist", "files")
            found.append((path, Path(*relative.parts[1:]) if inner else relative))
    return found


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    fill(root / "node_modules", root / "static" / "vendor")
