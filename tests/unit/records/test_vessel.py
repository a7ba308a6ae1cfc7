"""Limits of a vessel's particulars."""

from datetime import UTC, datetime

import marshmallow as ma
import pytest

from app.records.vessel import VesselSchema

DELIVERY = VesselSchema(only=("date_constructed",))
IMAGE = VesselSchema(only=("image",))
THIS_YEAR = datetime.now(UTC).year


@pytest.mark.parametrize("year", [1903, THIS_YEAR, THIS_YEAR + 9])
def test_a_ship_may_be_old_or_on_order(year: int) -> None:
    assert DELIVERY.load({"dateConstructed": f"{year}-06-01"})["date_constructed"].year == year


@pytest.mark.parametrize("year", [201, 1849, THIS_YEAR + 12, 2090])
def test_a_date_of_delivery_that_no_ship_has_is_refused_with_what_is_allowed(year: int) -> None:
    with pytest.raises(ma.ValidationError) as refused:
        DELIVERY.load({"dateConstructed": f"{year:04d}-06-01"})
    (detail,) = refused.value.messages_dict["dateConstructed"]
    assert detail.startswith(f"{year:04d}-06-01 is no date of delivery: enter one from 1850 to ")
    assert detail.endswith(", 10 years ahead.")


@pytest.mark.parametrize(
    "address",
    ["https://fleet.example/a.jpg", "HTTP://10.0.0.1:8080?id=1#top", "https://fleet.example", ""],
)
def test_a_picture_has_a_web_address_or_none(address: str) -> None:
    assert IMAGE.load({"image": address})["image"] == address


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:image/svg+xml,<svg/>",
        "//fleet.example/a.jpg",
        "fleet.example/a.jpg",
        "https:///a.jpg",
        "https://fleet.example/a b.jpg",
        "x https://fleet.example/a.jpg",
    ],
)
def test_an_address_of_a_picture_that_is_not_of_the_web_is_refused(address: str) -> None:
    with pytest.raises(ma.ValidationError) as refused:
        IMAGE.load({"image": address})
    (detail,) = refused.value.messages_dict["image"]
    assert detail.startswith(f"{address} is not the web address of a picture: image begins with ")
    assert "https://fleet.example/noordster.jpg" in detail


def test_a_long_address_of_a_picture_is_refused_in_one_pass() -> None:
    # a pattern that tries every share of it would not end
    with pytest.raises(ma.ValidationError):
        IMAGE.load({"image": f"http://a/{'?' * 60_000}{'#' * 60_000} "})
