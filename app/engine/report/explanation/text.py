"""Explanation of a plan: what was chosen, why, what it costs, what is unknown.

Nothing is said that the plan or its request doesn't hold, and every number is
one of theirs, rounded: distances to 1 nm, times to the minute begun, hours, knots,
tonnes, metres, m/s and per cent to one decimal. Thousands are not separated, so
that figures can be searched for.

Of ``plan.facts`` these keys are read, each only if it is there:

``passages``
    ``[{"name", "kind", "waiting_h", "lat", "lng"}]``: canals and narrow waters in
    their order; ``kind`` as in :class:`~app.engine.sea.passages.PassageKind`, the
    position [deg] in the middle of the passage, where critical points mark it.
``waits``
    ``[{"lat", "lng", "hours", "until", "for_areas"}]``: where the ship waits for what is closed
    to open, how long, until when and what ("Mon 2 Feb 12:00 UTC, when ... is over"), and whether
    that is an area.
``closed_ways``
    ``[{"label", "reason", "extra_nm", "extra_h", "extra_fuel_t"}]``: routes not
    open to this voyage, such as "by Suez"; ``reason`` is a clause ("it enters the
    Red Sea war-risk area"), the extras what the plan costs more than that route.
``binding_limits``
    ``[{"label", "extra_nm", "extra_h", "extra_fuel_t"}]``: limits that shape the
    plan ("the wave limit") and what the plan costs more than one without them.
``areas_avoided``
    ``["name"]``: areas that the track bends around.
``means``
    ``{"track_t", "depth_t", "speed_t"}``: fuel saved on the baseline by the track, that shallow
    water costs less along it, and by the speeds.
"""

from collections.abc import Iterable

from app.engine.report.explanation.sea import explain_waters, explain_weather
from app.engine.report.explanation.voyage import explain_fuel, explain_route, explain_voyage
from app.engine.voyage import RoutePlan, VoyageRequest


def explain(
    plan: RoutePlan,
    request: VoyageRequest,
    *,
    wave_limit: str | None = None,
    wind_limit: str | None = None,
) -> str:
    """Explain a plan in short paragraphs, separated by blank lines.

    Parameters
    ----------
    request
        The request that the plan answers.
    wave_limit, wind_limit
        The limits as the captain gave them ("Douglas 6", "Beaufort 7"); metres
        and m/s of the request's limits if not given.
    """
    paragraphs = (
        explain_voyage(plan, request),
        explain_route(plan, request),
        explain_fuel(plan, request),
        explain_weather(plan, request, wave_limit, wind_limit),
        explain_waters(plan, request),
        (warning.detail for warning in plan.warnings),
        ("Verify on the ECDIS before use.",),
    )
    return "\n\n".join(text for text in map(_join, paragraphs) if text)


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence.strip() for sentence in sentences if sentence)
