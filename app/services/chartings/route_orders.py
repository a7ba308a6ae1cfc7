"""Routes requested by names: a ship's IMO number, two ports, a day; the rest from its particulars.

What is not said is taken from the ship as registered: design draught on even
keel, the deadweight that goes with it, speeds up to service speed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from app.datasources.port_search import find_sole_port, search_ports
from app.datasources.ports import Port
from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import (
    FocPoint,
    build_ship,
    co2_factor,
    estimate_foc,
    find_carbon_intensity,
)
from app.models import Vessel
from app.records.charting import DEFAULTS
from app.services.chartings import chartings
from app.services.chartings.chartings import ChartingView
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from app.services.errors import FieldError, Invalid
from app.services.platform.actor import Actor
from app.services.problem_codes import ProblemCode
from app.services.vessels import vessels
from app.services.vessels.loading import load_to_draft

#: The lowest speed ordered over the service speed: slower, most engines are below
#: a quarter of their power, where they are not to be run for days.
LOWEST_SPEED: Final = 0.65
#: Shaft speed allowed over that of service speed in calm water: weather costs some.
SHAFT_MARGIN: Final = 1.15
#: Most suggestions when a name fits several ports.
MOST_SUGGESTIONS: Final = 5

#: Where a fault of the charting comes from in the order.
_PLACES: Final[Mapping[str, str]] = {
    "/latFrom": "/from",
    "/latTo": "/to",
    "/startDate": "/depart",
    "/speedRangeMin": "/vessel_imo",
    "/speedRangeMax": "/vessel_imo",
}


@dataclass(frozen=True, slots=True)
class RouteOrder:
    """What is asked for by name; ``cii_target`` is a rating, A to E."""

    vessel_imo: str
    departure: str
    arrival: str
    departs_at: datetime
    mode: str
    cii_target: str | None = None
    max_wave_m: float | None = None
    northernmost_lat: float | None = None


def submit(session: Session, actor: Actor, order: RouteOrder) -> ChartingView:
    """Turn an order into a charting and submit it.

    Raises :class:`Invalid` for names that stand for nothing or for several
    things, with what they may have meant.
    """
    vessel = vessels.find_by_imo(session, actor.organization_id, order.vessel_imo)
    if vessel is None:
        raise Invalid([FieldError("/vessel_imo", "You have no vessel with this IMO number.")])
    departure, arrival = _find_ports(order)
    try:
        return chartings.submit(session, actor, _charting(order, vessel, departure, arrival))
    except Invalid as error:
        faults = [FieldError(_PLACES.get(f.pointer, f.pointer), f.detail) for f in error.faults]
        raise Invalid(faults, code=error.problem_code) from error


def _find_ports(order: RouteOrder) -> tuple[Port, Port]:
    found: list[Port] = []
    faults: list[FieldError] = []
    for pointer, name in (("/from", order.departure), ("/to", order.arrival)):
        try:
            found.append(get_port_called(name, pointer))
        except Invalid as error:
            faults += error.faults
    if faults:
        raise Invalid(faults, code=ProblemCode.PORT_UNCLEAR)
    departure, arrival = found
    return departure, arrival


def get_port_called(name: str, pointer: str = "") -> Port:
    """The one port that a name, UN/LOCODE or list id stands for.

    The only port called so, else the only one that the words fit.
    Raises :class:`Invalid` at ``pointer``, with suggestions, for any other name.
    """
    port = find_sole_port(name)
    if port is not None:
        return port
    fitting = search_ports(name, limit=MOST_SUGGESTIONS + 1)
    raise Invalid([FieldError(pointer, _unclear(name, fitting))], code=ProblemCode.PORT_UNCLEAR)


def _unclear(name: str, fitting: list[Port]) -> str:
    if not fitting:
        return f"No port is called {name!r}. Give a UN/LOCODE, such as NLRTM."
    listed = "; ".join(
        f"{port.name}, {port.country} ({port.locode or port.id})"
        for port in fitting[:MOST_SUGGESTIONS]
    )
    more = "; and more" if len(fitting) > MOST_SUGGESTIONS else ""
    return f"{name!r} may be several ports: {listed}{more}. Give the code in brackets."


def _charting(order: RouteOrder, vessel: Vessel, departure: Port, arrival: Port) -> dict[str, Any]:
    ship = build_ship_particulars(snapshot_vessel(vessel))
    highest_kn = _highest_speed_kn(ship, order)
    loading = load_to_draft(ship, ship.draft_design_m)
    return {
        **DEFAULTS,
        **_end("From", departure),
        **_end("To", arrival),
        "startDate": order.departs_at,
        "vesselId": str(vessel.id),
        "speedRangeMin": round(min(LOWEST_SPEED * ship.service_speed_kn, highest_kn), 2),
        "speedRangeMax": round(highest_kn, 2),
        "draft": loading.draft_m,
        "trim": loading.trim_m,
        "rpm": _highest_rpm(ship, loading),
        "dwt": round(loading.deadweight_t),
        "lbp": vessel.lbp_m,
        "pitch": vessel.pitch_m,
        "optimizationType": order.mode,
        "routeType": "WX",
        "maxWaveHeight": order.max_wave_m,
        "maxNorthLat": order.northernmost_lat,
    }


def _end(side: str, port: Port) -> dict[str, Any]:
    return {
        f"lat{side}": port.position.lat,
        f"lng{side}": port.position.lng,
        f"nid{side}": port.locode or port.id,
        f"port{side}Name": port.name,
    }


def _highest_rpm(ship: ShipParticulars, loading: Loading) -> int:
    calm = build_ship(ship, loading).performance(ship.service_speed_kn)
    return math.ceil(SHAFT_MARGIN * calm.rpm)


def _highest_speed_kn(ship: ShipParticulars, order: RouteOrder) -> float:
    """Service speed, or the highest below it that meets the rating asked for.

    The rating is that of consumption in ordinary service at a steady speed, by
    steps of a twentieth of the service speed.
    """
    if order.cii_target is None:
        return ship.service_speed_kn
    rated = [
        (point.speed_kn, rating)
        for point in estimate_foc(ship).curve
        if point.speed_kn <= ship.service_speed_kn
        and (rating := _rating_at(ship, point, order.departs_at.year)) is not None
    ]
    if not rated:
        detail = "No rating is known for a ship of this type and size in that year."
        raise Invalid([FieldError("/constraints/cii_target", detail)])
    met = [speed_kn for speed_kn, rating in rated if rating <= order.cii_target]
    if not met:
        slowest_kn, best = rated[0]
        detail = f"The best rating is {best} at best, at {slowest_kn:.1f} kn."
        raise Invalid([FieldError("/constraints/cii_target", detail)])
    return max(met)


def _rating_at(ship: ShipParticulars, point: FocPoint, year: int) -> str | None:
    """The carbon intensity rating of a day at a speed."""
    intensity = find_carbon_intensity(
        ship_type=ship.ship_type,
        dwt_t=ship.dwt_t,
        gross_tonnage=ship.gross_tonnage,
        co2_t=point.foc_mt_per_day * co2_factor(ship.fuel_type),
        distance_nm=24.0 * point.speed_kn,
        year=year,
    )
    return None if intensity is None else intensity.rating
