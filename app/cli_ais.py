"""The operator's commands for AIS: ``flask ais COMMAND``."""

import click
from flask.cli import with_appcontext

from app.services.identity import organizations
from app.services.vessels import ais_feed


@click.command("listen")
@with_appcontext
@click.option("--org", required=True, help="Name of the organization whose vessels are followed")
@click.argument("host")
@click.argument("port", type=click.IntRange(1, 65_535))
def listen(org: str, host: str, port: int) -> None:
    """Store the positions of the organization's vessels from a TCP feed until stopped.

    The feed sends NMEA 0183 sentences. Vessels are identified by their MMSI; at most one
    position per minute is stored of each.
    """
    organization_id = organizations.get_by_name(org)
    for received in ais_feed.follow(organization_id, host, port):
        if received.stored or received.faults:
            click.echo(f"{received.stored} positions stored, {len(received.faults)} lines refused")


COMMANDS = (listen,)
