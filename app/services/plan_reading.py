"""What a stored plan says to the people who sail it: points to look at, and reasons."""

from sqlalchemy.orm import Session

from app.engine.critical_points import CriticalPoint, find_critical_points
from app.engine.explain import explain
from app.engine.voyage import VoyageRequest
from app.models import ChartingRevision
from app.services import organizations
from app.services.engine_mapping import build_voyage_request, load_plan, read_area


def list_critical_points(session: Session, revision: ChartingRevision) -> tuple[CriticalPoint, ...]:
    """The points of a completed revision that the bridge should look at twice, by time."""
    return find_critical_points(load_plan(revision), _request(session, revision))


def explain_plan(session: Session, revision: ChartingRevision) -> list[str]:
    """Why a completed revision's route is what it is, in paragraphs."""
    asked = revision.request
    wave, wind = asked["maxWaveHeight"], asked["maxWindBf"]
    text = explain(
        load_plan(revision),
        _request(session, revision),
        wave_limit=f"Douglas {wave:g}" if wave and asked["waveUnit"] == "douglas" else None,
        wind_limit=f"Beaufort {wind:g}" if wind and asked["windUnit"] == "bf" else None,
    )
    return text.split("\n\n")


def _request(session: Session, revision: ChartingRevision) -> VoyageRequest:
    areas = [read_area(kept) for kept in revision.areas or []]
    margin_m = organizations.get(session, revision.organization_id).ukc_margin_m
    return build_voyage_request(revision, areas, margin_m)
