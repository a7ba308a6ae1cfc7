"""Loads everything that workers need, so that processes forked from this one start at once."""

import gc
import os
from pathlib import Path

import webhook_worker
import worker
from app import create_app
from app.config import Settings
from app.services.upkeep.warm_up import warm_up

__all__ = ["webhook_worker", "worker"]


def _load() -> None:
    nowhere = "postgresql://nobody@localhost:1/none", "redis://localhost:1/0"
    app = create_app(
        Settings(*nowhere, atlas_dir=Path(os.environ["ATLAS_DIR"]), process_role="worker")
    )
    with app.app_context():
        warm_up()
    app.extensions["chartroom"].close()
    gc.freeze()


_load()
