"""Critical points of safety in a seaway: head seas, rolling, speed reduced for motions."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from operator import attrgetter
from typing import Final

from app.engine.plan import ProfilePoint, RoutePlan
from app.engine.report.critical_points.records import (
    CriticalPoint,
    Kind,
    Severity,
    at_sample,
    split_runs,
)
from app.engine.report.critical_points.seaway import HIGH_SEA_M, LULL, ROUGH_SEA_M, VERY_ROUGH_SEA_M
from app.engine.request import VoyageRequest
from app.engine.units import direction_difference
from app.engine.vessel import SeaRisk, build_ship, seaway_risks
from app.engine.weather.records import Weather

#: Waves within this angle of the bow [deg] are head waves; ISO 15016:2015,
#: annex D (STAWAVE-1).
_HEAD_WAVE_ANGLE_DEG: Final = 45.0

_ROLLING: Final = {
    SeaRisk.SYNCHRONOUS_ROLL: "synchronous rolling",
    SeaRisk.PARAMETRIC_ROLL: "parametric rolling",
    SeaRisk.SURF_RIDING: "surf-riding and broaching",
    SeaRisk.HIGH_WAVE_GROUPS: "groups of high waves",
}
_PITCHING: Final = {SeaRisk.SLAMMING: "slamming", SeaRisk.DECK_WETNESS: "water on deck"}
#: Motions for which a master slows down.
_MOTIONS: Final = {
    **_PITCHING,
    SeaRisk.VERTICAL_ACCELERATION: "heavy pitching and heaving",
    SeaRisk.SURF_RIDING: "surf-riding",
    SeaRisk.HIGH_WAVE_GROUPS: "groups of high waves",
}
#: Difference to the speed that motions allow [kn] within which they limit the speed; four times as
#: much above it, as the sea changes between two samples.
_LIMITED_KN: Final = 0.25


@dataclass(frozen=True, slots=True)
class Encounter:
    """A sample of the profile with its weather and the risks of the seaway to the ship.

    ``voluntary_kn`` is the greatest speed with acceptable motions, infinite if that is the
    greatest speed requested; ``avoided`` are the risks at the greatest speed requested.
    """

    sample: ProfilePoint
    weather: Weather
    risks: SeaRisk
    voluntary_kn: float
    avoided: SeaRisk

    @property
    def height_m(self) -> float:
        """Significant wave height [m]."""
        return self.weather.wave_height_m

    @property
    def speed_kn(self) -> float:
        """Speed through the water [kn]."""
        return self.sample.speed_through_water_kn

    @property
    def is_at_motion_limit(self) -> bool:
        """Return whether the speed is about the greatest that motions allow."""
        over_kn = self.speed_kn - self.voluntary_kn
        return -_LIMITED_KN <= over_kn <= 4.0 * _LIMITED_KN


def _name(risks: SeaRisk, words: dict[SeaRisk, str]) -> str:
    return " and ".join(word for risk, word in words.items() if risk in risks)


def find(plan: RoutePlan, request: VoyageRequest) -> Iterator[CriticalPoint]:
    """Find critical points of head seas, rolling and reduced speed, by the ship's motions."""
    encounters = _list_encounters(plan, request)
    yield from _find_head_seas(plan, encounters)
    yield from _find_rolling(plan, encounters)
    yield from _find_reduced_speed(plan, encounters, request.speed_min_kn)


def _list_encounters(plan: RoutePlan, request: VoyageRequest) -> list[Encounter]:
    met = [(sample, sample.weather) for sample in plan.profile if sample.weather is not None]
    if not met:
        return []
    ship = build_ship(request.ship, request.loading)

    def meet(sample: ProfilePoint, weather: Weather) -> Encounter:
        sea = weather.wave_height_m, weather.wave_period_s, weather.wave_from_deg
        risks, avoided = (
            SeaRisk(seaway_risks(ship.seakeeping_parameters, speed_kn, sample.course_deg, *sea))
            for speed_kn in (sample.speed_through_water_kn, request.speed_max_kn)
        )
        allowed_kn = ship.voluntary_speed_kn(sample.course_deg, weather)
        voluntary_kn = allowed_kn if allowed_kn < request.speed_max_kn else inf
        return Encounter(sample, weather, risks, voluntary_kn, avoided)

    return [meet(sample, weather) for sample, weather in met]


def _find_head_seas(plan: RoutePlan, encounters: list[Encounter]) -> Iterator[CriticalPoint]:
    for worst in _worst_of_runs([e for e in encounters if _is_rough_head_sea(e)]):
        pitching = _name(worst.risks, _PITCHING)
        expected = f": expect {pitching}, slow down" if pitching else ""
        text = f"Head sea of {worst.height_m:.1f} m{expected}."
        yield at_sample(plan, worst.sample, Kind.HEAD_SEA, _head_sea_severity(worst), text)


def _head_sea_severity(encounter: Encounter) -> Severity:
    if encounter.height_m >= HIGH_SEA_M:
        return Severity.DANGER
    hard = _name(encounter.risks, _PITCHING) or encounter.height_m >= VERY_ROUGH_SEA_M
    return Severity.CAUTION if hard else Severity.INFO


def _is_rough_head_sea(encounter: Encounter) -> bool:
    course_deg = encounter.sample.course_deg
    off_bow = abs(float(direction_difference(encounter.weather.wave_from_deg, course_deg)))
    return off_bow <= _HEAD_WAVE_ANGLE_DEG and encounter.height_m >= ROUGH_SEA_M


def _find_rolling(plan: RoutePlan, encounters: list[Encounter]) -> Iterator[CriticalPoint]:
    for worst in _worst_of_runs([e for e in encounters if _name(e.risks, _ROLLING)]):
        severity = Severity.DANGER if worst.height_m >= HIGH_SEA_M else Severity.CAUTION
        text = (
            f"Risk of {_name(worst.risks, _ROLLING)} in waves of {worst.height_m:.1f} m,"
            f" period {worst.weather.wave_period_s:.0f} s. Be ready to change speed or course."
        )
        yield at_sample(plan, worst.sample, Kind.ROLLING_RISK, severity, text)


def _find_reduced_speed(
    plan: RoutePlan, encounters: list[Encounter], speed_min_kn: float
) -> Iterator[CriticalPoint]:
    for worst in _worst_of_runs(_list_slowed(encounters, speed_min_kn)):
        avoided = _name(worst.avoided, _MOTIONS) or "heavy motions"
        text = (
            f"Speed reduced to {worst.speed_kn:.1f} kn in waves of"
            f" {worst.height_m:.1f} m, to avoid {avoided}."
        )
        yield at_sample(plan, worst.sample, Kind.SPEED_REDUCED, Severity.CAUTION, text)


def _list_slowed(encounters: list[Encounter], speed_min_kn: float) -> list[Encounter]:
    """List the encounters at the motion limit in which the ship is slower than it would be.

    A ship that keeps its speed from before the waves to after them is not slowed.
    """
    slowed = []
    for run in _split_encounters([e for e in encounters if e.is_at_motion_limit]):
        unlimited_kn = _find_unlimited_speed_kn(encounters, run, speed_min_kn)
        slowed += [e for e in run if e.speed_kn < unlimited_kn - _LIMITED_KN]
    return slowed


def _find_unlimited_speed_kn(
    encounters: list[Encounter], run: list[Encounter], speed_min_kn: float
) -> float:
    """Return the speed that the ship would have without the motion limit on a stretch [kn].

    It is the highest speed within a lull of the stretch, at least the lowest ordered one. It is
    infinite if the ship is at the limit all the time, at more than the lowest ordered speed.
    """
    begins, ends = run[0].sample.time - LULL, run[-1].sample.time + LULL
    nearby = [e for e in encounters if begins <= e.sample.time <= ends]
    fastest_kn = max(e.speed_kn for e in nearby)
    if fastest_kn > speed_min_kn + _LIMITED_KN and all(e.is_at_motion_limit for e in nearby):
        return inf
    return max(fastest_kn, speed_min_kn)


def _worst_of_runs(encounters: list[Encounter]) -> list[Encounter]:
    """Return the encounter with the highest waves of each stretch."""
    return [max(run, key=lambda e: e.height_m) for run in _split_encounters(encounters)]


def _split_encounters(encounters: list[Encounter]) -> list[list[Encounter]]:
    return split_runs(encounters, attrgetter("sample.time"), LULL)
