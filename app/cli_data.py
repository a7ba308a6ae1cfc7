"""The operator's commands for data rights."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click
from flask.cli import AppGroup

from app.cli_types import in_organization, open_organization
from app.models import Organization, SubjectKind, utc_now
from app.records.instants import format_instant
from app.services.platform import audit
from app.services.platform.actor import operator_of
from app.services.upkeep import data_export, data_subjects, erasing

KIND = click.Choice([str(kind) for kind in SubjectKind])

group = AppGroup("data")


@group.command("export")
@in_organization
@click.option("--kind", type=KIND, default="organization", show_default=True)
@click.option("--id", "subject_id", help="Its id; the organization's own unless given")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export_data(org: str, kind: str, subject_id: str | None, file: Path) -> None:
    """Write all data of a subject to a ZIP archive that only its owner can read."""
    if not file.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {file.parent}", param_hint="FILE")
    # a failed export leaves the file as it was
    with TemporaryDirectory(dir=file.absolute().parent) as folder:
        draft = Path(folder) / file.name
        draft.touch(mode=0o600)
        with open_organization(org) as (session, organization_id), draft.open("wb") as out:
            subject = data_subjects.find(
                session, organization_id, kind, subject_id or str(organization_id)
            )
            data_export.write(session, subject, utc_now(), out)
            audit.record_export(
                session, operator_of(organization_id), kind, subject.id, data_export.ZIP
            )
        draft.replace(file)
    click.echo(f"{kind} {subject.id} is in {file}")


@group.command("erase")
@in_organization
@click.option("--kind", type=KIND, required=True)
@click.option("--id", "subject_id", help="Its id; the organization's own unless given")
@click.option(
    "--now", "at_once", is_flag=True, help="Erase now, without the organization's waiting period"
)
@click.confirmation_option(prompt="Erase it and everything that belongs to it?")
def erase_data(org: str, kind: str, subject_id: str | None, at_once: bool) -> None:
    """Erase a subject, after the organization's waiting period or at once."""
    request = erasing.request_at_once if at_once else erasing.request
    with open_organization(org) as (session, organization_id):
        operator = operator_of(organization_id)
        erasure = request(session, operator, kind, subject_id or str(organization_id))
    subject = f"{kind} {erasure.subject_id}"
    if not at_once:
        click.echo(f"{subject} is erased at {erasure.due_at:%Y-%m-%d %H:%M} UTC")
        return
    erasing.erase_due()
    if not erasing.is_done(organization_id, erasure.id):
        raise click.ClickException(f"{subject} is not erased yet; a worker erases it.")
    click.echo(f"{subject} is erased")


@group.command("erasures")
@in_organization
def list_erasures(org: str) -> None:
    """List requested and completed erasures, newest first."""
    with open_organization(org) as (session, organization_id):
        days = session.get_one(Organization, organization_id).erase_after_days
        click.echo(f"An erasure is done {days} days after its request.")
        for row in erasing.list_erasures(session, organization_id):
            state, time = ("done", row.done_at) if row.done_at else ("due", row.due_at)
            click.echo(f"{row.id}  {row.kind}  {row.subject_id}  {state} {format_instant(time)}")
