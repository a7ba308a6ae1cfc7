"""Rolling risks in following, quartering and resonant seas.

Source: IMO MSC.1/Circ.1228, Revised guidance to the master for avoiding
dangerous situations in adverse weather and sea conditions (2007), with the
natural roll period of the 2008 IS Code (MSC.267(85)), part A, 2.3.4. Headings
are off the bow, 0 ahead to 180 astern, as the circular's angle of encounter.
Compiled functions take floats only.
"""

import math
from enum import IntFlag
from typing import Final

from app.engine.compiled import njit_borrowing
from app.engine.constants import GRAVITY_MS2
from app.engine.vessel.waves import PEAK_OVER_MEAN


class SeaRisk(IntFlag):
    """Risks of a seaway to a ship; values combine."""

    NONE = 0
    SYNCHRONOUS_ROLL = 1
    PARAMETRIC_ROLL = 2
    SURF_RIDING = 4
    HIGH_WAVE_GROUPS = 8
    SLAMMING = 16
    DECK_WETNESS = 32
    VERTICAL_ACCELERATION = 64
    #: The dangerous situations of MSC.1/Circ.1228.
    ROLLING = SYNCHRONOUS_ROLL | PARAMETRIC_ROLL | SURF_RIDING | HIGH_WAVE_GROUPS


# bits for compiled functions, which know no enumerations
_SYNCHRONOUS_ROLL: Final = int(SeaRisk.SYNCHRONOUS_ROLL)
_PARAMETRIC_ROLL: Final = int(SeaRisk.PARAMETRIC_ROLL)
_SURF_RIDING: Final = int(SeaRisk.SURF_RIDING)
_HIGH_WAVE_GROUPS: Final = int(SeaRisk.HIGH_WAVE_GROUPS)


#: Relative difference between the periods of encounter and of roll within which they are resonant.
_RESONANCE_BAND: Final = 0.10

#: Significant roll amplitude from which synchronous rolling is a risk [rad]: 12 deg, twice the
#: limit of 6 deg root mean square for merchant ships in NORDFORSK, Assessment of ship performance
#: in a seaway (1987).
_ROLL_LIMIT_RAD: Final = math.radians(12.0)
#: Share of critical damping in roll, usual with bilge keels: Y. Himeno, Prediction of ship roll
#: damping, University of Michigan report 239 (1981).
_ROLL_DAMPING: Final = 0.1

#: Least wave steepness Hs / lambda of parametric rolling, and the range of wavelength over ship
#: length; MSC.1/Circ.1627, 2.3.2 and 2.3.3.
_PARAMETRIC_STEEPNESS: Final = 0.0167
_PARAMETRIC_LENGTHS: Final = (0.8, 2.0)

#: Surf-riding: sea off the bow from which it threatens [deg], and speed along the waves over the
#: root of the ship's length [kn/m^0.5]; Circ.1228, 4.2.1.
_SURF_RIDING_FROM_DEG: Final = 135.0
_SURF_RIDING_KN: Final = 1.8

#: Groups of high waves: mean wavelength and significant height over ship length, and range of the
#: speed along the waves over their mean period [kn/s]; Circ.1228, 4.2.2.
_GROUP_LENGTHS: Final = 0.8
_GROUP_HEIGHTS: Final = 0.04
_GROUP_KN_PER_S: Final = (1.3, 2.0)

_MEAN_OVER_PEAK: Final = 1.0 / PEAK_OVER_MEAN


def natural_roll_period_s(
    breadth_m: float, draft_m: float, length_m: float, metacentric_height_m: float
) -> float:
    """Return the natural roll period [s], 2 C B / sqrt(GM); 2008 IS Code, part A, 2.3.4.

    ``C = 0.373 + 0.023 B/d - 0.043 L/100``. Raises :class:`ValueError` for a
    metacentric height of zero or less.
    """
    if metacentric_height_m <= 0.0:
        raise ValueError("the metacentric height must be above zero")
    coefficient = 0.373 + 0.023 * breadth_m / draft_m - 0.043 * length_m / 100.0
    return 2.0 * coefficient * breadth_m / math.sqrt(metacentric_height_m)


@njit_borrowing(cache=True)
def wavelength_m(period_s: float) -> float:
    """Return the length of a deep-water wave [m], g T^2 / 2 pi."""
    return GRAVITY_MS2 * period_s * period_s / (2.0 * math.pi)


@njit_borrowing(cache=True)
def encounter_period_s(period_s: float, speed_kn: float, off_bow_deg: float) -> float:
    """Return the period of encounter [s], 3 T^2 / (3 T + V cos a); Circ.1228, 1.5.

    Infinite if the ship moves with the waves, positive also if it overtakes them.
    """
    rate = 3.0 * period_s + speed_kn * math.cos(math.radians(off_bow_deg))
    return math.inf if rate == 0.0 else abs(3.0 * period_s * period_s / rate)


@njit_borrowing(cache=True)
def surf_riding_speed_kn(off_bow_deg: float, length_m: float) -> float:
    """Return the speed above which surf-riding and broaching-to threaten; Circ.1228, 4.2.1.

    ``1.8 sqrt(L) / cos(180 - a)`` knots in seas from 135 to 180 deg off the bow, infinite in
    others.
    """
    if off_bow_deg <= _SURF_RIDING_FROM_DEG:
        return math.inf
    return _SURF_RIDING_KN * math.sqrt(length_m) / -math.cos(math.radians(off_bow_deg))


@njit_borrowing(cache=True)
def least_surf_riding_height_m(length_m: float) -> float:
    """Return the significant height below which following waves cause no surf-riding [m].

    The criterion of MSC.1/Circ.1627, 2.5.2 has the steepness and wavelength of parametric rolling.
    """
    return _PARAMETRIC_STEEPNESS * _PARAMETRIC_LENGTHS[0] * length_m


@njit_borrowing(cache=True)
def wave_group_speeds_kn(
    off_bow_deg: float, length_m: float, height_m: float, mean_period_s: float
) -> tuple[float, float]:
    """Return the speeds between which the ship moves with high wave groups; Circ.1228, 4.2.2.

    ``1.3 T < V cos(180 - a) < 2.0 T`` in seas from abaft the beam with a mean wavelength over
    0.8 L and a significant height over 0.04 L; both are infinite in other seas.
    """
    astern = -math.cos(math.radians(off_bow_deg))
    is_long = wavelength_m(mean_period_s) > _GROUP_LENGTHS * length_m
    if astern <= 0.0 or height_m <= _GROUP_HEIGHTS * length_m or not is_long:
        return math.inf, math.inf
    slow, fast = _GROUP_KN_PER_S
    return slow * mean_period_s / astern, fast * mean_period_s / astern


@njit_borrowing(cache=True)
def safe_speed_before_sea_kn(
    length_m: float, service_kn: float, off_bow_deg: float, height_m: float, peak_period_s: float
) -> float:
    """Return the greatest speed [kn] outside surf-riding and wave groups; Circ.1228, 4.2.1, 4.2.2.

    Infinite if neither limits it. A ship that overtakes the wave groups at its service speed need
    not slow down into them.
    """
    greatest_kn = math.inf
    if height_m >= least_surf_riding_height_m(length_m):
        greatest_kn = surf_riding_speed_kn(off_bow_deg, length_m)
    period_s = peak_period_s * _MEAN_OVER_PEAK
    from_kn, to_kn = wave_group_speeds_kn(off_bow_deg, length_m, height_m, period_s)
    return greatest_kn if service_kn >= to_kn else min(greatest_kn, from_kn)


def least_safe_speed_before_sea_kn(length_m: float, height_m: float) -> float:
    """Return the least of :func:`safe_speed_before_sea_kn` in seas of a height [kn]."""
    least_kn = math.inf
    if height_m >= least_surf_riding_height_m(length_m):
        least_kn = surf_riding_speed_kn(180.0, length_m)
    if height_m > _GROUP_HEIGHTS * length_m:
        period_s = math.sqrt(_GROUP_LENGTHS * length_m / wavelength_m(1.0))
        least_kn = min(least_kn, _GROUP_KN_PER_S[0] * period_s)
    return least_kn


@njit_borrowing(cache=True)
def resonant_roll_rad(
    off_bow_deg: float, height_m: float, peak_period_s: float, breadth_m: float, draft_m: float
) -> float:
    """Return the significant roll amplitude at resonance [rad].

    The wave slope pi Hs / lambda across the ship, at half the draught and averaged over the
    breadth (Froude-Krylov; A.R.J.M. Lloyd, Seakeeping, 1989), over twice the damping. Waves
    shorter than the breadth cause little roll.
    """
    long_m = wavelength_m(peak_period_s)
    across = abs(math.sin(math.radians(off_bow_deg)))
    phase = math.pi * breadth_m * across / long_m
    if phase >= math.pi:
        return 0.0
    mean = 1.0 if phase < 1e-6 else math.sin(phase) / phase
    slope = math.pi * height_m / long_m * across
    return slope * math.exp(-math.pi * draft_m / long_m) * mean / (2.0 * _ROLL_DAMPING)


@njit_borrowing(cache=True)
def is_synchronous(
    speed_kn: float,
    off_bow_deg: float,
    height_m: float,
    peak_period_s: float,
    roll_period_s: float,
    breadth_m: float,
    draft_m: float,
) -> bool:
    """Return whether there is a risk of synchronous rolling; Circ.1228, 4.2.3.

    Encounter period of the spectrum's peak within 10 % of the roll period, seas from 30 to
    150 deg off the bow, and a roll amplitude over the limit.
    """
    if off_bow_deg < 30.0 or off_bow_deg > 150.0:
        return False
    rolled = resonant_roll_rad(off_bow_deg, height_m, peak_period_s, breadth_m, draft_m)
    if rolled < _ROLL_LIMIT_RAD:
        return False
    met_s = encounter_period_s(peak_period_s, speed_kn, off_bow_deg)
    return abs(met_s / roll_period_s - 1.0) <= _RESONANCE_BAND


@njit_borrowing(cache=True)
def is_parametric(
    speed_kn: float,
    off_bow_deg: float,
    height_m: float,
    peak_period_s: float,
    roll_period_s: float,
    length_m: float,
) -> bool:
    """Return whether there is a risk of parametric rolling; Circ.1228, 4.2.4.

    Encounter period within 10 % of the roll period or of half of it, in seas within 45 deg of
    ahead or astern that are 0.8 to 2 ship lengths long and steeper than 0.0167.
    """
    if 45.0 < off_bow_deg < 135.0:
        return False
    long_m = wavelength_m(peak_period_s)
    if not _PARAMETRIC_LENGTHS[0] <= long_m / length_m <= _PARAMETRIC_LENGTHS[1]:
        return False
    if height_m < _PARAMETRIC_STEEPNESS * long_m:
        return False
    share = encounter_period_s(peak_period_s, speed_kn, off_bow_deg) / roll_period_s
    return abs(share - 1.0) <= _RESONANCE_BAND or abs(2.0 * share - 1.0) <= _RESONANCE_BAND


@njit_borrowing(cache=True)
def rolling_risks(
    speed_kn: float,
    off_bow_deg: float,
    height_m: float,
    peak_period_s: float,
    roll_period_s: float,
    length_m: float,
    breadth_m: float,
    draft_m: float,
) -> int:
    """Return the four situations of the circular as bits of :class:`SeaRisk`.

    Speed through the water [kn], sea off the bow [deg, 0..180], significant
    height [m], peak period [s], natural roll period [s], ship length, breadth and draught [m].
    """
    risks = 0
    if is_synchronous(
        speed_kn, off_bow_deg, height_m, peak_period_s, roll_period_s, breadth_m, draft_m
    ):
        risks |= _SYNCHRONOUS_ROLL
    if is_parametric(speed_kn, off_bow_deg, height_m, peak_period_s, roll_period_s, length_m):
        risks |= _PARAMETRIC_ROLL
    mean_s = peak_period_s * _MEAN_OVER_PEAK
    if height_m >= least_surf_riding_height_m(length_m) and speed_kn > surf_riding_speed_kn(
        off_bow_deg, length_m
    ):
        risks |= _SURF_RIDING
    from_kn, to_kn = wave_group_speeds_kn(off_bow_deg, length_m, height_m, mean_s)
    if from_kn < speed_kn < to_kn:
        risks |= _HIGH_WAVE_GROUPS
    return risks
