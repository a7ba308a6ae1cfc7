"""Routes requested by names: a ship's IMO number, two ports and a departure.

All other fields come from the registered particulars: design draught on even
keel with its deadweight, speeds up to service speed.
"""

import math
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.orm import Session

from app.datasources.port_search import find_similar_ports, find_sole_port, search_ports
from app.datasources.ports import Port
from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import FocPoint, build_ship, co2_factor, estimate_foc, find_carbon_intensity
from app.engine.vessel.hull_form import load_to_draft
from app.models import Vessel
from app.records.charting import DEFAULTS
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.engine_mapping import build_registered_ship
from app.services.errors import FieldError, Invalid, refuse
from app.services.platform.actor import Actor
from app.services.problem_codes import ProblemCode
from app.services.vessels import vessels

#: Ratio of the lowest speed to the service speed: at lower speeds most engines are
#: below a quarter of their power, at which they should not run for days.
LOWEST_SPEED: Final = 0.65
#: Ratio of the highest shaft speed to that at service speed in calm water, for weather.
SHAFT_MARGIN: Final = 1.15
#: Largest number of suggestions for an ambiguous port name.
MOST_SUGGESTIONS: Final = 5
_GIVE_LOCODE: Final = "Give a UN/LOCODE, such as NLRTM"

#: Pointers into a route order by the pointers of charting errors.
_PLACES: Final[Mapping[str, str]] = {
    "/latFrom": "/from",
    "/latTo": "/to",
    "/startDate": "/depart",
    "/speedRangeMin": "/vessel_imo",
    "/speedRangeMax": "/vessel_imo",
}


def submit(session: Session, actor: Actor, order: Mapping[str, Any]) -> ChartingView:
    """Convert an order to a charting request and submit it.

    Raises :class:`Invalid` for unknown or ambiguous names, with suggestions.
    """
    vessel = vessels.find_by_imo(session, actor.organization_id, order["vessel_imo"])
    if vessel is None:
        raise Invalid.at("/vessel_imo", "You have no vessel with this IMO number.")
    departure, arrival = _find_ports(order)
    try:
        return chartings.submit(session, actor, _charting(order, vessel, departure, arrival))
    except Invalid as error:
        faults = [FieldError(_PLACES.get(f.pointer, f.pointer), f.detail) for f in error.faults]
        raise Invalid(faults, code=error.problem_code) from error


def find_defaults(vessel: Vessel) -> dict[str, float]:
    """Speeds, shaft speed, loading and dimensions of a request that names only the vessel."""
    ship = build_registered_ship(vessel)
    loading = load_to_draft(ship, ship.draft_design_m)
    return {
        "speedRangeMin": round(LOWEST_SPEED * ship.service_speed_kn, 2),
        "speedRangeMax": round(ship.service_speed_kn, 2),
        "draft": loading.draft_m,
        "trim": loading.trim_m,
        "rpm": _highest_rpm(ship, loading),
        "dwt": round(loading.deadweight_t),
        "lbp": vessel.lbp_m,
        "pitch": vessel.pitch_m,
    }


def _find_ports(order: Mapping[str, Any]) -> tuple[Port, Port]:
    found: list[Port] = []
    faults: list[FieldError] = []
    for pointer, name in (("/from", order["departure"]), ("/to", order["arrival"])):
        try:
            found.append(get_port_called(name, pointer))
        except Invalid as error:
            faults += error.faults
    refuse(faults, code=ProblemCode.PORT_UNCLEAR)
    departure, arrival = found
    return departure, arrival


def get_port_called(name: str, pointer: str = "") -> Port:
    """The port with a name, UN/LOCODE or list id.

    The only port of that exact name, else the only one that matches the words.
    Raises :class:`Invalid` at ``pointer``, with suggestions, for any other name.
    """
    port = find_sole_port(name)
    if port is not None:
        return port
    fitting = search_ports(name, limit=MOST_SUGGESTIONS + 1)
    raise Invalid.at(pointer, _unclear(name, fitting), code=ProblemCode.PORT_UNCLEAR)


def _unclear(name: str, fitting: list[Port]) -> str:
    if not fitting:
        similar = _list(find_similar_ports(name, MOST_SUGGESTIONS))
        offered = f"Similar: {similar}. Give the code in brackets" if similar else _GIVE_LOCODE
        return f"No port is called {name!r}. {offered}."
    listed = _list(fitting[:MOST_SUGGESTIONS])
    more = "; and more" if len(fitting) > MOST_SUGGESTIONS else ""
    return f"{name!r} may be several ports: {listed}{more}. Give the code in brackets."


def _list(ports: list[Port]) -> str:
    return "; ".join(f"{port.name}, {port.country} ({port.locode or port.id})" for port in ports)


def _charting(
    order: Mapping[str, Any], vessel: Vessel, departure: Port, arrival: Port
) -> dict[str, Any]:
    usual = find_defaults(vessel)
    limits = order["constraints"] or {}
    ship, year = build_registered_ship(vessel), order["departs_at"].year
    highest_kn = round(_highest_speed_kn(ship, limits.get("cii_target"), year), 2)
    return {
        **DEFAULTS,
        **usual,
        **_end("From", departure),
        **_end("To", arrival),
        "startDate": order["departs_at"],
        "vesselId": str(vessel.id),
        "speedRangeMin": min(usual["speedRangeMin"], highest_kn),
        "speedRangeMax": highest_kn,
        "optimizationType": order["mode"],
        "routeType": "WX",
        "ciiTarget": limits.get("cii_target"),
        "maxWaveHeight": limits.get("max_wave_m"),
        "maxNorthLat": limits.get("northern_position"),
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


def _highest_speed_kn(ship: ShipParticulars, cii_target: str | None, year: int) -> float:
    """Service speed [kn], or the highest lower speed that meets the requested rating.

    The rating follows from consumption in ordinary service at a steady speed, in
    steps of a twentieth of the service speed.
    """
    if cii_target is None:
        return ship.service_speed_kn
    rated = [
        (point.speed_kn, rating)
        for point in estimate_foc(ship).curve
        if point.speed_kn <= ship.service_speed_kn
        and (rating := _rating_at(ship, point, year)) is not None
    ]
    if not rated:
        detail = "No rating is known for a ship of this type and size in that year."
        raise Invalid.at("/constraints/cii_target", detail)
    met = [speed_kn for speed_kn, rating in rated if rating <= cii_target]
    if not met:
        slowest_kn, best = rated[0]
        detail = f"The best rating reached is {best}, at {slowest_kn:.1f} kn."
        raise Invalid.at("/constraints/cii_target", detail)
    return max(met)


def _rating_at(ship: ShipParticulars, point: FocPoint, year: int) -> str | None:
    """Carbon intensity rating of a day at a speed; ``None`` if there is none."""
    intensity = find_carbon_intensity(
        ship,
        co2_t=(point.foc_mt_per_day + (ship.auxiliary_t_per_day or 0.0))
        * co2_factor(ship.fuel_type),
        distance_nm=24.0 * point.speed_kn,
        year=year,
    )
    return None if intensity is None else intensity.rating
