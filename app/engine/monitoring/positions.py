"""Selection of credible positions among those reported."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.geodesy import great_circle_distance_nm, great_circle_steps_nm
from app.engine.telemetry.records import VoyageRecords, reach_nm
from app.engine.times import moment_at

#: Greatest time by which a ship's clock may be ahead of the service's [h].
_CLOCK_AHEAD_H: Final = 10.0 / 60.0
#: Distance from 0° N 0° E within which a receiver has no fix, at most [deg].
_NO_FIX_DEG: Final = 0.01
#: Share of the longest run's positions, and of its time, from which another run is that of another
#: ship; and the number of positions that it needs, unless it has half as many as the longest.
_RIVAL_SHARE: Final = 0.25
_RIVAL_LEAST: Final = 4
#: Most runs followed at once; a position that fits none of them is a jump.
_MOST_RUNS: Final = 16


class PositionFault(StrEnum):
    """Reason for which a reported position is refused."""

    AHEAD_OF_CLOCK = "AHEAD_OF_CLOCK"
    NO_FIX = "NO_FIX"
    JUMP = "JUMP"


class RefusedPosition(NamedTuple):
    """A refused position: its time, place [deg] and the reason."""

    time: datetime
    lat: float
    lng: float
    fault: PositionFault


@dataclass(frozen=True, slots=True)
class CredibleRecords:
    """Records that one ship can have sent, and the positions refused.

    ``is_ambiguous`` is true if the records seem to be of two ships, so that none is reliable.
    """

    records: VoyageRecords
    refused: tuple[RefusedPosition, ...] = ()
    is_ambiguous: bool = False


def select_credible(records: VoyageRecords, now_h: float) -> CredibleRecords:
    """Select from n records in order of time those that one ship can have sent until now.

    Records dated ahead of the clock are refused, and those at 0° N 0° E, which receivers without
    a fix give. The others are divided into runs in which the speed between consecutive positions
    is at most 60 kn; the longest run is kept.
    """
    is_ahead = records.times_h > now_h + _CLOCK_AHEAD_H
    is_unfixed = ~is_ahead & (np.hypot(records.lats, records.lngs) < _NO_FIX_DEG)
    ahead = _refuse(records.take(is_ahead), PositionFault.AHEAD_OF_CLOCK)
    unfixed = _refuse(records.take(is_unfixed), PositionFault.NO_FIX)
    past = records.take(~(is_ahead | is_unfixed))
    runs = _divide(past)
    longest = max(runs, key=len, default=[])
    is_kept = np.zeros(past.times_h.size, dtype=bool)
    is_kept[longest] = True
    is_ambiguous = any(
        _is_of_another_ship(past.times_h, run, longest) for run in runs if run is not longest
    )
    jumps = _refuse(past.take(~is_kept), PositionFault.JUMP)
    return CredibleRecords(past.take(is_kept), ahead + unfixed + jumps, is_ambiguous)


def _is_of_another_ship(times_h: Floats, run: list[int], longest: list[int]) -> bool:
    """Return whether a run is long enough to be another ship's, and no error of the receiver."""
    least = max(2, _RIVAL_SHARE * len(longest), min(_RIVAL_LEAST, len(longest) / 2))
    span_h, longest_h = (times_h[each[-1]] - times_h[each[0]] for each in (run, longest))
    return len(run) >= least and bool(span_h >= _RIVAL_SHARE * longest_h)


def _divide(records: VoyageRecords) -> list[list[int]]:
    """Divide records into runs of indices; one run if no position jumps.

    The records from one jump to the next belong to the run whose end is nearest to the first.
    """
    times_h, lats, lngs = records.times_h, records.lats, records.lngs
    steps_nm = great_circle_steps_nm(lats, lngs)
    jumps = np.flatnonzero(steps_nm > reach_nm(np.diff(times_h))) + 1
    runs: list[list[int]] = []
    for stretch in np.split(np.arange(times_h.size), jumps):
        indices = stretch.tolist()
        ends, first = [run[-1] for run in runs], indices[:1]
        away_nm = great_circle_distance_nm(lats[ends], lngs[ends], lats[first], lngs[first])
        reached = np.flatnonzero(away_nm <= reach_nm(times_h[first] - times_h[ends]))
        if reached.size:
            runs[reached[np.argmin(away_nm[reached])]] += indices
        elif indices and len(runs) < _MOST_RUNS:
            runs.append(indices)
    return runs


def _refuse(records: VoyageRecords, fault: PositionFault) -> tuple[RefusedPosition, ...]:
    rows = zip(records.times_h, records.lats, records.lngs, strict=True)
    return tuple(
        RefusedPosition(moment_at(time_h), float(lat), float(lng), fault)
        for time_h, lat, lng in rows
    )
