"""Members of a forecast: possible courses of the weather of a voyage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.ensemble.typical_error import MEMBER_COUNT, draw_deviations
from app.engine.sailing.simulation import Simulation
from app.engine.spread import SpreadBasis
from app.engine.weather import WeatherDeviations, WeatherField

#: Least forecast coverage of a voyage by members, as a share of that by the forecast itself.
_MIN_COVERAGE_SHARE: Final = 0.9


@dataclass(frozen=True, slots=True)
class Member:
    """A member: its number and its weather."""

    number: int
    weather: WeatherField


@dataclass(frozen=True, slots=True)
class Ensemble:
    """All members, and the basis on which they were made."""

    basis: SpreadBasis
    members: tuple[Member, ...]

    def list_deviations(self, simulation: Simulation) -> Sequence[WeatherDeviations | None]:
        """List each member's deviation from its weather on the segments of a simulated track.

        Members with forecasts of their own deviate beyond these, as the climate does; ``None`` if
        they cover the voyage. Deviations are those at the simulation's times; they change little
        in the hours by which a member's simulation differs.
        """
        track = simulation.track
        weather, count = self.members[0].weather, len(self.members)
        has_forecasts = self.basis is SpreadBasis.MEMBERS
        if has_forecasts and simulation.weather_at_middles(weather).is_forecast.all():
            return [None] * count
        return draw_deviations(
            weather,
            track.middle_lats,
            track.middle_lngs,
            simulation.middle_times_h,
            count,
            has_forecast_error=not has_forecasts,
        )


def build_ensemble(
    weather: WeatherField, fields: Sequence[tuple[int, WeatherField]], voyage: Simulation
) -> Ensemble:
    """Return the members of a forecast by number, or members by the typical error of ``weather``.

    The latter if there are no members or they cover too little of the voyage, for example because
    they are of another region.
    """
    if fields and _covers_voyage(fields[0][1], weather, voyage):
        members = tuple(Member(number, field) for number, field in fields)
        return Ensemble(SpreadBasis.MEMBERS, members)
    drawn = tuple(Member(number, weather) for number in range(1, MEMBER_COUNT + 1))
    return Ensemble(SpreadBasis.TYPICAL_ERROR, drawn)


def _covers_voyage(member: WeatherField, control: WeatherField, voyage: Simulation) -> bool:
    """Return whether a member covers almost as much of a voyage as the control forecast."""
    hours = np.diff(voyage.hours)
    met = map(voyage.weather_at_middles, (member, control))
    shares = [weather.forecast_coverage_pct(hours) for weather in met]
    return shares[0] >= _MIN_COVERAGE_SHARE * shares[1]
