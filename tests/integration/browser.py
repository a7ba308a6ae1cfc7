"""A browser with a user's session, for tests of pages."""

import json
import re
from typing import Any
from uuid import UUID

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.models import Role
from app.services.identity import users
from app.services.platform.sessions import operator_session
from tests.integration.client import CHARTING

PASSWORD = "seven seas and a harbour"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
ORDER = {name: value for name, value in CHARTING.items() if name != "vesselId"} | {
    "avoidEca": False,
    "avoidPiracyAreas": True,
    "avoidWarZones": True,
}


def read_page_data(page: str) -> dict[str, Any]:
    """Read the data that a page hands to its script."""
    begun = page.index(">", page.index('id="page-data"')) + 1
    data: dict[str, Any] = json.loads(page[begun : page.index("</script>", begun)])
    return data


class Browser:
    """A client with a session, that fills forms as a page's script does."""

    def __init__(self, app: Flask) -> None:
        self.http: FlaskClient = app.test_client()

    def get(self, path: str) -> TestResponse:
        return self.http.get(path, headers=HTML)

    def session(self) -> dict[str, Any]:
        """Return the signed-in user and a token, as a page that was open for long asks for them."""
        state: dict[str, Any] = self.http.get("/session").get_json()
        return state

    def token(self) -> str:
        """Return a token for a form."""
        return str(self.session()["csrfToken"])

    def token_of(self, path: str) -> str:
        """Return the token that a page hands to its forms and scripts."""
        page = self.http.get(path, headers=HTML, follow_redirects=True).text
        found = re.search(r'name="csrf-token" content="([^"]+)"', page)
        assert found, page
        return found.group(1)

    def sign_in(self, email: str, password: str = PASSWORD, path: str = "/sign-in") -> TestResponse:
        form = {"email": email, "password": password, "csrf_token": self.token()}
        return self.http.post(path, data=form, headers=HTML)

    def post(self, path: str, body: Any, *, token: str | None = None) -> TestResponse:
        headers = {"Accept": "application/json", "X-CSRFToken": token or self.token()}
        return self.http.post(path, json=body, headers=headers)


def make_user(app: Flask, organization_id: UUID, role: Role = Role.PLANNER) -> str:
    email = f"{role}-{organization_id}@ship.example"
    with app.app_context(), operator_session(organization_id) as session:
        users.create(
            session, organization_id, email=email, password=PASSWORD, role=role, name="A. Vos"
        )
    return email


def signed_in(app: Flask, organization_id: UUID, role: Role = Role.PLANNER) -> Browser:
    browser = Browser(app)
    assert browser.sign_in(make_user(app, organization_id, role)).status_code == 302
    return browser
