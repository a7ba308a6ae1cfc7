"""Plausibility of a vessel's particulars."""

from typing import Any

import pytest

from app.services.upkeep.demo import VESSEL
from app.services.vessels.vessel_particulars import find_faults, imo_check_digit_holds

#: Main dimensions as published by their owners: unusual ships that must pass.
UNUSUAL = {
    "Seawise Giant": (564_650, 458.45, 440.0, 68.86, 29.8, 24.6, 24.611),
    "Ever Ace": (235_579, 399.9, 387.0, 61.5, 33.2, 14.5, 17.0),
    "Queen Mary 2": (19_189, 345.03, 301.35, 41.0, 13.7, 10.0, 10.3),
    "a coaster": (2_500, 88.6, 84.9, 12.5, 6.3, 4.9, 5.25),
    "a catamaran": (1_000, 112.6, 105.6, 30.5, 7.9, 3.9, 3.93),
}


def with_(**changes: Any) -> dict[str, Any]:
    return VESSEL | changes


@pytest.mark.parametrize("name", UNUSUAL)
def test_an_unusual_ship_passes(name: str) -> None:
    keys = (
        "dwt_t", "loa_m", "lbp_m", "breadth_m", "depth_m", "draft_design_m", "draft_scantling_m",
    )  # fmt: skip
    ship = dict(zip(keys, UNUSUAL[name], strict=True))
    screw = {"pitch_m": 0.5 * ship["draft_design_m"], "propeller_diameter_m": None}
    assert find_faults(VESSEL | ship | screw) == []


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"lbp_m": 230.0}, "/lbp"),
        ({"lbp_m": 130.0}, "/lbp"),
        ({"breadth_m": 150.0}, "/breadth"),
        ({"breadth_m": 3.0}, "/breadth"),
        ({"draft_design_m": 15.0}, "/draftScant"),
        ({"depth_m": 14.45}, "/depth"),
        ({"dwt_t": 200_000.0}, "/dwt"),
        ({"service_speed_kn": 140.0}, "/serviceSpeed"),
        ({"pitch_m": 51.0}, "/pitch"),
        ({"gross_tonnage": 4.3e6}, "/gt"),
    ],
)
def test_what_no_ship_can_be_is_refused_with_what_it_is(
    changes: dict[str, float], pointer: str
) -> None:
    assert pointer in {fault.pointer for fault in find_faults(with_(**changes))}


def test_a_length_for_one_voyage_is_judged_with_the_vessels_own_particulars() -> None:
    faults = find_faults(VESSEL, {"lbp": 100.0, "pitch": 5.1})
    assert {fault.pointer for fault in faults} == {"/lbp", "/dwt"}


@pytest.mark.parametrize("imo", ["9074729", "9811000", "7902087"])
def test_the_imo_numbers_of_ships_hold(imo: str) -> None:
    assert imo_check_digit_holds(imo)


@pytest.mark.parametrize("imo", ["9074728", "907472", "90747290", "907472a", "٩٠٧٤٧٢٩", ""])
def test_what_is_no_imo_number_does_not_hold(imo: str) -> None:
    assert not imo_check_digit_holds(imo)


@pytest.mark.parametrize(("imo", "start"), [("", "An empty text is"), ("9074728", "9074728 is")])
def test_the_error_of_an_imo_number_begins_with_what_was_given(imo: str, start: str) -> None:
    (fault,) = find_faults(with_(imo=imo))
    assert fault.pointer == "/imo"
    assert fault.detail.startswith(f"{start} not an IMO number.")
