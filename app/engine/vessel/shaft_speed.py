"""Compiled ship model: the speed at given revolutions of the shaft."""

from typing import Final

from app.engine.compiled import njit_borrowing
from app.engine.vessel.kernels import KernelParameters, fuel_rate
from app.engine.vessel.relative_sea import RelativeSea

#: Precision of the revolutions, as a share, and most steps to find it.
_RPM_SHARE: Final = 1e-4
_STEPS: Final = 8
#: Range of the speed, as shares of the one at which it is sought first.
_LEAST_SHARE: Final = 0.25
_LARGEST_SHARE: Final = 1.5


@njit_borrowing(cache=True, error_model="numpy")
def speed_at_rpm_kn(ship: KernelParameters, rpm: float, near_kn: float, sea: RelativeSea) -> float:
    """Return the speed through the water [kn] at which the shaft turns at ``rpm`` [1/min] in a sea.

    It is sought from ``near_kn``, by secants because revolutions are nearly linear in speed, and
    lies between a quarter and one and a half times that speed.
    """
    least_kn, largest_kn = _LEAST_SHARE * near_kn, _LARGEST_SHARE * near_kn
    speed_kn, found = near_kn, fuel_rate(ship, near_kn, sea)[1]
    slope = found / speed_kn
    for _ in range(_STEPS):
        if abs(found - rpm) <= _RPM_SHARE * rpm or not slope > 0.0:
            break
        before_kn, before = speed_kn, found
        speed_kn = min(max(speed_kn + (rpm - found) / slope, least_kn), largest_kn)
        if speed_kn == before_kn:
            break
        found = fuel_rate(ship, speed_kn, sea)[1]
        slope = (found - before) / (speed_kn - before_kn)
    return float(speed_kn)
