"""Comparison of departures for a page: by day, in shades of fuel."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from app.pages.presenters.filters import (
    dated_full_time,
    dated_time,
    duration,
    figure,
    full_time,
    mass,
)
from app.pages.presenters.presenters import run_state
from app.records.departures import DepartureState, DepartureView
from app.records.instants import format_instant
from app.services.chartings.departure_windows import ComparisonView

#: Number of shades, from least to most fuel.
_SHADES: Final = 5
#: Least relative range of fuel that the shades span, so that differences of no account are pale.
_LEAST_SPAN: Final = 0.02
#: Relative difference of fuel and time below which no departure is better than another.
_ACCURACY: Final = 0.01
_WITHOUT_FIGURE: Final = {DepartureState.PENDING: "·", DepartureState.INFEASIBLE: "×"}


def describe_comparison(view: ComparisonView | None) -> dict[str, Any] | None:
    """Return the template variables of a comparison; ``None`` without one."""
    if view is None:
        return None
    row, best = view.row, view.best
    return {
        **run_state(row),
        "count": f"{view.done} of {view.total}",
        "failure": row.failure and row.failure["detail"],
        "asked": _describe_window(view),
        "best": best and describe_departure(best),
        "even": find_even_words(view.departures),
        "days": list_days(view.departures),
    }


def _describe_window(view: ComparisonView) -> str:
    """Describe the window, e.g. "1 Mar 2026 00:00 to 2 Mar 2026 00:00 UTC, every 6 h"."""
    row = view.row
    words = f"{dated_time(row.depart_from)} to {dated_time(row.depart_to)} UTC"
    words += f", every {row.step_h:g} h"
    if row.within_h is not None:
        return f"{words}, arriving within {row.within_h:g} h"
    if row.arrive_by is not None:
        return f"{words}, arriving by {dated_time(row.arrive_by)}"
    return words


def list_days(departures: Sequence[DepartureView]) -> list[dict[str, Any]]:
    """List the departures by day, in shades of fuel."""
    shades = _shade(departures)
    return [
        {
            "label": f"{day:%a} {day.day} {day:%b}",
            "departures": [
                {
                    "value": format_instant(each.departure),
                    "hour": f"{each.departure:%H:%M}",
                    "figure": mass(each.figures.fuel_t, 1)
                    if each.figures
                    else _WITHOUT_FIGURE[each.state],
                    "shade": shades.get(each.departure),
                    "state": each.state,
                    "isBest": each.is_best,
                    "words": describe_departure(each),
                }
                for each in group
            ],
        }
        for day, group in groupby(departures, key=lambda each: each.departure.date())
    ]


def _shade(departures: Sequence[DepartureView]) -> Mapping[Any, int]:
    """Return the shade of each departure with a result, 0 for the least fuel."""
    fuels = {each.departure: each.figures.fuel_t for each in departures if each.figures}
    if not fuels:
        return {}
    least, most = min(fuels.values()), max(fuels.values())
    span = max(most - least, _LEAST_SPAN * least)
    return {at: round((_SHADES - 1) * (fuel - least) / span) for at, fuel in fuels.items()}


def find_even_words(departures: Sequence[DepartureView]) -> str | None:
    """Describe departures whose fuel and hours are alike; ``None`` if some are better."""
    found = [each.figures for each in departures if each.figures]
    if len(found) < 2:
        return None
    fuel, hours = (
        max(values) / min(values) - 1.0
        for values in ([each.fuel_t for each in found], [each.duration_h for each in found])
    )
    if max(fuel, hours) >= _ACCURACY:
        return None
    return (
        f"No departure is better: fuel differs by {100.0 * fuel:.1f} % and time by"
        f" {100.0 * hours:.1f} %, less than their accuracy."
    )


def describe_departure(each: DepartureView) -> str:
    """Describe the result of a departure, or why it has no feasible route."""
    when = dated_full_time(each.departure)
    if each.infeasible is not None:
        return f"{when}: {each.infeasible.detail}"
    if each.figures is None:
        return f"{when}: not compared yet."
    found = each.figures
    waves = "unknown" if found.max_wave_m is None else f"up to {figure(found.max_wave_m, 1)} m"
    arrives = full_time(found.arrives_at, each.departure)
    words = (
        f"{when}: {mass(found.fuel_t, 1)} mt, arrives {arrives} after"
        f" {duration(found.duration_h)}, waves {waves}; route: {found.route}."
    )
    if each.state == DepartureState.COARSE:
        words += " Coarse search; fuel is overestimated by some per cent."
    return words
