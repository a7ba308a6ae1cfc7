"""Vessel form: limits of the API with messages for users."""

from typing import Any

import pytest
from marshmallow import ValidationError

from app.pages.views.vessel_form import DIMENSIONS, MACHINERY, MOTIONS, VesselForm
from app.records.vessel import VesselSchema

SHIP: dict[str, Any] = {
    "dateConstructed": "2015-06-01",
    "dwt": 82000,
    "loa": 229,
    "lbp": 225.5,
    "breadth": 32.26,
    "depth": 20.05,
    "draftDesign": 12.2,
    "serviceSpeed": 14,
    "draftScant": 14.45,
    "pitch": 5.1,
}


def faults_of(**changes: Any) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as refused:
        VesselForm().load(SHIP | changes)
    found: dict[str, list[str]] = refused.value.normalized_messages()
    return found


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("dwt", None, "Enter a number."),
        ("dwt", 0, "Enter more than 0."),
        ("slammingLimit", 2, "Enter more than 0, at most 1."),
        ("auxiliaryMtPerDay", 201, "Enter 0 to 200."),
        ("dateConstructed", "June", "Enter a day, like 1 Jun 2015."),
        ("captain", "v" * 201, "Enter up to 200 characters."),
    ],
)
def test_errors_have_the_messages_of_the_form(name: str, value: Any, words: str) -> None:
    assert faults_of(**{name: value}) == {name: [words]}


def test_fields_that_the_form_does_not_have_are_unchanged() -> None:
    particulars = VesselForm().load(SHIP)
    others = {"image", "owner", "registrar_id", "organization_id"}
    assert not others & set(particulars)
    assert "owner" in faults_of(owner="Brown")


def test_derived_figures_are_those_of_a_vessel() -> None:
    columns = {field.data_key: field.attribute for field in VesselSchema().fields.values()}
    for name, _, _, column in (*DIMENSIONS, *MACHINERY, *MOTIONS):
        assert columns[name] == column
