"""A test client that carries a key, and requests that are right."""

from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

VESSEL: dict[str, Any] = {
    "name": "Noordster",
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
    "type": 1,
}


@dataclass(frozen=True, slots=True)
class ApiClient:
    """Calls operations under ``/v1`` with a key."""

    http: FlaskClient
    key: str

    def get(self, path: str, **options: Any) -> TestResponse:
        return self._call("GET", path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self._call("POST", path, json=body, **options)

    def put(self, path: str, body: Any, **options: Any) -> TestResponse:
        return self._call("PUT", path, json=body, **options)

    def patch(self, path: str, body: Any, **options: Any) -> TestResponse:
        return self._call("PATCH", path, json=body, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self._call("DELETE", path, **options)

    def make_vessel(self, **changes: Any) -> dict[str, Any]:
        response = self.post("/vessel", VESSEL | changes)
        assert response.status_code == 201, response.text
        made: dict[str, Any] = response.get_json()
        return made

    def _call(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {"X-API-Key": self.key} | options.pop("headers", {})
        return self.http.open(f"/v1{path}", method=method, headers=headers, **options)
