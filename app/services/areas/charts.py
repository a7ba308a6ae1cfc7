"""Electronic charts of the operator: import, and conversion to areas."""

import logging
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import DataMissing
from app.extensions import chartroom

if TYPE_CHECKING:
    from app.datasources.enc import ChartCell

logger = logging.getLogger(__name__)


class ChartUnreadable(DataMissing):
    """A stored chart that cannot be read; its cause gives the reason."""


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
    Raises :class:`ChartUnreadable`: without a chart, the water that it closes would be open.
    """
    for path in list_files():
        cell = open_chart(path)
        closed = cell.close(depth_m)
        if closed is not None:
            rule = AreaRule.AVOID_UNLESS_ENDPOINT
            yield Area(f"enc-{cell.name}", cell.label, AreaKind.CHART, rule, closed)


def list_files() -> list[Path]:
    """List the files of the charts; raises :class:`ChartUnreadable` if their folder is private."""
    folder = charts_dir()
    try:
        # not by a pattern, which finds nothing in a folder that cannot be read
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable("folder of electronic charts", folder, error) from error


def open_chart(path: Path) -> "ChartCell":
    """Open a stored chart; raises :class:`ChartUnreadable`."""
    from app.datasources.enc import InvalidChart

    try:
        return _load(path, path.stat().st_mtime_ns)
    except (OSError, InvalidChart) as error:
        raise _unreadable(f"electronic chart {path.stem}", path, error) from error


def _unreadable(what: str, path: Path, error: Exception) -> ChartUnreadable:
    logger.error("%s cannot be read: %s", path, error)
    return ChartUnreadable(
        f"The {what} cannot be read, so the water that it closes is unknown. The operator has to"
        " import it again or remove it; `flask doctor` gives the reason.",
    )


@lru_cache(maxsize=256)
def _load(path: Path, _changed_ns: int) -> "ChartCell":
    from app.datasources.enc import load_cell

    return load_cell(path)
