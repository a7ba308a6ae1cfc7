"""Chart of a voyage under way: plan, advised route, areas, limits broken, track made good."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy.orm import Session

from app.engine.telemetry.records import VoyageRecords, drop_spikes
from app.models import (
    AdviceState,
    Charting,
    ChartingRevision,
    ExecutionState,
    VoyageAdvice,
    VoyageExecution,
    utc_now,
)
from app.pages.charts.chart_areas import keep_in_force, list_kept_areas
from app.records.instants import parse_instant
from app.services.areas.areas_in_force import list_areas
from app.services.engine_mapping import snapshot_area
from app.services.monitoring import position_reports
from app.services.vessels import telemetry

#: Approximate maximum number of positions of the track made good on the chart.
_MOST_PLACES: Final = 500


def describe_chart(
    session: Session,
    charting: Charting,
    followed: ChartingRevision,
    voyage: VoyageExecution,
    given: Sequence[VoyageAdvice],
) -> dict[str, Any]:
    """Return the data of the chart for the page's script; ``given`` is the voyage's advice."""
    return {
        "waypoints": [
            {key: point[key] for key in ("lat", "lng", "courseDeg")}
            for point in (followed.plan or {})["waypoints"]
        ],
        **_describe_outlook(session, followed, voyage),
        "advised": _list_advised(given),
        "sailed": _list_sailed(session, voyage) if voyage.progress else [],
        "headingDeg": voyage.progress and _find_heading(session, charting, voyage.progress["time"]),
    }


def _describe_outlook(
    session: Session, followed: ChartingRevision, voyage: VoyageExecution
) -> dict[str, Any]:
    """Describe the areas in force now and what the rest of the plan breaks, while under way.

    Of any other voyage, describe the areas that it was planned with.
    """
    if voyage.state != ExecutionState.UNDER_WAY:
        kept = keep_in_force(followed.areas or [], followed)
        return {"areas": list_kept_areas(kept), "breaches": []}
    areas = list_areas(session, followed, since=voyage.departed_at)
    present = keep_in_force(map(snapshot_area, areas), followed, voyage.departed_at)
    return {
        "areas": list_kept_areas(present),
        "breaches": voyage.outlook["breaches"] if voyage.outlook else [],
    }


def _list_advised(given: Sequence[VoyageAdvice]) -> list[dict[str, Any]]:
    """List the waypoints of the open advice."""
    is_open = (advice for advice in given if advice.state == AdviceState.OPEN)
    content = next((advice.content for advice in is_open), {})
    waypoints: list[dict[str, Any]] = content.get("waypoints", [])
    return waypoints


def _list_sailed(session: Session, voyage: VoyageExecution) -> Sequence[tuple[float, float]]:
    """List the positions of the track made good."""
    return _list_places(position_reports.load_reports(session, voyage, utc_now()).records)


def _find_heading(session: Session, charting: Charting, time: str) -> float | None:
    """Return the heading [deg] that telemetry has for a time."""
    at = parse_instant(time)
    records = telemetry.list_page(session, charting.vessel, at, at, 1, 1).items
    return records[0].heading_deg if records else None


def _list_places(records: VoyageRecords) -> Sequence[tuple[float, float]]:
    """Thin the track made good, without spikes and with its last position."""
    track = drop_spikes(records)
    lats, lngs = track.lats, track.lngs
    if not lats.size:
        return []
    step = max(1, lats.size // _MOST_PLACES)
    thinned = [*range(0, lats.size - 1, step), lats.size - 1]
    return [(float(lats[i]), float(lngs[i])) for i in thinned]
