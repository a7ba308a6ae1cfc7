"""The operator's commands: ``flask --app wsgi COMMAND``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import click
from flask import Flask
from flask.cli import AppGroup, with_appcontext
from redis.exceptions import RedisError
from sqlalchemy.exc import DBAPIError, OperationalError

from app.api.schemas.key import LONGEST_OVERLAP_H
from app.cli_types import NAME, ROLE, in_organization, open_organization
from app.engine.errors import VoyageError
from app.models import ApiKey, Role, Scope, utc_now
from app.records.instants import write_instant
from app.services.errors import ServiceError
from app.services.identity import keys, organizations, users
from app.services.platform import quotas
from app.services.platform.sessions import operator_session

SCOPE = click.Choice([str(scope) for scope in Scope])
#: A quota: up to the largest integer that the database stores.
QUOTA = click.IntRange(0, 2**31 - 1)

_MIGRATE = "If its tables are not of this version, run `flask --app wsgi migrate`."


class CommandGroup(AppGroup):
    """Commands that print errors in one line, without a traceback.

    ``module`` has more of them in its ``group``. It is imported when one is asked for, because the
    imports of all commands take seconds.
    """

    def __init__(self, name: str, *, help: str, module: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module = module

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names of the commands."""
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        self._load()
        return super().get_command(ctx, cmd_name)

    def _load(self) -> None:
        if self._module is not None:
            self.commands |= import_module(self._module).group.commands
            self._module = None

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; convert known errors to one-line messages."""
        with one_line_errors():
            return super().invoke(ctx)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Convert known errors, of use cases, voyages, servers and files, to one-line messages."""
    try:
        yield
    except (ServiceError, VoyageError) as error:
        raise click.ClickException(error.detail) from error
    except OperationalError as error:
        reason = str(error.orig).strip()
        raise click.ClickException(f"The database does not answer: {reason}") from error
    except DBAPIError as error:
        reason = str(error.orig).partition("\n")[0]
        raise click.ClickException(f"The database refuses: {reason}. {_MIGRATE}") from error
    except RedisError as error:
        raise click.ClickException(f"Redis does not answer: {error}") from error
    except OSError as error:
        raise click.ClickException(str(error)) from error


orgs_group = CommandGroup("orgs", help="Organizations.")
keys_group = CommandGroup("keys", help="Keys to the API.")
#: Groups whose commands have modules of their own.
GROUPS = (
    CommandGroup("users", help="People who sign in.", module="app.cli_users"),
    CommandGroup("data", help="Exports and erasures.", module="app.cli_data"),
    CommandGroup("route", help="Routes from elsewhere.", module="app.cli_routes"),
    CommandGroup("ais", help="Positions by AIS.", module="app.cli_ais"),
    CommandGroup("charts", help="Electronic charts (S-57).", module="app.cli_charts"),
    CommandGroup("weather", help="Forecasts and climatology.", module="app.cli_weather"),
)


def is_invoked() -> bool:
    """Return whether this process is ``flask`` with one of these commands, and no web server."""
    names = {command.name for command in COMMANDS}
    return click.get_current_context(silent=True) is not None and not names.isdisjoint(sys.argv)


def init_app(app: Flask) -> None:
    """Add the commands to ``flask``."""
    for command in COMMANDS:
        app.cli.add_command(command)


@click.command("migrate")
def migrate() -> None:
    """Migrate the database to the newest version."""
    from alembic import command as alembic
    from alembic.config import Config

    root = Path(__file__).parent.parent
    with one_line_errors():
        alembic.upgrade(Config(root / "alembic.ini"), "head")


@click.command("demo")
@with_appcontext
@click.option("--key-file", type=click.Path(path_type=Path), required=True)
@click.option("--password-file", type=click.Path(path_type=Path), required=True)
def make_demo(key_file: Path, password_file: Path) -> None:
    """Create the demo organization, its user, key and vessel with telemetry, unless they exist.

    The key and the user's password are written to files that only their owner
    can read. If a file is lost, a new secret is created.
    """
    from app.services.upkeep import demo  # imports the engine, as do the checks

    with one_line_errors():
        has_user = demo.create(key_file, password_file)
    said = f"Sign in as {demo.EMAIL}; the password is in {password_file}, a key in {key_file}."
    without = f"No user has the address {demo.EMAIL} any more; a key is in {key_file}."
    click.echo(said if has_user else without)


@click.command("doctor")
@with_appcontext
def doctor() -> None:
    """Check settings, servers, files and kernels; exit status 1 if there is a fault."""
    from app.services.upkeep.doctor import Level, run_checks

    colours = {Level.GOOD: "green", Level.WARNING: "yellow", Level.FAULT: "red"}
    faults = 0
    for part, finding in run_checks():
        mark = click.style(f"{finding.level:<8}", fg=colours[finding.level])
        click.echo(f"{mark}{part:<10}{finding.words}")
        if finding.remedy:
            click.echo(f"{'':<18}→ {finding.remedy}")
        faults += finding.level == Level.FAULT
    click.echo("All is well." if not faults else f"{faults} to fix.")
    sys.exit(1 if faults else 0)


@orgs_group.command("create")
@click.argument("name", type=NAME)
def create_organization(name: str) -> None:
    """Create an organization."""
    click.echo(organizations.create(name))


@orgs_group.command("list")
def list_organizations() -> None:
    """List the organizations, oldest first, with their usage and quotas."""
    for organization_id in organizations.list_ids():
        with operator_session(organization_id) as session:
            name = organizations.get(session, organization_id).name
            people = len(users.list_users(session, organization_id))
            usage = quotas.describe(session, organization_id)
        counts = [
            f"{quotas.NOUNS[quota]}: {each.used}{'' if each.limit is None else f' of {each.limit}'}"
            for quota, each in usage.items()
        ]
        click.echo("  ".join([str(organization_id), name, f"users: {people}", *counts]))


@orgs_group.command("set")
@click.argument("name")
@click.option(
    "--planners-manage-webhooks/--only-admins-manage-webhooks",
    "planners_manage_webhooks",
    required=True,
    help="Roles that may register, change and delete webhooks.",
)
def change_organization(name: str, planners_manage_webhooks: bool) -> None:
    """Change the settings of an organization."""
    wanted = {"planners_manage_webhooks": planners_manage_webhooks}
    with open_organization(name) as (session, organization_id):
        organizations.change(session, organization_id, wanted)


@orgs_group.command("limit")
@click.argument("name")
@click.option("--active-orders", type=QUOTA, help="Chartings queued or being planned")
@click.option("--areas", type=QUOTA, help="Constraints and client data entries")
@click.option("--telemetry", type=QUOTA, help="Telemetry records of all vessels")
def limit_organization(
    name: str, active_orders: int | None, areas: int | None, telemetry: int | None
) -> None:
    """Set the quotas of an organization.

    Those omitted are removed: areas and telemetry have no limit then, active orders the one of the
    setting ACTIVE_ORDERS.
    """
    wanted = {quotas.ACTIVE_ORDERS: active_orders, quotas.AREAS: areas, quotas.TELEMETRY: telemetry}
    with open_organization(name) as (session, organization_id):
        organizations.change(session, organization_id, wanted)


@keys_group.command("issue")
@in_organization
@click.option("--role", type=ROLE, default=str(Role.PLANNER), show_default=True)
@click.option("--name", type=NAME, help="Purpose of the key")
@click.option("--test", "is_test", is_flag=True, help="Create a vk_test_ key")
@click.option("--operator", is_flag=True, help="May access other organizations")
@click.option(
    "--expires", type=click.DateTime(["%Y-%m-%d"]), help="First UTC day on which it is invalid"
)
@click.option("--no-end", is_flag=True, help="It is valid until it is revoked")
@click.option("--scope", "scopes", multiple=True, type=SCOPE, help="Repeatable; all unless given")
@click.option("--from", "networks", multiple=True, help="Repeatable; a CIDR block it is used from")
def issue_key(
    org: str,
    role: str,
    name: str | None,
    is_test: bool,
    operator: bool,
    expires: datetime | None,
    no_end: bool,
    scopes: tuple[str, ...],
    networks: tuple[str, ...],
) -> None:
    """Issue a key; its secret is printed only this once."""
    organization_id = organizations.get_by_name(org)
    if fault := keys.find_scope_fault(Role(role), [*map(Scope, scopes or Scope)]):
        raise click.BadParameter(fault, param_hint="--scope")
    given = None if expires is None else expires.replace(tzinfo=UTC)
    if given is not None and no_end:
        raise click.UsageError("Give --expires or --no-end, not both.")
    if given is not None and given <= utc_now():
        raise click.BadParameter(f"{given:%Y-%m-%d} is past", param_hint="--expires")
    try:
        allowed_from = keys.read_networks(networks)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    with operator_session(organization_id) as session:
        issued = keys.issue(
            session,
            organization_id,
            Role(role),
            kind="test" if is_test else "live",
            name=name,
            is_operator=operator,
            expires_at=given or (None if no_end else keys.default_expiry(session, organization_id)),
            scopes=scopes or Scope,
            networks=allowed_from,
        )
    click.echo(issued.secret)


@keys_group.command("list")
@in_organization
def list_keys(org: str) -> None:
    """List an organization's keys, newest first."""
    with open_organization(org) as (session, organization_id):
        for key in keys.list_keys(session, organization_id):
            ends = write_instant(key.expires_at) or "revoked"
            state = "revoked" if key.revoked_at else f"until {ends}"
            used = f"last used {write_instant(key.last_used_at) or 'never'}"
            shown = [str(key.id), f"{key.prefix}…", key.role, state, used, *_describe_limits(key)]
            click.echo("  ".join(shown))


def _describe_limits(key: ApiKey) -> Iterator[str]:
    """Describe what a key is for, and by what it differs from others of its role."""
    if key.name is not None:
        yield repr(key.name)
    if key.is_operator:
        yield "operator"
    if {*key.scopes} != {*Scope}:
        yield f"scopes {', '.join(key.scopes)}"
    if key.networks:
        yield f"from {', '.join(key.networks)}"


@keys_group.command("rotate")
@in_organization
@click.option(
    "--overlap-hours", type=click.IntRange(0, LONGEST_OVERLAP_H), default=24, show_default=True
)
@click.argument("key_id")
def rotate_key(org: str, overlap_hours: int, key_id: str) -> None:
    """Issue a successor; the old key stays valid for the overlap."""
    overlap = timedelta(hours=overlap_hours)
    with open_organization(org) as (session, organization_id):
        issued = keys.rotate(session, organization_id, key_id, overlap, by_operator=True)
        click.echo(issued.secret)


@keys_group.command("revoke")
@in_organization
@click.argument("key_id")
def revoke_key(org: str, key_id: str) -> None:
    """Revoke a key at once."""
    with open_organization(org) as (session, organization_id):
        click.echo(f"{keys.revoke(session, organization_id, key_id).prefix}… is revoked")


COMMANDS = (migrate, make_demo, doctor, orgs_group, keys_group, *GROUPS)
