"""Storing of many reports of a vessel through a temporary table; row-level security bars COPY."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.models import Vessel


class Staging:
    """Statements that store reports of a table, of which each vessel has one for an instant."""

    def __init__(self, table: str, columns: Sequence[str]) -> None:
        names, incoming = ", ".join(columns), f"incoming_{table}"
        self._drop = text(f"DROP TABLE IF EXISTS {incoming}")
        self._create = text(
            f"CREATE TEMP TABLE {incoming} ON COMMIT DROP AS SELECT 0 AS line, {names}"  # noqa: S608
            f" FROM {table} WITH NO DATA"
        )
        self._copy = f"COPY {incoming} (line, {names}) FROM STDIN"
        self._insert = text(
            f"INSERT INTO {table} (organization_id, vessel_id, {names})"  # noqa: S608
            f" SELECT :organization_id, :vessel_id, {names} FROM"
            f" (SELECT DISTINCT ON (timestamp) * FROM {incoming} ORDER BY timestamp, line) AS first"
            " ON CONFLICT DO NOTHING RETURNING timestamp"
        )
        self._compare = text(
            "SELECT incoming.line, incoming.timestamp,"  # noqa: S608
            f" ({', '.join(f'incoming.{c}' for c in columns)})"
            f" IS NOT DISTINCT FROM ({', '.join(f'stored.{c}' for c in columns)}) AS is_same"
            f" FROM {incoming} AS incoming JOIN {table} AS stored"
            " ON stored.vessel_id = :vessel_id AND stored.timestamp = incoming.timestamp"
            " ORDER BY incoming.line"
        )

    def store(
        self, session: Session, vessel: Vessel, rows: Iterable[tuple[Any, ...]]
    ) -> set[datetime]:
        """Store rows, each a line's number and its values; return the times that are new.

        Of an instant the first line is stored, unless the vessel has a report for it.
        """
        session.execute(self._drop)
        session.execute(self._create)
        cursor = session.connection().connection.cursor()
        with cursor.copy(self._copy) as copy:
            for row in rows:
                copy.write_row(row)
        owner = {"organization_id": vessel.organization_id, "vessel_id": vessel.id}
        return set(session.scalars(self._insert, owner))

    def compare(self, session: Session, vessel: Vessel) -> Sequence[Row[Any]]:
        """Compare the rows given to :meth:`store` with what is stored: line, time, is_same."""
        return session.execute(self._compare, {"vessel_id": vessel.id}).all()
