"""Errors of voyages without a path: water that is too shallow, canal limits, closed areas."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NoReturn

import numpy as np

from app.engine.area import Area
from app.engine.errors import CanalLimit, DraftTooDeep, NoRoute
from app.engine.formatting import format_latitude, format_position
from app.engine.geodesy.shapes import build_lines, lines_within
from app.engine.sea.alternatives import FoundPath, PathRequest
from app.engine.sea.bridge_crossings import find_crossed
from app.engine.sea.bridges import Bridge
from app.engine.sea.passage_limits import PassageOrBridge, describe_excess, exceeded_limits
from app.engine.sea.path import ShipSize
from app.engine.sea.route_restrictions import list_latitude_limits
from app.engine.sea.routing import GraphPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, STEPS_PER_M, count_steps, find_least_steps
from app.engine.sea.string_pulling import Chain, find_unproven
from app.engine.units import direction_difference, wrap_longitude

#: Finds the cheapest path of a request that may be planned, or None.
FindAllowed = Callable[[PathRequest], FoundPath | None]
#: Finds the cheapest path of a request, over unproven water too, or None.
FindPath = Callable[[PathRequest], GraphPath | None]
#: A gate as error data: name, kind, particular, the ship's value, the limit, and position.
Gate = dict[str, str | float | None]
#: Latitude and longitude [deg].
Point = tuple[float, float]

#: The world ocean among the components of the sea graph.
OCEAN: Final = 0
#: A ship without dimensions.
_FITS_ANYWHERE: Final = ShipSize(draft_m=0.0, breadth_m=0.0, loa_m=0.0)
_SOUNDINGS: Final = 65
#: Kind of the gates that are bridges.
_BRIDGE: Final = "BRIDGE"
#: Particulars that depend on the draught.
_DEPTHS: Final = ("draft_m", "depth_m")


def raise_infeasible(
    find_allowed: FindAllowed, find: FindPath, request: PathRequest, waters: CoastData
) -> NoReturn:
    """Raise the reason why a request has no path that may be planned.

    :class:`DraftTooDeep`: a ship of less draught has a path. It names the shallowest gate, passage
    or place on the path for the deepest ship, or the unproven water on the path of this one.
    :class:`CanalLimit`: a smaller ship has a path. :class:`NoRoute`: no ship has a path. It names
    forbidden areas or the latitude limit if they close it: the ship has a path without them, or no
    ship has one with them.
    """

    def find_proven(request: PathRequest) -> GraphPath | None:
        return (found := find_allowed(request)) and found[1]

    is_limited = bool(request.areas or list_latitude_limits(request.limits))
    if is_limited:
        _raise_closed(find_proven, request)
    by_unproven = find(request)
    if by_unproven is not None:
        _raise_too_large(find, request)
        _raise_too_deep(find_proven, request, waters, must_bind=True)
        _raise_unproven(by_unproven.chain, request.ship, waters)
    if is_limited:
        _raise_closed(find, request)
    deepest = _raise_too_deep(find, request, waters)
    if deepest is not None:
        _raise_unproven(deepest.chain, request.ship, waters)
    any_path = find(replace(request, ship=_FITS_ANYWHERE))
    if any_path is not None:
        _raise_for_gates(CanalLimit, _list_gates(any_path, request))
    raise NoRoute("No open water leads from departure to arrival for this ship.")


def raise_disconnected(start: int, end: int) -> NoReturn:
    """Raise that the waters of the two ends, components of the sea graph, are not connected.

    The ``data["closed"]`` of :class:`NoRoute` names the ends that are not on the ocean.
    """
    closed = [name for name, water in (("departure", start), ("arrival", end)) if water != OCEAN]
    if len(closed) == 2:
        detail = (
            "Departure and arrival lie on two lakes or closed seas that no known passage joins."
        )
    else:
        detail = (
            f"The {closed[0]} lies on a lake or closed sea, "
            "which no known passage joins to the ocean."
        )
    raise NoRoute(detail, closed=closed)


def _raise_closed(find: FindPath, request: PathRequest) -> None:
    """Raise NoRoute if the ship has a path without forbidden areas, or without a latitude limit."""
    open_path = find(replace(request, areas=()))
    if open_path is not None:
        closing = [area for area in request.areas if _lies_on_path(area, open_path.chain)]
        names = ", ".join(area.name for area in closing)
        raise NoRoute(
            "Forbidden areas leave no route from departure to arrival; the route without them "
            f"enters {names}.",
            areas=[area.id for area in closing],
        )
    limits = request.limits
    freed = (
        ("maxNorthLat", "south", limits.north_lat, replace(limits, north_lat=None)),
        ("maxSouthLat", "north", limits.south_lat, replace(limits, south_lat=None)),
    )
    for field, side, lat, others in freed:
        if lat is not None and find(replace(request, areas=(), limits=others)):
            raise NoRoute(
                f"No route from departure to arrival keeps {side} of {format_latitude(lat)}.",
                limit=field,
            )


def _lies_on_path(area: Area, chain: Chain) -> bool:
    """Return whether a forbidden area lies within a mile of a chain of points."""
    if not area.rule.forbids_entry:
        return False
    lats, lngs = chain.lats, chain.lngs
    steps = build_lines(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    return bool(lines_within(area.geometry, steps, 1.0 / 60.0).any())


def _raise_too_deep(
    find: FindPath, request: PathRequest, waters: CoastData, *, must_bind: bool = False
) -> GraphPath | None:
    """Raise the error of the gates that the ship exceeds on the path for its deepest draught.

    Return that path if there are none, or if one ``must_bind`` and a deeper ship than that path's
    could pass them all; ``None`` if no ship of less draught has a path.
    """
    found = _find_deepest_path(find, request)
    if found is None:
        return None
    deepest, fits = found
    gates = _list_gates(deepest, request)
    if shoal := _find_shoal(deepest.chain, request.ship, fits, waters):
        gates.append(shoal)
    if gates and (not must_bind or any(_is_full(gate, fits) for gate in gates)):
        _raise_for_gates(DraftTooDeep, gates, lambda gate: _is_full(gate, fits))
    return deepest


def _find_deepest_path(find: FindPath, request: PathRequest) -> tuple[GraphPath, ShipSize] | None:
    """Return the path for the deepest draught of the ship, and the ship at it, or None.

    By bisection, because a ship of less draught can use the path of a deeper one.
    """
    steps = count_steps(request.ship.least_depth_m)
    too_deep, best = 0, None
    light = steps + 1
    while light - too_deep > 1:
        lift = steps if best is None else (too_deep + light) // 2
        path = find(replace(request, ship=request.ship.lighten(lift / STEPS_PER_M)))
        if path is None and best is None:
            return None
        if path is None:
            too_deep = lift
        else:
            light, best = lift, path
    return None if best is None else (best, request.ship.lighten(light / STEPS_PER_M))


def _is_full(gate: Gate, ship: ShipSize) -> bool:
    """Return whether a gate that admits a ship admits none that is a step deeper."""
    has = {"draft_m": ship.draft_m, "depth_m": ship.least_depth_m}.get(str(gate["particular"]))
    return has is not None and float(gate["limit"] or 0.0) < has + 1.0 / STEPS_PER_M


def _raise_too_large(find: FindPath, request: PathRequest) -> None:
    """Raise the error of passages to an end that are too small, if a smaller ship uses them."""
    limiting = request.list_limiting(request.departure, request.arrival)
    by_any = find(replace(request, ship=_FITS_ANYWHERE)) if limiting else None
    gates = [
        gate
        for passage in limiting
        if by_any is not None and passage.id in by_any.gates
        for gate in _list_exceeded(passage, request.ship)
    ]
    if gates:
        is_depth = all(gate["particular"] in _DEPTHS for gate in gates)
        _raise_for_gates(DraftTooDeep if is_depth else CanalLimit, gates)


def _raise_unproven(chain: Chain, ship: ShipSize, waters: CoastData) -> NoReturn:
    """Raise that the only path crosses water of unknown depth, away from the ends."""
    conditions = NO_CONDITIONS._replace(depth_steps=count_steps(ship.least_depth_m))
    steps = np.flatnonzero(find_unproven(waters, conditions, chain))
    ends = [(float(chain.lats[i]), float(chain.lngs[i])) for i in (0, -1)]
    away = [
        min(distance_nm(*end, chain.lats[i], chain.lngs[i]) for end in ends) for i in steps.tolist()
    ]
    at = int(steps[int(np.argmax(away))]) if away else 0
    lat, lng = round(float(chain.lats[at]), 4), round(float(chain.lngs[at]), 4)
    raise DraftTooDeep(
        f"The route leads through narrow water of unknown depth at {format_position(lat, lng)}, "
        f"away from both ends; this ship needs {ship.least_depth_m:.1f} m.",
        passages=[],
        gate={
            "id": None,
            "name": "water of unknown depth",
            "particular": "depth_m",
            "ship": round(ship.least_depth_m, 2),
            "limit": None,
            "lat": lat,
            "lng": lng,
        },
    )


def _list_gates(path: GraphPath, request: PathRequest) -> list[Gate]:
    """List the limits of the passages and bridges on a path that the ship exceeds."""
    gates = [
        gate
        for passage in request.passages
        if passage.id in path.gates
        for gate in _list_exceeded(passage, request.ship)
    ]
    for bridge, _, place in find_crossed(request.bridges, path.chain.lats, path.chain.lngs):
        where: Gate = {"lat": round(place.lat, 4), "lng": round(place.lng, 4)}
        gates += [gate | where for gate in _list_exceeded(bridge, request.ship)]
    return gates


def _list_exceeded(passage: PassageOrBridge, ship: ShipSize) -> list[Gate]:
    """List the limits of a passage or bridge that the ship exceeds."""
    kind = _BRIDGE if isinstance(passage, Bridge) else passage.kind.value
    what = {"id": passage.id, "name": passage.name, "kind": kind}
    return [
        {**what, "particular": name, "ship": size, "limit": limit}
        for name, (size, limit) in exceeded_limits(passage, ship).items()
    ]


def _find_shoal(chain: Chain, ship: ShipSize, fits: ShipSize, waters: CoastData) -> Gate | None:
    """Find the shallowest charted place on a chain, if it is too shallow for the ship.

    Places shallower than the required depth of ``fits`` are mouths of passages, whose depth is that
    of the passage.
    """
    need, passed = count_steps(ship.least_depth_m), count_steps(fits.least_depth_m)
    points = chain.points
    found = [
        _find_least_steps(waters, *ends, SHOAL_MARGIN_CELLS, need) if mark == OPEN_SEA else need
        for ends, mark in zip(pairwise(points), chain.marks.tolist(), strict=True)
    ]
    steps = [step if step >= passed else need for step in found]
    if min(steps, default=need) >= need:
        return None
    at = int(np.argmin(steps))
    lat, lng = _find_shallowest(waters, points[at], points[at + 1], need)
    return {
        "id": None,
        "name": f"the shoal charted at {format_position(lat, lng)}",
        "particular": "depth_m",
        "ship": round(ship.least_depth_m, 2),
        "limit": steps[at] / STEPS_PER_M,
        "lat": lat,
        "lng": lng,
    }


def _find_shallowest(waters: CoastData, a: Point, b: Point, need: int) -> Point:
    """Find the place on a step of a chain that is in, or else nearest to, the shallowest cell."""
    shares = np.linspace(0.0, 1.0, _SOUNDINGS)
    lats = a[0] + shares * (b[0] - a[0])
    lngs = np.asarray(wrap_longitude(a[1] + shares * direction_difference(b[1], a[1])))
    return min(
        zip(lats.round(4).tolist(), lngs.round(4).tolist(), strict=True),
        key=lambda place: [
            _find_least_steps(waters, place, place, margin, need)
            for margin in (SHOAL_MARGIN_CELLS, 0)
        ],
    )


def _find_least_steps(waters: CoastData, a: Point, b: Point, margin: int, need: int) -> int:
    return int(find_least_steps(waters.charted, waters.charted_blocks, *a, *b, margin, need))


def _raise_for_gates(
    error: type[CanalLimit] | type[DraftTooDeep],
    gates: Sequence[Gate],
    binds: Callable[[Gate], bool] = lambda gate: True,
) -> NoReturn:
    """Raise the error for the gates on a path that the ship exceeds.

    The first are those that bind any ship of this size, of these passages before shoals, and of
    these the most restrictive: a shoal on the path of a smaller ship may be avoidable for a larger
    one.
    """
    ranked = sorted(
        gates,
        key=lambda gate: (
            not binds(gate),
            gate["id"] is None,
            float(gate["limit"] or 0) / float(gate["ship"] or 1),
        ),
    )
    worst = ranked[0]
    excess = describe_excess(
        str(worst["particular"]), float(worst["ship"] or 0), float(worst["limit"] or 0)
    )
    leads = "below" if worst.get("kind") == _BRIDGE else "through"
    raise error(
        f"The route leads {leads} {worst['name']}, which {excess}.",
        passages=[gate for gate in ranked if gate["id"] is not None],
        gate=worst,
    )
