"""Pictures of the documentation: each is shown on a page, and each that is shown is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_the_pictures_kept_are_those_that_pages_show() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    shown = {
        (page.parent / path).resolve()
        for page in pages
        for path in re.findall(r"\]\(([^)]+\.png)\)", page.read_text())
    }
    assert shown == set((DOCS / "img").glob("*"))
