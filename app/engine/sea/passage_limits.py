"""Limits of passages: the largest ship each takes, and which carry only local traffic."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.search.sphere import wrap

#: A passage without through traffic is open to ports within this distance [nm].
_OWN_TRAFFIC_NM: Final = 40.0
#: A port within this distance of the line of a passage without through traffic [nm] is
#: reached by it.
_ON_LINE_NM: Final = 5.0
#: The particulars of a ship that a passage may limit.
_PARTICULARS: Final = ("draft_m", "breadth_m", "loa_m", "air_draft_m", "depth_m")


class PassageLimits(NamedTuple):
    """What keeps ships out of passages.

    ``greatest`` is (passages, 5): the greatest of each particular [m], infinite where none
    is known. Centre-line points of passage ``local[k]``, which carries no through traffic,
    begin at ``starts[k]`` in ``lats``, ``lngs`` [deg]. ``is_scheme``, (passages,), marks the
    lanes of traffic separation schemes; their gates always close the open sea next to them.
    """

    is_scheme: NDArray[np.bool_]
    greatest: NDArray[np.float64]
    local: NDArray[np.int64]
    starts: NDArray[np.int64]
    lats: NDArray[np.float64]
    lngs: NDArray[np.float64]


def stack_limits(passages: Sequence[Passage]) -> PassageLimits:
    """The limits of all passages, as arrays."""
    limits = np.array([list_limits(passage) for passage in passages], dtype=np.float64)
    local = [i for i, passage in enumerate(passages) if not passage.through_traffic]
    lines = [passages[i].centre_line for i in local]
    points = np.array([point for line in lines for point in line]).reshape(-1, 2)
    return PassageLimits(
        np.array([passage.gate is not None for passage in passages], dtype=np.bool_),
        np.where(np.isnan(limits), np.inf, limits).reshape(-1, len(_PARTICULARS)),
        np.array(local, dtype=np.int64),
        np.cumsum([0, *(len(line) for line in lines)]),
        np.ascontiguousarray(points[:, 0]),
        np.ascontiguousarray(points[:, 1]),
    )


def list_limits(passage: Passage) -> tuple[float | None, ...]:
    """The greatest draught, breadth, length, height and depth needed [m], None where unknown.

    Where an authority limits the draught it has counted the water under the keel
    already: the depth is asked for only where no draught is given.
    """
    return (
        passage.deepest_draft_m,
        passage.max_breadth_m,
        passage.max_loa_m,
        passage.max_air_draft_m,
        passage.depth_m if passage.deepest_draft_m is None else None,
    )


def list_particulars(ship: ShipSize) -> tuple[float | None, ...]:
    """What of a ship the limits are held against [m]."""
    return ship.draft_m, ship.breadth_m, ship.loa_m, ship.air_draft_m, ship.least_depth_m


def exceeded_limits(passage: Passage, ship: ShipSize) -> dict[str, tuple[float, float]]:
    """The ship's figures that exceed the passage's, as {particular: (ship, limit)} [m]."""
    return {
        name: (size, limit)
        for name, size, limit in zip(
            _PARTICULARS, list_particulars(ship), list_limits(passage), strict=True
        )
        if size is not None and limit is not None and size > limit
    }


def find_limiting(
    passages: Sequence[Passage], ship: ShipSize, ends: Sequence[Position]
) -> list[Passage]:
    """The passages that lead to an end of a voyage and that the ship is too large for."""
    within_m = _ON_LINE_NM * NAUTICAL_MILE_M
    return [
        passage
        for passage in passages
        if not passage.through_traffic
        and exceeded_limits(passage, ship)
        and any(passage.distance_m(*end) <= within_m for end in ends)
    ]


def find_too_narrow(limits: PassageLimits, ship: ShipSize) -> NDArray[np.bool_]:
    """Which passages a ship exceeds some limit of, (passages,)."""
    sizes = np.array([size or 0.0 for size in list_particulars(ship)])
    return np.asarray((limits.greatest < sizes).any(axis=1), dtype=np.bool_)


def find_local(limits: PassageLimits, departure: Position, arrival: Position) -> NDArray[np.bool_]:
    """Which passages without through traffic neither end of a voyage lies near, (passages,)."""
    shut = np.zeros(len(limits.greatest), dtype=np.bool_)
    _find_local(limits, np.array([departure, arrival]), shut)
    return shut


@njit(cache=True)
def _find_local(limits, ends, shut):  # type: ignore[no-untyped-def]
    for k in range(limits.local.size):
        is_near = False
        for i in range(limits.starts[k], limits.starts[k + 1]):
            lat = limits.lats[i]
            for end in ends:
                north = 60.0 * (lat - end[0])
                if is_near or abs(north) > _OWN_TRAFFIC_NM:
                    continue
                east = 60.0 * wrap(limits.lngs[i] - end[1]) * np.cos(np.radians(lat))
                is_near = np.hypot(north, east) <= _OWN_TRAFFIC_NM
        shut[limits.local[k]] = not is_near
