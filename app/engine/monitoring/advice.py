"""Advice to a ship under way to leave its plan for a sufficiently better one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import numpy as np

from app.engine.checking.findings import Finding
from app.engine.codes import FindingCode
from app.engine.formatting import format_position, format_time
from app.engine.geodesy.leg import LegGeometry
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.remainder import BetterPlan, Outlook
from app.engine.plan import RoutePlan
from app.engine.planning.limits import WAVE_HEIGHT, WEATHER_LIMITS, WIND_SPEED, WeatherLimit
from app.engine.request import Limits, Position, VoyageRequest

#: Distance from the planned track at which a route has left it [nm].
_OFF_TRACK_NM: Final = 5.0
#: Greatest delay of the arrival by an advice that only saves fuel [h].
_LATER_H: Final = 1.0
#: Factor of the saving, or of the excess over a limit, from which an advice that was not followed
#: is given again.
_SAVING_FACTOR: Final = 1.5
_EXCESS_FACTOR: Final = 1.1
#: Shortest time to answer an advice; action that is due earlier is due at once.
ANSWER_TIME: Final = timedelta(hours=3)


class AdviceReason(StrEnum):
    """Reason for an advice."""

    LIMIT = "LIMIT"
    ARRIVAL = "ARRIVAL"
    FUEL = "FUEL"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Least gain of an advice: a share of the fuel [%], fuel [t] or time [h]."""

    fuel_pct: float = 1.5
    fuel_t: float = 2.0
    eta_h: float = 3.0


@dataclass(frozen=True, slots=True)
class AdvisedWaypoint:
    """A waypoint of an advised route and the line of the leg that leads to it."""

    position: Position
    leg_geometry: LegGeometry | None


@dataclass(frozen=True, slots=True)
class Advice:
    """An advised change, compared with the rest of the plan in the weather as known now.

    ``avoids`` describes the limits and areas that the rest of the plan breaks, and ``codes`` are
    their codes; the advised route breaks none, unless no route keeps the limits: then
    ``allowed_wave_m`` and ``allowed_wind_ms`` are the higher ones that it keeps. ``excess`` is the
    largest ratio of a value to its limit. ``act_by`` is the time to leave the planned track or to
    change speed, at least :data:`ANSWER_TIME` ahead. ``identities`` are the codes with the area's
    id or the kind of the limit. Advice stored by earlier versions has no identities and no
    waypoints.
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
    waypoints: tuple[AdvisedWaypoint, ...] = ()
    allowed_wave_m: float | None = None
    allowed_wind_ms: float | None = None

    @property
    def is_urgent(self) -> bool:
        """Return whether the plan would break a limit or enter an area."""
        return AdviceReason.LIMIT in self.reasons


def advise(
    current: Outlook,
    found: BetterPlan,
    request: VoyageRequest,
    thresholds: Thresholds,
    *,
    now: datetime,
    earlier: Advice | None = None,
) -> Advice | None:
    """Advise a better route for the rest of a voyage; ``None`` if the gain is too small.

    ``request`` is that of the rest. ``now`` is the present time; the ship's last report may be
    hours older. An advice that only saves fuel may not arrive much later. ``earlier`` is an advice
    that was declined or not answered: another is given only if it avoids another or a larger
    violation, or if it saves at least half as much again.
    """
    better, excess = found.plan, _find_excess(current)
    reasons = tuple(_find_reasons(current, better, thresholds, request.arrive_by))
    raised = _list_raised(found.limits, request.limits)
    if not reasons or (raised and excess is not None and min(raised.values()) >= excess):
        return None
    summary = better.summary
    fuel_t, eta = current.fuel_t, current.eta
    leaves_track_at = _find_leaving_time(current, better)
    due = better.waypoints[0].eta if leaves_track_at is None else leaves_track_at
    act_by = max(due, now + ANSWER_TIME)
    advice = Advice(
        reasons=reasons,
        avoids=tuple(finding.message for finding in current.breaches),
        codes=tuple(dict.fromkeys(finding.code for finding in current.breaches)),
        excess=excess,
        fuel_saved_t=None if fuel_t is None else fuel_t - summary.fuel_t,
        time_saved_h=None if eta is None else _hours(eta, summary.eta),
        fuel_t=summary.fuel_t,
        fuel_standard_error_t=summary.fuel_standard_error_t,
        eta=summary.eta,
        act_by=act_by,
        leaves_track=leaves_track_at is not None,
        action=_write_raised(found.limits, request.limits)
        + _write_action(better, leaves_track_at, at_once=due < act_by),
        identities=tuple(dict.fromkeys(map(_identify, current.breaches))),
        waypoints=tuple(AdvisedWaypoint(at.position, at.leg_geometry) for at in better.waypoints),
        allowed_wave_m=found.limits.wave_height_m if WAVE_HEIGHT in raised else None,
        allowed_wind_ms=found.limits.wind_speed_ms if WIND_SPEED in raised else None,
    )
    return None if earlier is not None and not _is_worth_more(advice, earlier) else advice


def _list_raised(kept: Limits, asked: Limits) -> dict[WeatherLimit, float]:
    """List the limits that are higher than asked, with the ratio of the two values."""
    pairs = [(each, each.allowed(kept), each.allowed(asked)) for each in WEATHER_LIMITS]
    return {
        limit: high / max(low, limit.step)
        for limit, high, low in pairs
        if high is not None and low is not None and high > low
    }


def _write_raised(kept: Limits, asked: Limits) -> str:
    """Write the limits that no route keeps and those of the advised one; empty if it keeps all."""
    return "".join(
        f"No route keeps the {limit.name} under {limit.format(limit.allowed(asked) or 0.0)}; the"
        f" advised one stays under {limit.format(limit.allowed(kept) or 0.0)}. "
        for limit in _list_raised(kept, asked)
    )


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


def _find_leaving_time(current: Outlook, better: RoutePlan) -> datetime | None:
    """Return when the ship on its plan is last on the better track; ``None`` if throughout.

    A track that cannot be sailed is left at once.
    """
    route = current.route
    if route is None:
        return better.waypoints[0].eta
    track = route.simulation.track
    off_nm = PlannedTrack.of(better).distance_off(track.lats, track.lngs)
    off_track = np.flatnonzero(off_nm > _OFF_TRACK_NM)
    return route.simulation.time_at(max(int(off_track[0]) - 1, 0)) if off_track.size else None


def _write_action(better: RoutePlan, leaves_track_at: datetime | None, *, at_once: bool) -> str:
    ahead = better.waypoints[1:]
    speed = f"{ahead[0].speed_through_water_kn:.1f} kn through the water"
    if leaves_track_at is None:
        return f"Keep the planned track and order {speed}."
    to = next((waypoint for waypoint in ahead if waypoint.eta > leaves_track_at), ahead[-1])
    when = "at once" if at_once else f"by {format_time(leaves_track_at)}"
    return (
        f"Order {speed}. Leave the planned track {when} and make for"
        f" {format_position(*to.position)}, waypoint {to.index + 1} of {len(better.waypoints)}."
    )


def _find_excess(current: Outlook) -> float | None:
    """Return the largest ratio of waves or wind to their limit; ``None`` if none is exceeded."""
    ratios = [
        finding.measured / finding.required
        for finding in current.breaches
        if finding.measured and finding.required and finding.code is FindingCode.WEATHER_LIMIT
    ]
    return max(ratios, default=None)


def _identify(finding: Finding) -> str:
    """Return an identity of a violation that is stable over time: code, and area or limit."""
    return finding.code if finding.subject is None else f"{finding.code}:{finding.subject}"


def _is_worth_more(advice: Advice, earlier: Advice) -> bool:
    exceeds = (advice.excess or 0.0) >= _EXCESS_FACTOR * (earlier.excess or 1.0)
    avoided, before = advice.identities, earlier.identities
    if not before:  # advice stored by earlier versions has none
        avoided, before = advice.codes, earlier.codes
    if exceeds or set(avoided) - set(before):
        return True
    gains = (
        (advice.fuel_saved_t, earlier.fuel_saved_t),
        (advice.time_saved_h, earlier.time_saved_h),
    )
    return any(_gain(new) > _SAVING_FACTOR * max(_gain(old), 1.0) for new, old in gains)


def _gain(value: float | None) -> float:
    return max(value or 0.0, 0.0)


def _hours(later: datetime, earlier: datetime) -> float:
    return (later - earlier) / timedelta(hours=1)
