"""Rules for ice: where a ship may go, how fast, and the price of a mile."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.area import Area, AreaRule, IceHazard, IceWater
from app.engine.geodesy.shapes import contains_points
from app.engine.particulars import IceClass
from app.engine.request import VoyageRequest
from app.engine.sailing.track import Track

#: Speed made good through ice by a ship of the class needed [kn]. The Finnish-Swedish Ice
#: Class Rules 2021, section 3.2, ask of every class at least 5 kn in its brash channel at full
#: power; most miles inside a climatological ice edge are through less than that. Assumed.
ICE_SPEED_KN: Final = 8.0
#: Speed made good by a ship without the class, behind an icebreaker [kn]: the 5 kn of the
#: same section, which is also what POLARIS (IMO MSC.1/Circ.1519, table 1.3) recommends to
#: ships of little strength in elevated risk.
CONVOY_SPEED_KN: Final = 5.0
#: Price of a mile through ice for a ship of the class needed: hours at service power, at 8 kn
#: where about 14 would be made in open water.
ICE_PRICE: Final = 1.75
#: Price of a mile among icebergs: the longest detour is a quarter of the miles spared.
ICEBERG_PRICE: Final = 1.25
#: Ice concentration from which water is taken as ice-covered: the ice edge of the NSIDC Sea
#: Ice Index (G02135) and the World Meteorological Organization's "open water" limit rounded up.
ICE_EDGE_FRACTION: Final = 0.15

_NAVIGATED: Final = (AreaRule.PRICED, AreaRule.LEAST_EXPOSURE)


def find_ice_rule(ice: IceWater, ship: IceClass, *, port_calls: bool) -> AreaRule:
    """Return the rule of an area of ice for a ship.

    ``port_calls`` says that ships below the class needed are taken to ports inside, behind
    icebreakers; elsewhere they are refused.
    """
    match ice.hazard:
        case IceHazard.WATCH:
            return AreaRule.REPORTED
        case IceHazard.ICEBERGS:
            return AreaRule.PRICED
        case _ if not ship.covers(ice.class_needed):
            return AreaRule.AVOID_UNLESS_ENDPOINT if port_calls else AreaRule.NO_ENTRY
        case IceHazard.PACK:
            return AreaRule.PRICED
        case IceHazard.POLAR_WATERS:
            return AreaRule.REPORTED


def find_ice_price(ice: IceWater) -> float:
    """Return the price of a mile inside an area of ice that is priced."""
    return ICE_PRICE if ice.hazard is IceHazard.PACK else ICEBERG_PRICE


def find_ice_speed_kn(area: Area) -> float | None:
    """Return the speed made good inside an area, None where ice does not slow the ship."""
    if area.ice is None or area.ice.hazard is not IceHazard.PACK or area.rule not in _NAVIGATED:
        return None
    return ICE_SPEED_KN if area.rule is AreaRule.PRICED else CONVOY_SPEED_KN


def slow_in_ice(track: Track, request: VoyageRequest) -> Track:
    """Return the track with the speeds prescribed that ice allows.

    An area counts where it is in force at any time at which the ship may be there, between
    the highest and the lowest speed ordered.
    """
    cap_kn, in_ice = track.speed_cap_kn.copy(), track.in_ice.copy()
    for area in request.areas:
        speed_kn = find_ice_speed_kn(area)
        if speed_kn is None:
            continue
        inside = _may_be_met(area, track, request)
        inside[inside] = contains_points(
            area.geometry, track.middle_lats[inside], track.middle_lngs[inside]
        )
        cap_kn[inside] = np.minimum(cap_kn[inside], speed_kn)
        in_ice |= inside
    return replace(track, speed_cap_kn=cap_kn, in_ice=in_ice)


def _may_be_met(area: Area, track: Track, request: VoyageRequest) -> NDArray[np.bool_]:
    """Return which segments may be sailed while an area is in force, shape (n,)."""
    south, north = area.geometry.bounds[1::2]
    may_be = (track.middle_lats >= south) & (track.middle_lats <= north)
    along_nm = track.cumulative_nm[:-1]
    hour = timedelta(hours=1)
    if area.starts_at is not None:
        starts_h = (area.starts_at - request.departs_at) / hour
        may_be &= along_nm / CONVOY_SPEED_KN >= starts_h
    if area.ends_at is not None:
        ends_h = (area.ends_at - request.departs_at) / hour
        may_be &= along_nm / request.speed_max_kn <= ends_h
    return np.asarray(may_be)
