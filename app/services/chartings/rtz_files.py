"""RTZ files of stored plans."""

from app.exports.rtz import RtzVersion, render_rtz
from app.models import ChartingRevision
from app.services.engine_mapping import load_plan


def write_rtz(
    revision: ChartingRevision, route_name: str, version: RtzVersion = RtzVersion.V1_1
) -> bytes:
    """Write the plan of a completed revision as RTZ, with the editor and reason of an edit."""
    ship = revision.vessel
    return render_rtz(
        load_plan(revision),
        route_name=route_name,
        vessel_name=ship["name"],
        imo=ship["imo"],
        revision=revision.revision,
        edited=_describe_edit(revision),
        version=version,
    )


def _describe_edit(revision: ChartingRevision) -> str:
    edit = revision.edit
    if edit is None:
        return ""
    words = f"edited by {edit['by']} from revision {edit['baseRevision']}"
    return f"{words}: {edit['reason']}" if edit["reason"] else words
