"""Texts of errors."""

from app.services.errors import FieldError, Invalid


def test_several_faults_are_stated_as_consecutive_sentences() -> None:
    faults = [FieldError("/lbp", "The length is too short."), FieldError("/dwt", "It is 0.")]
    assert str(Invalid(faults)) == "The length is too short. It is 0."
