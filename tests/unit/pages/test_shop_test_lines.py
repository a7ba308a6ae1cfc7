"""Shop test as text."""

import pytest
from marshmallow import ValidationError

from app.pages.web.text_lines import ShopTestLines, write_shop_test

POINTS = [{"loadPct": 50.0, "sfoc": 171.2}, {"loadPct": 75.0, "sfoc": 168.0}]


@pytest.mark.parametrize("text", ["50 171.2\n75 168", "50 %\t171,2\n\n75% ; 168.0\n"])
def test_lines_are_read_as_they_are_typed(text: str) -> None:
    assert ShopTestLines().deserialize(text) == POINTS


def test_what_is_written_is_read_again() -> None:
    assert ShopTestLines().deserialize(write_shop_test(POINTS)) == POINTS
    assert ShopTestLines().deserialize(write_shop_test(None)) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("75", "Line 2: enter the load in % and the consumption in g/kWh"),
        ("75 168 3", "Line 2: enter the load"),
        ("full 168", "Line 2: enter the load"),
        ("75 1680", r"Line 2: consumption: Enter 100 to 350\.$"),
        ("0.75 168", r"Line 2: load: Enter 10 to 110\.$"),
    ],
)
def test_an_invalid_line_is_reported_by_its_number(line: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ShopTestLines().deserialize(f"50 171.2\n{line}")
