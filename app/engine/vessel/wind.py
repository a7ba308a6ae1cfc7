"""Apparent wind, and wind resistance by Fujiwara's regression.

Source: T. Fujiwara, M. Ueno, Y. Ikeda, Cruising performance of a large passenger
ship in heavy sea, ISOPE (2006), as ISO 15016:2015, annex C.
"""

import math
from dataclasses import dataclass
from typing import Final

from app.engine.constants import AIR_DENSITY_KGM3, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import ShipParticulars, ShipType
from app.engine.vessel.hull_form import displacement_at_draft_t
from app.engine.vessel.kernels import BEAM_COSINE
from app.engine.vessel.ship_types import TYPE_STATISTICS


@dataclass(frozen=True, slots=True)
class Superstructure:
    """Dimensions of the ship above the waterline.

    Length over all and breadth [m]; front and side areas [m2]; side area of deck houses [m2];
    height of the top over the water [m]; centre of the side area forward of midships (negative:
    aft) and over the water [m].
    """

    length_overall_m: float
    breadth_m: float
    front_area_m2: float
    side_area_m2: float
    deck_house_area_m2: float
    height_m: float
    centre_forward_m: float
    centre_height_m: float


@dataclass(frozen=True, slots=True)
class WindCoefficients:
    """Fujiwara's C_LF, C_XLI and C_ALF for wind from ahead and from astern of the beam."""

    ahead: tuple[float, float, float]
    astern: tuple[float, float, float]


def wind_coefficients(house: Superstructure) -> WindCoefficients:
    """Compute the coefficients of the regression; ISO 15016:2015, eqs. C.3 and C.4."""
    length_m, breadth_m, height_m = house.length_overall_m, house.breadth_m, house.height_m
    front_m2, side_m2 = house.front_area_m2, house.side_area_m2
    side_fill, front_fill = side_m2 / (length_m * height_m), front_m2 / (breadth_m * height_m)
    ahead = (
        0.922
        - 0.507 * side_m2 / (length_m * breadth_m)
        - 1.162 * house.centre_forward_m / length_m,
        -0.458 - 3.245 * side_fill + 2.313 * front_fill,
        0.585 + 0.906 * house.deck_house_area_m2 / side_m2 - 3.239 * breadth_m / length_m,
    )
    astern = (
        -0.018
        + 5.091 * breadth_m / length_m
        - 10.367 * house.centre_height_m / length_m
        + 3.011 * house.deck_house_area_m2 / length_m**2
        + 0.341 * front_m2 / breadth_m**2,
        1.901
        - 12.727 * side_fill
        - 24.407 * front_m2 / side_m2
        + 40.310 * breadth_m / length_m
        + 5.481 * front_fill,
        0.314 + 1.117 * house.deck_house_area_m2 / side_m2,
    )
    return WindCoefficients(ahead, astern)


def wind_coefficient(coefficients: WindCoefficients, angle_deg: float) -> float:
    """Return the wind resistance coefficient C_AA at a relative wind angle [deg].

    0 is wind from ahead; positive is resistance; symmetric to both sides. Within 10 deg of the
    beam it is linear in the cosine between the values at 80 and 100 deg, so that at 90 deg it is
    their mean, as the standard requires.
    """
    cosine = math.cos(math.radians(angle_deg))
    if abs(cosine) < BEAM_COSINE:
        fore = _series(coefficients.ahead, BEAM_COSINE)
        aft = _series(coefficients.astern, -BEAM_COSINE)
        return aft + (fore - aft) * 0.5 * (1.0 + cosine / BEAM_COSINE)
    return _series(coefficients.ahead if cosine > 0.0 else coefficients.astern, cosine)


def _series(coefficients: tuple[float, float, float], cosine: float) -> float:
    along, lift, corner = coefficients
    sine_squared = 1.0 - cosine**2
    return (
        along * cosine
        + lift * sine_squared * cosine * (1.0 - 0.5 * cosine**2)
        + corner * math.sqrt(sine_squared) * cosine**3
    )


def apparent_wind(
    ship_speed_ms: float, wind_speed_ms: float, wind_angle_deg: float
) -> tuple[float, float]:
    """Return the apparent wind speed [m/s] and angle off the bow [deg, 0..180].

    ``wind_angle_deg`` is the direction of the true wind off the bow.
    """
    ahead = ship_speed_ms + wind_speed_ms * math.cos(math.radians(wind_angle_deg))
    abeam = wind_speed_ms * math.sin(math.radians(wind_angle_deg))
    return math.hypot(ahead, abeam), abs(math.degrees(math.atan2(abeam, ahead)))


def wind_force_n(
    coefficients: WindCoefficients,
    front_area_m2: float,
    apparent_ms: float,
    angle_deg: float,
) -> float:
    """Return the longitudinal wind force [N], positive astern."""
    pressure = 0.5 * AIR_DENSITY_KGM3 * front_area_m2 * apparent_ms**2
    return pressure * wind_coefficient(coefficients, angle_deg)


def wind_resistance_n(
    coefficients: WindCoefficients,
    front_area_m2: float,
    ship_speed_ms: float,
    wind_speed_ms: float,
    wind_angle_deg: float,
) -> float:
    """Return the resistance in wind less that in still air [N]; negative is a thrust.

    The still-air resistance is included in the correlation allowance of the calm-water resistance
    (Holtrop & Mennen 1982; ISO 15016:2015, eq. C.1).
    """
    apparent_ms, angle_deg = apparent_wind(ship_speed_ms, wind_speed_ms, wind_angle_deg)
    return wind_force_n(coefficients, front_area_m2, apparent_ms, angle_deg) - wind_force_n(
        coefficients, front_area_m2, ship_speed_ms, 0.0
    )


#: Types whose decks are enclosed from side to side over nearly the whole length, so that their
#: gross tonnage gives their height.
_ENCLOSED: Final = frozenset({ShipType.RO_RO, ShipType.PASSENGER})


def enclosed_volume_m3(gross_tonnage: float) -> float:
    """Return the volume V [m3] of all enclosed spaces, of which GT = V (0.2 + 0.02 log10 V).

    International Convention on Tonnage Measurement of Ships 1969, annex I, regulation 3.
    """
    volume_m3 = gross_tonnage / 0.3
    for _ in range(5):
        volume_m3 = gross_tonnage / (0.2 + 0.02 * math.log10(volume_m3))
    return volume_m3


def _house_height_m(particulars: ShipParticulars) -> float:
    """Return the mean height of the superstructure over the main deck [m].

    Where the gross tonnage of a ship of enclosed decks is known, the enclosed volume that is not
    under water at the design draught is spread over length and breadth, to a height over water of
    at most the breadth, which the tallest ships do not exceed; else the type's mean.
    """
    if particulars.hull_type in _ENCLOSED and particulars.gross_tonnage is not None:
        draft_m, breadth_m = particulars.draft_design_m, particulars.breadth_m
        submerged_m3 = displacement_at_draft_t(particulars, draft_m) * 1e3 / SEA_WATER_DENSITY_KGM3
        dry_m3 = enclosed_volume_m3(particulars.gross_tonnage) - submerged_m3
        height_m = min(dry_m3 / (particulars.lbp_m * breadth_m), breadth_m)
        return max(height_m - (particulars.depth_m - draft_m), 0.0)
    scale = min(particulars.loa_m / 180.0, 1.0)
    return TYPE_STATISTICS[particulars.hull_type].wind_side_m * scale


def estimate_superstructure(particulars: ShipParticulars, draft_m: float) -> Superstructure:
    """Estimate the superstructure of a ship at a draught, by type, freeboard and gross tonnage."""
    statistics = TYPE_STATISTICS[particulars.hull_type]
    freeboard_m = max(particulars.depth_m - draft_m, 0.0)
    scale = min(particulars.loa_m / 180.0, 1.0)
    side_m = _house_height_m(particulars)
    # the bridge stands over the mean height
    front_m = side_m + (statistics.wind_front_m - statistics.wind_side_m) * scale
    house_m2 = side_m * particulars.loa_m
    side_m2 = freeboard_m * particulars.loa_m + house_m2
    centre_m = (
        0.5 * freeboard_m**2 * particulars.loa_m + house_m2 * (freeboard_m + 0.5 * front_m)
    ) / side_m2
    aft_share = -0.30 * house_m2 / side_m2 if side_m < 0.5 * front_m else 0.0
    return Superstructure(
        length_overall_m=particulars.loa_m,
        breadth_m=particulars.breadth_m,
        front_area_m2=(freeboard_m + front_m) * particulars.breadth_m,
        side_area_m2=side_m2,
        deck_house_area_m2=house_m2,
        height_m=freeboard_m + 1.25 * front_m,
        centre_forward_m=aft_share * particulars.loa_m,
        centre_height_m=centre_m,
    )
