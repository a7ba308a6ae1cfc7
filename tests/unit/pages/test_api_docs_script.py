"""What the page of the API's description does with a key that is entered there."""

from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "static" / "js" / "api_docs.js"


def test_a_key_entered_at_the_description_is_not_kept_in_the_browser() -> None:
    script = SCRIPT.read_text()
    assert "persistAuthorization: false" in script
    assert script.index('removeItem("authorized")') < script.index("SwaggerUIBundle(")
