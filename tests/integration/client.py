"""API test client with a key, and valid requests."""

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

#: Rotterdam to the mouth of the Thames: a short voyage that plans fast.
CHARTING: dict[str, Any] = {
    "latFrom": 51.98,
    "lngFrom": 4.0,
    "portFromName": "Rotterdam",
    "latTo": 51.5,
    "lngTo": 1.2,
    "portToName": "London",
    "startDate": "2026-03-01T06:00:00Z",
    "speedRangeMin": 10,
    "speedRangeMax": 14,
    "draft": 10,
    "trim": 0,
    "rpm": 95,
    "dwt": 60000,
    "lbp": 225.5,
    "pitch": 5.1,
    "optimizationType": "FUEL",
    "routeType": "WX",
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

    def order(self, **changes: Any) -> dict[str, Any]:
        """Order a charting for a new vessel, or for the one that ``changes`` names."""
        vessel_id = changes.pop("vesselId", None) or self.make_vessel()["id"]
        response = self.post("/charting", CHARTING | {"vesselId": vessel_id} | changes)
        assert response.status_code == 201, response.text
        ordered: dict[str, Any] = response.get_json()
        return ordered

    def _call(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {"X-API-Key": self.key} | options.pop("headers", {})
        return self.http.open(f"/v1{path}", method=method, headers=headers, **options)


def pointers(refused: TestResponse) -> set[str]:
    """Return the JSON pointers of the errors of a refused request."""
    return set(list_pointers(refused))


def list_pointers(refused: TestResponse) -> list[str]:
    """Return the JSON pointers of the errors of a refused request, one for each error."""
    assert refused.status_code == 422, refused.text
    return [error["pointer"] for error in refused.get_json()["errors"]]
