"""Numbers typed into forms."""

import json

import pytest

from tests.unit.pages.test_filters import run_in_node


@pytest.mark.parametrize(
    ("typed", "number", "whole"),
    [
        ("82000", 82000, 82000),
        ("82,000", 82, 82000),
        ("1,234,567", None, 1234567),
        ("82 000", 82000, 82000),
        ("82\u202f000", 82000, 82000),
        ("5,125", 5.125, 5125),
        ("5,12", 5.12, 5.12),
        ("82,000.5", None, None),
        (" 14.5 ", 14.5, 14.5),
        ("", None, None),
        ("many", None, None),
    ],
)
def test_a_comma_separates_thousands_in_fields_of_whole_numbers_only(
    typed: str, number: float | None, whole: float | None
) -> None:
    value = json.dumps(typed)
    read = run_in_node(f"""
        globalThis.document = {{ addEventListener() {{}} }};
        const {{ readNumber }} = await import("./static/js/forms.js");
        const read = (dataset) => readNumber({{ value: {value}, dataset }});
        console.log(JSON.stringify([read({{}}), read({{ whole: "" }})]));
    """)
    assert read == [number, whole]
