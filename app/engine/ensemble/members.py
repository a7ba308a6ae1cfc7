"""Members: the weather of a voyage as it may turn out, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.ensemble.typical_error import MEMBER_COUNT, draw_deviations
from app.engine.sailing.simulation import Simulation
from app.engine.spread import SpreadBasis
from app.engine.weather import WeatherDeviations, WeatherField
from app.engine.weather.times import hours_since_epoch

#: Share of the forecast hours of a voyage that members know, at the least.
_NEARLY_AS_MUCH: Final = 0.9


@dataclass(frozen=True, slots=True)
class Member:
    """One member: the weather by a number."""

    number: int
    weather: WeatherField


@dataclass(frozen=True, slots=True)
class Ensemble:
    """All members of one basis."""

    basis: SpreadBasis
    members: tuple[Member, ...]

    def list_deviations(self, simulation: Simulation) -> Sequence[WeatherDeviations | None]:
        """List each member's error on the segments of a track, when a simulation is there.

        ``None`` where a member has weather of its own. Errors change little in the hours by which
        other speeds move a ship.
        """
        if self.basis is SpreadBasis.MEMBERS:
            return [None] * len(self.members)
        track = simulation.track
        middle_h = 0.5 * (simulation.left_h + simulation.hours[1:])
        times_h = hours_since_epoch(simulation.departs_at) + middle_h
        weather = self.members[0].weather
        return draw_deviations(
            weather, track.middle_lats, track.middle_lngs, times_h, len(self.members)
        )


def gather_members(
    weather: WeatherField, fields: Sequence[tuple[int, WeatherField]], voyage: Simulation
) -> Ensemble:
    """Return the members of a forecast by number, else those of the field's typical error.

    Members that know too little of a voyage, of another region say, are none of it.
    """
    if fields and _know(fields[0][1], weather, voyage):
        members = tuple(Member(number, field) for number, field in fields)
        return Ensemble(SpreadBasis.MEMBERS, members)
    drawn = tuple(Member(number, weather) for number in range(1, MEMBER_COUNT + 1))
    return Ensemble(SpreadBasis.TYPICAL_ERROR, drawn)


def _know(member: WeatherField, control: WeatherField, voyage: Simulation) -> bool:
    """Return whether a member knows nearly as much of a voyage as the control forecasts."""
    hours = np.diff(voyage.hours)
    shares = [voyage.weather_at_middles(field).forecast_coverage_pct(hours)
              for field in (member, control)]  # fmt: skip
    return shares[0] >= _NEARLY_AS_MUCH * shares[1]
