"""The operator's commands for AIS: ``flask ais COMMAND``."""

import logging.config

import click
from flask.cli import AppGroup

from app import logs
from app.environment import exit_if_misconfigured
from app.services.identity import organizations
from app.services.vessels import ais_feed

group = AppGroup("ais")


@group.command("listen")
@click.option("--org", required=True, help="Name of the organization whose vessels are followed")
@click.argument("host")
@click.argument("port", type=click.IntRange(1, 65_535))
def listen(org: str, host: str, port: int) -> None:
    """Store the positions of the organization's vessels from a TCP feed until stopped.

    The feed sends NMEA 0183 sentences. Vessels are identified by their MMSI; at most one
    position per minute is stored of each.
    """
    with exit_if_misconfigured():
        logging.config.dictConfig(logs.configuration())
    organization_id = organizations.get_by_name(org)
    for received in ais_feed.follow(organization_id, host, port):
        if received.stored:
            click.echo(f"{received.stored} positions stored")
        if received.faults:
            click.echo(f"{len(received.faults)} lines refused, first: {received.faults[0].detail}")
