"""The migrations make what the models describe."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

ROOT = Path(__file__).parents[2]


def test_the_migrated_database_is_what_the_models_describe(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    command.check(Config(ROOT / "alembic.ini"))


def test_migrating_twice_changes_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)
    command.upgrade(Config(ROOT / "alembic.ini"), "head")
