"""The list of chartings."""

from flask import render_template, request
from flask.typing import ResponseReturnValue

from app.pages import rows
from app.pages.access import organization_id
from app.pages.blueprint import pages
from app.services import charting_search
from app.services.charting_search import ChartingFilter
from app.services.sessions import organization_session

_PAGE_SIZE = 25


@pages.get("/voyages")
def voyages() -> ResponseReturnValue:
    """List chartings, newest first, by words and page."""
    search = request.args.get("search", "").strip()
    page = max(request.args.get("page", 1, type=int), 1)
    with organization_session(organization_id()) as session:
        found = charting_search.list_page(
            session, organization_id(), page, _PAGE_SIZE, ChartingFilter(search=search)
        )
        listed = rows.chartings(session, found.items)
    return render_template("voyages/voyages.html", chartings=listed, found=found, search=search)
