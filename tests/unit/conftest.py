"""The built sea atlas, for the tests that need the real sea."""

import os
from pathlib import Path

import pytest

from app.engine.sea.atlas import SeaAtlas

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def sea() -> SeaAtlas:
    """The world's sea; without it these tests fail and say what to do."""
    folder = Path(os.environ.get("ATLAS_DIR", ROOT / "var" / "atlas"))
    if not folder.is_dir():
        pytest.fail(f"no sea atlas in {folder}: `make test` builds it", pytrace=False)
    return SeaAtlas.open(folder)
