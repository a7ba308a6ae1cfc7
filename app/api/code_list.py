"""The page that lists the codes of answers: where the ``type`` of each problem leads."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, render_template

from app.engine.codes import AlternativeKind, Code, FailureCode, FindingCode, WarningCode
from app.services.problem_codes import CODES_PAGE, ProblemCode

blueprint = Blueprint("code_list", __name__)

#: The lists by their headings; a code that several hold is anchored in the first.
LISTS: Final[Mapping[str, tuple[str, type[Code]]]] = {
    "Problems": ("code of application/problem+json", ProblemCode),
    "Failures": ("failure.code of a charting", FailureCode),
    "Warnings": ("warnings[].code of a charting", WarningCode),
    "Findings": ("findings[].code of the check of a route", FindingCode),
    "Alternatives": ("alternatives[].kind of a charting", AlternativeKind),
}


@blueprint.get(CODES_PAGE)
def codes() -> str:
    """List every code that the service can give, with its meaning."""
    return render_template("api/codes.html", lists=_list_codes())


def _list_codes() -> list[tuple[str, str, list[tuple[Code, bool]]]]:
    """Heading, place and codes of each list, with whether the code is anchored there."""
    seen: set[str] = set()
    listed = []
    for heading, (place, codes) in LISTS.items():
        listed.append((heading, place, [(code, code not in seen) for code in codes]))
        seen.update(codes)
    return listed
