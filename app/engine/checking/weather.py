"""Findings of waves and wind above the limits, and of weather that is not forecast."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position, format_time
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import WAVE_HEIGHT, WeatherLimit, list_allowed
from app.engine.planning.simulated_route import SeasMet, SimulatedRoute
from app.engine.sailing.track import Track

#: Half of the last digit of the wave heights [m] and wind speeds [m/s] shown: a value shown as the
#: limit keeps it. Plans that just keep a limit differ by less when they are checked again.
_HALF_DIGIT: Final = 0.05
#: Least share of the time that is shown as more than 0.0 [%].
_SHOWN_PCT: Final = 0.05
#: Greatest share of the time that is shown as less than 100.0 [%].
_NOT_ALL_PCT: Final = 99.95


def find_weather(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find each period of waves or wind above a limit, under way or waiting, at its worst.

    The share of the time that no forecast covers is a note.
    """
    if (seas := route.seas) is None:
        yield Finding(
            FindingCode.WEATHER_UNKNOWN, Severity.UNKNOWN, FindingCode.WEATHER_UNKNOWN.meaning
        )
        return
    share_pct = 100.0 - route.forecast_coverage_pct
    if share_pct >= _SHOWN_PCT:
        share = f"{share_pct:.1f} % of the time" if share_pct < _NOT_ALL_PCT else "this route"
        detail = f"No forecast covers {share}; the weather there is climatology."
        yield Finding(FindingCode.WEATHER_CLIMATOLOGY, Severity.NOTE, detail, measured=share_pct)
    for limit, allowed in list_allowed(context.request.limits):
        met = limit.met(seas)
        above = np.flatnonzero(met > allowed + _HALF_DIGIT).tolist()
        for _, run in groupby(enumerate(above), key=lambda each: each[1] - each[0]):
            worst = max((sample for _, sample in run), key=lambda sample: float(met[sample]))
            yield _write(route.simulation.track, seas, limit, worst, allowed)


def _write(
    track: Track, seas: SeasMet, limit: WeatherLimit, sample: int, allowed: float
) -> Finding:
    point, met = int(seas.points[sample]), float(limit.met(seas)[sample])
    place, name = track.position(point), "Waves" if limit is WAVE_HEIGHT else "Wind"
    return Finding(
        FindingCode.WEATHER_LIMIT,
        Severity.WARNING,
        f"{name} of {limit.format(met)} at {format_position(*place)},"
        f" {format_time(seas.time_at(sample))}; the limit is {limit.format(allowed)}.",
        leg_index=int(track.leg[min(point, track.leg.size - 1)]),
        position=place,
        measured=met,
        required=allowed,
        subject=name.lower(),
    )
