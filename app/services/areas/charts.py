"""Electronic charts of the operator: import, and conversion to areas."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.area import Area, AreaKind, AreaRule
from app.extensions import chartroom

if TYPE_CHECKING:
    from app.datasources.enc import ChartCell


def charts_dir() -> Path:
    """Return the folder of this installation's charts."""
    return chartroom().settings.charts_dir


def import_cells(paths: Iterable[Path]) -> Iterator[str]:
    """Import cells, the newest edition of each; yields a message about each file.

    Raises :class:`app.datasources.enc.InvalidChart` for a file that is no cell.
    """
    # imports GDAL, which other commands and processes do not need
    from app.datasources.enc import read_cell, write_cell

    for path in paths:
        cell = read_cell(path)
        if write_cell(cell, charts_dir()):
            yield f"{cell.label}: {len(cell.shallows)} areas imported"
        else:
            yield f"{cell.label}: not imported, a newer edition is stored"


def list_chart_areas(depth_m: float) -> Iterator[Area]:
    """List the water of each chart shallower than a depth [m], with land and areas to avoid.

    A ship whose departure or arrival lies inside passes through as little of it as possible.
    """
    for path in sorted(charts_dir().glob("*.json")):
        cell = _load(path, path.stat().st_mtime_ns)
        closed = cell.close(depth_m)
        if closed is not None:
            rule = AreaRule.AVOID_UNLESS_ENDPOINT
            yield Area(f"enc-{cell.name}", cell.label, AreaKind.CHART, rule, closed)


@lru_cache(maxsize=256)
def _load(path: Path, _changed_ns: int) -> "ChartCell":
    from app.datasources.enc import load_cell

    return load_cell(path)
