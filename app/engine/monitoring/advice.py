"""Advice to a ship under way: leave the plan where its rest can be sailed better by enough."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import numpy as np

from app.engine.checking import Finding
from app.engine.codes import FindingCode
from app.engine.formatting import format_position, format_time
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.remainder import Outlook
from app.engine.plan import RoutePlan

#: Tracks further apart than this have parted [nm].
_PARTED_NM: Final = 5.0
#: An advice that saves fuel may arrive so much later than the plan does now [h].
_LATER_H: Final = 1.0
#: What was advised before is advised again where it saves so many times as much,
_SAVING_FACTOR: Final = 1.5
#: or where a limit is exceeded so many times as far.
_EXCESS_FACTOR: Final = 1.1
#: An advice waits at least so long for its answer; what is due sooner is due at once.
TO_ANSWER: Final = timedelta(hours=3)


class AdviceReason(StrEnum):
    """What an advice gains."""

    LIMIT = "LIMIT"
    ARRIVAL = "ARRIVAL"
    FUEL = "FUEL"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a change must gain to be advised: a share of the fuel [%], fuel [t] or time [h]."""

    fuel_pct: float = 1.5
    fuel_t: float = 2.0
    eta_h: float = 3.0


@dataclass(frozen=True, slots=True)
class Advice:
    """A change that is advised, against the plan's rest in the weather as it is known now.

    ``avoids`` says which limits and areas the plan's rest would break, by their ``codes``; the
    advised route breaks none. ``excess`` is how many times a limit is exceeded at most. ``act_by``
    is when the ship leaves the planned track or changes its speed, and no sooner than the advice
    can be answered. ``identities`` says what would be broken apart: each code with the area's id
    or the kind of the limit. Advice that was kept before there were any has none.
    """

    reasons: tuple[AdviceReason, ...]
    avoids: tuple[str, ...]
    codes: tuple[FindingCode, ...]
    excess: float | None
    fuel_saved_t: float | None
    time_saved_h: float | None
    fuel_t: float
    fuel_standard_error_t: float | None
    eta: datetime
    act_by: datetime
    leaves_track: bool
    action: str
    identities: tuple[str, ...] = ()

    @property
    def is_urgent(self) -> bool:
        """Return whether a limit or an area is at stake."""
        return AdviceReason.LIMIT in self.reasons


def advise(
    current: Outlook,
    better: RoutePlan,
    thresholds: Thresholds,
    *,
    now: datetime,
    arrive_by: datetime | None = None,
    earlier: Advice | None = None,
) -> Advice | None:
    """Advise the better rest of a voyage, or nothing where it gains too little.

    ``now`` is the time of the watch; the ship's last report may be hours older. A gain in fuel
    alone may not arrive much later. What was advised ``earlier``, and declined or not answered, is
    advised again where it avoids something new or more, or saves half as much again.
    """
    reasons = tuple(_find_reasons(current, better, thresholds, arrive_by))
    if not reasons:
        return None
    summary = better.summary
    fuel_t, eta = current.fuel_t, current.eta
    parts_at = None if current.route is None else _find_parting(current, better)
    due = better.waypoints[0].eta if parts_at is None else parts_at
    act_by = max(due, now + TO_ANSWER)
    advice = Advice(
        reasons=reasons,
        avoids=tuple(finding.message for finding in current.breaches),
        codes=tuple(dict.fromkeys(finding.code for finding in current.breaches)),
        excess=_find_excess(current),
        fuel_saved_t=None if fuel_t is None else fuel_t - summary.fuel_t,
        time_saved_h=None if eta is None else _hours(eta, summary.eta),
        fuel_t=summary.fuel_t,
        fuel_standard_error_t=summary.fuel_standard_error_t,
        eta=summary.eta,
        act_by=act_by,
        leaves_track=parts_at is not None,
        action=_write_action(better, parts_at, at_once=due < act_by),
        identities=tuple(dict.fromkeys(map(_identify, current.breaches))),
    )
    return None if earlier is not None and not _is_worth_more(advice, earlier) else advice


def _find_reasons(
    current: Outlook, better: RoutePlan, thresholds: Thresholds, arrive_by: datetime | None
) -> list[AdviceReason]:
    if current.route is None or current.fuel_t is None or current.eta is None:
        return [AdviceReason.LIMIT]
    summary = better.summary
    sooner_h = _hours(current.eta, summary.eta)
    saved_t = current.fuel_t - summary.fuel_t
    is_worth_fuel = (
        saved_t >= thresholds.fuel_t or 100.0 * saved_t >= thresholds.fuel_pct * current.fuel_t
    )
    is_late = arrive_by is not None and current.eta > arrive_by
    keeps_arrival = sooner_h >= -_LATER_H or (arrive_by is not None and summary.eta <= arrive_by)
    reasons = []
    if current.breaches:
        reasons.append(AdviceReason.LIMIT)
    if sooner_h >= thresholds.eta_h and (is_late or saved_t >= 0.0):
        reasons.append(AdviceReason.ARRIVAL)
    if saved_t > 0.0 and is_worth_fuel and keeps_arrival:
        reasons.append(AdviceReason.FUEL)
    return reasons


def _find_parting(current: Outlook, better: RoutePlan) -> datetime | None:
    """Return when the ship on the plan's rest is last on the better track; ``None`` if always."""
    route = current.route
    if route is None:
        return None
    track = route.simulation.track
    off_nm = PlannedTrack.of(better).distance_off(track.lats, track.lngs)
    parted = np.flatnonzero(off_nm > _PARTED_NM)
    return route.simulation.time_at(max(int(parted[0]) - 1, 0)) if parted.size else None


def _write_action(better: RoutePlan, parts_at: datetime | None, *, at_once: bool) -> str:
    """Say what to order; of a new track, its first waypoint off the planned one."""
    ahead = better.waypoints[1:]
    speed = f"{ahead[0].speed_through_water_kn:.1f} kn through the water"
    if parts_at is None:
        return f"Keep the planned track and order {speed}."
    to = next((waypoint for waypoint in ahead if waypoint.eta > parts_at), ahead[-1])
    when = "at once" if at_once else f"by {format_time(parts_at)}"
    return (
        f"Order {speed}. Leave the planned track {when} and make for"
        f" {format_position(*to.position)}, waypoint {to.index + 1} of {len(better.waypoints)}."
    )


def _find_excess(current: Outlook) -> float | None:
    """Return how many times a limit of waves or wind is exceeded at most."""
    ratios = [
        finding.measured / finding.required
        for finding in current.breaches
        if finding.measured and finding.required and finding.code is FindingCode.WEATHER_LIMIT
    ]
    return max(ratios, default=None)


def _identify(finding: Finding) -> str:
    """Name what a finding breaks, the same at each watch: its code, and the area or limit."""
    return finding.code if finding.subject is None else f"{finding.code}:{finding.subject}"


def _is_worth_more(advice: Advice, earlier: Advice) -> bool:
    """Return whether an advice is worth giving after another that was not followed."""
    exceeds = (advice.excess or 0.0) >= _EXCESS_FACTOR * (earlier.excess or 1.0)
    if exceeds or _avoids_more(advice, earlier):
        return True
    gains = (
        (advice.fuel_saved_t, earlier.fuel_saved_t),
        (advice.time_saved_h, earlier.time_saved_h),
    )
    return any(_gain(new) > _SAVING_FACTOR * max(_gain(old), 1.0) for new, old in gains)


def _avoids_more(advice: Advice, earlier: Advice) -> bool:
    """Return whether an advice avoids what another did not."""
    if earlier.identities:
        return bool(set(advice.identities) - set(earlier.identities))
    return bool(set(advice.codes) - set(earlier.codes))


def _gain(value: float | None) -> float:
    return max(value or 0.0, 0.0)


def _hours(later: datetime, earlier: datetime) -> float:
    return (later - earlier) / timedelta(hours=1)
