"""Ships for tests: well-known hulls, and ships of every type for Hypothesis."""

import math

from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.hull_form import deadweight_ratio
from app.engine.vessel.relative_sea import RelativeSea, find_relative_sea
from app.engine.vessel.ship_types import TYPE_STATISTICS
from app.engine.weather.records import Weather, WeatherSource

CAPESIZE = ShipParticulars(
    ship_type=ShipType.BULK_CARRIER,
    dwt_t=180_000.0,
    loa_m=290.0,
    lbp_m=282.0,
    breadth_m=45.0,
    depth_m=24.7,
    draft_design_m=18.2,
    draft_scantling_m=18.2,
    service_speed_kn=14.5,
)

CONTAINER_SHIP = ShipParticulars(
    ship_type=ShipType.CONTAINER_SHIP,
    dwt_t=66_000.0,
    loa_m=277.0,
    lbp_m=263.0,
    breadth_m=40.0,
    depth_m=24.3,
    draft_design_m=12.5,
    draft_scantling_m=14.0,
    service_speed_kn=22.5,
)

#: Froude numbers that ships of a type serve at.
_SERVICE_FROUDE = {
    ShipType.CONTAINER_SHIP: 0.22,
    ShipType.RO_RO: 0.24,
    ShipType.PASSENGER: 0.23,
    ShipType.LNG_CARRIER: 0.20,
    ShipType.GAS_CARRIER: 0.19,
}


def typical_ship(ship_type: ShipType, dwt_t: float, slenderness: float = 6.4) -> ShipParticulars:
    """Return a ship of usual proportions for its type and deadweight."""
    statistics = TYPE_STATISTICS[ship_type]
    displacement_m3 = dwt_t / deadweight_ratio(ship_type, dwt_t) / 1.026
    block = 0.5 * (statistics.block_min + statistics.block_max)
    breadth_draft = 2.6
    length_m = (displacement_m3 * slenderness**2 * breadth_draft / block / 1.02) ** (1.0 / 3.0)
    breadth_m = length_m / slenderness
    draft_m = breadth_m / breadth_draft
    froude = _SERVICE_FROUDE.get(ship_type, 0.155)
    return ShipParticulars(
        ship_type=ship_type,
        dwt_t=dwt_t,
        loa_m=1.03 * length_m,
        lbp_m=length_m,
        breadth_m=breadth_m,
        depth_m=1.5 * draft_m,
        draft_design_m=draft_m,
        draft_scantling_m=1.04 * draft_m,
        service_speed_kn=min(froude * math.sqrt(9.81 * length_m) / 0.5144, 25.0),
    )


def ships() -> st.SearchStrategy[ShipParticulars]:
    """Draw ships of every type, from 1,000 to 400,000 t deadweight."""
    return st.builds(
        lambda kind, exponent, slenderness: typical_ship(kind, 10.0**exponent, slenderness),
        st.sampled_from(ShipType),
        st.floats(3.0, math.log10(400_000.0)),
        st.floats(5.4, 7.4),
    )


def laden(particulars: ShipParticulars) -> Ship:
    """Return a ship at its design draught with nine tenths of its deadweight."""
    return build_ship(
        particulars, Loading(particulars.draft_design_m, 0.0, 0.9 * particulars.dwt_t)
    )


def weather(
    wave_height_m: float = 0.0,
    wave_from_deg: float = 0.0,
    *,
    wave_period_s: float = 8.0,
    wind_speed_ms: float = 0.0,
    wind_from_deg: float | None = None,
) -> Weather:
    """Return weather without current; by default the wind comes from the direction of the waves."""
    forecast = WeatherSource.FORECAST
    return Weather(
        wave_height_m=wave_height_m,
        wave_period_s=wave_period_s,
        wave_from_deg=wave_from_deg,
        wind_speed_ms=wind_speed_ms,
        wind_from_deg=wave_from_deg if wind_from_deg is None else wind_from_deg,
        current_speed_kn=0.0,
        current_to_deg=0.0,
        wave_source=forecast,
        wind_source=forecast,
        current_source=forecast,
    )


def relative_sea(met: Weather, depth_m: float, course_deg: float = 0.0) -> RelativeSea:
    """Return the sea as a ship meets it on a course."""
    waves = (met.wave_height_m, met.wave_period_s, met.wave_from_deg)
    return find_relative_sea(course_deg, *waves, met.wind_speed_ms, met.wind_from_deg, depth_m)
