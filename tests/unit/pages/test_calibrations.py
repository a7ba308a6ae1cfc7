"""Calibrations on a vessel's page."""

from app.pages.views.calibrations import group_reasons


def test_reasons_that_differ_only_in_a_percentage_are_one_with_its_range() -> None:
    counts = {
        "fuel is not above 0": 8,
        "fuel is 44 % above the fit": 12,
        "fuel is 30 % below the fit": 13,
        "fuel is 292 % above the fit": 1,
    }
    assert group_reasons(counts) == [
        ("fuel is 44 to 292 % above the fit", 13),
        ("fuel is 30 % below the fit", 13),
        ("fuel is not above 0", 8),
    ]
