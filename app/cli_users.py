"""The operator's commands for people who sign in: ``flask users COMMAND``."""

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from flask.cli import AppGroup
from sqlalchemy.orm import Session

from app.api.schemas.user import EmailAddress
from app.cli_types import NAME, ROLE, FieldType, in_organization, open_organization
from app.extensions import chartroom
from app.models import Role, User
from app.records.instants import write_instant
from app.services.identity import links, second_factors, users
from app.services.platform.actor import operator_of

group = AppGroup("users")


@group.command("create")
@in_organization
@click.option("--email", required=True, type=FieldType(EmailAddress()))
@click.option("--role", type=ROLE, default=str(Role.PLANNER), show_default=True)
@click.option("--name", type=NAME, help="The person's name")
@click.option(
    "--password-stdin", is_flag=True, help="Read it from standard input; else made up and printed"
)
def create_user(org: str, email: str, role: str, name: str | None, password_stdin: bool) -> None:
    """Create a user who signs in with e-mail and password."""
    chosen = _read_password() if password_stdin else secrets.token_urlsafe(15)
    with open_organization(org) as (session, organization_id):
        users.create(
            session, organization_id, email=email, password=chosen, role=Role(role), name=name
        )
    click.echo("made" if password_stdin else chosen)


def _read_password() -> str:
    """Read a password from a pipe or a prompt, so that no list of processes shows it."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password


@group.command("list")
@in_organization
def list_users(org: str) -> None:
    """List an organization's users, newest first."""
    with open_organization(org) as (session, organization_id):
        for user in users.list_users(session, organization_id):
            state = "active" if user.is_active else "inactive"
            seen = write_instant(user.last_signed_in_at) or "never"
            click.echo(f"{user.id}  {user.email}  {user.role}  {state}  last signed in {seen}")


@group.command("deactivate")
@in_organization
@click.argument("email")
def deactivate_user(org: str, email: str) -> None:
    """Deactivate a user, who can then no longer sign in."""
    with _found(org, email) as (session, user):
        users.change(session, user, {"is_active": False})
    click.echo(f"{email} is inactive")


@group.command("activate")
@in_organization
@click.argument("email")
def activate_user(org: str, email: str) -> None:
    """Activate a user, who can sign in again."""
    with _found(org, email) as (session, user):
        users.change(session, user, {"is_active": True})
    click.echo(f"{email} is active")


@group.command("role")
@in_organization
@click.argument("email")
@click.argument("role", type=ROLE)
def change_role(org: str, email: str, role: str) -> None:
    """Give a user another role; the last admin keeps theirs."""
    with _found(org, email) as (session, user):
        users.change(session, user, {"role": Role(role)})
    click.echo(f"{email} is {role}")


@group.command("link")
@in_organization
@click.option("--url", help="Address of the pages, where PUBLIC_URL is not set")
@click.argument("email")
def make_link(org: str, url: str | None, email: str) -> None:
    """Print a link by which a user chooses a password within an hour; it is not mailed."""
    root_url = url or chartroom().settings.public_url
    if root_url is None:
        raise click.UsageError("PUBLIC_URL is not set: give the address of the pages by --url.")
    with _found(org, email) as (session, user):
        operator = operator_of(user.organization_id)
        link = links.issue(session, user, operator, links.RESET_LASTS, root_url)
    click.echo(link)


@group.command("remove-second-factor")
@in_organization
@click.argument("email")
def remove_second_factor(org: str, email: str) -> None:
    """Remove the authenticator, passkeys and recovery codes of a user who has lost them."""
    with _found(org, email) as (session, user):
        second_factors.remove_all(session, user, operator_of(user.organization_id))
    click.echo(f"{email} signs in without a second factor")


@group.command("unlink")
@in_organization
@click.argument("email")
def unlink_user(org: str, email: str) -> None:
    """Forget a user's account at the OpenID provider, as after the provider has made a new one.

    The next account with the user's verified address is linked at its first sign-in.
    """
    with _found(org, email) as (_session, user):
        user.oidc_subject = None
    click.echo(f"{email} is linked to no account of the provider")


@contextmanager
def _found(org: str, email: str) -> Iterator[tuple[Session, User]]:
    with open_organization(org) as (session, organization_id):
        yield session, users.get_by_email(session, organization_id, email)
