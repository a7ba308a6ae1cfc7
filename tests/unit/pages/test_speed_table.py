"""Speed and consumption table as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError

from app.engine.particulars import Basis, PointSource
from app.pages.web.text_lines import SpeedTable, write_speed_table

POINT: dict[str, Any] = {
    "speed": 14.0,
    "focMtPerDay": 62.0,
    "loading": "LADEN",
    "draft": None,
    "beaufort": 4.0,
    "withAuxiliaries": False,
    "source": "OWNER",
    "basis": None,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14 62", POINT),
        ("14\t62\tBf 4\tladen", POINT),
        ("14,0; 62,0; laden", POINT),
        ("Speed\tConsumption\tCondition\n14\t62\tLaden", POINT),
        ("14 62 ballast Bf 2", POINT | {"loading": "BALLAST", "beaufort": 2.0}),
        ("14 62 trial 12.5m", POINT | {"source": "SEA_TRIAL", "draft": 12.5}),
        ("14 62 calm", POINT | {"basis": "CALM"}),
        ("14 62 warranted charter", POINT | {"basis": "CHARTER_PARTY", "source": "CHARTER_PARTY"}),
        ("14 62 auxiliaries charter", POINT | {"withAuxiliaries": True, "source": "CHARTER_PARTY"}),
    ],
)  # fmt: skip
def test_lines_typed_or_pasted_are_points(text: str, expected: dict[str, Any]) -> None:
    assert SpeedTable().deserialize(text) == [expected]


def test_empty_text_is_no_table() -> None:
    assert SpeedTable().deserialize(" \n\n") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("14 62\n14", "Line 2: enter the speed in kn and the consumption"),
        ("14 62 63", "Line 1: enter the speed"),
        ("see sea trial report", "Line 1: 'see' is not known"),
        ("14 62 loaded", "Line 1: 'loaded' is not known; allowed are laden"),
        ("14 0", "Line 1: consumption: "),
        ("94 62", "Line 1: speed: "),
        ("14 62 Bf 9", "Line 1: Beaufort: "),
        ("\n".join(["14 62"] * 61), "Enter up to 60 lines."),
    ],
)
def test_an_invalid_line_is_reported_by_its_number(text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        SpeedTable().deserialize(text)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "speed": st.integers(10, 400).map(lambda tenths: tenths / 10),
                "focMtPerDay": st.integers(10, 5990).map(lambda tenths: tenths / 10),
                "loading": st.sampled_from(["LADEN", "BALLAST"]),
                "draft": st.none() | st.integers(10, 250).map(lambda tenths: tenths / 10),
                "beaufort": st.integers(0, 8).map(float),
                "withAuxiliaries": st.booleans(),
                "source": st.sampled_from([str(source) for source in PointSource]),
                "basis": st.none() | st.sampled_from([str(basis) for basis in Basis]),
            }
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_table_that_is_written_is_read_again(points: list[dict[str, Any]]) -> None:
    assert SpeedTable().deserialize(write_speed_table(points)) == points
