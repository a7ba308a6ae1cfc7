"""Row-level security without the filters of the code."""

from uuid import UUID

import psycopg
import pytest
from flask import Flask
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, ProgrammingError

from app.extensions import chartroom
from app.models import Base, Vessel
from app.services.platform.sessions import cross_tenant_session, organization_session
from tests.integration.client import ApiClient

TENANT_TABLES = sorted(Base.metadata.tables)


def test_without_the_codes_filter_nothing_of_another_organization_shows(
    context: Flask, planner: ApiClient, organization_id: UUID, other_organization_id: UUID
) -> None:
    planner.make_vessel()
    unfiltered = select(func.count()).select_from(Vessel)
    with organization_session(organization_id) as session:
        assert session.scalar(unfiltered) == 1
    with organization_session(other_organization_id) as session:
        assert session.scalar(unfiltered) == 0


def test_without_the_codes_filter_the_api_shows_nothing_of_another_organization(
    monkeypatch: pytest.MonkeyPatch, planner: ApiClient, stranger: ApiClient
) -> None:
    vessel = planner.make_vessel()
    monkeypatch.setattr("app.services.vessels.vessels._of", lambda _organization_id: select(Vessel))
    assert planner.get(f"/vessel/{vessel['id']}").status_code == 200
    assert stranger.get(f"/vessel/{vessel['id']}").status_code == 404
    assert stranger.get("/vessel").get_json()["total"] == 0
    assert stranger.patch(f"/vessel/{vessel['id']}", {"name": "Taken"}).status_code == 404


def test_a_row_for_another_organization_is_not_taken(
    context: Flask, planner: ApiClient, organization_id: UUID, other_organization_id: UUID
) -> None:
    planner.make_vessel()
    with (
        pytest.raises(ProgrammingError, match="row-level security"),
        organization_session(organization_id) as session,
    ):
        session.execute(
            text("UPDATE vessel SET organization_id = :to"), {"to": other_organization_id}
        )


def test_a_connection_that_names_no_organization_sees_nothing(
    context: Flask, planner: ApiClient
) -> None:
    planner.make_vessel()
    with chartroom().engine.connect() as connection:
        assert connection.execute(text("SELECT current_user")).scalar() == "chartroom_web"
        assert connection.execute(text("SELECT count(*) FROM vessel")).scalar() == 0


def test_the_organization_setting_ends_with_its_transaction(
    context: Flask, planner: ApiClient, organization_id: UUID
) -> None:
    planner.make_vessel()
    with organization_session(organization_id) as session:
        session.execute(text("SELECT 1"))
    with chartroom().engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM vessel")).scalar() == 0


@pytest.mark.parametrize("table", TENANT_TABLES)
def test_every_table_is_guarded_even_from_its_owner(database_url: str, table: str) -> None:
    with psycopg.connect(database_url) as connection:
        guarded = connection.execute(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = %s::regclass",
            (table,),
        ).fetchone()
    assert guarded == (True,)


@pytest.mark.parametrize("role", ["chartroom_web", "chartroom_worker", "chartroom_gate"])
def test_the_working_roles_own_nothing_and_bypass_nothing(database_url: str, role: str) -> None:
    with psycopg.connect(database_url) as connection:
        owned = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relowner = %s::regrole", (role,)
        ).fetchone()
        powers = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = %s", (role,)
        ).fetchone()
    assert owned == (0,)
    assert powers == (False, False, False)


def test_the_gate_sees_no_more_than_it_needs(context: Flask, planner: ApiClient) -> None:
    planner.make_vessel()
    for query in ("SELECT * FROM vessel", "SELECT request FROM charting_revision"):
        with (
            pytest.raises(DBAPIError, match="permission denied"),
            cross_tenant_session() as session,
        ):
            session.execute(text(query))


def test_a_partition_of_telemetry_cannot_be_read_past_its_table(
    context: Flask, organization_id: UUID
) -> None:
    with organization_session(organization_id) as session:
        session.execute(text("SELECT add_telemetry_partition('2020-03-01T00:00:00Z')"))
    with (
        pytest.raises(DBAPIError, match="permission denied"),
        organization_session(organization_id) as session,
    ):
        session.execute(text("SELECT * FROM telemetry_2020_03"))


def test_a_session_that_says_not_whose_it_is_fails_at_once(context: Flask) -> None:
    with pytest.raises(KeyError), chartroom().new_session() as session:
        session.execute(text("SELECT 1"))
