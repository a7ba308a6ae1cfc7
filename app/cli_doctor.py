"""Output of ``flask doctor``: health checks with remedies."""

import sys

import click

from app.services.upkeep.doctor import Level, run_checks


def print_findings() -> None:
    """Run and print all checks; exit status 1 if there is a fault."""
    colours = {Level.GOOD: "green", Level.WARNING: "yellow", Level.FAULT: "red"}
    faults = 0
    for finding in run_checks():
        mark = click.style(f"{finding.level:<8}", fg=colours[finding.level])
        click.echo(f"{mark}{finding.part:<10}{finding.words}")
        if finding.remedy:
            click.echo(f"{'':<18}→ {finding.remedy}")
        faults += finding.level == Level.FAULT
    click.echo("All is well." if not faults else f"{faults} to fix.")
    sys.exit(1 if faults else 0)
