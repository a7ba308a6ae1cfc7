"""Audit log of the organization, for admins."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from flask import Response, render_template, request, stream_with_context
from flask.typing import ResponseReturnValue
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.exports.formats import guard_cell, write_table
from app.models import (
    ApiKey,
    AreaRecord,
    AuditEntry,
    Charting,
    Organization,
    User,
    Vessel,
    WebhookEndpoint,
)
from app.pages.blueprint import answer_file, pages
from app.pages.web.access import organization_id
from app.pages.web.forms import fetch_asked_page
from app.pages.web.own import own_session
from app.records.instants import format_instant
from app.services.platform import audit
from app.services.platform.audit import AuditFilter

PAGE_SIZE = 100
_COLUMNS = ("time", "actor", "origin", "action", "subject", "before", "after")

#: Id and name of each kind of subject.
_NAMES: Final[tuple[tuple[InstrumentedAttribute[UUID], ColumnElement[Any]], ...]] = (
    (ApiKey.id, func.concat_ws(" ", ApiKey.prefix.concat("…"), ApiKey.name)),
    (AreaRecord.id, AreaRecord.name.expression),
    (Charting.id, func.concat(Charting.port_from_name, " to ", Charting.port_to_name)),
    (Organization.id, Organization.name.expression),
    (User.id, User.email.expression),
    (Vessel.id, Vessel.name.expression),
    (WebhookEndpoint.id, WebhookEndpoint.url.expression),
)


@pages.get("/admin/audit")
def admin_audit() -> ResponseReturnValue:
    """Show the entries, newest first, in pages."""
    with own_session() as session:
        found = fetch_asked_page(
            lambda page: audit.list_page(
                session, organization_id(), page, PAGE_SIZE, _read_filter()
            )
        )
        return render_template(
            "admin/audit.html",
            found=found,
            describe=_describe,
            names=name_subjects(session, found.items),
            wanted=_given(),
            actions=audit.ACTIONS,
        )


@pages.get("/admin/audit.csv")
def export_audit() -> Response:
    """Stream the filtered entries as CSV, newest first."""
    return answer_file(stream_with_context(_lines(_read_filter())), "text/csv", "audit.csv")


def _lines(wanted: AuditFilter) -> Iterator[str]:
    yield write_table([_COLUMNS])
    last = None
    while rows := _fetch(wanted, last):
        yield write_table(map(_line, rows))
        last = rows[-1].id


def _fetch(wanted: AuditFilter, last: UUID | None) -> Sequence[AuditEntry]:
    """Fetch the next entries; no transaction is open while they are sent."""
    with own_session() as session:
        return audit.list_before(session, organization_id(), wanted, last)


def _describe(values: dict[str, Any] | None) -> list[str]:
    """Describe the values before or after a change, one text each."""
    return [f"{name}: {_write(value)}" for name, value in (values or {}).items()]


def _write(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_filter() -> AuditFilter:
    """Read the filter from the address; NUL, which the database rejects, is replaced."""
    given = {
        name: text.replace("\x00", "\N{REPLACEMENT CHARACTER}") for name, text in _given().items()
    }
    return AuditFilter(**given)


def _given() -> dict[str, str]:
    """Return the filters that are set, by parameter name."""
    words = {name: request.args.get(name, "").strip() for name in ("who", "action", "about")}
    return {name: word for name, word in words.items() if word}


def _line(row: AuditEntry) -> list[str]:
    values = [json.dumps(each) if each else "" for each in (row.before, row.after)]
    names = [row.actor, row.origin or "", row.action, str(row.subject_id)]
    return [guard_cell(cell) for cell in (format_instant(row.created_at), *names, *values)]


def name_subjects(session: Session, entries: Iterable[AuditEntry]) -> dict[UUID, str]:
    """Return the names of the entries' subjects by id, except of those deleted or unnamed."""
    ids = {entry.subject_id for entry in entries}
    found: dict[UUID, str] = {}
    for id_, name in _NAMES:
        named = session.execute(select(id_, name).where(id_.in_(ids)))
        found |= {subject_id: words for subject_id, words in named if words}
    return found
