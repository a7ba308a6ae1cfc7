"""Commands for routes from elsewhere: ``flask route COMMAND``."""

import sys
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import click
from flask import json
from flask.cli import AppGroup

from app.api.form_body import load
from app.engine.codes import Severity
from app.models import Role
from app.records.route_check import RouteCheckRequestSchema, RouteCheckSchema
from app.services.chartings import route_checks
from app.services.chartings.route_checks import RouteCheck
from app.services.errors import Invalid
from app.services.identity import organizations
from app.services.platform.actor import Actor
from app.services.platform.sessions import operator_session
from app.services.vessels import vessels

#: Exit status if there is a danger or a warning; 1 and 2 are those of errors and of wrong usage.
_GRAVE_STATUS: Final = 3

group = AppGroup("route")


@group.command("check")
@click.argument("file", type=click.Path(exists=True, path_type=Path, dir_okay=False))
@click.option("--vessel", "vessel_id", required=True, help="Id of the vessel")
@click.option("--org", help="Name of its organization; looked for unless given")
@click.option("--draft", type=float, help="Mean draught [m]; the design draught unless given")
@click.option(
    "--start", help="Departure, RFC 3339, to which the file's times are moved; the file's or now"
)
@click.option("--speed", type=float, help="Speed where the file has none [kn]; service speed")
@click.option("--json", "as_json", is_flag=True, help="Print what the API would answer")
def check_route(
    file: Path,
    vessel_id: str,
    org: str | None,
    draft: float | None,
    start: str | None,
    speed: float | None,
    as_json: bool,
) -> None:
    """Check a route file (RTZ, GPX, KML, GeoJSON, CSV, XLSX) for a vessel; nothing is stored.

    The exit status is 3 if there is a danger or a warning, 2 for wrong usage, 1 if the route cannot
    be checked.
    """
    organization_id = _find_organization(vessel_id, org)
    actor = Actor(organization_id, "operator", Role.VIEWER, is_operator=True)
    with operator_session(organization_id) as session:
        vessel = vessels.get(session, organization_id, vessel_id)
        given = vessel.draft_design_m if draft is None else draft
        values = {"vesselId": vessel_id, "draft": given, "startDate": start, "speed": speed}
        asked = _load(values)
        found = route_checks.check(session, actor, asked, file.read_bytes())
    if as_json:
        click.echo(json.dumps(RouteCheckSchema.write(found), ensure_ascii=False))
    else:
        _print(found)
    if any(f.severity in (Severity.DANGER, Severity.WARNING) for f in found.findings):
        sys.exit(_GRAVE_STATUS)


def _load(values: dict[str, Any]) -> dict[str, Any]:
    """Read the fields of a check as the API does."""
    try:
        return load(RouteCheckRequestSchema, values)
    except Invalid as error:
        faults = [f._replace(detail=f"{f.pointer[1:]}: {f.detail}") for f in error.faults]
        raise Invalid(faults) from error


def _find_organization(vessel_id: str, name: str | None) -> UUID:
    if name is not None:
        return organizations.get_by_name(name)
    for organization_id in organizations.list_ids():
        with operator_session(organization_id) as session:
            if vessels.find(session, organization_id, vessel_id) is not None:
                return organization_id
    raise click.ClickException(f"There is no vessel {vessel_id}.")


def _print(found: RouteCheck) -> None:
    for finding in found.findings:
        click.echo(f"{finding.severity:8} {finding.code:22} {finding.message}")
    counts = (f"{sum(f.severity is s for f in found.findings)} {s}" for s in Severity)
    click.echo(", ".join(counts))
    summary = found.summary
    if summary is not None:
        click.echo(
            f"{summary.distance_nm:.1f} nm, {summary.duration_h:.1f} h, {summary.fuel_t:.1f} t"
            f" fuel, arrival {summary.eta:%Y-%m-%d %H:%M} UTC"
        )
