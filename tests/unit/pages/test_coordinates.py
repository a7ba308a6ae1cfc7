"""Parsing of typed and pasted positions in the browser."""

import json
from typing import Any

import pytest

from tests.unit.pages.test_filters import run_in_node

#: Notations of the position [49.905, -5.17].
FORMS = (
    "49-54.3N 005-10.2W",
    "49-54.30N, 005-10.20W",
    "49–54.3N – 005–10.2W",
    "49°54.3'N 005°10.2'W",
    "49° 54.3′ N 5° 10.2′ W",
    "49 54.3 N 005 10.2 W",
    "4954.3N 00510.2W",
    "495418N 0051012W",
    "49-54-18N 005-10-12W",
    "49°54'18\"N 005°10'12\"W",
    "N49 54.3 W005 10.2",
    "Lat 49-54.3N Long 005-10.2W",
    "49.905N 5.17W",
    "49.905N 005 10.2W",
    "49 54.3 N 5 10 12 W",
    "49.905, -5.17",
    "49,905; -5,17",
)
NO_POSITIONS = (
    "nowhere",
    "49-74.3N 005-10.2W",
    "91-00N 005-00W",
    "49-54.3N",
    "Rotterdam 2",
    "1 2 3",
    "1 49-54.3N 005-10.2W",
    "WP1 49-54.3N 005-10.2W",
    "12 49.905N 5.17W",
    "BUOY 7 49.905N 5.17W",
)

WARNING = """NAVAREA I 123/26. ENGLISH CHANNEL. GUNNERY 141200 UTC TO 151800 UTC JAN
IN AREA BOUND BY 49-54.3N 005-10.2W, 49-50.0N 005-10.2W,
49-50.0N 005-00.0W AND 49-54.3N 005-00.0W."""


def read(name: str, *values: Any) -> Any:
    """Return the results of a function of the script for each value."""
    calls = ", ".join(f"{name}(...{json.dumps(value)})" for value in values)
    return run_in_node(f"""
        import {{ {name} }} from "./static/js/coordinates.js";
        console.log(JSON.stringify([{calls}]));
    """)


def test_a_position_is_read_in_every_usual_notation() -> None:
    places = read("parsePosition", *([form] for form in FORMS))
    for form, place in zip(FORMS, places, strict=True):
        assert place == {"lat": pytest.approx(49.905), "lng": pytest.approx(-5.17)}, form


def test_other_text_is_not_read_as_a_position() -> None:
    places = read("parsePosition", *([text] for text in NO_POSITIONS))
    assert dict(zip(NO_POSITIONS, places, strict=True)) == dict.fromkeys(NO_POSITIONS)


def test_a_latitude_or_a_longitude_is_read_alone() -> None:
    texts = ["51°58.900'N", "51 58.9 N", "51.5", "-33.25", "33 15 S", "49-54.3N", "95 N", "north"]
    assert read("parseAngle", *([text, 90] for text in texts)) == [
        *(pytest.approx(each) for each in (51.981667, 51.981667, 51.5, -33.25, -33.25, 49.905)),
        *(None, None),
    ]
    east_west = read("parseAngle", ["005-10.2W", 180], ["0051012W", 180], ["49-54.3N", 180])
    assert east_west == [pytest.approx(-5.17), pytest.approx(-5.17), None]


def test_a_pasted_warning_gives_its_corners_and_names_the_lines_without() -> None:
    (found,) = read("parsePositions", [WARNING])
    corners = [(round(each["lat"], 3), round(each["lng"], 3)) for each in found["positions"]]
    assert corners == [(49.905, -5.17), (49.833, -5.17), (49.833, -5.0), (49.905, -5.0)]
    assert (found["wrong"], found["without"]) == ([], [1])


def test_a_closing_corner_counts_once_and_a_wrong_one_is_named() -> None:
    closed, wrong = read(
        "parsePositions", ["49, -7\n48, -7\n48 -9\n49, -7"], ["49 N 7 W\n48-72N 7 W\n47 N 7 W"]
    )
    assert len(closed["positions"]) == 3
    assert wrong["wrong"] == [2]
