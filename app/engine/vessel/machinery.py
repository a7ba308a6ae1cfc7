"""The main engine: its size, its losses to the propeller, its consumption at a load."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Final

from app.engine.compiled import njit_borrowing
from app.engine.particulars import CiiType, FuelType, SfocPoint, ShipParticulars, ShipType
from app.engine.vessel.fuels import FUELS

#: Usual sea margin on calm-water power, and continuous service rating over MCR, in the choice of
#: engines; MAN Energy Solutions, Basic Principles of Ship Propulsion, section 3.
_SEA_MARGIN: Final = 0.15
_SERVICE_RATING: Final = 0.90

#: Power up to which engines are medium-speed, and from which they are slow-speed [kW]. Between
#: them both are built, the smallest two-stroke engines and the largest single four-stroke engines
#: of coasters; the figures of both are weighted linearly, an assumption. Engines of cruise ships
#: and ferries are medium-speed at any power, which they share among several under low decks.
_MEDIUM_SPEED_TO_KW: Final = 3_000.0
_SLOW_SPEED_FROM_KW: Final = 5_000.0

#: Efficiency of a shaft line; ITTC 7.5-02-03-01.4 practice.
SHAFT_EFFICIENCY: Final = 0.985
#: Efficiency of a single-stage reduction gear; Woud & Stapersma (2002), chapter 9.
_GEAR_EFFICIENCY: Final = 0.98
#: Efficiency of generators, transformers, converters and motors of electric drives together;
#: MEPC.364(79), 2.2.5.1.
_ELECTRIC_EFFICIENCY: Final = 0.913

#: First year of delivery of cruise ships with electric drives. Newer ones have them almost without
#: exception: the required design index is that of cruise ships of non-conventional propulsion
#: (MARPOL Annex VI, regulation 24, table 1).
_ELECTRIC_CRUISE_FROM_YEAR: Final = 1990
#: Last year of delivery in which most LNG carriers had dual-fuel diesel-electric drives; two-stroke
#: dual-fuel engines followed. Those of 200,000 m3 and over have had slow-speed engines throughout;
#: they begin at about 100,000 t deadweight.
_ELECTRIC_LNG_TO_YEAR: Final = 2015
_ELECTRIC_LNG_DWT_MAX_T: Final = 100_000.0

#: Base specific consumption on heavy fuel oil [g/kWh] of engines built to a year: slow-speed
#: and medium-speed; Fourth IMO GHG Study 2020, table 19. Later ones: 175 and 185.
_BASE_SFOC_TO_YEAR: Final = ((1983, 205.0, 215.0), (2000, 185.0, 195.0))
_BASE_SFOC_SLOW_G_KWH: Final = 175.0
_BASE_SFOC_MEDIUM_G_KWH: Final = 185.0

#: Last year of delivery of LNG carriers with steam turbines; those with diesel engines followed
#: from 2006. Consumption of steam turbines on heavy fuel oil [g/kWh]: Third IMO GHG Study 2014,
#: annex 1; the 340 of the fourth study is for plants of any kind.
_STEAM_TO_YEAR: Final = 2005
_STEAM_SFOC_G_KWH: Final = 305.0

#: Load range of the consumption curve, to which loads are clipped: no curves are published for
#: loads of a few per cent of MCR.
LOAD_MIN: Final = 0.10
LOAD_MAX: Final = 1.10

#: Consumption over that at the best load, as a quadratic in the load; Fourth IMO
#: GHG Study 2020, eq. 10 (after Jalkanen et al. 2012).
SFOC_0: Final = 1.280
SFOC_1: Final = -0.710
SFOC_2: Final = 0.455

#: Calorific value of the fuel for which shop tests are stated [MJ/kg]; ISO 3046-1:2002, 5.
_SHOP_TEST_MJ_KG: Final = 42.7


@dataclass(frozen=True, slots=True)
class MainEngine:
    """A main engine: MCR [kW], consumption at its best load [g/kWh], efficiency to the propeller.

    The MCR of electric drives is that of the engines of the generators, as far as they propel.
    """

    mcr_kw: float
    base_sfoc_g_kwh: float
    transmission_efficiency: float = SHAFT_EFFICIENCY


def build_main_engine(ship: ShipParticulars, mcr_kw: float) -> MainEngine:
    """Build the main engine of a ship with an MCR [kW]; of 2001 or later if the year is unknown.

    The study's consumption of heavy fuel oil, or that of the shop test, is converted to the other
    fuels by calorific value, for equal heat per kWh.
    """
    slow, medium = _base_sfoc_g_kwh(ship.year_built)
    base = slow + _medium_speed_share(ship, mcr_kw) * (medium - slow)
    if _has_steam_turbines(ship):
        base = _STEAM_SFOC_G_KWH
    stated_mj_kg = FUELS[FuelType.HFO].calorific_value_mj_kg
    if ship.shop_test:
        base, stated_mj_kg = _fit_level_g_kwh(ship.shop_test), _SHOP_TEST_MJ_KG
    return MainEngine(
        mcr_kw,
        base * (stated_mj_kg / FUELS[ship.fuel_type].calorific_value_mj_kg),
        transmission_efficiency(ship, mcr_kw),
    )


def transmission_efficiency(ship: ShipParticulars, mcr_kw: float) -> float:
    """Return the power at the propeller over that of the engine, by drive.

    Slow-speed engines are directly coupled, medium-speed engines by gears. The power of steam
    turbines is stated behind their gears.
    """
    if _has_steam_turbines(ship):
        return SHAFT_EFFICIENCY
    if _has_electric_drive(ship):
        return SHAFT_EFFICIENCY * _ELECTRIC_EFFICIENCY
    geared = _medium_speed_share(ship, mcr_kw)
    return SHAFT_EFFICIENCY * (1.0 - geared * (1.0 - _GEAR_EFFICIENCY))


def _medium_speed_share(ship: ShipParticulars, mcr_kw: float) -> float:
    """Return the share of medium-speed engines among those of such ships, 0 to 1."""
    if ship.hull_type is ShipType.PASSENGER or _has_electric_drive(ship):
        return 1.0
    span_kw = _SLOW_SPEED_FROM_KW - _MEDIUM_SPEED_TO_KW
    return min(max((_SLOW_SPEED_FROM_KW - mcr_kw) / span_kw, 0.0), 1.0)


def _has_electric_drive(ship: ShipParticulars) -> bool:
    """Return whether ships of the type and year have diesel-electric drives: not ferries."""
    year = ship.year_built
    if ship.hull_type is ShipType.PASSENGER:
        is_cruise_ship = ship.cii_type is not CiiType.RO_RO_PASSENGER
        return is_cruise_ship and (year is None or year >= _ELECTRIC_CRUISE_FROM_YEAR)
    return (
        ship.hull_type is ShipType.LNG_CARRIER
        and ship.dwt_t < _ELECTRIC_LNG_DWT_MAX_T
        and year is not None
        and _STEAM_TO_YEAR < year <= _ELECTRIC_LNG_TO_YEAR
    )


def _has_steam_turbines(ship: ShipParticulars) -> bool:
    year = ship.year_built
    return ship.hull_type is ShipType.LNG_CARRIER and year is not None and year <= _STEAM_TO_YEAR


def _fit_level_g_kwh(shop_test: Sequence[SfocPoint]) -> float:
    """Fit the consumption at the best load [g/kWh]: the geometric mean of the points' levels.

    The points measure the level of the curve; its dependence on load is unchanged.
    """
    ratios = [point.g_per_kwh / sfoc_over_base(point.load) for point in shop_test]
    return geometric_mean(ratios)


def _base_sfoc_g_kwh(year_built: int | None) -> tuple[float, float]:
    for last, slow, medium in _BASE_SFOC_TO_YEAR:
        if year_built is not None and year_built <= last:
            return slow, medium
    return _BASE_SFOC_SLOW_G_KWH, _BASE_SFOC_MEDIUM_G_KWH


def sfoc_g_per_kwh(engine: MainEngine, load: float) -> float:
    """Return the specific consumption at a load (power over MCR) [g/kWh].

    ``SFOC = base (0.455 L^2 - 0.710 L + 1.280)``, constant outside 0.10..1.10.
    """
    return engine.base_sfoc_g_kwh * sfoc_over_base(load)


@njit_borrowing(cache=True, forceinline=True)
def sfoc_over_base(load: float) -> float:
    """Return the specific consumption at a load over that of the engine's class."""
    clipped = min(max(load, LOAD_MIN), LOAD_MAX)
    return SFOC_0 + clipped * (SFOC_1 + clipped * SFOC_2)


def mcr_for_service_kw(calm_power_kw: float) -> float:
    """Return the MCR [kW] for a calm-water power with sea margin at the service rating."""
    return calm_power_kw * (1.0 + _SEA_MARGIN) / _SERVICE_RATING


def minimum_power_kw(ship_type: ShipType, dwt_t: float) -> float:
    """Return the least MCR [kW] allowed for manoeuvring in adverse seas; zero if none is set.

    Minimum power lines of MEPC.1/Circ.850/Rev.3, table 1, for bulk carriers and
    tankers of 20,000 t deadweight and over.
    """
    if dwt_t < 20_000.0:
        return 0.0
    if ship_type is ShipType.BULK_CARRIER:
        return 0.0763 * dwt_t + 3_374.3 if dwt_t < 145_000.0 else 0.0490 * dwt_t + 7_329.0
    if ship_type in (ShipType.TANKER, ShipType.CHEMICAL_TANKER):
        return 0.0652 * dwt_t + 5_960.2
    return 0.0
