"""What a ship's year and installed power say of the power that it takes, and how sure that is.

Towing-tank regressions give the mean of many hulls. The year of build and the engine that the
yard chose are evidence of how this ship differs from it. All of it is in logarithms: a spread of
0.08 is 8 %.
"""

import math
from typing import Final

from app.engine.particulars import ShipParticulars, ShipType

#: Power over that of earlier ships at the same speed, for ships built in the second year and
#: later; unchanged to the first, and between them in proportion. The required energy efficiency
#: design index is 10 % below the line of the ships of 1999-2008 from 2015 and 20 % below it from
#: 2020 (MARPOL Annex VI, regulation 24, table 1): 15 % in the middle. One yard's 57,000 t design
#: of 2013 burns 12 % less than its own of before (Baird Maritime, "Fuel consumption cut by 14
#: percent in new bulk carrier"); of bulk carriers delivered from 2005 those of 2014-2016 are
#: the first that differ from those before (Pruyn 2020).
_CHANGE_FROM, _CHANGE_TO = 2011, 2015
_LATEST_LOG_POWER: Final = math.log(0.85)

#: Spread of the power of hulls of one type, size and generation about the regressions. In the
#: towing tank KVLCC2, JBC, KCS and DTC have 10 % less, 1 % more, 7 % less and 2 % less resistance
#: than they (``benchmarks.hull``), and differ as much in wake and thrust deduction.
HULL_SPREAD: Final = 0.08
#: Spread by generation: of the earlier ships, of the latest, and where the year isn't known.
_EARLIER_SPREAD, _LATEST_SPREAD, _UNKNOWN_YEAR_SPREAD = 0.05, 0.07, 0.08
#: Spread of types whose hulls or machinery vary most: two screws, electric drive, odd purposes.
_VARIED_SPREAD: Final = 0.08
_VARIED: Final = frozenset(
    {ShipType.PASSENGER, ShipType.RO_RO, ShipType.LNG_CARRIER, ShipType.OTHER}
)

#: Spread of an engine's consumption about its class: shop tests allow 5 % (ISO 3046-1:2002).
_ENGINE_SPREAD: Final = 0.03
#: Spread of what "service" is: fouling between dockings (Fourth IMO GHG Study 2020, 2.2.3: 0 to
#: 18 % about the mean of 9 %), and seas of the trade (sea margins of 10 to 20 %).
_SERVICE_SPREAD: Final = 0.05

#: Spread of installed over expected power for a ship of known resistance: sea margins of 10 to
#: 20 % and engine margins of 10 to 15 % (MAN Energy Solutions, Basic Principles of Ship
#: Propulsion, section 3), and a service speed that is declared to about 0.3 kn, 8 % of power.
_CHOICE_SPREAD: Final = 0.12
#: More than this apart, power and speed are not of one design.
_LOG_POWER_REACH: Final = 0.35
#: Types whose installed power may also feed the hotel or the cargo: more than the screw needs says
#: nothing of the hull, less does.
_POWER_SAYS_LITTLE: Final = frozenset({ShipType.PASSENGER, ShipType.LNG_CARRIER, ShipType.OTHER})


def generation_log_power(year_built: int | None) -> float:
    """Logarithm of power over that of ships built before 2011; 0 where the year isn't known."""
    if year_built is None:
        return 0.0
    share = (year_built - _CHANGE_FROM) / (_CHANGE_TO - _CHANGE_FROM)
    return min(max(share, 0.0), 1.0) * _LATEST_LOG_POWER


def evident_log_power(particulars: ShipParticulars, expected_mcr_kw: float) -> float:
    """Logarithm of power over the regressions', from the year and the installed power.

    The mean of a normal prior (the generation's) after one observation: the logarithm of
    installed power over ``expected_mcr_kw``, that of a ship of this generation [kW].
    """
    prior = generation_log_power(particulars.year_built)
    if particulars.installed_power_kw is None:
        return prior
    apart = math.log(particulars.installed_power_kw / expected_mcr_kw)
    held = min(max(apart, -_LOG_POWER_REACH), _LOG_POWER_REACH)
    if particulars.ship_type in _POWER_SAYS_LITTLE:
        # what is beyond the screw's need feeds the hotel or the cargo; what is short of it cannot
        held = min(held, 0.0)
    return prior + _weight_of_power(particulars) * held


def fuel_standard_error(particulars: ShipParticulars) -> float:
    """Standard error of the logarithm of fuel in service, from particulars alone.

    About 0.13 where neither year nor power is known. Of reports or declared consumption, which
    say more, it knows nothing.
    """
    says_little = particulars.ship_type in _POWER_SAYS_LITTLE
    believed = 0.0 if says_little else _weight_of_power(particulars)
    power_variance = _power_variance(particulars) * (1.0 - believed)
    return math.sqrt(power_variance + _ENGINE_SPREAD**2 + _SERVICE_SPREAD**2)


def stated_fuel_error(particulars: ShipParticulars) -> float:
    """Standard error of the logarithm of fuel: as measured where anything was, else estimated."""
    measured = particulars.response.standard_error
    return fuel_standard_error(particulars) if measured is None else measured


def _weight_of_power(particulars: ShipParticulars) -> float:
    """Share of the installed power's deviation that is believed to be the hull's."""
    if particulars.installed_power_kw is None:
        return 0.0
    variance = _power_variance(particulars)
    return variance / (variance + _CHOICE_SPREAD**2)


def _power_variance(particulars: ShipParticulars) -> float:
    """Variance of the logarithm of power before the installed power is looked at."""
    varied = _VARIED_SPREAD if particulars.ship_type in _VARIED else 0.0
    return HULL_SPREAD**2 + varied**2 + _generation_spread(particulars.year_built) ** 2


def _generation_spread(year_built: int | None) -> float:
    if year_built is None:
        return _UNKNOWN_YEAR_SPREAD
    return _EARLIER_SPREAD if year_built <= _CHANGE_FROM else _LATEST_SPREAD
