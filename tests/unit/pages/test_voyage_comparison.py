"""Comparison of voyages: figures, differences and the best of each."""

from typing import Any

from app.pages.presenters.voyage_comparison import Cell, compare_figures

SUMMARY = {"durationH": 240.0, "distanceNm": 3300.0, "fuelMt": 411.7, "minUkcM": 4.26}


def voyage(**changes: Any) -> dict[str, Any]:
    """A voyage with a plan, as the list of voyages has it."""
    return {"from": "Rotterdam", "to": "New York", "summary": SUMMARY | changes}


def cells(name: str, *voyages: dict[str, Any]) -> list[Cell]:
    return next(row for figure, row in compare_figures(voyages) if figure.name == name)


def test_the_least_fuel_is_marked_with_its_difference_to_the_first_voyage() -> None:
    first, second = cells("fuelMt", voyage(), voyage(fuelMt=297.7))
    assert first == Cell("411.7")
    assert second == Cell("297.7", "\u2212114.0", is_best=True)


def test_figures_that_are_shown_alike_are_all_the_best_or_none_is() -> None:
    alike = cells("fuelMt", voyage(fuelMt=297.72), voyage(), voyage(fuelMt=297.68))
    assert [cell.is_best for cell in alike] == [True, False, True]
    assert not any(cell.is_best for cell in cells("fuelMt", voyage(), voyage()))


def test_nothing_is_best_between_voyages_to_different_ports() -> None:
    other = voyage(fuelMt=100.0) | {"to": "Boston"}
    assert not any(cell.is_best for cell in cells("fuelMt", voyage(), other))


def test_a_voyage_without_a_plan_has_dashes() -> None:
    waiting = voyage() | {"summary": None}
    assert cells("durationH", voyage(), waiting) == [Cell("10 d 0 h"), Cell("–")]


def test_a_longer_voyage_tells_by_how_many_hours() -> None:
    assert cells("durationH", voyage(), voyage(durationH=300.0))[1].more == "+60 h"


def test_a_clearance_is_cut_and_none_is_the_best_because_depths_are_missing() -> None:
    shown = cells("minUkcM", voyage(), voyage(minUkcM=9.0))
    assert [(cell.text, cell.is_best) for cell in shown] == [("4.2", False), ("9.0", False)]
