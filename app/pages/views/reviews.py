"""Critical points of a route, and their reviews."""

from collections.abc import Collection
from typing import Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields
from sqlalchemy.orm import Session

from app.engine.report.critical_points import CriticalPoint, Kind
from app.models import ChartingRevision, PointReview
from app.pages.blueprint import answer_json, pages
from app.pages.web.access import actor
from app.pages.web.forms import read_sent, time_field
from app.pages.web.own import own_plan
from app.pages.web.visitor import current_user
from app.records.instants import format_instant
from app.services.chartings import plan_reading, reviews
from app.services.chartings.reviews import PointKey

#: Titles of kinds, most important first.
TITLES = {
    Kind.EDIT_DANGER: "Danger of the edit",
    Kind.LIMIT_NEAR: "Limit near",
    Kind.ROLLING_RISK: "Rolling risk",
    Kind.SPEED_REDUCED: "Speed reduced",
    Kind.SHALLOW: "Shallow water",
    Kind.UNPROVEN_WATER: "Unproven water",
    Kind.ZONE_NEAR: "Area",
    Kind.CANAL: "Canal",
    Kind.NARROW_PASSAGE: "Narrow passage",
    Kind.DEPARTURE: "Departure",
    Kind.ARRIVAL: "Arrival",
    Kind.HEAD_SEA: "Head sea",
    Kind.MAX_WAVE: "Highest waves",
    Kind.MAX_WIND: "Strongest wind",
    Kind.ADVERSE_CURRENT: "Adverse current",
    Kind.FORECAST_END: "Forecast ends",
    Kind.ECA_ENTRY: "ECA entry",
    Kind.ECA_EXIT: "ECA exit",
    Kind.HIGH_LATITUDE: "High latitude",
    Kind.ALTER_COURSE: "Alter course",
}

_POINT = Schema.from_dict(
    {
        "waypointIndex": fields.Integer(required=True, strict=True),
        "eta": time_field(),
    },
    name="PointForm",
)


@pages.put("/voyages/<charting_id>/revisions/<int:revision>/reviews")
def review_point(charting_id: str, revision: int) -> ResponseReturnValue:
    """Mark a critical point as reviewed."""
    key = _read_point()
    with own_plan(charting_id, revision) as (session, view):
        planned = view.planned
        points = plan_reading.list_critical_points(session, planned)
        done = reviews.review(session, actor(), planned, points, key, name=current_user.name)
        return answer_json(**present(done))


@pages.delete("/voyages/<charting_id>/revisions/<int:revision>/reviews")
def take_review_back(charting_id: str, revision: int) -> ResponseReturnValue:
    """Remove a review."""
    key = _read_point()
    with own_plan(charting_id, revision) as (session, view):
        reviews.take_back(session, actor(), view.planned, key)
    return "", 204


def list_points(session: Session, planned: ChartingRevision) -> list[dict[str, Any]]:
    """List the critical points of a revision with their reviews, by time."""
    points = plan_reading.list_critical_points(session, planned)
    reviewed = reviews.list_reviews(session, planned, points)
    return [_critical_point(point, reviewed.get(PointKey.of(point))) for point in points]


def _critical_point(point: CriticalPoint, review: PointReview | None) -> dict[str, Any]:
    return {
        "title": find_title(point.kinds),
        "waypointIndex": point.waypoint_index,
        "lat": point.position.lat,
        "lng": point.position.lng,
        "eta": format_instant(point.eta),
        "severity": point.severity.label,
        "description": point.description,
        "review": present(review) if review else None,
    }


def find_title(kinds: Collection[Kind]) -> str:
    """Return the title of a critical point: that of its most important kind."""
    return next(title for kind, title in TITLES.items() if kind in kinds)


def present(review: PointReview) -> dict[str, str]:
    """Present a review."""
    return {
        "by": review.reviewer_name or review.reviewed_by,
        "at": format_instant(review.reviewed_at),
    }


def _read_point() -> PointKey:
    point = read_sent(_POINT())
    return PointKey(point["waypointIndex"], point["eta"])
