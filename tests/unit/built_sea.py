"""The built sea atlas, opened once; for tests that keep what they plan with it."""

import os
from functools import cache
from pathlib import Path

import pytest

from app.engine.sea.atlas import SeaAtlas

ROOT = Path(__file__).parents[2]


@cache
def open_atlas() -> SeaAtlas:
    """Return the world's sea; without it the test fails and says what to do."""
    folder = Path(os.environ.get("ATLAS_DIR", ROOT / "var" / "atlas"))
    if not folder.is_dir():
        pytest.fail(f"no sea atlas in {folder}: `make test` builds it", pytrace=False)
    return SeaAtlas.open(folder)
