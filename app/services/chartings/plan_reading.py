"""Views of a stored plan: critical points, segments, explanation, RTZ."""

from collections.abc import Hashable, Sequence
from operator import attrgetter
from threading import Lock
from typing import Any, Final

from cachetools import LRUCache, cached
from sqlalchemy.orm import Session

from app.engine.codes import Severity
from app.engine.report.critical_points import CriticalPoint, EditDanger, find_critical_points
from app.engine.report.explanation import explain
from app.engine.report.segments import Segment, SplitIndexError, compute_segments
from app.engine.request import Position, VoyageRequest
from app.exports.formats import build_route_name
from app.exports.rtz import RtzVersion, render_rtz
from app.models import ChartingRevision, utc_now
from app.records.instants import format_instant, parse_instant
from app.services.areas.area_stays import CrossedArea, list_stays
from app.services.charting_request import name_departure
from app.services.engine_mapping import build_voyage_request, load_plan, read_area
from app.services.errors import Invalid, NotFound
from app.services.identity import organizations
from app.services.platform.ids import lock_row

#: Plans whose critical points a process caches: every page and every review needs them.
_PLANS_KEPT: Final = 256


def _version(session: Session, revision: ChartingRevision) -> Hashable:
    """Return the cache key of a completed revision's critical points."""
    margin_m = organizations.get(session, revision.organization_id).ukc_margin_m
    return revision.charting_id, revision.revision, revision.finished_at, margin_m


@cached(LRUCache(_PLANS_KEPT), key=_version, lock=Lock())
def list_critical_points(session: Session, revision: ChartingRevision) -> tuple[CriticalPoint, ...]:
    """The critical points of a completed revision, by time."""
    plan, request = load_plan(revision), build_request(session, revision)
    return find_critical_points(plan, request, _list_dangers(revision))


def _list_dangers(revision: ChartingRevision) -> list[EditDanger]:
    """The dangers with which an edited revision was saved."""
    findings = (revision.edit or {}).get("findings", [])
    return [_read_danger(each) for each in findings if each["severity"] == Severity.DANGER]


def _read_danger(finding: dict[str, Any]) -> EditDanger:
    leg, lat = finding["legIndex"], finding["lat"]
    place = None if lat is None else Position(lat, finding["lng"])
    index = (finding["waypointIndex"] or 0) if leg is None else leg + 1
    return EditDanger(finding["message"], index, place)


def get_spread(revision: ChartingRevision) -> dict[str, Any]:
    """The stored spread of a completed revision; raises :class:`NotFound` if it has none."""
    spread: dict[str, Any] | None = (revision.plan or {}).get("spread")
    if spread is None:
        raise NotFound("This plan has no spread. Re-plan the voyage with weather to have one.")
    return spread


def list_areas_met(revision: ChartingRevision) -> list[CrossedArea]:
    """Stays inside the areas in force that a completed revision was planned with, by time.

    The entries and exits are interpolated between the samples of the dense profile.
    """
    met = [
        CrossedArea(area, stay)
        for area in map(read_area, revision.areas or [])
        for stay in list_stays(revision.profile or [], area.geometry, area.starts_at, area.ends_at)
    ]
    return sorted(met, key=attrgetter("crossing.from_time"))


def list_segments(
    revision: ChartingRevision, split_indices: Sequence[int] | None
) -> tuple[Segment, ...]:
    """Segments of a completed revision, split at waypoints; one per leg without indices.

    Raises :class:`Invalid` for an index at which the plan cannot be split.
    """
    try:
        return compute_segments(load_plan(revision), split_indices)
    except SplitIndexError as error:
        raise Invalid.at(f"/splitIndices/{error.position}", error.detail) from error


def get_explanation(session: Session, revision: ChartingRevision) -> dict[str, str]:
    """The explanation of a completed revision as served, written once and stored with its plan."""
    plan = revision.plan or {}
    if "explanation" not in plan:
        lock_row(session, revision, "charting", only=["plan"])
        plan = revision.plan or {}
    if "explanation" not in plan:
        plan = plan | {"explanation": _write_explanation(session, revision)}
        revision.plan = plan
        session.flush()
    explanation: dict[str, str] = plan["explanation"]
    return explanation


def explain_plan(session: Session, revision: ChartingRevision) -> list[str]:
    """The explanation of a completed revision, in paragraphs."""
    return get_explanation(session, revision)["summary"].split("\n\n")


def _write_explanation(session: Session, revision: ChartingRevision) -> dict[str, str]:
    asked = revision.request
    summary = explain(
        load_plan(revision),
        build_request(session, revision),
        wave_limit=_degree(asked, "maxWaveHeight", "waveUnit", "douglas", "Douglas"),
        wind_limit=_degree(asked, "maxWindBf", "windUnit", "bf", "Beaufort"),
        is_edited=revision.edit is not None,
    )
    return {"summary": summary, "generatedAt": format_instant(utc_now())}


def _degree(asked: dict[str, Any], limit: str, unit: str, by_scale: str, scale: str) -> str | None:
    """A limit in the degrees of a scale, if it was given so; ``None`` otherwise."""
    value = asked[limit]
    return f"{scale} {value:g}" if value is not None and asked[unit] == by_scale else None


def build_request(session: Session, revision: ChartingRevision) -> VoyageRequest:
    """Build the request of a revision, with the areas that it was planned with."""
    areas = [read_area(kept) for kept in revision.areas or []]
    margin_m = organizations.get(session, revision.organization_id).ukc_margin_m
    return build_voyage_request(revision, areas, margin_m)


def name_route(revision: ChartingRevision) -> str:
    """The name of a revision's route and of its files, see :func:`build_route_name`."""
    asked = revision.request
    return build_route_name(
        asked["portFromName"],
        asked["portToName"],
        parse_instant(asked["startDate"]),
        revision.revision,
    )


def write_rtz(revision: ChartingRevision, version: RtzVersion = RtzVersion.V1_1) -> bytes:
    """Write the plan of a completed revision as RTZ, with the editor and reason of an edit."""
    ship = revision.vessel
    return render_rtz(
        load_plan(revision),
        route_name=name_route(revision),
        vessel_name=ship["name"],
        imo=ship["imo"],
        # plans of earlier versions were stored without it
        mmsi=ship.get("mmsi"),
        ports=(name_departure(revision.request), revision.request["portToName"]),
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
