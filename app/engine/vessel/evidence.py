"""Estimate of a ship's power from its year of build and installed power, with standard error.

Towing-tank regressions give the mean of many hulls. The year of build and the installed power are
evidence of a ship's deviation from it. All values are logarithms: a spread of 0.08 is 8 %.
"""

import math
from typing import Final

import numpy as np

from app.engine.particulars import ShipParticulars, ShipType

#: Power of ships built in the second year or later, over that of ships built to the first year at
#: the same speed; linear between the years. The required energy efficiency design index is 10 %
#: below the line of the ships of 1999-2008 from 2015 and 20 % below it from 2020 (MARPOL Annex VI,
#: regulation 24, table 1): 15 % in the middle. A yard's 57,000 t design of 2013 burns 12 % less
#: than its previous one (Baird Maritime, "Fuel consumption cut by 14 percent in new bulk
#: carrier"); of bulk carriers delivered from 2005, those of 2014-2016 are the first that differ
#: from earlier ones (Pruyn 2020).
_CHANGE_FROM, _CHANGE_TO = 2011, 2015
_LATEST_LOG_POWER: Final = math.log(0.85)

#: Years in which the largest container ships until then were delivered, and their deadweight [t]:
#: Emma Maersk, CMA CGM Marco Polo, MSC Oscar. A larger one is newer, though its year is unknown.
_LARGEST_IN_YEAR: Final = (2006.0, 2012.0, 2015.0)
_LARGEST_DWT_T: Final = (157_000.0, 187_600.0, 197_400.0)

#: Spread of the power of hulls of one type, size and generation about the regressions. In the
#: towing tank KVLCC2, JBC, KCS and DTC have 10 % less, 1 % more, 7 % less and 2 % less resistance
#: than the regressions (``benchmarks.hull``), and differ as much in wake and thrust deduction.
HULL_SPREAD: Final = 0.08
#: Spread by generation: of earlier ships, of the latest, and for an unknown year.
_EARLIER_SPREAD, _LATEST_SPREAD, _UNKNOWN_YEAR_SPREAD = 0.05, 0.07, 0.08
#: Spread of types whose hulls or machinery vary most: two screws, electric drive, special purposes.
_VARIED_SPREAD: Final = 0.08
_VARIED: Final = frozenset(
    {ShipType.PASSENGER, ShipType.RO_RO, ShipType.LNG_CARRIER, ShipType.OTHER}
)

#: Spread of an engine's consumption about its class: shop tests allow 5 % (ISO 3046-1:2002).
_ENGINE_SPREAD: Final = 0.03
#: Spread of service conditions: fouling between dockings (Fourth IMO GHG Study 2020, 2.2.3: 0 to
#: 18 % about the mean of 9 %), and weather of the trade (sea margins of 10 to 20 %).
_SERVICE_SPREAD: Final = 0.05

#: Spread of installed over expected power for a ship of known resistance: sea margins of 10 to
#: 20 % and engine margins of 10 to 15 % (MAN Energy Solutions, Basic Principles of Ship
#: Propulsion, section 3), and the service speed, declared to about 0.3 kn, 8 % of power.
_CHOICE_SPREAD: Final = 0.12
#: Logarithms of installed over expected power that the spread explains well, and at most. A ship
#: with more was built for a greater speed than it serves at, so that its power is no evidence on
#: the hull, and less evidence the nearer it is to that; of less power only this much is used.
_LOG_POWER_USUAL: Final = 2.0 * _CHOICE_SPREAD
_LOG_POWER_MAX: Final = 3.0 * _CHOICE_SPREAD
#: Types whose installed power may also supply hotel or cargo loads, so that only a power below
#: the expected one is evidence on the hull.
_HOTEL_OR_CARGO_LOAD: Final = frozenset({ShipType.PASSENGER, ShipType.LNG_CARRIER, ShipType.OTHER})


def generation_log_power(particulars: ShipParticulars) -> float:
    """Return the logarithm of power over that of ships built before 2011.

    It is 0 for an unknown year, except for container ships larger than any built before.
    """
    year: float | None = particulars.year_built
    if year is None and particulars.hull_type is ShipType.CONTAINER_SHIP:
        year = float(np.interp(particulars.dwt_t, _LARGEST_DWT_T, _LARGEST_IN_YEAR))
    if year is None:
        return 0.0
    share = (year - _CHANGE_FROM) / (_CHANGE_TO - _CHANGE_FROM)
    return min(max(share, 0.0), 1.0) * _LATEST_LOG_POWER


def estimate_log_power(particulars: ShipParticulars, expected_mcr_kw: float) -> float:
    """Estimate the logarithm of power over the regressions', by year and installed power.

    The posterior mean of a normal prior, that of the generation, after one observation: the
    logarithm of installed power over ``expected_mcr_kw``, that of a ship of this generation [kW].
    """
    prior = generation_log_power(particulars)
    if particulars.installed_power_kw is None:
        return prior
    apart = max(math.log(particulars.installed_power_kw / expected_mcr_kw), -_LOG_POWER_MAX)
    if particulars.hull_type in _HOTEL_OR_CARGO_LOAD:
        # power above the propeller's need may supply hotel or cargo loads
        apart = min(apart, 0.0)
    return prior + _weight_of_power(particulars, expected_mcr_kw) * apart


def estimate_log_fuel_error(particulars: ShipParticulars, expected_mcr_kw: float) -> float:
    """Return the standard error of the logarithm of fuel in service, from particulars alone.

    It is about 0.13 if neither year nor power is known. Reports and declared consumption, which
    reduce it, are not considered.
    """
    has_other_loads = particulars.hull_type in _HOTEL_OR_CARGO_LOAD
    weight = 0.0 if has_other_loads else _weight_of_power(particulars, expected_mcr_kw)
    power_variance = _power_variance(particulars) * (1.0 - weight)
    return math.sqrt(power_variance + _ENGINE_SPREAD**2 + _SERVICE_SPREAD**2)


def _weight_of_power(particulars: ShipParticulars, expected_mcr_kw: float) -> float:
    """Share of the installed power's deviation that is attributed to the hull."""
    installed_kw = particulars.installed_power_kw
    if installed_kw is None:
        return 0.0
    variance = _power_variance(particulars)
    left = _LOG_POWER_MAX - math.log(installed_kw / expected_mcr_kw)
    trust = min(max(left / (_LOG_POWER_MAX - _LOG_POWER_USUAL), 0.0), 1.0)
    return trust * variance / (variance + _CHOICE_SPREAD**2)


def _power_variance(particulars: ShipParticulars) -> float:
    """Variance of the logarithm of power without the evidence of the installed power."""
    varied = _VARIED_SPREAD if particulars.hull_type in _VARIED else 0.0
    return HULL_SPREAD**2 + varied**2 + _generation_spread(particulars.year_built) ** 2


def _generation_spread(year_built: int | None) -> float:
    if year_built is None:
        return _UNKNOWN_YEAR_SPREAD
    return _EARLIER_SPREAD if year_built <= _CHANGE_FROM else _LATEST_SPREAD
