"""The sea atlas: opened once per process, mapped into memory, never written."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.extensions import chartroom

if TYPE_CHECKING:
    from app.engine.sea.atlas import SeaAtlas


def open_atlas() -> SeaAtlas:
    """The atlas of this installation; raises :class:`DataMissing` when it is not built."""
    return _open(chartroom().settings.atlas_dir.resolve())


@cache
def _open(directory: Path) -> SeaAtlas:
    # brings numba with it, which commands and short-lived processes need not wait for
    from app.engine.sea.atlas import SeaAtlas

    return SeaAtlas.open(directory)
