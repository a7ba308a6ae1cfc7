"""Limits of passages and bridges: greatest dimensions of ships, and passages for local traffic."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from app.engine.arrays import Bools, Floats, Ints, split_columns
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position
from app.engine.sea.bridges import Bridge
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.units import wrap_longitude

#: Distance within which a passage without through traffic is open to ports [nm].
_OWN_TRAFFIC_NM: Final = 40.0
#: Distance from the centre line of a passage within which ports are reached by it [nm].
_ON_LINE_NM: Final = 5.0
#: Particulars of a ship that a passage may limit, and what follows their value in a sentence.
_PARTICULARS: Final = {
    "draft_m": "draught",
    "breadth_m": "breadth",
    "loa_m": "length",
    "air_draft_m": "air draught",
    "depth_m": "of water",
}
#: What may be too small for a ship.
PassageOrBridge: TypeAlias = Passage | Bridge
_Each = TypeVar("_Each", bound=PassageOrBridge)


class PassageLimits(NamedTuple):
    """Limits of all passages as arrays.

    ``greatest`` is (passages, 5): the greatest value of each particular [m], infinite if unknown,
    the draught that of small ships; ``by_size`` are the passages, with their places among all, that
    allow large ships less draught.
    Centre-line points of passage ``local[k]``, which has no through traffic, begin at
    ``starts[k]`` in ``lats``, ``lngs`` [deg]. ``is_scheme``, (passages,), marks the lanes of
    traffic separation schemes, whose gates always close the open sea next to them.
    """

    is_scheme: Bools
    greatest: Floats
    by_size: tuple[tuple[int, Passage], ...]
    local: Ints
    starts: Ints
    lats: Floats
    lngs: Floats


def stack_limits(passages: Sequence[Passage]) -> PassageLimits:
    """Stack the limits of all passages into arrays."""
    limits = np.array([_list_limits(each) for each in passages], dtype=np.float64)
    local = [i for i, passage in enumerate(passages) if not passage.through_traffic]
    lines = [passages[i].centre_line for i in local]
    points = np.array([point for line in lines for point in line]).reshape(-1, 2)
    return PassageLimits(
        np.array([passage.gate is not None for passage in passages], dtype=np.bool_),
        np.where(np.isnan(limits), np.inf, limits).reshape(-1, len(_PARTICULARS)),
        tuple((i, each) for i, each in enumerate(passages) if each.limits_draft_by_size),
        np.array(local, dtype=np.int64),
        np.cumsum([0, *(len(line) for line in lines)]),
        *split_columns(points),
    )


def _list_limits(
    passage: PassageOrBridge, breadth_m: float = 0.0, loa_m: float = 0.0
) -> tuple[float | None, ...]:
    """List the greatest draught, breadth, length, height and required depth [m], None if unknown.

    The draught is that of a ship of a size [m], by default of the smallest. A draught limit of
    an authority already includes the under-keel clearance, so that the depth applies only where no
    draught is given. Bridges limit the height only.
    """
    if isinstance(passage, Bridge):
        return None, None, None, passage.max_air_draft_m, None
    return (
        passage.find_deepest_draft_m(breadth_m, loa_m),
        passage.max_breadth_m,
        passage.max_loa_m,
        passage.max_air_draft_m,
        passage.depth_m if passage.deepest_draft_m is None else None,
    )


def list_particulars(ship: ShipSize) -> tuple[float | None, ...]:
    """List the particulars of a ship that limits apply to [m]."""
    return ship.draft_m, ship.breadth_m, ship.loa_m, ship.air_draft_m, ship.least_depth_m


def exceeded_limits(passage: PassageOrBridge, ship: ShipSize) -> dict[str, tuple[float, float]]:
    """Return the limits of a passage or bridge that a ship exceeds.

    They are {particular: (ship, limit)} [m].
    """
    limits = _list_limits(passage, ship.breadth_m, ship.loa_m)
    return {
        name: (size, limit)
        for name, size, limit in zip(_PARTICULARS, list_particulars(ship), limits, strict=True)
        if size is not None and limit is not None and size > limit
    }


def list_too_small(passages: Iterable[_Each], ship: ShipSize) -> tuple[_Each, ...]:
    """List the passages or bridges of which a ship exceeds some limit."""
    return tuple(each for each in passages if exceeded_limits(each, ship))


def describe_limit(particular: str, limit_m: float) -> str:
    """Describe a limit, as: takes at most 11 m draught."""
    takes = "has" if particular == "depth_m" else "takes at most"
    return f"{takes} {round(limit_m, 2):g} m {_PARTICULARS[particular]}"


def describe_excess(particular: str, size_m: float, limit_m: float) -> str:
    """Describe an exceeded limit, as: takes at most 11 m draught; this ship has 12.5 m."""
    has = "needs" if particular == "depth_m" else "has"
    return f"{describe_limit(particular, limit_m)}; this ship {has} {round(size_m, 2):g} m"


def find_limiting(
    passages: Sequence[Passage], ship: ShipSize, ends: Sequence[Position]
) -> list[Passage]:
    """Find the passages that lead to an end of a voyage and are too small for the ship."""
    within_m = _ON_LINE_NM * NAUTICAL_MILE_M
    return [
        passage
        for passage in passages
        if not passage.through_traffic
        and exceeded_limits(passage, ship)
        and any(passage.distance_m(*end) <= within_m for end in ends)
    ]


def find_too_small(limits: PassageLimits, ship: ShipSize) -> Bools:
    """Mask of the passages of which a ship exceeds some limit, (passages,)."""
    sizes = np.array([size or 0.0 for size in list_particulars(ship)])
    is_too_small = np.asarray((limits.greatest < sizes).any(axis=1), dtype=np.bool_)
    for place, passage in limits.by_size:
        is_too_small[place] |= bool(exceeded_limits(passage, ship))
    return is_too_small


def find_closed_local(limits: PassageLimits, departure: Position, arrival: Position) -> Bools:
    """Mask of the passages without through traffic far from both ends, (passages,)."""
    is_closed = np.zeros(len(limits.greatest), dtype=np.bool_)
    if limits.local.size:
        lats, lngs = np.array([departure, arrival]).T[:, :, None]
        north = 60.0 * (limits.lats - lats)
        east = 60.0 * wrap_longitude(limits.lngs - lngs) * np.cos(np.radians(limits.lats))
        is_near = (np.hypot(north, east) <= _OWN_TRAFFIC_NM).any(axis=0)
        is_closed[limits.local] = ~np.logical_or.reduceat(is_near, limits.starts[:-1])
    return is_closed
