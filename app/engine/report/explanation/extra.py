"""What a given route costs more than a planned one, in words."""

from typing import Final

from app.engine.facts import ExtraCost
from app.engine.report.explanation.phrases import distance, duration, listed, mass

#: Fuel [t] and hours that count as none.
_NO_FUEL_T: Final = 0.05
_NO_TIME_H: Final = 0.05


def explain_extra(extra: ExtraCost) -> str:
    """Say what a given route costs more or less than the plan, and why."""
    if abs(extra.fuel_t) < _NO_FUEL_T:
        return f"The route burns as much as the plan{_write_arrival(extra)}."
    by = ((extra.track_t, _write_track(extra)), (extra.speed_t, "its speeds"),
          (extra.arrival_t, "its time of arrival"))  # fmt: skip
    more = [f"{mass(fuel_t)} more by {what}" for fuel_t, what in by if fuel_t >= _NO_FUEL_T]
    less = [f"{mass(-fuel_t)} less by {what}" for fuel_t, what in by if fuel_t <= -_NO_FUEL_T]
    return (
        f"The route burns {_write_difference(extra.fuel_t)} than the plan{_write_arrival(extra)}:"
        f" {listed([*more, *less])}."
    )


def _write_difference(fuel_t: float) -> str:
    return f"{mass(abs(fuel_t))} {'more' if fuel_t > 0.0 else 'less'}"


def _write_arrival(extra: ExtraCost) -> str:
    if abs(extra.duration_h) < _NO_TIME_H:
        return " and arrives with it"
    word = "later" if extra.duration_h > 0.0 else "sooner"
    return f" and arrives {duration(abs(extra.duration_h))} {word}"


def _write_track(extra: ExtraCost) -> str:
    """Write the track, with its miles and what shallower or deeper water on it costs."""
    parts = []
    if abs(extra.distance_nm) >= 1.0:
        word = "longer" if extra.distance_nm > 0.0 else "shorter"
        parts.append(f"{distance(abs(extra.distance_nm))} {word}")
    if abs(extra.depth_t) >= _NO_FUEL_T:
        word = "shallower" if extra.depth_t > 0.0 else "deeper"
        parts.append(f"{mass(abs(extra.depth_t))} of it by {word} water")
    return f"its track ({', '.join(parts)})" if parts else "its track"
