"""Erasure removes a subject from every table; exports are complete and contain no secrets."""

import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zipfile import ZipFile

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from sqlalchemy import Uuid, func, update
from sqlalchemy.exc import ProgrammingError

from app.models import (
    AuditEntry,
    Base,
    ChartingRevision,
    ChartingStatus,
    ComparedDeparture,
    DepartureComparisonRecord,
    Erasure,
    Event,
    EventKind,
    ExecutionState,
    IdempotencyRecord,
    NoonImport,
    OneTimeLink,
    Organization,
    Passkey,
    PointReview,
    RecoveryCode,
    Role,
    SecondFactor,
    TelemetryRecord,
    VesselCalibration,
    VoyageAdvice,
    VoyageExecution,
    WebhookDelivery,
    WebhookEndpoint,
    new_id,
)
from app.services.identity import addresses, users
from app.services.platform.actor import operator_of
from app.services.platform.sessions import operator_session
from app.services.upkeep import data_subjects, erasing
from tests.ais_sentences import MMSI, make_message, with_tag_block
from tests.integration.client import ApiClient
from tests.integration.conftest import client_of
from tests.integration.test_who_may_what import _AREA, _TELEMETRY

SAID_AT = datetime(2026, 3, 1, 11, tzinfo=UTC)

#: Columns that are ids, and of what.
KNOWN_IDS = {
    *data_subjects.COLUMN_OF.values(),
    data_subjects.ANY_SUBJECT,
    "id", "comparison_id", "endpoint_id", "event_id", "rotated_from_id",
}  # fmt: skip

#: Tables whose rows belong to no organization.
SHARED = frozenset({"weather_run"})


def test_every_table_says_whose_its_rows_are() -> None:
    without = {
        table.name
        for table in Base.metadata.tables.values()
        if "organization_id" not in table.columns and table.name != "organization"
    }
    assert without == SHARED


def test_every_id_in_a_table_is_of_a_kind_that_erasing_knows() -> None:
    unknown = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Uuid) and column.name not in KNOWN_IDS
    }
    assert unknown == set(), "name it as data_subjects does, or teach it the name"


def test_every_column_that_sounds_secret_is_marked_so() -> None:
    open_ones = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        if re.search(r"secret|hash|token|sha256|password|code_", column.name)
        and not column.info.get("secret")
    }
    assert open_ones <= {
        "webhook_endpoint.previous_secret_until",
        "weather_run.published_sha256",  # of public weather
    }


class Owned:
    """An organization that owns a row of every table."""

    def __init__(self, app: Flask, organization_id: UUID) -> None:
        self.app, self.organization_id = app, organization_id
        #: A word in all that it owns.
        self.mark = f"Zephyrine{new_id().hex}"
        self.email = f"{self.mark}@ship.example"
        self.admin = client_of(app, organization_id, Role.ADMIN)
        self.vessel: str = self.admin.make_vessel(name=f"{self.mark} Star", mmsi=MMSI)["id"]
        self.charting: str = self.admin.order(vesselId=self.vessel, owner=self.mark)["id"]
        self.admin.post(f"/charting/{self.charting}/cancel", headers={"Idempotency-Key": "once"})
        for path in ("/constraints", "/client-data"):
            self.admin.post(path, _AREA | {"name": self.mark, "description": self.mark})
        self.admin.post(
            f"/telemetry/{self.vessel}", _TELEMETRY | {"timestamp": SAID_AT.isoformat()}
        )
        noon = {
            "timestamp": SAID_AT.isoformat(),
            "fuel": 28.5,
            "speedOverGround": 14,
            "remarks": self.mark,
        }
        self.admin.post(f"/vessel/{self.vessel}/noon-reports", [noon])
        sentence = with_tag_block(make_message(), SAID_AT)
        headers = {"Content-Type": "text/plain"}
        sent = self.admin.post(f"/telemetry/{self.vessel}/ais", data=sentence, headers=headers)
        assert sent.get_json()["stored"] == 1, sent.text
        self.admin.post("/keys", {"role": "viewer", "name": self.mark})
        with app.app_context(), operator_session(organization_id) as session:
            user = users.create(
                session, organization_id, email=self.email, password="ebb and flood and slack",
                role=Role.PLANNER, name=self.mark,
            )  # fmt: skip
            self.user = str(user.id)
            for row in self._rows():
                session.add(row)
                session.flush()

    def _rows(self) -> list[Any]:
        """Create rows that no operation creates directly."""
        own = {"organization_id": self.organization_id}
        charting, event, endpoint = UUID(self.charting), new_id(), new_id()
        comparison = new_id()
        return [
            NoonImport(
                **own, vessel_id=UUID(self.vessel), created_at=SAID_AT, created_by=self.email,
                asked={"choices": {}, "keepGoodRows": False},
                status=ChartingStatus.CANCELLED,
            ),
            PointReview(
                **own, charting_id=charting, revision=1, waypoint_index=0, eta=SAID_AT,
                description=self.mark, reviewed_by=self.email, reviewer_name=self.mark,
            ),
            AuditEntry(
                **own, id=new_id(), actor=self.email, action="user.changed", subject_id=charting,
                before={"email": self.email}, after=None,
            ),
            Event(
                **own, id=event, kind=EventKind.CHARTING_CANCELLED, subject_id=charting,
                payload={"by": self.email},
            ),
            WebhookEndpoint(
                **own, id=endpoint, url=f"https://{self.mark}.example", event_kinds=[],
                secret=self.mark.encode(), created_by=self.email,
            ),
            WebhookDelivery(
                **own, id=new_id(), endpoint_id=endpoint, event_id=event, subject_id=charting,
                sequence=1,
            ),
            OneTimeLink(
                **own, id=new_id(), user_id=UUID(self.user), token_sha256=new_id().bytes * 2,
                created_by=self.email, expires_at=SAID_AT,
            ),
            VesselCalibration(
                **own, id=new_id(), vessel_id=UUID(self.vessel), number=1, particulars={},
                response={}, evidence={"of": self.mark}, created_by=self.email,
                status=ChartingStatus.COMPLETED,
            ),
            VoyageExecution(
                **own, charting_id=charting, vessel_id=UUID(self.vessel), revision=1,
                state=ExecutionState.EXPECTED, due_at=SAID_AT, started_by=self.email,
            ),
            VoyageAdvice(
                **own, id=new_id(), charting_id=charting, revision=1, weather="", content={},
                act_by=SAID_AT, answered_by=self.email,
            ),
            DepartureComparisonRecord(
                **own, id=comparison, charting_id=charting, revision=1, depart_from=SAID_AT,
                depart_to=SAID_AT, step_h=6.0, status=ChartingStatus.COMPLETED,
                queued_by=self.email,
            ),
            ComparedDeparture(
                **own, charting_id=charting, comparison_id=comparison, departs_at=SAID_AT,
                is_refined=True, infeasible={"code": "NO_ROUTE", "detail": self.mark},
            ),
            SecondFactor(**own, user_id=UUID(self.user), secret_enciphered=bytes(8)),
            Passkey(
                **own, id=new_id(), user_id=UUID(self.user), credential_id=new_id().bytes,
                public_key=bytes(8), sign_count=0, transports=["usb"], name=self.mark,
            ),
            RecoveryCode(**own, id=new_id(), user_id=UUID(self.user), code_sha256=bytes(32)),
            IdempotencyRecord(
                **own, key=self.mark, request_sha256=bytes(32), status=200, headers={},
                body=self.mark.encode(),
            ),
        ]  # fmt: skip

    def erase(self, kind: str, id_: str) -> None:
        """Ask for an erasure and let the workers do it when it is due, and not before."""
        answer = self.admin.post(f"/erasures/{kind}/{id_}")
        assert answer.status_code == 201, answer.text
        self.let_pass(days=29)
        with self.app.app_context():
            assert erasing.erase_due() == 0
        self.let_pass(days=2)
        with self.app.app_context():
            assert erasing.erase_due() == 1

    def let_pass(self, days: int) -> None:
        """Make what the organization asked for, did and ordered some days older."""
        older = timedelta(days=days)
        with self.app.app_context(), operator_session(self.organization_id) as session:
            for column in (Erasure.due_at, AuditEntry.created_at, ChartingRevision.queued_at):
                own = column.class_.organization_id == self.organization_id
                session.execute(update(column.class_).where(own).values({column: column - older}))
            waiting = update(Organization).where(Organization.id == self.organization_id)
            session.execute(waiting.values(shortened_until=Organization.shortened_until - older))


@pytest.fixture
def owned(app: Flask, organization_id: UUID, redis: Any) -> Owned:
    return Owned(app, organization_id)


@pytest.fixture
def rows_with(database_url: str) -> Callable[[str], dict[str, int]]:
    """Counts the rows of all tables of the database that hold a text anywhere, whosever they are.

    As the owner of the tables, who is not held to the policies until the transaction ends.
    """

    def count(needle: str) -> dict[str, int]:
        with psycopg.connect(database_url) as database:
            tables = database.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
                " AND relnamespace = 'public'::regnamespace"
                " AND relowner = current_user::regrole AND relname <> 'spatial_ref_sys'"
            ).fetchall()
            found = {}
            for (table,) in tables:
                unforce = sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY")
                database.execute(unforce.format(sql.Identifier(table)))
                query = sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text ILIKE {}").format(
                    sql.Identifier(table), sql.Literal(f"%{needle}%")
                )
                found[table] = database.execute(query).fetchone()[0]
            database.rollback()
        return {table: rows for table, rows in found.items() if rows}

    return count


Counter = Callable[[str], dict[str, int]]


def test_an_erased_organization_is_in_no_table(owned: Owned, rows_with: Counter) -> None:
    organization = str(owned.organization_id)
    answer = owned.admin.post(f"/erasures/organization/{organization}")
    assert answer.status_code == 201, answer.text
    tables = {table.name for table in Base.metadata.tables.values()} - SHARED
    assert set(rows_with(organization)) == tables, "Owned lacks a row of a table"
    owned.let_pass(days=31)
    with owned.app.app_context():
        assert erasing.erase_due() == 1
    assert rows_with(organization) == {}
    assert rows_with(owned.mark) == {}
    assert owned.admin.get("/organization").status_code == 401


def test_an_erasure_that_fails_leaves_the_others(
    owned: Owned, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, id_ in (("charting", owned.charting), ("user", owned.user)):
        assert owned.admin.post(f"/erasures/{kind}/{id_}").status_code == 201
    owned.let_pass(days=31)
    faults, call = [ProgrammingError("SELECT 1", {}, Exception())], erasing._call

    def fail_once(*given: Any) -> Any:
        if faults:
            raise faults.pop()
        return call(*given)

    monkeypatch.setattr(erasing, "_call", fail_once)
    with owned.app.app_context():
        assert erasing.erase_due() == 1
        assert erasing.erase_due() == 1


def test_an_erased_vessel_goes_with_all_that_belongs_to_it_and_nothing_else(
    owned: Owned, rows_with: Counter
) -> None:
    other = owned.admin.make_vessel(name="Other")["id"]
    owned.erase("vessel", owned.vessel)
    assert rows_with(owned.vessel) == {"erasure": 1}
    assert rows_with(owned.charting) == {}
    assert owned.admin.get(f"/vessel/{other}").status_code == 200
    assert owned.admin.get("/constraints").get_json()["total"] == 1


def test_an_erased_charting_goes_and_its_vessel_stays(owned: Owned, rows_with: Counter) -> None:
    owned.erase("charting", owned.charting)
    assert rows_with(owned.charting) == {"erasure": 1}
    assert owned.admin.get(f"/vessel/{owned.vessel}").status_code == 200


def test_an_erased_user_is_named_nowhere_and_what_they_made_stays(
    owned: Owned, rows_with: Counter
) -> None:
    owned.erase("user", owned.user)
    assert rows_with(owned.email) == {}
    assert rows_with(owned.user) == {"erasure": 1}
    kept = rows_with("erased user")
    assert {"audit_entry", "event", "point_review", "webhook_endpoint"} <= set(kept)


@pytest.mark.parametrize("is_reassigned", [False, True])
def test_a_former_address_of_an_erased_user_is_named_no_more_unless_it_is_anothers(
    owned: Owned, rows_with: Counter, other_organization_id: UUID, is_reassigned: bool
) -> None:
    present = f"new-{owned.mark}@ship.example"
    changed = {"email": present, "name": owned.mark, "role": "planner"}
    link = owned.admin.put(f"/users/{owned.user}", changed).get_json()["confirmationUrl"]
    with owned.app.app_context():
        addresses.confirm(link.partition("#")[2])
        with operator_session(owned.organization_id) as session:
            organization = session.get_one(Organization, owned.organization_id)
            organization.advice_mail = ["ops@ship.example", present]
        with operator_session(other_organization_id) as session:
            session.get_one(Organization, other_organization_id).advice_mail = [present]
    files = exported(owned.admin, "user", owned.user)
    assert files["by_point_review"][0]["reviewed_by"] == owned.email
    if is_reassigned:
        other = {"email": owned.email, "role": "viewer"}
        assert owned.admin.post("/users", other).status_code == 201
    owned.erase("user", owned.user)
    assert rows_with(present) == {"organization": 1, "audit_entry": 1}, "of the other one"
    assert ("point_review" in rows_with(owned.email)) is is_reassigned
    assert owned.admin.get("/organization").get_json()["adviceMail"] == ["ops@ship.example"]


@pytest.mark.parametrize("mailbox", ["jürgen", '"q"', '"a\\\\b"', "🚢"])
def test_an_erased_address_is_named_nowhere_however_json_spells_it(
    owned: Owned, rows_with: Counter, mailbox: str
) -> None:
    domain = f"{new_id().hex}.example"
    email, own = f"{mailbox}@{domain}", {"organization_id": owned.organization_id}
    charting = UUID(owned.admin.order(vesselId=owned.vessel, triggeredBy=email)["id"])
    owned.admin.post(f"/charting/{charting}/cancel")
    held = {"by": email, "note": 'Jürgen said "no"'}
    events = [new_id(), new_id()]
    with owned.app.app_context(), operator_session(owned.organization_id) as session:
        user = users.create(
            session, owned.organization_id, email=email, password=None, role=Role.PLANNER, name=""
        )
        revision = session.get_one(ChartingRevision, (charting, 1))
        revision.edit = held
        own |= {"subject_id": charting}
        session.add(
            AuditEntry(
                **own, id=new_id(), actor=owned.email, action="charting.deleted", before=held,
                after=None,
            )
        )  # fmt: skip
        for id_ in events:
            session.add(Event(**own, id=id_, kind=EventKind.CHARTING_CANCELLED, payload=held))
        session.flush()
        by_database = func.json_build_object("by", email, "note", held["note"])
        session.execute(update(Event).where(Event.id == events[1]).values(payload=by_database))
    owned.erase("user", str(user.id))
    assert rows_with(domain) == {}
    with owned.app.app_context(), operator_session(owned.organization_id) as session:
        stored = session.get_one(ChartingRevision, (charting, 1))
        kept = [session.get_one(Event, id_).payload for id_ in events]
        assert [stored.edit, *kept] == 3 * [held | {"by": "erased user"}]
        assert stored.request["triggeredBy"] == "erased user"


def test_another_organizations_rows_stay(
    owned: Owned, stranger: ApiClient, rows_with: Counter
) -> None:
    theirs = stranger.make_vessel()["id"]
    assert stranger.post(f"/erasures/vessel/{owned.vessel}").status_code == 404
    assert stranger.get(f"/exports/charting/{owned.charting}").status_code == 404
    owned.erase("organization", str(owned.organization_id))
    assert rows_with(theirs) == {"vessel": 1, "audit_entry": 1}


def test_an_erasure_can_be_taken_back_until_it_is_due(owned: Owned) -> None:
    asked = owned.admin.post(f"/erasures/vessel/{owned.vessel}").get_json()
    assert owned.admin.get(f"/vessel/{owned.vessel}").status_code == 404
    again = owned.admin.post(f"/erasures/vessel/{owned.vessel}")
    assert (again.status_code, again.get_json()["code"]) == (409, "ERASURE_REQUESTED")
    other, same = {"If-Match": '"another"'}, owned.admin.get(f"/erasures/{asked['id']}")
    assert owned.admin.delete(f"/erasures/{asked['id']}", headers=other).status_code == 412
    as_read = {"If-Match": same.headers["ETag"]}
    assert owned.admin.delete(f"/erasures/{asked['id']}", headers=as_read).status_code == 204
    assert owned.admin.get(f"/vessel/{owned.vessel}").status_code == 200
    assert owned.admin.get("/erasures").get_json()["total"] == 0


def test_an_erasure_is_taken_back_though_another_vessel_has_the_number_by_now(
    owned: Owned,
) -> None:
    number = owned.admin.get(f"/vessel/{owned.vessel}").get_json()["mmsi"]
    asked = owned.admin.post(f"/erasures/vessel/{owned.vessel}").get_json()
    owned.admin.make_vessel(name="Zuiderster", mmsi=number)
    assert owned.admin.delete(f"/erasures/{asked['id']}").status_code == 204
    assert owned.admin.get(f"/vessel/{owned.vessel}").status_code == 404
    assert owned.admin.get(f"/charting/{owned.charting}").status_code == 200


def test_a_vessel_deleted_before_its_erasure_was_requested_stays_deleted(owned: Owned) -> None:
    assert owned.admin.delete(f"/vessel/{owned.vessel}").status_code == 204
    asked = owned.admin.post(f"/erasures/vessel/{owned.vessel}").get_json()
    assert owned.admin.delete(f"/erasures/{asked['id']}").status_code == 204
    assert owned.admin.get(f"/vessel/{owned.vessel}").status_code == 404


def test_a_charting_is_not_planned_again_while_its_erasure_is_pending(owned: Owned) -> None:
    request = owned.admin.get(f"/charting/{owned.charting}").get_json()
    owned.admin.post(f"/erasures/charting/{owned.charting}")
    refused = owned.admin.put(f"/charting/{owned.charting}", request)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "ERASURE_REQUESTED")


def test_a_charting_is_not_restored_while_its_erasure_is_pending(owned: Owned) -> None:
    asked = owned.admin.post(f"/erasures/charting/{owned.charting}").get_json()
    refused = owned.admin.post(f"/charting/{owned.charting}/restore")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "ERASURE_REQUESTED")
    assert owned.admin.delete(f"/erasures/{asked['id']}").status_code == 204
    assert owned.admin.post(f"/charting/{owned.charting}/restore").status_code == 200
    assert owned.admin.get("/charting").get_json()["total"] == 1


def test_what_is_erased_cannot_be_taken_back(owned: Owned) -> None:
    owned.erase("charting", owned.charting)
    (done,) = owned.admin.get("/erasures").get_json()["items"]
    assert done["doneAt"] is not None
    assert owned.admin.delete(f"/erasures/{done['id']}").get_json()["code"] == "ERASED"


def test_the_last_admin_and_what_is_being_planned_are_not_erased(owned: Owned) -> None:
    active = owned.admin.order(vesselId=owned.vessel)["id"]
    for kind, id_ in (("vessel", owned.vessel), ("charting", active)):
        assert owned.admin.post(f"/erasures/{kind}/{id_}").status_code == 409


@pytest.mark.parametrize("kind", ["organization", "vessel", "charting", "user"])
def test_an_export_holds_all_of_its_subject_and_no_secret(
    owned: Owned, organization_id: UUID, kind: str
) -> None:
    id_ = str(organization_id) if kind == "organization" else getattr(owned, kind)
    files = exported(owned.admin, kind, id_)
    assert id_ in {row.get("id") for row in files[data_subjects.TABLE_OF[kind]]}
    shown = json.dumps(files)
    assert "password_hash" not in shown
    assert '"secret"' not in shown
    wanted = {
        "organization": {"api_key", "area", "vessel", "telemetry", "charting_revision", "app_user"},
        "vessel": {
            "vessel",
            "charting",
            "charting_revision",
            "telemetry",
            "noon_report",
            "ais_position",
            "audit_entry",
        },
        "charting": {"charting", "charting_revision", "point_review", "event"},
        "user": {"app_user", "by_point_review", "by_audit_entry", "by_webhook_endpoint"},
    }[kind]
    assert wanted <= set(files)


def exported(admin: ApiClient, kind: str, id_: str) -> dict[str, list[dict[str, Any]]]:
    with admin.get(f"/exports/{kind}/{id_}") as answer:
        assert answer.status_code == 200, answer.text
        assert answer.headers["ETag"]
        return read_archive(answer.data)


def read_archive(data: bytes) -> dict[str, list[dict[str, Any]]]:
    """The rows of an export by table."""
    with ZipFile(io.BytesIO(data)) as archive:
        return {
            name.removesuffix(".ndjson"): [
                json.loads(line) for line in archive.read(name).decode().splitlines()
            ]
            for name in archive.namelist()
            if name.endswith(".ndjson")
        }


def test_an_exported_area_is_geojson(owned: Owned) -> None:
    files = exported(owned.admin, "organization", str(owned.organization_id))
    assert files["area"][0]["geometry"]["type"] == "MultiPolygon"


@pytest.mark.parametrize(
    ("setting", "table"),
    [
        ("keepTelemetryDays", "telemetry"),
        ("keepTelemetryDays", "noon_report"),
        ("keepTelemetryDays", "ais_position"),
        ("keepTelemetryDays", "noon_import"),
        ("keepAuditDays", "audit_entry"),
        ("keepChartingDays", "charting"),
    ],
)
def test_records_older_than_the_retention_are_erased(
    owned: Owned, stranger: ApiClient, rows_with: Counter, setting: str, table: str
) -> None:
    organization = str(owned.organization_id)
    owned.let_pass(days=400)
    assert table in rows_with(organization)
    with owned.app.app_context():
        erasing.erase_expired()
        assert table in rows_with(organization), "nothing goes unless it is asked for"
        assert owned.admin.patch("/organization", {setting: 900}).status_code == 200
        owned.let_pass(days=31)
        erasing.erase_expired()
        assert table in rows_with(organization), "it is younger than that"
        assert owned.admin.patch("/organization", {setting: 10}).status_code == 200
        erasing.erase_expired()
        assert table in rows_with(organization), "it can still be taken back"
        # the record of these settings ages too
        owned.let_pass(days=31)
        erasing.erase_expired()
    assert table not in rows_with(organization)
    assert "vessel" in rows_with(organization)


def test_a_charting_is_kept_while_its_voyage_is_under_way(owned: Owned) -> None:
    assert owned.admin.patch("/organization", {"keepChartingDays": 10}).status_code == 200
    assert owned.admin.post(f"/erasures/charting/{owned.charting}").status_code == 201
    owned.let_pass(days=40)

    def set_state(state: ExecutionState) -> None:
        with operator_session(owned.organization_id) as session:
            session.get_one(VoyageExecution, UUID(owned.charting)).state = state

    with owned.app.app_context():
        set_state(ExecutionState.UNDER_WAY)
        erasing.erase_expired()
        assert erasing.erase_due() == 0
        assert owned.admin.get(f"/charting/{owned.charting}").status_code == 200
        set_state(ExecutionState.FINISHED)
        erasing.erase_expired()
        assert owned.admin.get(f"/charting/{owned.charting}").status_code == 404
        assert erasing.erase_due() == 1


def test_days_that_are_none_are_refused(admin: ApiClient) -> None:
    for setting, days in (("keepChartingDays", 0), ("eraseAfterDays", 366), ("keepAuditDays", 1.5)):
        answer = admin.patch("/organization", {setting: days})
        assert answer.get_json()["errors"][0]["pointer"] == f"/{setting}"
    assert admin.patch("/organization", {"eraseAfterDays": 1}).status_code == 200


def test_the_operator_exports_and_erases_by_command(
    owned: Owned, rows_with: Counter, tmp_path: Path
) -> None:
    name = owned.admin.get("/organization").get_json()["name"]
    runner, file = owned.app.test_cli_runner(), tmp_path / "all.zip"
    options = ["--org", name]
    assert runner.invoke(args=["data", "export", *options, str(file)]).exit_code == 0
    assert read_archive(file.read_bytes())["vessel"]
    assert file.stat().st_mode & 0o077 == 0
    before = file.read_bytes()
    of_none = ["--kind", "vessel", "--id", str(uuid4())]
    failed = runner.invoke(args=["data", "export", *options, *of_none, str(file)])
    assert failed.exit_code == 1
    assert (file.read_bytes(), [*tmp_path.iterdir()]) == (before, [file])
    erase = ["data", "erase", *options, "--kind", "charting", "--id", owned.charting]
    result = runner.invoke(args=[*erase, "--now", "--yes"])
    assert result.exit_code == 0, result.output
    assert rows_with(owned.charting) == {"erasure": 1}
    assert "done" in runner.invoke(args=["data", "erasures", *options]).output


def test_the_operators_erasure_at_once_says_so_if_it_is_not_done_yet(
    owned: Owned, rows_with: Counter, database_url: str
) -> None:
    name = owned.admin.get("/organization").get_json()["name"]
    erase = ["data", "erase", "--org", name, "--kind", "vessel", "--id", owned.vessel]
    runner = owned.app.test_cli_runner()
    assert runner.invoke(args=[*erase, "--yes"]).exit_code == 0
    with psycopg.connect(database_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [erasing._ERASE_LOCK])
        waiting = runner.invoke(args=[*erase, "--now", "--yes"])
    assert (waiting.exit_code, waiting.output) == (
        1,
        f"Error: vessel {owned.vessel} is not erased yet; a worker erases it.\n",
    )
    done = runner.invoke(args=[*erase, "--now", "--yes"])
    assert (done.exit_code, done.output) == (0, f"vessel {owned.vessel} is erased\n")
    assert rows_with(owned.vessel) == {"erasure": 1}


def test_an_earlier_request_made_due_at_once_is_in_the_audit_record(
    owned: Owned,
) -> None:
    requested = owned.admin.post(f"/erasures/vessel/{owned.vessel}").get_json()
    with owned.app.app_context(), operator_session(owned.organization_id) as session:
        operator = operator_of(owned.organization_id)
        erasing.request_at_once(session, operator, "vessel", owned.vessel)
    last, *_ = owned.admin.get("/audit").get_json()["items"]
    (erasure,) = owned.admin.get("/erasures").get_json()["items"]
    assert (last["action"], last["actor"]) == ("vessel.erasure_requested", operator.name)
    assert last["after"] == {"erasureId": requested["id"], "dueAt": erasure["dueAt"]}
    assert erasure["dueAt"] < requested["dueAt"]


def test_a_request_at_once_has_one_entry_with_its_time_in_the_audit_record(owned: Owned) -> None:
    with owned.app.app_context(), operator_session(owned.organization_id) as session:
        operator = operator_of(owned.organization_id)
        erasing.request_at_once(session, operator, "vessel", owned.vessel)
    (erasure,) = owned.admin.get("/erasures").get_json()["items"]
    entries = owned.admin.get("/audit").get_json()["items"]
    due = [each["after"]["dueAt"] for each in entries if "erasure" in each["action"]]
    assert due == [erasure["dueAt"]]


def test_the_operator_erases_an_organization_at_once(owned: Owned, rows_with: Counter) -> None:
    name = owned.admin.get("/organization").get_json()["name"]
    erase = ["data", "erase", "--org", name, "--kind", "organization", "--now", "--yes"]
    done = owned.app.test_cli_runner().invoke(args=erase)
    assert done.exit_code == 0, done.output
    assert rows_with(str(owned.organization_id)) == {}


def test_telemetry_that_is_retired_is_not_counted_any_more(owned: Owned) -> None:
    assert owned.admin.patch("/organization", {"keepTelemetryDays": 10}).status_code == 200
    owned.let_pass(days=31)
    with owned.app.app_context():
        erasing.erase_expired()
        with operator_session(owned.organization_id) as session:
            own = TelemetryRecord.organization_id == owned.organization_id
            assert session.query(TelemetryRecord).filter(own).count() == 0
    assert owned.admin.get(f"/telemetry/{owned.vessel}").get_json()["total"] == 0
