"""The built sea atlas, for the tests that need the real sea."""

import pytest

from app.engine.sea.atlas import SeaAtlas
from tests.unit.built_sea import open_atlas


@pytest.fixture(scope="session")
def sea() -> SeaAtlas:
    return open_atlas()
