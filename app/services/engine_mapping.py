"""Translation between database rows and the engine's records, all in this module."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import date
from itertools import pairwise
from typing import Any, Final

from geoalchemy2.shape import from_shape
from shapely import MultiLineString
from shapely.geometry import mapping, shape

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.calibration.declared import fit_declared
from app.engine.calibration.parameters import continue_fouling
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import (
    Basis,
    CiiType,
    DeclaredPoint,
    FuelType,
    IceClass,
    Loading,
    MeasuredResponse,
    MotionLimits,
    PointSource,
    SfocPoint,
    ShipParticulars,
    ShipType,
)
from app.engine.plan import RoutePlan
from app.engine.request import (
    Limits,
    Objective,
    Position,
    ReferenceRoute,
    Risk,
    TrackKind,
    VoyageRequest,
)
from app.engine.times import hours_since_epoch
from app.models import ChartingRevision, Vessel
from app.records.instants import parse_instant, read_instant, write_instant
from app.services.charting_request import arrival_of, departure_of, name_departure
from app.services.plan_codec import read_plan, write_plan
from app.services.sea.sea_scales import SCALES, wave_limit_m, wind_limit_ms

SHIP_TYPES: Final[Mapping[int | None, ShipType]] = {
    1: ShipType.BULK_CARRIER,
    2: ShipType.TANKER,
    3: ShipType.CHEMICAL_TANKER,
    4: ShipType.GAS_CARRIER,
    5: ShipType.CONTAINER_SHIP,
    6: ShipType.GENERAL_CARGO,
    7: ShipType.RO_RO,
    8: ShipType.PASSENGER,
    9: ShipType.OTHER,
    10: ShipType.LNG_CARRIER,
    None: ShipType.OTHER,
}

#: Attributes of a vessel that its particulars have under the same name.
_SAME_NAME: Final = (
    "dwt_t", "loa_m", "lbp_m", "breadth_m", "depth_m", "draft_design_m", "draft_scantling_m",
    "service_speed_kn", "pitch_m", "gross_tonnage", "installed_power_kw", "propeller_diameter_m",
)  # fmt: skip
#: Attributes that determine the engine's model of the ship; a calibration is valid for these.
MODELLED: Final = (*_SAME_NAME, "type_code", "date_constructed", "fuel_type", "shop_test")
#: Attributes of a vessel that a revision stores.
_SNAPSHOT: Final = (
    *MODELLED,
    "keel_to_mast_m", "name", "imo", "mmsi", "ice_class", "auxiliary_t_per_day", "slamming_limit",
    "deck_wetness_limit", "bow_acceleration_limit_g", "performance", "calibration", "cii_type",
)  # fmt: skip


def snapshot_vessel(vessel: Vessel) -> dict[str, Any]:
    """Copy a vessel's present particulars for a revision."""
    values = {name: getattr(vessel, name) for name in _SNAPSHOT}
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in values.items()
    }


def build_registered_ship(vessel: Vessel) -> ShipParticulars:
    """Build a ship from a vessel as it is registered now."""
    return build_ship_particulars(snapshot_vessel(vessel))


def build_uncalibrated_ship(
    vessel: Mapping[str, Any], overrides: Mapping[str, Any] | None = None
) -> ShipParticulars:
    """Build a ship from its particulars alone; parameters as :func:`build_ship_particulars`."""
    return build_ship_particulars({**vessel, "performance": None, "calibration": None}, overrides)


def build_voyage_request(
    revision: ChartingRevision, areas: Sequence[Area], ukc_margin_m: float
) -> VoyageRequest:
    """Build the engine's request of a revision."""
    asked = revision.request
    departs_at = parse_instant(asked["startDate"])
    ship = build_ship_particulars(revision.vessel, asked)
    return VoyageRequest(
        departure=departure_of(asked),
        arrival=arrival_of(asked),
        departs_at=departs_at,
        ship=replace(ship, response=continue_fouling(ship.response, hours_since_epoch(departs_at))),
        loading=Loading(draft_m=asked["draft"], trim_m=asked["trim"], deadweight_t=asked["dwt"]),
        speed_min_kn=asked["speedRangeMin"],
        speed_max_kn=asked["speedRangeMax"],
        rpm_max=asked["rpm"],
        objective=Objective(asked["optimizationType"]),
        track=TrackKind(asked["routeType"]),
        arrive_by=read_instant(asked["endDate"]),
        limits=_limits(asked),
        areas=tuple(areas),
        reference_routes=_reference_routes(asked["importedData"] or ()),
        under_way=asked["isAlterFrom"],
        ukc_margin_m=ukc_margin_m,
        # the oldest requests have none
        risk=Risk(asked["risk"]) if asked.get("risk") else None,
        cii_target=asked.get("ciiTarget"),
        departure_name=name_departure(asked),
        arrival_name=asked["portToName"],
    )


def build_ship_particulars(
    vessel: Mapping[str, Any], overrides: Mapping[str, Any] | None = None
) -> ShipParticulars:
    """Build a ship from a vessel's snapshot; ``overrides`` may replace ``lbp`` and ``pitch``."""
    asked = overrides or {}
    fuel = vessel["fuel_type"]
    same = {name: vessel[name] for name in _SAME_NAME}
    same |= {f"{name}_m": asked[name] for name in ("lbp", "pitch") if name in asked}
    ship = ShipParticulars(
        **same,
        ship_type=SHIP_TYPES[vessel["type_code"]],
        fuel_type=FuelType(fuel) if fuel else FuelType.VLSFO,
        ice_class=read_ice_class(vessel),
        # older snapshots have none
        keel_to_mast_m=vessel.get("keel_to_mast_m"),
        auxiliary_t_per_day=vessel.get("auxiliary_t_per_day"),
        year_built=_year(vessel.get("date_constructed")),
        shop_test=tuple(
            SfocPoint(point["loadPct"] / 100.0, point["sfoc"])
            for point in vessel.get("shop_test") or ()
        ),
        motion_limits=MotionLimits(
            slamming=vessel.get("slamming_limit"),
            deck_wetness=vessel.get("deck_wetness_limit"),
            bow_acceleration_g=vessel.get("bow_acceleration_limit_g"),
        ),
        cii_type=CiiType(vessel["cii_type"]) if vessel.get("cii_type") else None,
    )
    return replace(ship, response=_read_response(vessel, ship))


def _read_response(vessel: Mapping[str, Any], ship: ShipParticulars) -> MeasuredResponse:
    """The response of the active calibration, else the one fitted to declared points."""
    active = vessel.get("calibration")
    if active:
        return MeasuredResponse(**active["response"])
    points = tuple(read_declared_points(vessel))
    return fit_declared(ship, points) if points else ship.response


def _year(day: date | str | None) -> int | None:
    """Year of a date, or of its ISO 8601 text in a snapshot."""
    return int(str(day)[:4]) if day else None


def read_declared_points(vessel: Mapping[str, Any]) -> Iterator[DeclaredPoint]:
    """The speed and consumption table in a vessel's snapshot; older ones have none."""
    for row in vessel.get("performance") or ():
        yield DeclaredPoint(
            speed_kn=row["speed"],
            fuel_t_per_day=row["focMtPerDay"],
            source=PointSource(row["source"]),
            is_ballast=row["loading"] == "BALLAST",
            draft_m=row["draft"],
            beaufort=row["beaufort"],
            with_auxiliaries=row["withAuxiliaries"],
            # older rows have none
            basis=Basis(row["basis"]) if row.get("basis") else None,
        )


def read_ice_class(vessel: Mapping[str, Any]) -> IceClass:
    """The ice class in a vessel's snapshot; older ones have none."""
    return IceClass(vessel.get("ice_class") or IceClass.NONE)


def snapshot_area(area: Area) -> dict[str, Any]:
    """Convert an applied area to JSON types for a revision."""
    return {
        "id": area.id,
        "name": area.name,
        "kind": str(area.kind),
        "rule": str(area.rule),
        "geometry": mapping(area.geometry),
        "startsAt": write_instant(area.starts_at),
        "endsAt": write_instant(area.ends_at),
        "price": area.price,
        "ice": None if area.ice is None else list(astuple(area.ice)),
    }


def read_area(kept: Mapping[str, Any]) -> Area:
    """Read an area that :func:`snapshot_area` wrote."""
    return Area(
        id=kept["id"],
        name=kept["name"],
        kind=AreaKind(kept["kind"]),
        rule=AreaRule(kept["rule"]),
        geometry=shape(kept["geometry"]),
        starts_at=read_instant(kept["startsAt"]),
        ends_at=read_instant(kept["endsAt"]),
        price=kept.get("price", 1.25),
        ice=_read_ice(kept.get("ice")),
    )


def _read_ice(kept: Sequence[Any] | None) -> IceWater | None:
    if kept is None:
        return None
    hazard, class_needed, *margin_nm = kept
    return IceWater(IceHazard(hazard), IceClass(class_needed), *margin_nm)


def store_plan(revision: ChartingRevision, plan: RoutePlan) -> None:
    """Store a plan in a revision's columns."""
    for name, value in write_plan(plan).items():
        setattr(revision, name, value)
    positions = [point.position for point in plan.profile or plan.waypoints]
    lines = [line for line in _cut_at_antimeridian(positions) if len(line) > 1]
    revision.track = from_shape(MultiLineString(lines), srid=4326)


def load_plan(revision: ChartingRevision) -> RoutePlan:
    """Load the plan of a revision; raises :class:`LookupError` if it has none."""
    if revision.plan is None:
        raise LookupError(f"revision {revision.revision} of {revision.charting_id} has no plan")
    return read_plan(revision)


def _limits(asked: Mapping[str, Any]) -> Limits:
    return Limits(
        wave_height_m=wave_limit_m(asked),
        wind_speed_ms=wind_limit_ms(asked),
        north_lat=asked["maxNorthLat"],
        wave_scale=SCALES.get(asked["waveUnit"]),
        wind_scale=SCALES.get(asked["windUnit"]),
        south_lat=asked.get("maxSouthLat"),
    )


def _reference_routes(imported: Sequence[Mapping[str, Any]]) -> tuple[ReferenceRoute, ...]:
    return tuple(
        ReferenceRoute(
            route["name"],
            tuple(Position(at["lat"], at["lng"]) for at in route["waypoints"]),
            frozenset(
                number
                for number, at in enumerate(route["waypoints"])
                if at.get("legGeometry") == LegGeometry.RHUMB
            ),
        )
        for route in imported
    )


def _cut_at_antimeridian(positions: Sequence[Position]) -> Iterator[list[tuple[float, float]]]:
    """Split a line at the antimeridian; yields lines of (lng, lat) [deg]."""
    line = [(positions[0].lng, positions[0].lat)]
    for before, after in pairwise(positions):
        if abs(after.lng - before.lng) > 180.0:
            edge = 180.0 if before.lng > 0 else -180.0
            lat = _crossing_lat(before, after, edge)
            yield [*line, (edge, lat)]
            line = [(-edge, lat)]
        line.append((after.lng, after.lat))
    yield line


def _crossing_lat(before: Position, after: Position, edge: float) -> float:
    """Latitude at which the straight line between two near positions meets ``edge``."""
    reach = after.lng + 2.0 * edge - before.lng
    share = (edge - before.lng) / reach if reach else 0.0
    return before.lat + share * (after.lat - before.lat)
