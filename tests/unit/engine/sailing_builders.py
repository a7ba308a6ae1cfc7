"""A ship, straight tracks and areas for tests of simulations."""

import itertools
from datetime import UTC, datetime

import shapely

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.request import Position
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import Track, build_track
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg
from app.engine.vessel import Ship, build_ship

DEPARTS_AT = datetime(2026, 1, 14, 18, tzinfo=UTC)

KAMSARMAX = ShipParticulars(
    ship_type=ShipType.BULK_CARRIER,
    dwt_t=82_000.0,
    loa_m=229.0,
    lbp_m=225.5,
    breadth_m=32.26,
    depth_m=20.05,
    draft_design_m=12.2,
    draft_scantling_m=14.43,
    service_speed_kn=14.3,
    pitch_m=5.2,
)


def make_ship(rpm_max: float | None = None) -> Ship:
    return build_ship(KAMSARMAX, Loading(12.2, 0.0, 68_000.0), rpm_max=rpm_max)


def make_leg(start: Position, end: Position, passage: str | None = None) -> Leg:
    geometry = LegGeometry.GREAT_CIRCLE
    return Leg(start, end, geometry, 1852.0, passage, None, leg_distance_nm(start, end, geometry))


def make_track(*positions: tuple[float, float]) -> Track:
    points = [Position(*position) for position in positions]
    legs = [make_leg(a, b) for a, b in itertools.pairwise(points)]
    return build_track(legs, {})


def make_simulation(track: Track, speed_kn: float = 12.0) -> Simulation:
    return simulate_track(track, speed_kn, ship=make_ship(), departs_at=DEPARTS_AT)


def make_canal(speed_kn: float | None = 8.0, waiting_h: float = 5.0) -> Passage:
    line = (Position(0.0, 1.0), Position(0.0, 2.0))
    return Passage(
        "canal", "Canal", PassageKind.CANAL, line, 100.0, speed_kn=speed_kn, waiting_h=waiting_h
    )


def make_area(
    west: float,
    south: float,
    east: float,
    north: float,
    *,
    kind: AreaKind = AreaKind.CONSTRAINT,
    rule: AreaRule = AreaRule.NO_ENTRY,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
) -> Area:
    box = shapely.MultiPolygon([shapely.box(west, south, east, north)])
    return Area("area", "Area", kind, rule, box, starts_at, ends_at)
