"""Check of the highest shaft speed ordered, before the search of candidates."""

from math import ceil

from app.engine.errors import LimitsTooTight
from app.engine.planning.context import PlanningContext
from app.engine.vessel import Ship, build_ship


def check_shaft_speed(context: PlanningContext) -> None:
    """Check that the ship can keep the highest shaft speed ordered at its lowest speed.

    The lowest speed is that of the ship model, in calm, deep water. A ship that cannot keep the
    shaft speed ordered is simulated at that speed and exceeds it. Raise :class:`LimitsTooTight` if
    even the lowest speed needs a higher shaft speed [1/min].
    """
    request = context.request
    if request.rpm_max is None:
        return
    ship = build_ship(request.ship, request.loading)
    lowest_kn = ship.speed_range_kn[0]
    needed_rpm = ship.performance(lowest_kn).rpm
    if request.rpm_max >= needed_rpm:
        return
    speed_kn, would_do_rpm = _find_sufficient(ship, request.speed_min_kn)
    raise LimitsTooTight(
        f"The highest shaft speed (rpm) of {request.rpm_max:g} rpm cannot be kept: in calm, deep"
        f" water the ship needs {needed_rpm:.1f} rpm at its lowest speed, {lowest_kn:.1f} kn."
        f" A limit of {would_do_rpm} rpm would do, for {speed_kn:.1f} kn.",
        limit="rpm",
        allowed=request.rpm_max,
        met=needed_rpm,
        unit="rpm",
        would_do=would_do_rpm,
    )


def _find_sufficient(ship: Ship, speed_min_kn: float) -> tuple[float, int]:
    """Return the lowest ordered speed that the ship can make [kn], and its shaft speed [1/min].

    The shaft speed is that in calm, deep water, rounded up.
    """
    ordered_kn = max(speed_min_kn, ship.speed_range_kn[0])
    speed_kn = ship.attainable_speed_kn(ordered_kn)
    return speed_kn, ceil(ship.performance(speed_kn).rpm)
