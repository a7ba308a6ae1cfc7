"""Ticks on the critical points of a route."""

from datetime import UTC

from flask import request
from flask.typing import ResponseReturnValue
from flask_login import current_user
from marshmallow import Schema, fields
from sqlalchemy.orm import Session

from app.models import ChartingRevision, PointReview
from app.pages.access import actor, organization_id
from app.pages.blueprint import answer_json, pages
from app.pages.forms import read_form
from app.services import chartings, plan_reading, reviews
from app.services.instants import format_instant
from app.services.reviews import PointKey
from app.services.sessions import organization_session

_POINT = Schema.from_dict(
    {
        "waypointIndex": fields.Integer(required=True, strict=True),
        "eta": fields.AwareDateTime(required=True, format="iso", default_timezone=UTC),
    },
    name="PointForm",
)


@pages.put("/voyages/<charting_id>/revisions/<int:revision>/reviews")
def review_point(charting_id: str, revision: int) -> ResponseReturnValue:
    """Note that a critical point was looked at."""
    key = _read_point()
    with organization_session(organization_id()) as session:
        planned = _planned(session, charting_id, revision)
        points = plan_reading.list_critical_points(session, planned)
        done = reviews.review(session, actor(), planned, points, key, name=current_user.name)
        return answer_json(**present(done))


@pages.delete("/voyages/<charting_id>/revisions/<int:revision>/reviews")
def take_review_back(charting_id: str, revision: int) -> ResponseReturnValue:
    """Take that note away."""
    key = _read_point()
    with organization_session(organization_id()) as session:
        reviews.take_back(session, actor(), _planned(session, charting_id, revision), key)
    return "", 204


def present(review: PointReview) -> dict[str, str]:
    """A review as the page shows it."""
    return {
        "by": review.reviewer_name or review.reviewed_by,
        "at": format_instant(review.reviewed_at),
    }


def _planned(session: Session, charting_id: str, revision: int) -> ChartingRevision:
    return chartings.get_planned(session, organization_id(), charting_id, revision).planned


def _read_point() -> PointKey:
    point = read_form(_POINT(), request.get_json(silent=True))
    return PointKey(point["waypointIndex"], point["eta"])
