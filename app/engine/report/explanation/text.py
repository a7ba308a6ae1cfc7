"""Explanation of a plan: the choice and its reasons, costs and unknowns.

Every statement and number is in the plan or its request. Numbers are rounded: distances to 1 nm,
times down to the minute, hours, knots, tonnes, metres, m/s and per cent to one decimal. Thousands
are not separated, so that figures can be searched for.
"""

from collections.abc import Iterable

from app.engine.plan import RoutePlan
from app.engine.report.explanation.sea import explain_waters, explain_weather
from app.engine.report.explanation.spread import explain_spread
from app.engine.report.explanation.voyage import explain_fuel, explain_route, explain_voyage
from app.engine.request import VoyageRequest


def explain(
    plan: RoutePlan,
    request: VoyageRequest,
    *,
    wave_limit: str | None = None,
    wind_limit: str | None = None,
) -> str:
    """Explain a plan in short paragraphs, separated by blank lines.

    ``wave_limit`` and ``wind_limit`` are the limits as the captain gave them ("Douglas 6",
    "Beaufort 7"); by default in the metres and m/s of the request.
    """
    paragraphs = (
        explain_voyage(plan, request),
        explain_route(plan, request),
        explain_fuel(plan, request),
        explain_weather(plan, request, wave_limit, wind_limit),
        explain_spread(plan, request),
        explain_waters(plan, request),
        (warning.detail for warning in plan.warnings),
        ("Verify on the ECDIS before use.",),
    )
    return "\n\n".join(text for text in map(_join, paragraphs) if text)


def _join(sentences: Iterable[str]) -> str:
    return " ".join(sentence.strip() for sentence in sentences if sentence)
