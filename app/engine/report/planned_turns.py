"""Turns of a plan: radius and wheel-over at each waypoint, and notes on reduced radii."""

import math
from collections.abc import Sequence
from dataclasses import replace

from app.engine.plan import Waypoint
from app.engine.sailing.turns import Turn, plan_turns
from app.engine.sea.path import Leg
from app.engine.vessel import TurningAbility


def add_turns(
    waypoints: Sequence[Waypoint], legs: Sequence[Leg], ability: TurningAbility
) -> tuple[Waypoint, ...]:
    """Return waypoints with the turns between their legs; the first and the last have none."""
    first, *between, last = waypoints
    turned = map(_add_turn, between, plan_turns(legs, ability), [ability] * len(between))
    usual_nm = ability.usual_radius_nm
    return (
        replace(first, turn_radius_nm=usual_nm),
        *turned,
        replace(last, turn_radius_nm=usual_nm),
    )


def _add_turn(waypoint: Waypoint, turn: Turn, ability: TurningAbility) -> Waypoint:
    notes = filter(None, (waypoint.note, _write_note(turn, ability)))
    return replace(
        waypoint,
        turn_radius_nm=turn.radius_nm,
        wheel_over_nm=turn.wheel_over_nm,
        note="; ".join(notes) or None,
    )


def _write_note(turn: Turn, ability: TurningAbility) -> str | None:
    """Write that a turn's radius is below the usual one, or below the ship's least."""
    radius_nm = math.floor(100.0 * turn.radius_nm) / 100.0
    if turn.radius_nm < ability.least_radius_nm:
        least_nm = math.ceil(100.0 * ability.least_radius_nm) / 100.0
        return (
            f"Turn radius {radius_nm:.2f} nm, less than the ship needs at service speed"
            f" ({least_nm:.2f} nm): slow down"
        )
    if turn.radius_nm < ability.usual_radius_nm:
        return f"Turn radius {radius_nm:.2f} nm for lack of room"
    return None
