"""Warm-up: load data and kernels for planning, and for reading plans, before the first use."""

import logging
from datetime import UTC, datetime
from typing import Final

from app.engine.errors import DataMissing
from app.engine.particulars import Loading
from app.engine.planner import plan_voyage
from app.engine.planning.ice import buffer_by_distance
from app.engine.request import Position, VoyageRequest
from app.engine.vessel import build_ship, seaway_risks
from app.engine.vessel.kernels import voluntary_speed_kn
from app.engine.weather import WeatherField
from app.models import Vessel
from app.services.areas.areas_in_force import zone_catalogue
from app.services.chartings import chartings
from app.services.engine_mapping import build_registered_ship
from app.services.sea import sea
from app.services.upkeep import demo
from app.services.weather import weather

logger = logging.getLogger(__name__)

#: Entrance of Rotterdam. Off a coast, unlike in the open sea, all kernels of finding water run.
_PORT: Final = Position(51.98, 4.05)


def warm_up() -> None:
    """Map the atlas, widen the ice zones, and plan a day's voyage, which loads every kernel.

    A worker also starts without an atlas: its chartings fail with the reason.
    """
    try:
        atlas = sea.open_atlas()
    except DataMissing as error:
        logger.error("%s", error.detail)
        return
    for zone in zone_catalogue().zones:
        if zone.ice is not None and zone.ice.margin_nm:
            buffer_by_distance(zone.geometry, zone.ice.margin_nm)
    climatology = weather.find_climatology()
    plan_voyage(_short_voyage(), atlas, WeatherField(climatology) if climatology else None)


def warm_up_reading() -> None:
    """Map the atlas, open the climatology and load the kernels of requests inside a transaction.

    They find water for the ends of a voyage and the critical points of a plan. Compiled in a
    transaction, they could keep it idle for longer than the database allows.
    """
    asked = _short_voyage()
    try:
        sea.open_atlas().find_water(_PORT, chartings.SNAP_WITHIN_NM)
    except DataMissing as error:
        logger.error("%s", error.detail)
    weather.find_climatology()
    ship = build_ship(asked.ship, asked.loading)
    seaway_risks(ship.seakeeping_parameters, asked.speed_max_kn, 90.0, 2.0, 8.0, 0.0)
    voluntary_speed_kn(ship.kernel_parameters, 2.0, 8.0, 0.0)


def _short_voyage() -> VoyageRequest:
    return VoyageRequest(
        departure=Position(45.0, -30.0),
        arrival=Position(45.0, -25.0),
        departs_at=datetime(2026, 1, 1, tzinfo=UTC),
        ship=build_registered_ship(Vessel(**demo.VESSEL)),
        loading=Loading(draft_m=12.2, trim_m=0.0, deadweight_t=65_000.0),
        speed_min_kn=10.0,
        speed_max_kn=14.0,
        under_way=True,
    )
