"""Legs on inland waters, which waves and currents of the sea do not enter."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from app.engine.request import Position
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg

#: Longest distance between a river or canal and a port on its bank, or the next one [nm].
_LONGEST_HARBOUR_NM: Final = 10.0


def mark_inland_legs(legs: Sequence[Leg], passages: Mapping[str, Passage]) -> tuple[Leg, ...]:
    """Mark the legs in rivers and canals, and those between one and a port on its bank.

    Marked too are those from one to the next, as from a lock across an estuary into a river.
    ``passages`` are the passages by name.
    """
    through = [None if leg.passage is None else passages.get(leg.passage) for leg in legs]
    inland = [passage is not None and passage.is_inland for passage in through]
    for before, after in pairwise([number for number, mark in enumerate(inland) if mark]):
        if _length_nm(legs[before + 1 : after]) <= _LONGEST_HARBOUR_NM:
            inland[before:after] = [True] * (after - before)
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
        and _length_nm(legs) <= _LONGEST_HARBOUR_NM
    )


def _length_nm(legs: Sequence[Leg]) -> float:
    return sum(leg.distance_nm for leg in legs)
