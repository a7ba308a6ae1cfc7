"""Hull form coefficients for resistance regressions, estimated from few particulars.

Owners give length, breadth, draught and deadweight; towing-tank regressions need coefficients of
form. The estimates are published ones. Those derived from the deadweight are limited to the range
of ships of the type, so that an inaccurate deadweight gives no impossible hull.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.constants import GRAVITY_MS2, SEA_WATER_DENSITY_KGM3
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.units import KNOT_MS
from app.engine.vessel.ship_types import TYPE_STATISTICS

#: Waterline over perpendiculars; Schneekluth & Bertram (1998), section 1.1.
_WATERLINE_RATIO: Final = 1.02
#: Least lightship over displacement at the summer draught.
_LIGHTSHIP_MIN: Final = 0.05

#: Froude numbers on the length between perpendiculars, and wave-making resistance of container
#: ships over that of Holtrop (1984). The first two are DTC (el Moctar, Shigunov & Zorn 2012) and
#: KCS (Kim, Van & Kim 2001): what their total resistance in the towing tank leaves after the
#: viscous resistance of the regression. Their bulbs are better than those of its models. At the
#: third, near the hump of the wave resistance, a series of 29.2 kn burns what the regression gives
#: (JCTrans 2008).
_WAVE_FROUDE: Final = (0.218, 0.260, 0.290)
_WAVE_RATIO: Final = (0.79, 0.54, 1.0)

#: 1 + k2 of a rudder behind a skeg, of two balance rudders, and of shafts (2.0 to 4.0) with
#: brackets (3.0); Holtrop & Mennen (1982), table.
_RUDDER_FACTOR: Final = 1.5
_TWIN_RUDDERS_FACTOR: Final = 2.8
_SHAFTS_FACTOR: Final = 3.0
#: Surface of two open shafts with their brackets over the bare hull's wetted surface. That of
#: twin-screw ships with their appendages (Kristensen & Lützen 2013) is 5 to 8 % more than the bare
#: hull's (Holtrop & Mennen 1982), of which rudders are 0.6 %, and bilge keels some.
_SHAFTS_OF_SURFACE: Final = 0.05


@dataclass(frozen=True, slots=True)
class HullForm:
    """A hull at one draught.

    Lengths [m], areas [m2], volume [m3]. ``lcb_pct`` is the centre of buoyancy forward of half the
    waterline length [% of it], ``bulb_centre_m`` the height of the bulb's centroid over the keel,
    ``stern_coefficient`` Holtrop's C_stern (-25 pram with gondola, -10 V, 0 normal, +10 U
    sections), ``wave_ratio`` the wave-making resistance over that of Holtrop's regression.
    """

    length_waterline_m: float
    length_perpendiculars_m: float
    breadth_m: float
    draft_fore_m: float
    draft_aft_m: float
    volume_m3: float
    midship_coefficient: float
    waterplane_coefficient: float
    lcb_pct: float
    bulb_area_m2: float
    bulb_centre_m: float
    transom_area_m2: float
    appendage_area_m2: float
    appendage_factor: float
    stern_coefficient: float
    screws: int = 1
    wave_ratio: float = 1.0

    @property
    def draft_m(self) -> float:
        """Mean draught [m]."""
        return 0.5 * (self.draft_fore_m + self.draft_aft_m)

    @property
    def block_coefficient(self) -> float:
        """Block coefficient on the waterline length."""
        return self.volume_m3 / (self.length_waterline_m * self.breadth_m * self.draft_m)

    @property
    def block_coefficient_lpp(self) -> float:
        """Block coefficient on the length between perpendiculars."""
        return self.block_coefficient * self.length_waterline_m / self.length_perpendiculars_m

    @property
    def prismatic_coefficient(self) -> float:
        """Longitudinal prismatic coefficient on the waterline length."""
        return self.block_coefficient / self.midship_coefficient

    @property
    def displacement_t(self) -> float:
        """Displacement in sea water [t]."""
        return self.volume_m3 * SEA_WATER_DENSITY_KGM3 / 1000.0

    def froude_number(self, speed_ms: float) -> float:
        """Return the Froude number on the waterline length at a speed [m/s]."""
        return speed_ms / math.sqrt(GRAVITY_MS2 * self.length_waterline_m)


def deadweight_ratio(ship_type: ShipType, dwt_t: float) -> float:
    """Return deadweight over displacement at the summer draught, by type and size.

    Logarithmic in the deadweight between the type's values at 5,000 and 150,000 t, and constant
    outside; after Papanikolaou (2014), table 1.1.
    """
    small, large = TYPE_STATISTICS[ship_type].deadweight_ratio
    share = math.log(dwt_t / 5_000.0) / math.log(150_000.0 / 5_000.0)
    return small + (large - small) * min(max(share, 0.0), 1.0)


def summer_displacement_t(particulars: ShipParticulars) -> float:
    """Estimate the displacement at the scantling draught [t] from the deadweight.

    That of passenger ships is estimated from the service speed. The resulting block coefficient is
    limited to the type's range.
    """
    statistics = TYPE_STATISTICS[particulars.hull_type]
    box_t = _box_t(particulars, particulars.draft_scantling_m)
    if statistics.block_by_speed:
        displacement_t = block_by_speed(_service_froude(particulars)) / _WATERLINE_RATIO * box_t
    else:
        ratio = deadweight_ratio(particulars.hull_type, particulars.dwt_t)
        displacement_t = particulars.dwt_t / ratio
    return min(max(displacement_t, statistics.block_min * box_t), statistics.block_max * box_t)


def block_by_speed(froude_number: float) -> float:
    """Return the usual block coefficient for a Froude number, both between perpendiculars.

    ``-4.22 + 27.8 sqrt(Fn) - 39.1 Fn + 46.6 Fn^3``, constant outside 0.15..0.32; Jensen (1994) in
    Schneekluth & Bertram (1998), section 1.6.
    """
    froude = min(max(froude_number, 0.15), 0.32)
    return -4.22 + 27.8 * math.sqrt(froude) - 39.1 * froude + 46.6 * froude**3


def displacement_at_draft_t(particulars: ShipParticulars, draft_m: float) -> float:
    """Estimate the displacement at a mean draught [t].

    The block coefficient decreases with the draught as ``CB = CB_s (T / T_s)^(CWP / CB_s - 1)``,
    for a constant ratio of waterplane to displacement (Schneekluth & Bertram 1998, section 2.6).
    Valid for 0.3 to 1.15 of the scantling draught.
    """
    box_t = _box_t(particulars, particulars.draft_scantling_m)
    block = summer_displacement_t(particulars) / box_t
    exponent = waterplane_coefficient(block) / block
    return box_t * block * float((draft_m / particulars.draft_scantling_m) ** exponent)


def lightship_t(particulars: ShipParticulars) -> float:
    """Return the lightship [t]: summer displacement less deadweight, at least 5 % of the former."""
    displacement_t = summer_displacement_t(particulars)
    return max(displacement_t - particulars.dwt_t, _LIGHTSHIP_MIN * displacement_t)


def greatest_deadweight_t(particulars: ShipParticulars) -> float:
    """Return the deadweight of the fullest hull of the type at the scantling draught [t]."""
    box_t = _box_t(particulars, particulars.draft_scantling_m)
    return (1.0 - _LIGHTSHIP_MIN) * TYPE_STATISTICS[particulars.hull_type].block_max * box_t


def ballast_draft_m(particulars: ShipParticulars) -> float:
    """Estimate the usual mean draught in ballast [m], by type.

    Ships that carry cargo one way return at the least draught allowed. For tankers that is
    2.0 + 0.02 L (MARPOL Annex I, regulation 18.3) and, below 150 m, 0.2 + 0.032 L (unified
    interpretations of Annex I, appendix 1, formulation A, from departures of 26 ships). Bulk
    carriers, to which the rule does not apply, need similar draughts to immerse propellers and
    forefoots of the same size.
    """
    ratio = TYPE_STATISTICS[particulars.hull_type].ballast_ratio
    if ratio is not None:
        return ratio * particulars.draft_design_m
    lightest_m = min(2.0 + 0.02 * particulars.lbp_m, 0.2 + 0.032 * particulars.lbp_m)
    return min(lightest_m, particulars.draft_design_m)


def midship_coefficient(block_coefficient: float) -> float:
    """Midship section coefficient; Jensen (1994) in Schneekluth & Bertram (1998), eq. 2.9."""
    return float(1.0 / (1.0 + (1.0 - block_coefficient) ** 3.5))


def waterplane_coefficient(block_coefficient: float) -> float:
    """Waterplane coefficient, (1 + 2 CB) / 3; Schneekluth & Bertram (1998), section 2.6."""
    return (1.0 + 2.0 * block_coefficient) / 3.0


def _centre_of_buoyancy_pct(froude_number: float) -> float:
    """Centre of buoyancy forward of midships [%]: 8.80 - 38.9 Fn, limited to -3..3.5.

    Schneekluth & Bertram (1998), eq. 2.16 (tankers and bulk carriers, Japanese
    statistics), Fn at the service speed.
    """
    return min(max(8.80 - 38.9 * froude_number, -3.0), 3.5)


#: Range of draught over the scantling draught, and greatest trim over the draught, of the
#: estimates of form coefficients.
_DRAFT_RANGE: Final = (0.3, 1.15)
_TRIM_MAX: Final = 0.6


def clip_loading(particulars: ShipParticulars, loading: Loading) -> Loading:
    """Return the loading with draught and trim clipped to the range of the form estimates."""
    low, high = (share * particulars.draft_scantling_m for share in _DRAFT_RANGE)
    draft_m = min(max(loading.draft_m, low), high)
    trim_m = min(max(loading.trim_m, -_TRIM_MAX * draft_m), _TRIM_MAX * draft_m)
    return Loading(draft_m, trim_m, loading.deadweight_t)


def estimate_hull_form(
    particulars: ShipParticulars, loading: Loading, screws: int | None = None
) -> HullForm:
    """Estimate the hull form of a ship at the draught and trim of its loading.

    Draught and trim are limited by :func:`clip_loading`. Without ``screws`` they are those of the
    type.
    """
    statistics = TYPE_STATISTICS[particulars.hull_type]
    screws = screws or statistics.screws
    loading = clip_loading(particulars, loading)
    length_m = _WATERLINE_RATIO * particulars.lbp_m
    breadth_m, draft_m = particulars.breadth_m, loading.draft_m
    volume_m3 = displacement_at_draft_t(particulars, draft_m) * 1000.0 / SEA_WATER_DENSITY_KGM3
    block = volume_m3 / (length_m * breadth_m * draft_m)
    midship = midship_coefficient(block)
    # the bulb lies at the fore end, which a trim by the stern lifts
    immersion = min(loading.draft_fore_m / particulars.draft_design_m, 1.0)
    bulb_m2 = (
        statistics.bulb_ratio * breadth_m * particulars.draft_design_m * midship * immersion**2
    )
    rudder_m2 = _rudder_area_m2(length_m, breadth_m, draft_m)
    shafts_m2 = _shafts_area_m2(length_m, draft_m, volume_m3) if screws > 1 else 0.0
    return HullForm(
        length_waterline_m=length_m,
        length_perpendiculars_m=particulars.lbp_m,
        breadth_m=breadth_m,
        draft_fore_m=loading.draft_fore_m,
        draft_aft_m=loading.draft_aft_m,
        volume_m3=volume_m3,
        midship_coefficient=midship,
        waterplane_coefficient=waterplane_coefficient(block),
        lcb_pct=_centre_of_buoyancy_pct(_service_froude(particulars)),
        bulb_area_m2=bulb_m2,
        bulb_centre_m=0.42 * loading.draft_fore_m,
        transom_area_m2=0.0,
        appendage_area_m2=rudder_m2 + shafts_m2,
        appendage_factor=_appendage_factor(rudder_m2, shafts_m2),
        stern_coefficient=0.0,
        screws=screws,
        wave_ratio=_wave_ratio(particulars, immersion),
    )


def _wave_ratio(particulars: ShipParticulars, immersion: float) -> float:
    """Return the wave-making resistance over that of Holtrop's regression.

    That of container ships at the Froude number of the service speed, linear between the published
    ones and constant outside; 1 for other types, of which no such tests are known. At less than the
    design draught what their bulbs save is assumed to be in proportion to the bulb's area,
    the square of ``immersion``, draught fore over design draught.
    """
    if particulars.hull_type is not ShipType.CONTAINER_SHIP:
        return 1.0
    ratio = float(np.interp(_service_froude(particulars), _WAVE_FROUDE, _WAVE_RATIO))
    return 1.0 - (1.0 - ratio) * immersion**2


def _shafts_area_m2(length_m: float, draft_m: float, volume_m3: float) -> float:
    """Surface of the open shafts and brackets of a twin-screw ship [m2].

    A share of the bare hull's wetted surface by Mumford, 1.7 L T + V / T.
    """
    return _SHAFTS_OF_SURFACE * (1.7 * length_m * draft_m + volume_m3 / draft_m)


def _appendage_factor(rudder_m2: float, shafts_m2: float) -> float:
    """Return 1 + k2 of the appendages together: the mean by surface, Holtrop & Mennen (1982)."""
    if shafts_m2 == 0.0:
        return _RUDDER_FACTOR
    resisting_m2 = _TWIN_RUDDERS_FACTOR * rudder_m2 + _SHAFTS_FACTOR * shafts_m2
    return resisting_m2 / (rudder_m2 + shafts_m2)


def _service_froude(particulars: ShipParticulars) -> float:
    """Froude number of the service speed on the length between perpendiculars."""
    speed_ms = particulars.service_speed_kn * KNOT_MS
    return speed_ms / math.sqrt(GRAVITY_MS2 * particulars.lbp_m)


def _rudder_area_m2(length_m: float, breadth_m: float, draft_m: float) -> float:
    """Area of both sides of the rudder [m2]; DNV (2000), Pt.3 Ch.3 Sec.2.

    One side has LT/100 (1 + 25 (B/L)^2). DNV's length is that between perpendiculars; the length
    given is that of the waterline, some per cent more.
    """
    return 2.0 * length_m * draft_m / 100.0 * (1.0 + 25.0 * (breadth_m / length_m) ** 2)


def _box_t(particulars: ShipParticulars, draft_m: float) -> float:
    """Mass of sea water in the box LWL x B x T [t]."""
    return (
        _WATERLINE_RATIO
        * particulars.lbp_m
        * particulars.breadth_m
        * draft_m
        * (SEA_WATER_DENSITY_KGM3 / 1000.0)
    )


def load_to_draft(ship: ShipParticulars, draft_m: float) -> Loading:
    """The loading at a draught [m] on even keel, with its deadweight."""
    lighter_t = summer_displacement_t(ship) - displacement_at_draft_t(ship, draft_m)
    return Loading(draft_m, 0.0, max(ship.dwt_t - lighter_t, 1.0))


@dataclass(frozen=True, slots=True)
class FormFigures:
    """Form ratios at the design draught, on the length between perpendiculars.

    The displacement [t], and the block coefficient by it, are estimated from deadweight and type.
    The Froude number is that of the service speed.
    """

    displacement_t: float
    block_coefficient: float
    length_to_breadth: float
    breadth_to_draft: float
    froude_number: float


def find_form_figures(ship: ShipParticulars) -> FormFigures:
    """Compute the form ratios of a ship with plausible particulars."""
    displacement_t = displacement_at_draft_t(ship, ship.draft_design_m)
    box_t = ship.lbp_m * ship.breadth_m * ship.draft_design_m * SEA_WATER_DENSITY_KGM3 / 1000.0
    return FormFigures(
        displacement_t=displacement_t,
        block_coefficient=displacement_t / box_t,
        length_to_breadth=ship.lbp_m / ship.breadth_m,
        breadth_to_draft=ship.breadth_m / ship.draft_design_m,
        froude_number=_service_froude(ship),
    )
