"""Electronic charts of the operator: taken in, kept, and as areas that bind a voyage."""

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
    """Take cells in, the newest edition of each; yields a line about each file.

    Raises :class:`app.datasources.enc.InvalidChart` for a file that is no cell.
    """
    # brings GDAL, which other commands and processes do without
    from app.datasources.enc import read_cell, write_cell

    for path in paths:
        cell = read_cell(path)
        if write_cell(cell, charts_dir()):
            yield f"{cell.label}: {len(cell.shallows)} areas taken"
        else:
            yield f"{cell.label}: a newer edition is kept already"


def list_chart_areas(depth_m: float) -> Iterator[Area]:
    """The water of each chart that is shallower than a depth [m], with land and areas to avoid.

    A ship bound for a place inside enters it as little as possible.
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
