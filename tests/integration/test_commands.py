"""The operator's commands."""

import os
import re
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from click.testing import Result
from flask import Flask
from flask.testing import FlaskClient

from app import create_command_app
from app.config import Settings
from app.models import Role, utc_now
from app.services.errors import Unauthenticated
from app.services.identity import keys, links, organizations, second_factors, users
from app.services.platform import audit
from app.services.platform.sessions import operator_session
from app.services.upkeep import demo
from app.services.upkeep.demo_records import DAYS
from tests.integration.conftest import address_of, create_database, drop_database, running_app
from tests.unit.datasources.test_enc import KEY_WEST

ROOT = Path(__file__).parents[2]


def invoke(app: Flask, *arguments: str, typed: str | None = None) -> Result:
    """Invoke a command in the application that commands have, on the connections of ``app``."""
    connected = app.extensions["chartroom"]
    command_app = create_command_app(connected.settings)
    command_app.extensions["chartroom"] = connected
    return command_app.test_cli_runner().invoke(args=arguments, input=typed)


def run(app: Flask, *arguments: str) -> str:
    result = invoke(app, *arguments)
    assert result.exit_code == 0, result.output
    return result.output.strip()


def test_an_issued_key_opens_its_organization_with_its_role(app: Flask, http: FlaskClient) -> None:
    organization_id = run(app, "orgs", "create", "Vos & Co")
    key = run(app, "keys", "issue", "--org", "Vos & Co", "--role", "viewer")
    answer = http.get("/v1/organization", headers={"X-API-Key": key})
    assert answer.get_json()["id"] == organization_id
    assert http.post("/v1/vessel", json={}, headers={"X-API-Key": key}).status_code == 403


def test_the_operator_lets_planners_manage_webhooks(app: Flask, http: FlaskClient) -> None:
    run(app, "orgs", "create", "Hooks")
    key = run(app, "keys", "issue", "--org", "Hooks", "--role", "planner")
    for flag, status in (
        ("--planners-manage-webhooks", 200),
        ("--only-admins-manage-webhooks", 403),
    ):
        run(app, "orgs", "set", "Hooks", flag)
        assert http.get("/v1/webhooks", headers={"X-API-Key": key}).status_code == status


def test_a_second_organization_of_a_name_is_refused_plainly(app: Flask) -> None:
    run(app, "orgs", "create", "Twice")
    for name in ("Twice", "tWICE", "  Twice "):
        result = invoke(app, "orgs", "create", name)
        assert result.exit_code == 1
        assert result.output == "Error: There is already an organization named 'Twice'.\n"


def test_a_command_before_the_first_migration_ends_in_one_line(
    app: Flask, services: tuple[str, str]
) -> None:
    name = f"chartroom_empty_{os.getpid()}"
    with psycopg.connect(services[0], autocommit=True) as server:
        create_database(server, name)
        url = address_of(services[0], name)
        settings = replace(app.extensions["chartroom"].settings, database_url=url)
        with running_app(settings) as empty:
            result = invoke(empty, "orgs", "list")
        drop_database(server, name)
    assert (result.exit_code, result.output) == (
        1,
        'Error: The database refuses: relation "organization" does not exist.'
        " If its tables are not of this version, run `flask --app wsgi migrate`.\n",
    )


def test_organizations_are_listed_with_their_usage_and_quotas(app: Flask) -> None:
    organization_id = run(app, "orgs", "create", "Listed")
    run(app, "users", "create", "--org", "Listed", "--email", "a@listed.example")
    run(app, "orgs", "limit", "Listed", "--active-orders", "7", "--telemetry", "5000")
    assert (
        f"{organization_id}  Listed  users: 1  active orders: 0 of 7  stored areas: 0"
        "  telemetry records: 0 of 5000"
    ) in run(app, "orgs", "list").splitlines()


def test_the_process_of_a_command_loads_no_pages(app: Flask) -> None:
    organization_id = run(app, "orgs", "create", "Own process")
    settings = app.extensions["chartroom"].settings
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "flask", "--app", "wsgi", "orgs", "list"],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": settings.database_url, "SECRET_KEY": settings.secret_key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert f"{organization_id}  Own process  users: 0" in ended.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "app.cli" in loaded
    assert "app.pages" not in loaded


def test_a_key_that_could_do_nothing_is_not_issued(app: Flask) -> None:
    run(app, "orgs", "create", "Useless keys")
    issue = ("keys", "issue", "--org", "Useless keys", "--role", "viewer")
    refused = invoke(app, *issue, "--scope", "plan")
    assert refused.exit_code == 2
    assert "plan needs the role master" in refused.output
    networks = [part for n in range(51) for part in ("--from", f"10.0.{n}.0/24")]
    refused = invoke(app, *issue, *networks)
    assert refused.exit_code == 2
    assert "up to 50 networks" in refused.output


def test_keys_are_listed_with_their_names_and_limits(app: Flask) -> None:
    run(app, "orgs", "create", "Key list")
    issue = ("keys", "issue", "--org", "Key list")
    run(app, *issue)
    run(app, *issue, "--name", "bridge", "--operator", "--scope", "read", "--from", "10.0.0.0/8")
    limited, plain = run(app, "keys", "list", "--org", "Key list").splitlines()
    assert limited.endswith("last used never  'bridge'  operator  scopes read  from 10.0.0.0/8")
    assert plain.endswith("last used never")
    assert re.search(r"until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z  last used", plain)


def test_an_export_into_a_missing_folder_names_the_folder(app: Flask, tmp_path: Path) -> None:
    run(app, "orgs", "create", "Exported")
    missing = tmp_path / "missing"
    refused = invoke(app, "data", "export", "--org", "Exported", str(missing / "all.zip"))
    assert refused.exit_code == 2
    assert f"there is no folder {missing}" in refused.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("orgs", "create", ""), "between 1 and 200"),
        (("orgs", "create", "x" * 201), "between 1 and 200"),
        (("orgs", "limit", "Careful", "--areas", "9" * 20), "is not in the range"),
        (("users", "create", "--org", "Careful", "--email", "anna"), "Not a valid email address"),
        (("keys", "issue", "--org", "Careful", "--expires", "2020-01-01"), "2020-01-01 is past"),
        (
            ("keys", "issue", "--org", "Careful", "--expires", "2999-01-01", "--no-end"),
            "--expires or --no-end, not both",
        ),
        (("keys", "rotate", "--org", "Careful", "--overlap-hours", "-5", "x"), "not in the range"),
        (("keys", "rotate", "--org", "Careful", "--overlap-hours", "nan", "x"), "not a valid"),
        (("weather", "import", "--source", "a/../b", __file__), "small letters, digits"),
        (("weather", "import", "--source", "x" * 41, __file__), "1 to 40"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    app: Flask, arguments: tuple[str, ...], words: str
) -> None:
    if invoke(app, "users", "list", "--org", "Careful").exit_code:
        run(app, "orgs", "create", "Careful")
    result = invoke(app, *arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_a_server_that_is_away_is_named_in_one_line(settings: Settings) -> None:
    app = create_command_app(
        replace(settings, database_url="postgresql://owner:hidden@127.0.0.1:1/none")
    )
    for arguments in (["orgs", "create", "Away"], ["weather", "list"]):
        result = invoke(app, *arguments)
        assert result.exit_code == 1
        assert result.output.startswith("Error: The database does not answer: ")
        assert "hidden" not in result.output
    app.extensions["chartroom"].engine.dispose()


def test_an_expired_and_a_revoked_key_are_no_good(app: Flask, http: FlaskClient) -> None:
    organization_id = UUID(run(app, "orgs", "create", "Keys"))
    with app.app_context(), operator_session(organization_id) as session:
        past = utc_now() - timedelta(days=1)
        old = keys.issue(session, organization_id, Role.VIEWER, expires_at=past).secret
    key = run(app, "keys", "issue", "--org", "Keys")
    key_id = run(app, "keys", "list", "--org", "Keys").splitlines()[0].split()[0]
    assert http.get("/v1/organization", headers={"X-API-Key": old}).status_code == 401
    assert http.get("/v1/organization", headers={"X-API-Key": key}).status_code == 200
    run(app, "keys", "revoke", "--org", "Keys", key_id)
    assert http.get("/v1/organization", headers={"X-API-Key": key}).status_code == 401


def test_a_rotated_key_is_valid_until_the_overlap_ends(app: Flask, http: FlaskClient) -> None:
    run(app, "orgs", "create", "Rotation")
    old = run(app, "keys", "issue", "--org", "Rotation")
    key_id = run(app, "keys", "list", "--org", "Rotation").split()[0]
    new = run(app, "keys", "rotate", "--org", "Rotation", "--overlap-hours", "1", key_id)
    for key in (old, new):
        assert http.get("/v1/organization", headers={"X-API-Key": key}).status_code == 200
    new_id = run(app, "keys", "list", "--org", "Rotation").splitlines()[0].split()[0]
    run(app, "keys", "rotate", "--org", "Rotation", "--overlap-hours", "0", new_id)
    assert http.get("/v1/organization", headers={"X-API-Key": new}).status_code == 401


def test_only_a_created_user_signs_in(app: Flask) -> None:
    run(app, "orgs", "create", "People")
    password = run(app, "users", "create", "--org", "People", "--email", "Anna@people.example")
    with app.app_context():
        assert users.sign_in("anna@people.example", password).actor.role == "planner"
        for email, wrong in (("anna@people.example", "wrong"), ("nobody@people.example", password)):
            with pytest.raises(Unauthenticated):
                users.sign_in(email, wrong)


def test_a_chosen_password_comes_by_standard_input_and_is_not_easily_guessed(app: Flask) -> None:
    run(app, "orgs", "create", "Choosers")
    arguments = ["users", "create", "--org", "Choosers", "--email", "cor@choosers.example"]
    refused = invoke(app, *arguments, "--password-stdin", typed="password1234\n")
    assert refused.exit_code == 1
    assert "easily guessed" in refused.output
    made = invoke(app, *arguments, "--password-stdin", typed="ebb and flood and slack\n")
    assert made.output.strip() == "made"
    with app.app_context():
        assert users.sign_in("cor@choosers.example", "ebb and flood and slack")


def test_no_command_takes_a_password_where_all_users_of_the_machine_see_it(app: Flask) -> None:
    arguments = ["users", "create", "--org", "Any", "--email", "a@b.example", "--password", "x"]
    refused = invoke(app, *arguments)
    assert refused.exit_code == 2
    assert "--password-stdin" in refused.output


def test_a_user_who_was_put_away_is_listed_so_and_signs_in_no_more(app: Flask) -> None:
    run(app, "orgs", "create", "Gone")
    email = "ben@gone.example"
    password = run(app, "users", "create", "--org", "Gone", "--email", email)
    assert run(app, "users", "list", "--org", "Gone").endswith("active  last signed in never")
    run(app, "users", "deactivate", "--org", "Gone", email.upper())
    assert "inactive" in run(app, "users", "list", "--org", "Gone")
    with app.app_context(), pytest.raises(Unauthenticated):
        users.sign_in(email, password)


def test_the_operator_helps_a_user_who_cannot_sign_in(app: Flask) -> None:
    organization_id = UUID(run(app, "orgs", "create", "Helped"))
    own, email = ("--org", "Helped"), "dirk@helped.example"
    run(app, "users", "create", *own, "--email", "admin@helped.example", "--role", "admin")
    run(app, "users", "create", *own, "--email", email)
    run(app, "users", "deactivate", *own, email)
    refused = invoke(app, "users", "link", *own, "--url", "http://x", email)
    assert "Activate the user first" in refused.output

    run(app, "users", "activate", *own, email)
    run(app, "users", "role", *own, email, "master")
    unaddressed = invoke(app, "users", "link", *own, email)
    assert unaddressed.exit_code == 2
    assert "PUBLIC_URL is not set" in unaddressed.output
    link = run(app, "users", "link", *own, "--url", "http://chartroom.example/", email)
    page, _, token = link.partition("#")
    assert page == "http://chartroom.example/choose-password"
    with app.app_context(), operator_session(organization_id) as session:
        links.redeem(token, "ebb and flood and slack", None)
        second_factors.offer(session, users.get_by_email(session, organization_id, email))
    run(app, "users", "remove-second-factor", *own, email)
    with app.app_context():
        assert users.sign_in(email, "ebb and flood and slack").actor.role == "master"
        with operator_session(organization_id) as session:
            user = users.get_by_email(session, organization_id, email)
            assert second_factors.find(session, user.id) is None
            about = audit.AuditFilter(about=str(user.id))
            entries = audit.list_before(session, organization_id, about, None)
    assert [(each.action, each.actor) for each in entries] == [
        ("user.second_factor_removed", "operator"),
        ("user.changed", email),
        ("user.link_issued", "operator"),
        ("user.changed", "operator"),
        ("user.changed", "operator"),
        ("user.changed", "operator"),
        ("user.created", "operator"),
    ]


def test_the_demo_is_made_once_and_mended(app: Flask, http: FlaskClient, tmp_path: Path) -> None:
    files = tmp_path / "key", tmp_path / "password"
    arguments = ("demo", "--key-file", str(files[0]), "--password-file", str(files[1]))
    run(app, *arguments)
    first = [file.read_text() for file in files]
    run(app, *arguments)
    assert [file.read_text() for file in files] == first
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    vessels = http.get("/v1/vessel", headers={"X-API-Key": first[0].strip()}).get_json()
    assert [vessel["name"] for vessel in vessels["items"]].count("Noordster") == 1
    files[1].unlink()
    path, key = f"/v1/vessel/{demo.VESSEL_ID}", {"X-API-Key": first[0].strip()}
    assert http.patch(path, json={"imo": None}, headers=key).status_code == 200
    run(app, *arguments)
    assert http.patch(path, json={"imo": demo.VESSEL["imo"]}, headers=key).status_code == 200
    with app.app_context():
        assert users.sign_in("demo@chartroom.example", files[1].read_text().strip())


def test_a_demo_user_who_got_another_address_does_not_come_back(
    app: Flask, tmp_path: Path, organization_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "ORGANIZATION", f"Demo beside {organization_id}")
    monkeypatch.setattr(demo, "VESSEL_ID", uuid4())
    password = tmp_path / "password"
    arguments = ("demo", "--key-file", str(tmp_path / "key"), "--password-file", str(password))
    run(app, *arguments)
    with app.app_context():
        with operator_session(organization_id) as session:  # of the address, in another one
            users.create(session, organization_id, email=demo.EMAIL, role=Role.VIEWER)
        demo_id = organizations.get_by_name(demo.ORGANIZATION)
        with operator_session(demo_id) as session:
            user = users.get_by_email(session, demo_id, demo.EMAIL)
            users.change(session, user, {"email": "anna@vos.example"})
    password.unlink()
    assert "No user has the address" in run(app, *arguments)
    assert not password.exists()
    listed = run(app, "users", "list", "--org", demo.ORGANIZATION).splitlines()
    assert [line.split()[1] for line in listed] == ["anna@vos.example"]


def test_the_demo_vessel_has_a_month_of_telemetry_that_is_made_once(
    app: Flask, http: FlaskClient, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    arguments = ("demo", "--key-file", str(key), "--password-file", str(tmp_path / "password"))
    found = []
    for _ in range(2):
        run(app, *arguments)
        headers = {"X-API-Key": key.read_text().strip()}
        found.append(http.get(f"/v1/vessel/{demo.VESSEL_ID}/stats", headers=headers).get_json())
    assert found[0] == found[1]
    assert found[0]["telemetryCount"] == 24 * DAYS + 1
    assert 11.0 < found[0]["avgSpeedKn"] < 13.0
    assert 15.0 < found[0]["focMtPerDay"] < 25.0
    assert found[0]["cii"]["rating"] in "ABCDE"


def test_a_demo_key_that_was_revoked_stays_revoked(
    app: Flask, http: FlaskClient, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    arguments = ("demo", "--key-file", str(key), "--password-file", str(tmp_path / "password"))
    run(app, *arguments)
    first = key.read_text()
    listed = run(app, "keys", "list", "--org", "Demo").splitlines()
    key_id = next(line.split()[0] for line in listed if line.split()[1].rstrip("…") in first)
    run(app, "keys", "revoke", "--org", "Demo", key_id)
    run(app, *arguments)
    assert key.read_text() == first
    assert http.get("/v1/vessel", headers={"X-API-Key": first.strip()}).status_code == 401


def test_a_folder_without_charts_is_refused_and_nothing_is_imported(
    app: Flask, tmp_path: Path
) -> None:
    (tmp_path / "US5TEST.zip").write_bytes(b"PK")
    result = invoke(app, "charts", "import", str(tmp_path))
    assert result.exit_code == 1
    assert f"There is no S-57 cell (.000) in {tmp_path}" in result.output


def test_the_charts_of_a_folder_are_imported_and_counted(app: Flask, tmp_path: Path) -> None:
    if not KEY_WEST.is_file():
        pytest.skip(f"no chart at {KEY_WEST}")
    state = app.extensions["chartroom"]
    settings = replace(state.settings, charts_dir=tmp_path / "charts")
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / KEY_WEST.name).symlink_to(KEY_WEST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(app.extensions, "chartroom", replace(state, settings=settings))
        assert run(app, "charts", "import", str(tmp_path / "from")).endswith("\n1 read")
    assert (tmp_path / "charts" / "US5FL4DQ.json").is_file()
