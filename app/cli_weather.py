"""The operator's commands for weather: ``flask weather COMMAND``.

``weather_intake`` is imported where it is used, because it imports ecCodes.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask.cli import AppGroup

from app.config import MOST_DAYS, WEATHER_ENSEMBLES, WEATHER_SOURCES
from app.datasources.weather.regions import Region
from app.records.instants import format_instant
from app.services.platform.sessions import installation_session
from app.services.weather import local_runs, weather, weather_retention

if TYPE_CHECKING:
    from app.datasources.weather.importing import ImportReport


def _read_region(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> Region | None:
    try:
        return None if value is None else Region.read(value)
    except ValueError as fault:
        raise click.BadParameter(str(fault)) from None


def _read_source(_: click.Context, __: click.Parameter, name: str) -> str:
    """Return a name that the folder of a run can begin with."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{,39}", name):
        raise click.BadParameter(
            f"{name!r} must be 1 to 40 small letters, digits and hyphens, the first no hyphen"
        )
    return name


_region_option = click.option(
    "--region",
    callback=_read_region,
    metavar="SOUTH,WEST,NORTH,EAST",
    help="Store the members of this part of the seas alone [deg]",
)

group = AppGroup("weather")


@group.command("import")
@click.option(
    "--source",
    callback=_read_source,
    default="file",
    show_default=True,
    metavar="NAME",
    help="Name of the source: up to 40 small letters, digits and hyphens",
)
@click.option(
    "--members",
    is_flag=True,
    help="Every file is one ensemble member, numbered in their order, of a stored run",
)
@_region_option
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
def import_weather(
    source: str, *, members: bool, region: Region | None, files: tuple[Path, ...]
) -> None:
    """Import GRIB and NetCDF files into the store as one run.

    Numbered ensemble members are added to the run of their reference time. The output
    lists what was imported, derived and left out, with reasons.
    """
    from app.services.weather import weather_intake

    with _shown("Reading") as progress:
        report = weather_intake.import_weather_files(
            files, source, progress, is_member_each=members, region=region
        )
    _print_report(report)


@group.command("fetch")
@click.argument("source", type=click.Choice(WEATHER_SOURCES))
@click.option("--hours", type=click.IntRange(0, 384), default=240, show_default=True)
@click.option("--url", help="Address of a mirror")
@click.option(
    "--members",
    type=click.IntRange(1),
    help="Fetch so many ensemble members of the newest run instead, from ECMWF or GEFS",
)
@_region_option
def fetch_weather(
    source: str, hours: int, url: str | None, members: int | None, region: Region | None
) -> None:
    """Download the newest forecast and import it into the store.

    An interrupted download continues when the command is run again.
    """
    from app.services.weather import weather_intake

    with _shown("Fetching") as progress:
        if members is None:
            report = weather_intake.fetch(source, hours, progress, url)
        else:
            ensemble = next(name for name, of in WEATHER_ENSEMBLES.items() if of == source)
            report = weather_intake.fetch_members(ensemble, hours, members, progress, url, region)
    _print_report(report)


@contextmanager
def _shown(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; yields the function that advances it."""
    with click.progressbar(length=1, label=label) as bar:

        def move(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield move


def _print_report(report: "ImportReport") -> None:
    run = report.run
    click.echo(f"{run.name}: {', '.join(run.groups)}")
    if run.valid_from and run.valid_to:
        click.echo(f"  from {format_instant(run.valid_from)} to {format_instant(run.valid_to)}")
    if run.members:
        click.echo(f"  {len(run.members)} ensemble members")
    for note in run.notes:
        click.echo(f"  {note}")
    for reason in report.left_out:
        click.echo(f"  left out: {reason}")


@group.command("climatology")
def build_climatology() -> None:
    """Build the climatology from the installed data sets."""
    from app.services.weather import weather_intake

    name = weather_intake.create_climatology(lambda _share, stage: click.echo(f"{stage} …"))
    click.echo(name)


@group.command("list")
def list_weather() -> None:
    """List the runs in the store, the newest first, and the climatology."""
    with installation_session() as session:
        for record in weather.list_records(session):
            span = f"{format_instant(record.valid_from)} to {format_instant(record.valid_to)}"
            megabytes = record.size_bytes / 1e6
            groups = ", ".join(record.groups)
            members = f"  {len(record.members)} members" if record.members else ""
            click.echo(f"{record.name}  {span}  {groups}{members}  {megabytes:.0f} MB")
    climatology = weather.find_climatology()
    click.echo("no climatology" if climatology is None else climatology.name)


@group.command("prune")
@click.option(
    "--days", type=click.IntRange(1, MOST_DAYS), help="Keep runs this long after their import"
)
@click.option(
    "--planned-days",
    type=click.IntRange(1, MOST_DAYS),
    help="Keep runs that a plan names this long after the planning",
)
def prune_weather(days: int | None, planned_days: int | None) -> None:
    """Remove the files of old runs that no plan needs.

    The defaults are the settings WEATHER_KEEP_DAYS and WEATHER_KEEP_PLANNED_DAYS.
    Runs that voyages departing now are planned in, or that a queued or running
    charting might read, are never removed, and the names of removed runs stay in
    the catalogue. Runs that another machine has
    retired are removed from this machine's store.
    """
    for name in weather_retention.retire_by_policy(days, planned_days):
        click.echo(f"removed {name}")
    local_runs.remove_retired()


@group.command("publish")
def publish_weather() -> None:
    """Upload the runs of this machine's store to the bucket, replacing existing ones."""
    from app.services.weather import weather_intake

    for name in weather_intake.publish_stored():
        click.echo(f"published {name}")
