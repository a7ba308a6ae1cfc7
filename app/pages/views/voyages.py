"""List of voyages: filtered, sorted, compared, archived, exported."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.exports.formats import guard_cell, write_table
from app.models import ChartingStatus, Role, Vessel
from app.pages.blueprint import answer_file, pages
from app.pages.presenters import presenters
from app.pages.presenters.filters import figure
from app.pages.presenters.voyage_comparison import compare_figures
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import fetch_asked_page, read_day
from app.pages.web.own import own_session
from app.records.instants import first_instant, last_instant
from app.records.texts import drop_faulty
from app.services.chartings import charting_search, chartings
from app.services.chartings.charting_search import ChartingFilter, ChartingView
from app.services.chartings.charting_statements import ChartingColumn, Order
from app.services.errors import NotFound
from app.services.platform.ids import find_id
from app.services.platform.paging import Page
from app.services.vessels import vessels

_PAGE_SIZE: Final = 25
#: Maximum number of voyages in a file.
_MOST_IN_FILE: Final = 10_000
_FILE_PAGE: Final = 200
#: Maximum number of voyages to compare, by the width of a screen.
MOST_COMPARED: Final = 6

_CSV: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id",),
    "from": ("from",),
    "to": ("to",),
    "vessel": ("vessel",),
    "status": ("status",),
    "depart": ("departsAt",),
    "arrive": ("summary", "eta"),
    "objective": ("objective",),
    "distance_nm": ("summary", "distanceNm"),
    "duration_h": ("summary", "durationH"),
    "avg_speed_kn": ("summary", "avgSpeedKn"),
    "fuel_mt": ("summary", "fuelMt"),
    "co2_mt": ("summary", "co2Mt"),
    "saved_pct": ("summary", "savedPct"),
    "eca_nm": ("summary", "ecaDistanceNm"),
    "max_wave_m": ("summary", "maxWaveM"),
    "max_wind_ms": ("summary", "maxWindMs"),
    "forecast_coverage_pct": ("summary", "forecastCoveragePct"),
}


class ListQuery:
    """Filters and sort order from the address; invalid ones are reported and ignored."""

    def __init__(self, asked: Mapping[str, str]) -> None:
        self.parameters = {
            name: drop_faulty(asked.get(name, "")).strip()
            for name in ("search", "status", "vessel", "from", "to", "archived", "sort")
        }
        self.faults: dict[str, str] = {}
        first, last = self._day("from"), self._day("to")
        if first and last and last < first:
            self.faults["to"] = "The last day lies before the first."
        sort, status = self.parameters["sort"] or "-created", self.parameters["status"]
        column = sort.removeprefix("-")
        known = column in set(ChartingColumn)
        self.column = ChartingColumn(column) if known else ChartingColumn.CREATED
        self.is_descending = sort.startswith("-") if known else True
        self.filter = ChartingFilter(
            search=self.parameters["search"],
            status=status if status in set(ChartingStatus) else None,
            vessel_id=self.parameters["vessel"] or None,
            departs_from=first_instant(first) if first else None,
            departs_to=last_instant(last) if last else None,
            archived=self.is_archived,
        )

    @property
    def is_archived(self) -> bool:
        """Return whether the list has archived voyages instead of the others."""
        return self.parameters["archived"] == "yes"

    @property
    def is_filtered(self) -> bool:
        """Return whether a filter is set."""
        return any(
            value for name, value in self.parameters.items() if name not in ("sort", "archived")
        )

    def with_changes(self, **changes: Any) -> dict[str, Any]:
        """Return the query parameters with some changed, empty ones left out."""
        return {name: value for name, value in (self.parameters | changes).items() if value}

    def sorted_by(self, column: str) -> dict[str, Any]:
        """Return the address that sorts by a column, or reverses it if sorted already."""
        is_turned = self.column == column and self.is_descending
        return self.with_changes(sort=column if is_turned else f"-{column}")

    def direction(self, column: str) -> str:
        """Return a column's sort direction, for ``aria-sort``."""
        if self.column != column:
            return "none"
        return "descending" if self.is_descending else "ascending"

    def fetch(self, session: Session, page: int, page_size: int) -> Page[Any]:
        """Fetch a page of the list."""
        order = Order(self.column, self.is_descending, newest_within=True)
        return charting_search.list_page(
            session, organization_id(), page, page_size, self.filter, order=order
        )

    def _day(self, name: str) -> date | None:
        text = self.parameters[name]
        if not text:
            return None
        try:
            return read_day(text)
        except ValueError:
            self.faults[name] = f"{text} is not a valid day. Enter one like 14 Jan 2026."
            return None


@pages.get("/voyages")
def voyages() -> ResponseReturnValue:
    """List the voyages, filtered and sorted, in pages."""
    query = ListQuery(request.args)
    with own_session() as session:
        found = fetch_asked_page(lambda page: query.fetch(session, page, _PAGE_SIZE))
        listed = presenters.chartings(session, found.items)
        ships = [*_list_ships(session, query.filter.vessel_id)]
    return render_template(
        "voyages/voyages.html",
        chartings=listed,
        found=found,
        query=query,
        vessels=ships,
        statuses=list(ChartingStatus),
        most_compared=MOST_COMPARED,
    )


def _list_ships(session: Session, chosen: str | None) -> Iterator[tuple[str, str]]:
    """List id and name of the fleet's vessels, and of a chosen one that was deleted."""
    fleet = vessels.list_fleet(session, organization_id())
    yield from ((str(vessel.id), _name(vessel)) for vessel in fleet)
    chosen_id = find_id(chosen or "")
    if chosen_id and chosen_id not in {vessel.id for vessel in fleet}:
        with suppress(NotFound):
            gone = vessels.get_any(session, organization_id(), chosen_id)
            yield str(chosen), f"{_name(gone)} (no longer in the fleet)"


def _name(vessel: Vessel) -> str:
    return vessel.name or vessel.imo or "Unnamed"


@pages.get("/voyages.csv")
def voyages_csv() -> ResponseReturnValue:
    """Download the filtered and sorted list as CSV (RFC 4180)."""
    query = ListQuery(request.args)
    rows: list[Iterable[Any]] = [_CSV]
    with own_session() as session:
        for page in range(1, _MOST_IN_FILE // _FILE_PAGE + 1):
            found = query.fetch(session, page, _FILE_PAGE)
            listed = presenters.chartings(session, found.items)
            rows += ([_cell(row, path) for path in _CSV.values()] for row in listed)
            if page >= found.total_pages:
                break
    return answer_file(write_table(rows), "text/csv", "voyages.csv")


@pages.get("/voyages/compare")
def compare_voyages() -> ResponseReturnValue:
    """Compare the selected voyages."""
    asked = request.args.getlist("id")
    with own_session() as session:
        found = [*_find_views(session, asked[:MOST_COMPARED])]
        listed = [
            row | {"label": view.planned.label}
            for row, view in zip(presenters.chartings(session, found), found, strict=True)
        ]
        options = list_differing_options([view.planned.request for view in found])
    if asked and not found:
        raise NotFound("None of these voyages exists.")
    return render_template(
        "voyages/compare.html",
        chartings=listed,
        figures=compare_figures(listed),
        options=options,
        missing=len(asked[:MOST_COMPARED]) - len(found),
        left_out=len(asked[MOST_COMPARED:]),
    )


def _find_views(session: Session, asked: Iterable[str]) -> Iterator[ChartingView]:
    """Find voyages; those that do not exist are skipped."""
    for each in asked:
        with suppress(NotFound):
            yield chartings.get_view(session, organization_id(), each, with_plan=False)


@pages.post("/voyages/selected")
def act_on_voyages() -> ResponseReturnValue:
    """Compare, archive or restore the selected voyages."""
    chosen = request.form.getlist("id")
    if request.form.get("act") == "compare":
        return redirect(url_for("pages.compare_voyages", id=chosen))
    actor().require(Role.PLANNER)
    with own_session() as session:
        ids = [find_id(each) for each in chosen]
        selected = chartings.get_all(session, organization_id(), ids).values()
        if request.form.get("act") == "restore":
            chartings.restore(session, organization_id(), selected)
        else:
            for charting in selected:
                chartings.archive(charting)
    here = ListQuery(request.form)
    return redirect(url_for("pages.voyages", **here.with_changes()))


def _cell(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = row
    for name in path:
        value = None if value is None else value.get(name)
    return "" if value is None else guard_cell(value)


#: Switches of a request with their labels, and numbers with label, unit and decimals.
_SWITCHES: Final = {
    "avoidPiracyAreas": "Avoid piracy areas",
    "avoidWarZones": "Avoid war-risk areas",
    "avoidEca": "Minimise ECA distance",
}
_NUMBERS: Final = {
    "draft": ("Draught", "m", 2),
    "speedRangeMin": ("Speed from", "kn", 1),
    "speedRangeMax": ("Speed to", "kn", 1),
    "maxNorthLat": ("Not north of", "°", 2),
    "maxSouthLat": ("Not south of", "°", 2),
}
_ROUTES: Final = {"WX": "Weather", "GC": "Great circle", "RL": "Rhumb line"}


def list_differing_options(
    requests: Sequence[Mapping[str, Any]],
) -> list[tuple[str, str, list[str]]]:
    """List label, unit and values of each option in which some requests differ."""
    rows = [
        *(
            (label, "", ["yes" if asked[name] else "no" for asked in requests])
            for name, label in _SWITCHES.items()
        ),
        *(
            (label, unit, [figure(asked[name], decimals) for asked in requests])
            for name, (label, unit, decimals) in _NUMBERS.items()
        ),
        ("Route kind", "", [_ROUTES[asked["routeType"]] for asked in requests]),
    ]
    return [row for row in rows if len(set(row[2])) > 1]
