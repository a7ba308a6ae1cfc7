"""Effects of constraints, client data, zones and no-go areas on a route."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from shapely import LineString, box
from shapely.geometry import mapping
from sqlalchemy import select

from app.datasources.enc import ChartCell, write_cell
from app.engine.area import AreaKind
from app.models import ChartingRevision, Role
from app.services.areas import charts
from app.services.areas.areas_in_force import list_areas
from app.services.identity import keys
from app.services.platform.sessions import operator_session
from tests.integration.client import CHARTING, ApiClient

pytestmark = [pytest.mark.atlas, pytest.mark.usefixtures("atlas", "redis")]

Plan = Callable[..., None]

#: From Kent to Picardy: nothing passes the Strait of Dover.
ACROSS_THE_CHANNEL = box(0.9, 50.4, 1.75, 51.2)
NEW_YORK: dict[str, Any] = {
    "latTo": 40.45,
    "lngTo": -73.8,
    "portToName": "New York",
    "avoidWarZones": False,
    "avoidPiracyAreas": False,
}

#: A place in Kent whose nearest water is six miles off, at Folkestone.
FROM_ASHORE: dict[str, Any] = {
    "latFrom": 51.2,
    "lngFrom": 1.2,
    "portFromName": "Barham",
    "latTo": 51.98,
    "lngTo": 4.0,
    "portToName": "Rotterdam",
}


def constraint(client: ApiClient, path: str = "/constraints", **changes: Any) -> str:
    body = {
        "name": "Across the Channel",
        "geometry": mapping(ACROSS_THE_CHANNEL),
        "type": "USER_DEFINED",
        "level": "GLOBAL",
    }
    response = client.post(path, body | changes)
    assert response.status_code == 201, response.text
    made: str = response.get_json()["id"]
    return made


def planned(client: ApiClient, plan: Plan, **changes: Any) -> dict[str, Any]:
    charting_id = client.order(**NEW_YORK | changes)["id"]
    plan(charting_id)
    done: dict[str, Any] = client.get(f"/charting/{charting_id}").get_json()
    return done


def goes_north_about(charting: dict[str, Any]) -> bool:
    assert charting["status"] == "COMPLETED", charting["failure"]
    return max(waypoint["lat"] for waypoint in charting["waypoints"]) > 58


def test_a_constraint_across_the_channel_sends_a_charting_north_about(
    planner: ApiClient, plan: Plan
) -> None:
    straight = planned(planner, plan)
    assert not goes_north_about(straight)
    id_ = constraint(planner)
    charting = planned(planner, plan)
    assert goes_north_about(charting)
    points = [(waypoint["lng"], waypoint["lat"]) for waypoint in charting["waypoints"]]
    assert not LineString(points).intersects(ACROSS_THE_CHANNEL)
    assert charting["provenance"]["constraints"] == [id_]
    assert charting["summary"]["distanceNm"] > straight["summary"]["distanceNm"] + 50


def test_a_wall_half_a_mile_wide_is_not_stepped_over(planner: ApiClient, plan: Plan) -> None:
    """From Thanet to the cliffs of Caux, far narrower than the steps of any search."""
    wall = box(1.35, 49.9, 1.36, 51.36)
    constraint(planner, geometry=mapping(wall))
    charting = planned(planner, plan)
    assert goes_north_about(charting)


def test_what_does_not_reach_a_charting_does_nothing_to_it(
    planner: ApiClient, stranger: ApiClient, plan: Plan
) -> None:
    """Inactive, outside its dates, for another vessel type, another organization's."""
    constraint(planner, is_active=False)
    constraint(planner, end_date="2026-02-28")
    constraint(planner, start_date="2027-03-01")
    constraint(planner, level="VESSEL_TYPE", vesselTypeIds=["2", "5"])
    constraint(planner, "/client-data", level="VESSEL_TYPE", vesselTypeIds=["2"])
    constraint(stranger)
    constraint(stranger, "/client-data")
    charting = planned(planner, plan)
    assert not goes_north_about(charting)
    assert charting["provenance"]["constraints"] == []


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("/constraints", {"level": "VESSEL_TYPE", "vesselTypeIds": [1, 2]}),
        ("/client-data", {"start_date": "2026-03-01", "end_date": "2026-03-02"}),
    ],
)
def test_what_reaches_a_charting_binds_it(
    planner: ApiClient, plan: Plan, path: str, changes: dict[str, Any]
) -> None:
    id_ = constraint(planner, path, **changes)
    charting = planned(planner, plan)
    assert goes_north_about(charting)
    assert charting["provenance"]["constraints"] == [id_]


def test_a_constraint_whose_days_the_ship_does_not_meet_is_sailed_through(
    planner: ApiClient, plan: Plan
) -> None:
    """The ship passes Dover within a day; the area binds from the fourth day on."""
    id_ = constraint(planner, start_date="2026-03-04")
    charting = planned(planner, plan)
    assert not goes_north_about(charting)
    assert charting["provenance"]["constraints"] == [id_]


def test_an_operators_constraint_binds_everyone(
    planner: ApiClient, stranger: ApiClient, app: Flask, plan: Plan, other_organization_id: Any
) -> None:
    with app.app_context(), operator_session(other_organization_id) as session:
        issued = keys.issue(session, other_organization_id, Role.ADMIN, is_operator=True)
    operator = ApiClient(app.test_client(), issued.secret)
    id_ = constraint(operator)
    try:
        assert goes_north_about(planned(planner, plan))
    finally:
        assert operator.delete(f"/constraints/{id_}").status_code == 204


def test_a_plan_keeps_what_was_applied_when_it_is_deleted(planner: ApiClient, plan: Plan) -> None:
    id_ = constraint(planner)
    charting = planned(planner, plan)
    planner.delete(f"/constraints/{id_}")
    again = planner.get(f"/charting/{charting['id']}").get_json()
    assert again["provenance"]["constraints"] == [id_]
    points = planner.get(f"/charting/{charting['id']}/critical-points").get_json()
    assert points["items"]


@pytest.mark.parametrize("path", ["/constraints", "/client-data"])
def test_an_end_inside_an_area_is_refused_in_words(
    planner: ApiClient, plan: Plan, path: str
) -> None:
    around_london = mapping(box(0.8, 51.2, 1.6, 51.8))
    constraint(planner, path, geometry=around_london, name="Thames mouth")
    charting_id = planner.order()["id"]
    plan(charting_id)
    failed = planner.get(f"/charting/{charting_id}").get_json()
    assert failed["status"] == "FAILED"
    assert failed["failure"]["code"] == "END_INSIDE_AREA"
    assert failed["failure"]["detail"] == (
        "The arrival lies inside Thames mouth, which must not be entered."
        " Choose another arrival, or change the area."
    )
    assert failed["failure"]["data"]["end"] == "arrival"


def test_a_port_ashore_in_an_area_is_judged_by_its_water(planner: ApiClient, plan: Plan) -> None:
    """The town's position lies in the area, the water that is used for it does not."""
    constraint(planner, geometry=mapping(box(1.1, 51.15, 1.3, 51.25)), name="Barham")
    charting_id = planner.order(**FROM_ASHORE)["id"]
    plan(charting_id)
    done = planner.get(f"/charting/{charting_id}").get_json()
    assert done["status"] == "COMPLETED", done["failure"]


def test_a_port_whose_water_lies_in_an_area_is_refused(planner: ApiClient, plan: Plan) -> None:
    """The town's position lies outside the area, but the ship would start within."""
    constraint(planner, geometry=mapping(box(1.2, 51.0, 1.3, 51.12)), name="Folkestone roads")
    charting_id = planner.order(**FROM_ASHORE)["id"]
    plan(charting_id)
    failed = planner.get(f"/charting/{charting_id}").get_json()
    assert failed["status"] == "FAILED"
    assert failed["failure"]["code"] == "END_INSIDE_AREA", failed["failure"]


def test_no_go_areas_bind_and_reference_routes_are_priced(planner: ApiClient, plan: Plan) -> None:
    reference = {
        "name": "by the Channel",
        "waypoints": [
            {"lat": 51.98, "lng": 4.0},
            {"lat": 50.0, "lng": -3.0},
            {"lat": 49.0, "lng": -8.0},
            {"lat": 40.45, "lng": -73.8},
        ],
    }
    ring = [list(position) for position in ACROSS_THE_CHANNEL.exterior.coords]
    charting = planned(planner, plan, noGoAreas=[ring], importedData=[reference])
    assert goes_north_about(charting)
    (priced,) = [other for other in charting["alternatives"] if other["kind"] == "REFERENCE"]
    assert priced["label"] == "by the Channel"
    assert priced["summary"]["fuelMt"] > 0
    assert charting["noGoAreas"] == [ring]


def test_a_northernmost_latitude_closes_the_route_north_about(
    planner: ApiClient, plan: Plan
) -> None:
    constraint(planner)
    charting = planned(planner, plan, maxNorthLat=55)
    assert charting["status"] == "FAILED"
    assert charting["failure"]["code"] in {"NO_ROUTE", "LIMITS_TOO_TIGHT"}


def test_a_voyage_under_way_starts_where_the_ship_is(planner: ApiClient, plan: Plan) -> None:
    at_sea = {"latFrom": 49.5, "lngFrom": -9.0, "portFromName": "at sea", "isAlterFrom": True}
    charting = planned(planner, plan, **at_sea)
    start = charting["waypoints"][0]
    assert (start["lat"], start["lng"]) == (49.5, -9.0)


def test_a_ship_under_way_is_not_taken_to_a_harbour(planner: ApiClient) -> None:
    ordered = {"vesselId": planner.make_vessel()["id"], "isAlterFrom": True}
    refused = planner.post("/charting", CHARTING | FROM_ASHORE | ordered)
    assert (refused.status_code, refused.get_json()["code"]) == (422, "PORT_ON_LAND")
    assert [fault["pointer"] for fault in refused.get_json()["errors"]] == ["/latFrom"]
    in_harbour = planner.post(
        "/charting", CHARTING | FROM_ASHORE | ordered | {"isAlterFrom": False}
    )
    assert in_harbour.status_code == 201


def test_zones_are_applied_by_the_chartings_wishes(planner: ApiClient, plan: Plan) -> None:
    charting = planned(planner, plan, avoidEca=True)
    applied = charting["provenance"]["zones"]["applied"]
    assert {"eca-north-sea", "eca-north-america-atlantic"} <= set(applied)
    kinds = {
        kind
        for point in planner.get(f"/charting/{charting['id']}/critical-points").get_json()["items"]
        for kind in point["kinds"]
    }
    assert {"ECA_ENTRY", "ECA_EXIT", "DEPARTURE", "ARRIVAL"} <= kinds
    assert charting["summary"]["ecaDistanceNm"] > 100


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(
    ("changes", "is_closed"),
    [({}, False), ({"speedRangeMax": 15}, True), ({"trim": 1.0}, True)],
    ids=["deep enough", "not with its squat", "not at the deeper end"],
)
def test_a_chart_closes_water_too_shallow_for_draught_squat_and_margin(
    planner: ApiClient,
    organization_id: UUID,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    is_closed: bool,
) -> None:
    bank = box(-38.0, 61.5, -36.5, 62.5), 11.9
    write_cell(ChartCell("XX5BANK", 1, 0, "20260301", 10_000, (bank,), 0), tmp_path)
    monkeypatch.setattr(charts, "charts_dir", lambda: tmp_path)
    ordered = planner.order(**{"speedRangeMin": 8, "speedRangeMax": 10} | changes)
    with operator_session(organization_id) as session:
        revision = session.scalars(
            select(ChartingRevision).filter_by(charting_id=UUID(ordered["id"]))
        ).one()
        closed = [area for area in list_areas(session, revision) if area.kind is AreaKind.CHART]
    assert bool(closed) is is_closed
