"""Data export of an organization, a vessel, a charting or a user as a ZIP archive.

The archive has one file of newline-delimited JSON per table, with geometries as GeoJSON.
Columns that the models mark as secret are left out.
"""

from datetime import datetime
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from geoalchemy2 import Geometry
from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Select,
    Table,
    Text,
    cast,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.orm import Session

from app.records.instants import format_instant
from app.services.upkeep import data_subjects
from app.services.upkeep.data_subjects import Subject

ZIP: Final = "application/zip"
#: Rows fetched at once.
_FETCHED: Final = 500

README: Final = """All data that Chartroom stores about the {kind} {id}, written {at}.

There is a file for each table with such data, one JSON object per line, with the names of the
database's columns: units are part of the names (_m, _kn, _t), times are RFC 3339, geometries
GeoJSON. Secrets (passwords, keys, codes) are left out; they are stored hashed or encrypted.
Files whose names begin with by_ list other rows that this user created or changed.
"""


def file_name(subject: Subject) -> str:
    """Return the archive's file name."""
    return f"chartroom-{subject.kind}-{subject.id}.zip"


def write(session: Session, subject: Subject, now: datetime, file: IO[bytes]) -> None:
    """Write the archive."""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        about = README.format(kind=subject.kind, id=subject.id, at=format_instant(now))
        archive.writestr("README.txt", about)
        for table, condition in data_subjects.rows_of(subject):
            shown = [each for each in table.columns if not each.info.keys() & {"secret", "derived"}]
            _write(session, archive, table.name, _rows(table, condition, shown))
        if subject.emails:
            for table in data_subjects.tenant_tables():
                _write_mentions(session, archive, table, subject.emails)


def _write(session: Session, archive: ZipFile, name: str, rows: Select[str]) -> None:
    """Write a table's rows, if there are any, while they are fetched."""
    lines = session.scalars(rows.execution_options(yield_per=_FETCHED))
    first = next(lines, None)
    if first is None:
        return
    with archive.open(f"{name}.ndjson", "w", force_zip64=True) as file:
        file.write(f"{first}\n".encode())
        for line in lines:
            file.write(f"{line}\n".encode())


def _write_mentions(
    session: Session, archive: ZipFile, table: Table, emails: frozenset[str]
) -> None:
    """List remaining rows that a user created or changed."""
    authors = data_subjects.author_columns(table)
    if not authors or table.name == "app_user":
        return
    shown = [*table.primary_key.columns, *authors]
    mentions = or_(*(column.in_(emails) for column in authors))
    _write(session, archive, f"by_{table.name}", _rows(table, mentions, shown))


def _rows(table: Table, condition: ColumnElement[bool], columns: list[Column[Any]]) -> Select[str]:
    chosen = select(*map(_plain, columns))
    found = chosen.select_from(table).where(condition).subquery("found")
    return select(cast(func.row_to_json(literal_column("found")), Text)).select_from(found)


def _plain(column: Column[Any]) -> ColumnElement[Any]:
    """A column for row_to_json; geometries are cast, as they would be written as bytes."""
    plain: ColumnElement[Any] = literal_column(f'"{column.name}"')
    is_geometry = isinstance(column.type, Geometry)
    return cast(plain, JSON).label(column.name) if is_geometry else plain
