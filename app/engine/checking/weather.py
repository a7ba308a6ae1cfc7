"""Findings of waves and wind above the limits, and of weather that is not forecast."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position, format_time, format_wind
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SeasMet, SimulatedRoute
from app.engine.sailing.track import Track

#: Half of the last digit of the wave heights [m] and wind speeds [m/s] shown: a value shown as the
#: limit keeps it. Plans that just keep a limit differ by less when they are checked again.
_HALF_DIGIT: Final = 0.05
#: Least share of the time that is shown as more than 0.0 [%].
_SHOWN_PCT: Final = 0.05


def find_weather(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find each period of waves or wind above a limit, under way or waiting, at its worst.

    The share of the time that no forecast covers is a note.
    """
    seas, limits = route.seas, context.request.limits
    if seas is None:
        yield Finding(
            FindingCode.WEATHER_UNKNOWN, Severity.UNKNOWN, FindingCode.WEATHER_UNKNOWN.meaning
        )
        return
    yield from _find_climatology(100.0 - route.forecast_coverage_pct)
    for name, allowed, met in (
        ("Waves", limits.wave_height_m, seas.wave_height_m),
        ("Wind", limits.wind_speed_ms, seas.wind_speed_ms),
    ):
        if allowed is None:
            continue
        above = np.flatnonzero(met > allowed + _HALF_DIGIT).tolist()
        for _, run in groupby(enumerate(above), key=lambda each: each[1] - each[0]):
            worst = max((sample for _, sample in run), key=lambda sample: float(met[sample]))
            yield _write(route.simulation.track, seas, name, worst, float(met[worst]), allowed)


def _find_climatology(share_pct: float) -> Iterator[Finding]:
    if share_pct >= _SHOWN_PCT:
        yield Finding(
            FindingCode.WEATHER_CLIMATOLOGY,
            Severity.NOTE,
            f"No forecast covers {share_pct:.1f} % of the time; the weather there is climatology.",
            measured=share_pct,
        )


def _write(
    track: Track, seas: SeasMet, name: str, sample: int, met: float, allowed: float
) -> Finding:
    point = int(seas.points[sample])
    place = track.position(point)
    values = [format_wind(v) if name == "Wind" else f"{v:.1f} m" for v in (met, allowed)]
    return Finding(
        FindingCode.WEATHER_LIMIT,
        Severity.WARNING,
        f"{name} of {values[0]} at {format_position(*place)},"
        f" {format_time(seas.time_at(sample))}; the limit is {values[1]}.",
        leg_index=int(track.leg[min(point, track.leg.size - 1)]),
        position=place,
        measured=met,
        required=allowed,
        subject=name.lower(),
    )
