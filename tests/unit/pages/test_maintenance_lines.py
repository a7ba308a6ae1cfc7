"""Dry-dockings and hull cleanings as text."""

import pytest
from marshmallow import ValidationError

from app.pages.web.text_lines import MaintenanceLines, write_maintenance

DOCKED = {"date": "2024-03-01", "kind": "DRY_DOCKING"}
CLEANED = {"date": "2025-05-14", "kind": "HULL_CLEANING"}


@pytest.mark.parametrize(
    "text",
    [
        "1 Mar 2024 dry-docking\n14 May 2025 hull cleaning",
        "2024-03-01, Dry dock\n\n2025-05-14\tcleaned by divers\n",
    ],
)
def test_lines_are_read_as_they_are_typed(text: str) -> None:
    assert MaintenanceLines().deserialize(text) == [DOCKED, CLEANED]


def test_what_is_written_is_read_again_the_earliest_first() -> None:
    text = write_maintenance([CLEANED, DOCKED])
    assert text.splitlines() == ["1 Mar 2024 dry-docking", "14 May 2025 hull cleaning"]
    assert MaintenanceLines().deserialize(text) == [DOCKED, CLEANED]
    assert MaintenanceLines().deserialize(write_maintenance(None)) is None


@pytest.mark.parametrize("line", ["dry-docking", "1 Mar 2024", "31 Feb 2024 docked", "2024 dock"])
def test_an_invalid_line_is_reported_by_its_number(line: str) -> None:
    with pytest.raises(ValidationError, match=r"Line 2: enter a day and dry-docking"):
        MaintenanceLines().deserialize(f"1 Mar 2024 dry-docking\n{line}")
