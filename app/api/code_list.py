"""Page that lists all codes; the ``type`` of each problem links to it."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, render_template

from app.engine.codes import AlternativeKind, Code, FailureCode, FindingCode, WarningCode
from app.services.problem_codes import CODES_PAGE, ProblemCode

blueprint = Blueprint("code_list", __name__)

#: Lists by heading; a code in several lists has its anchor in the first.
LISTS: Final[Mapping[str, tuple[str, type[Code]]]] = {
    "Problems": ("code of application/problem+json", ProblemCode),
    "Failures": ("failure.code of a charting", FailureCode),
    "Warnings": ("warnings[].code of a charting", WarningCode),
    "Findings": ("findings[].code of the check of a route", FindingCode),
    "Alternatives": ("alternatives[].kind of a charting", AlternativeKind),
}


@blueprint.get(CODES_PAGE)
def codes() -> str:
    """Show every code with its meaning."""
    return render_template("api/codes.html", lists=_list_codes())


def _list_codes() -> list[tuple[str, str, list[tuple[Code, bool]]]]:
    """Return heading, place and codes of each list; each code with a flag for its anchor."""
    seen: set[str] = set()
    listed = []
    for heading, (place, codes) in LISTS.items():
        listed.append((heading, place, [(code, code not in seen) for code in codes]))
        seen.update(codes)
    return listed
