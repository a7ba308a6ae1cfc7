"""Constraints page: areas that later chartings avoid."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate
from shapely.geometry import mapping

from app.models import AreaCollection, AreaLevel, AreaRecord, AreaType, Role, utc_now
from app.pages.blueprint import answer_file, answer_json, pages
from app.pages.charts.chart_areas import list_zones_in_force
from app.pages.charts.route_map import lay_out_chart, render
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import check_line, check_lines, read_sent
from app.pages.web.own import answer_once, own_session
from app.pages.web.visitor import current_user
from app.records.instants import format_instant
from app.records.vessel import VESSEL_TYPES
from app.services.areas import area_files, areas
from app.services.areas.area_impact import AreaImpact, find_affected, list_planned_lines
from app.services.areas.geojson import parse_area
from app.services.errors import Invalid, PreconditionFailed

_COLLECTION = AreaCollection.CONSTRAINT

#: The form; ``version`` is that of the constraint when it was opened.
_FORM = Schema.from_dict(
    {
        "name": fields.String(
            required=True, validate=(validate.Length(1, 200, error="Enter a name."), check_line)
        ),
        "geometry": fields.Raw(required=True),
        "type": fields.String(required=True, validate=validate.OneOf(list(AreaType))),
        "level": fields.String(required=True, validate=validate.OneOf(list(AreaLevel))),
        "vessel_type_codes": fields.List(
            fields.Integer(validate=validate.OneOf(list(VESSEL_TYPES))), load_default=None
        ),
        "start_date": fields.Date(load_default=None, allow_none=True),
        "end_date": fields.Date(load_default=None, allow_none=True),
        "is_active": fields.Boolean(load_default=True),
        "description": fields.String(
            load_default=None, validate=(validate.Length(max=2000), check_lines)
        ),
        "version": fields.Integer(load_default=None),
    },
    name="ConstraintForm",
)

#: Fields sent to check an area while it is drawn.
_CHECK = Schema.from_dict(
    {
        name: _FORM._declared_fields[name]
        for name in ("geometry", "level", "vessel_type_codes", "start_date", "end_date")
    },
    name="ConstraintCheck",
)


@pages.get("/constraints")
def constraints() -> ResponseReturnValue:
    """Show the constraints on the chart."""
    with own_session() as session:
        found = areas.list_areas(session, organization_id(), _COLLECTION)
        data = {
            "constraints": [_present(area) for area in found],
            "zones": list_zones_in_force(utc_now()),
            "address": url_for("pages.create_constraint"),
            "checkAddress": url_for("pages.check_constraint"),
            "importAddress": url_for("pages.read_constraint_file"),
            "mayDraw": current_user.may_plan,
            "draftOf": str(current_user.user_id),
            "routes": list_planned_lines(session, organization_id()),
        }
    return render_template(
        "constraints/constraints.html",
        chart_parts=render(lay_out_chart(centre=(40.0, -8.0), zoom=3.5)),
        vessel_types=VESSEL_TYPES,
        may_draw=current_user.may_plan,
        page_data=data,
    )


@pages.post("/constraints")
def create_constraint() -> ResponseReturnValue:
    """Save a new constraint."""
    actor().require(Role.PLANNER)
    asked = _read()
    with own_session() as session:

        def create() -> Response:
            return answer_json(**_present(areas.create(session, actor(), _COLLECTION, asked)))

        return answer_once(session, create)


@pages.put("/constraints/<constraint_id>")
def update_constraint(constraint_id: str) -> ResponseReturnValue:
    """Save a change, unless another user has changed the constraint since."""
    actor().require(Role.PLANNER)
    asked = _read()
    with own_session() as session:
        area = areas.get(session, organization_id(), _COLLECTION, constraint_id)
        areas.refuse_change(actor(), area)
        if asked["version"] != area.version:
            raise PreconditionFailed(
                f"{area.updated_by} changed {area.name} at {area.updated_at:%H:%M} UTC, after you"
                " opened it. Nothing is saved yet.",
                current=_present(area),
            )
        return answer_json(**_present(areas.update(session, actor(), area, asked)))


@pages.delete("/constraints/<constraint_id>")
def delete_constraint(constraint_id: str) -> ResponseReturnValue:
    """Delete a constraint."""
    actor().require(Role.PLANNER)
    with own_session() as session:
        area = areas.get(session, organization_id(), _COLLECTION, constraint_id)
        areas.delete(session, actor(), area)
    return "", 204


@pages.post("/constraints/check")
def check_constraint() -> ResponseReturnValue:
    """Return the voyages that an area affects, and its outline split at the antimeridian.

    An invalid outline is reported as faults, because it is still being drawn.
    """
    try:
        asked = read_sent(_CHECK())
        geometry = parse_area(asked["geometry"], "/geometry")
    except Invalid as error:
        return answer_json(
            affected=[], split=None, faults=[fault._asdict() for fault in error.faults]
        )
    by_type = asked["level"] == AreaLevel.VESSEL_TYPE
    with own_session() as session:
        affected = find_affected(
            session,
            organization_id(),
            geometry,
            first_day=asked["start_date"],
            last_day=asked["end_date"],
            vessel_type_codes=asked["vessel_type_codes"] or [] if by_type else None,
        )
    shown = [_present_impact(impact) for impact in affected]
    return answer_json(affected=shown, split=mapping(geometry), faults=[])


@pages.post("/constraints/file")
def read_constraint_file() -> ResponseReturnValue:
    """Read areas from a GeoJSON or KML file; nothing is stored.

    Of an area only what the file states is returned; ``leftOut`` names what is no area.
    """
    actor().require(Role.PLANNER)
    file = request.files.get("file")
    found = area_files.read_areas(file.read() if file else b"")
    stated = [
        {name: value for name, value in area._asdict().items() if value is not None}
        for area in found.areas
    ]
    return answer_json(areas=stated, leftOut=found.left_out)


@pages.get("/constraints.<kind>")
def constraints_file(kind: str) -> Response:
    """Download the constraints as a file."""
    if kind not in _WRITERS:
        abort(404)
    write, mimetype = _WRITERS[kind]
    with own_session() as session:
        content = write(areas.list_areas(session, organization_id(), _COLLECTION))
    return answer_file(content, mimetype, f"constraints.{kind}")


_WRITERS: dict[str, tuple[Callable[[Sequence[AreaRecord]], bytes], str]] = {
    "geojson": (area_files.write_geojson, "application/geo+json"),
    "kml": (area_files.write_kml, "application/vnd.google-earth.kml+xml"),
}


def _read() -> dict[str, Any]:
    asked = read_sent(_FORM())
    own = [str(organization_id())] if asked["level"] == AreaLevel.ORGANIZATION else None
    return asked | {"organization_ids": own}


def _present(area: AreaRecord) -> dict[str, Any]:
    return {
        "id": str(area.id),
        "address": url_for("pages.update_constraint", constraint_id=area.id),
        "geometry": area.drawn,
        **areas.describe(area),
        "vessel_type_codes": area.vessel_type_codes or [],
        "version": area.version,
        "readOnly": not areas.may_change(actor(), area),
    }


def _present_impact(impact: AreaImpact) -> dict[str, Any]:
    return {
        "address": url_for("pages.route", charting_id=impact.charting_id),
        "vessel": impact.vessel_name,
        "from": impact.port_from_name,
        "to": impact.port_to_name,
        "fromTime": format_instant(impact.crossing.from_time),
        "toTime": format_instant(impact.crossing.to_time),
        "insideNm": round(impact.crossing.inside_nm, 1),
        "lines": impact.lines,
    }
