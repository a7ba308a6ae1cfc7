"""The paths of candidate routes: found in the sea graph, and built as legs.

The highest shaft speed ordered is checked before they are searched.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import ceil
from typing import Final

from app.engine.area import Area
from app.engine.errors import DraftTooDeep, LimitsTooTight, NoRoute
from app.engine.formatting import format_position
from app.engine.planning.context import PlanningContext
from app.engine.planning.drawing import make_room_for_turns
from app.engine.planning.evaluation import build_simulator, simulate_constant_speed
from app.engine.planning.geometry import build_geometry
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.sailing.constant_speed import find_slowest_with_headway
from app.engine.sailing.simulation import Simulation
from app.engine.sea.path import SeaPath, ShipSize
from app.engine.vessel import Ship, build_ship

#: Words for two ends that lie nearest to the same navigable water.
SAME_WATER: Final = (
    "The navigable water nearest to departure and arrival is one place, {}. Enter positions in"
    " the water, further apart."
)


def find_candidate_paths(
    context: PlanningContext, areas: Sequence[Area], most: int = 4
) -> tuple[SeaPath, ...]:
    """Find up to ``most`` paths that the areas leave open, the cheapest first.

    If squat at the highest ordered speed closes all of them, by itself or with the areas, depths
    are checked for the lowest: the ship then slows down in shallow water.
    """
    request = context.request
    try:
        return _find_paths_for(context, context.size, areas, most)
    except (DraftTooDeep, NoRoute) as error:
        gate = error.data.get("gate", {})
        may_be_depth = gate.get("particular") == "depth_m" or "areas" in error.data
        if not may_be_depth or request.speed_min_kn >= request.speed_max_kn:
            raise
    return _find_paths_for(context, context.size_at(request.speed_min_kn), areas, most)


def _find_paths_for(
    context: PlanningContext, size: ShipSize, areas: Sequence[Area], most: int
) -> tuple[SeaPath, ...]:
    request = context.request
    return context.sea.find_paths(
        request.departure,
        request.arrival,
        ship=size,
        areas=areas,
        limits=request.limits,
        most=most,
    )


def find_unlimited_path(
    context: PlanningContext, size: ShipSize, *, proves_water: bool = False
) -> SeaPath | None:
    """Find the cheapest path for another size, or with unproven water counted as proven."""
    request = context.request
    return context.sea.find_cheapest_path(
        request.departure,
        request.arrival,
        ship=size,
        areas=context.lasting_areas,
        limits=request.limits,
        proves_water=proves_water,
    )


def build_path_geometry(context: PlanningContext, path: SeaPath) -> RouteGeometry:
    """Build the route geometry of a path, with the leg geometry of the request.

    Raise :class:`NoRoute` if departure and arrival are one place in navigable water.
    """
    legs = context.sea.build_legs(make_room_for_turns(context, path), context.request.track)
    if not legs:
        raise NoRoute(SAME_WATER.format(format_position(*context.ends[0])))
    return build_geometry(context, path.label, path.uses, legs, path.conditions.prices)


@dataclass(frozen=True, slots=True)
class PathCase:
    """A path with its legs.

    ``simulate`` returns the simulation at the best constant speed, made when it is first needed.
    """

    context: PlanningContext
    path: SeaPath
    geometry: RouteGeometry
    simulate: Callable[[], SimulatedRoute]

    @classmethod
    def of(cls, context: PlanningContext, path: SeaPath) -> "PathCase":
        """Build the legs of a path."""
        geometry, request = build_path_geometry(context, path), context.request
        simulate = partial(
            simulate_constant_speed, context, geometry, request.objective, context.longest_h
        )
        return cls(context, path, geometry, cache(simulate))

    @classmethod
    def if_sailable(cls, context: PlanningContext, path: SeaPath) -> "PathCase | None":
        """Build the legs of a path, and simulate it at once; ``None`` if a current stops the ship.

        That is at the highest ordered speed: at lower ones the ship may be stopped.
        """
        case = cls.of(context, path)
        try:
            case.simulate()
        except LimitsTooTight:
            return None
        return case

    @property
    def slowest(self) -> Simulation:
        """The simulation at the lowest ordered speed at which no current stops the ship."""
        request, simulate = self.context.request, build_simulator(self.context, self.geometry)
        return simulate(
            find_slowest_with_headway(simulate, request.speed_min_kn, request.speed_max_kn)
        )


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
