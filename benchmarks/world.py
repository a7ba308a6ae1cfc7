"""Database, organizations and servers of the benchmarks of the service."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID

import psycopg
import urllib3
from alembic import command
from alembic.config import Config
from flask import Flask
from sqlalchemy.orm import Session

from app.config import Settings
from app.models import Role, Vessel
from app.services.identity import keys, organizations
from app.services.platform.sessions import operator_session
from app.services.upkeep import demo

ROOT: Final = Path(__file__).parents[1]


def prepare_database() -> Settings:
    """Create the tables of the empty database; return settings with effectively no rate limit."""
    command.upgrade(Config(ROOT / "alembic.ini"), "head")
    os.environ.setdefault("SECRET_KEY", "for the benchmark alone, 32 characters")
    os.environ["REQUESTS_PER_MINUTE"] = "100000000"
    return Settings.from_environment()


def create_organization(app: Flask, name: str, role: Role = Role.PLANNER) -> tuple[UUID, str]:
    """Create an organization; return its id, and a key with a role."""
    with app.app_context():
        organization_id = organizations.create(f"{name} {os.getpid()}")
        with operator_session(organization_id) as session:
            return organization_id, keys.issue(session, organization_id, role).secret


def add_vessel(session: Session, organization_id: UUID) -> Vessel:
    """Add a vessel to an organization."""
    vessel = Vessel(organization_id=organization_id, **(demo.VESSEL | {"imo": None}))
    session.add(vessel)
    session.flush()
    return vessel


def tidy_database(settings: Settings) -> None:
    """Let the database maintain itself after many new rows."""
    with psycopg.connect(settings.database_url, autocommit=True) as database:
        database.execute("VACUUM ANALYZE")


@contextmanager
def serving(port: int, application: str = "wsgi:app", **variables: str) -> Iterator[int]:
    """Serve under gunicorn with the project's settings; yield the master's process id."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", application],
            cwd=ROOT,
            env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": folder} | variables,
            stderr=subprocess.DEVNULL,
        )
        try:
            retries = urllib3.Retry(30, backoff_factor=0.2)
            urllib3.PoolManager().request("GET", f"http://127.0.0.1:{port}/", retries=retries)
            yield process.pid
        finally:
            process.terminate()
            process.wait()
