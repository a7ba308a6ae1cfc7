"""Legs on inland waters, which waves and currents of the sea do not enter."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from app.engine.request import Position
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg

#: Longest distance between a river or canal and a port on its bank [nm].
_LONGEST_HARBOUR_NM: Final = 10.0


def mark_inland_legs(legs: Sequence[Leg], passages: Mapping[str, Passage]) -> tuple[Leg, ...]:
    """Mark the legs in rivers and canals, and those between one and a port on its bank.

    ``passages`` are the passages by name.
    """
    through = [None if leg.passage is None else passages.get(leg.passage) for leg in legs]
    inland = [passage is not None and passage.is_inland for passage in through]
    used = [number for number, passage in enumerate(through) if passage is not None]
    if used:
        first, last = used[0], used[-1]
        if _is_harbour(legs[:first], through[first], legs[first].start):
            inland[:first] = [True] * first
        if _is_harbour(legs[last + 1 :], through[last], legs[last].end):
            inland[last:] = [True] * (len(legs) - last)
    return tuple(
        leg if leg.is_inland is mark else replace(leg, is_inland=mark)
        for leg, mark in zip(legs, inland, strict=True)
    )


def _is_harbour(legs: Sequence[Leg], passage: Passage | None, joined: Position) -> bool:
    """Return whether legs lead from a port to a river or canal, joined above its mouth."""
    return (
        passage is not None
        and passage.is_inland
        and not passage.is_mouth(joined)
        and sum(leg.distance_nm for leg in legs) <= _LONGEST_HARBOUR_NM
    )
