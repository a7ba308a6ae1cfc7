"""Script of the API documentation page."""

from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "static" / "js" / "api_docs.js"


def test_a_key_entered_on_the_page_is_not_stored_in_the_browser() -> None:
    script = SCRIPT.read_text()
    assert "persistAuthorization: false" in script
    assert script.index('removeItem("authorized")') < script.index("SwaggerUIBundle(")
