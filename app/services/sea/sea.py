"""The sea atlas: opened once per process, memory-mapped, read-only."""

from functools import cache
from pathlib import Path

from app.engine.errors import DataMissing
from app.engine.planning.context import PlanningContext
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.extensions import chartroom


class AtlasDamaged(DataMissing):
    """The atlas exists but cannot be read, perhaps only while it is being copied."""


def open_atlas() -> SeaAtlas:
    """The atlas of this installation; raises :class:`DataMissing` if it is not built.

    Raises :class:`AtlasDamaged` if a file has been truncated since it was mapped: reading the
    missing part would kill the process.
    """
    directory = chartroom().settings.atlas_dir.resolve()
    atlas = _open(directory)
    cut = [path.name for path, size in _sizes(directory).items() if _is_cut(path, *size)]
    if cut:
        raise AtlasDamaged(
            f"The sea atlas is damaged: {', '.join(cut)}; put it back as it was built.",
            folder=str(directory),
        )
    return atlas


def build_context(request: VoyageRequest, weather: WeatherField | None) -> PlanningContext:
    """Build the planning context of a request: its ship and this installation's sea."""
    return PlanningContext.of(request, open_atlas(), weather)


@cache
def _open(directory: Path) -> SeaAtlas:
    _sizes(directory)
    try:
        return SeaAtlas.open(directory)
    except (OSError, ValueError) as error:
        _sizes.cache_clear()
        raise AtlasDamaged(
            f"The sea atlas is damaged: {error}; put it back as it was built.",
            folder=str(directory),
        ) from error


@cache
def _sizes(directory: Path) -> dict[Path, tuple[int, int]]:
    """Inode and size of each file when the atlas was opened."""
    found = {path: path.stat() for path in directory.glob("*.npy")}
    return {path: (status.st_ino, status.st_size) for path, status in found.items()}


def _is_cut(path: Path, inode: int, size: int) -> bool:
    """Return whether a mapped file has been truncated; a replaced file stays mapped."""
    try:
        now = path.stat()
    except FileNotFoundError:
        return False
    return now.st_ino == inode and now.st_size < size
