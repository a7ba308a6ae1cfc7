"""Requests that are not right, and what they are told."""

import re

import pytest
from flask.testing import FlaskClient

from tests.integration.client import VESSEL, ApiClient


def test_a_body_that_is_not_json_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"{", content_type="application/json")
    assert refused.status_code == 400


def test_a_body_of_another_media_type_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"{}", content_type="text/plain")
    assert refused.status_code == 415


def test_a_body_that_nests_without_end_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"[" * 200_000, content_type="application/json")
    assert refused.status_code == 400


@pytest.mark.parametrize("body", [b"[]", b"5", b'"ship"', b"null"])
def test_a_body_that_is_no_object_is_refused(planner: ApiClient, body: bytes) -> None:
    refused = planner.post("/vessel", data=body, content_type="application/json")
    assert refused.status_code == 422


def test_a_body_of_twenty_megabytes_is_refused(planner: ApiClient) -> None:
    huge = b'{"name": "' + b"x" * 20_000_000 + b'"}'
    refused = planner.post("/vessel", data=huge, content_type="application/json")
    assert refused.status_code == 413
    assert refused.content_type == "application/problem+json"


def test_an_answer_in_a_form_that_is_not_made_is_refused(planner: ApiClient) -> None:
    assert planner.get("/vessel", headers={"Accept": "text/html"}).status_code == 406
    assert planner.get("/vessel", headers={"Accept": "*/*"}).status_code == 200


def test_a_method_that_is_not_there_is_refused_with_those_that_are(planner: ApiClient) -> None:
    refused = planner.delete("/vessel")
    assert refused.status_code == 405
    assert {"GET", "POST"} <= set(refused.headers["Allow"].split(", "))


def test_a_path_that_is_not_there_is_a_problem_too(planner: ApiClient) -> None:
    missing = planner.get("/nothing")
    assert missing.status_code == 404
    problem = missing.get_json()
    assert problem["instance"] == "/v1/nothing"
    assert set(problem) == {"type", "title", "status", "detail", "instance", "requestId", "code"}


def test_a_request_keeps_its_id(planner: ApiClient) -> None:
    named = planner.get("/vessel", headers={"X-Request-Id": "voyage-7"})
    assert named.headers["X-Request-Id"] == "voyage-7"
    refused = planner.get("/vessel/none", headers={"X-Request-Id": "bad id\u00e9"})
    assert re.fullmatch(r"[0-9a-f]{32}", refused.headers["X-Request-Id"])
    assert refused.get_json()["requestId"] == refused.headers["X-Request-Id"]


def test_an_unforeseen_error_tells_nothing_of_the_inside(
    planner: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("app.services.vessels.list_page", break_down)
    broken = planner.get("/vessel")
    assert broken.status_code == 500
    assert "secret" not in broken.text
    assert broken.get_json()["code"] == "INTERNAL_SERVER_ERROR"


def test_the_description_and_health_need_no_key(http: FlaskClient) -> None:
    for path in ("/v1/openapi.json", "/docs", "/healthz"):
        assert http.get(path).status_code == 200


def test_a_query_parameter_of_an_operation_without_any_is_refused(planner: ApiClient) -> None:
    refused = planner.get("/organization?colour=red")
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == "/colour"


def test_the_key_says_which_organization_it_is(planner: ApiClient, organization_id: object) -> None:
    answer = planner.get("/organization").get_json()
    assert answer["id"] == str(organization_id)
    vessel = planner.make_vessel(orgId=answer["id"])
    assert VESSEL.items() <= vessel.items()


def test_text_that_cannot_be_stored_is_refused_in_a_query_too(planner: ApiClient) -> None:
    refused = planner.get("/charting", query_string={"search": "a\0b"})
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == "/search"


def test_a_refusal_names_the_field_the_value_and_what_would_be_right(planner: ApiClient) -> None:
    refused = planner.get("/vessel?pageSize=900").get_json()
    (error,) = refused["errors"]
    assert error["pointer"] == "/pageSize"
    assert "200" in error["detail"]
    assert '"900"' in error["detail"]


def test_a_refused_password_is_not_said_again(admin: ApiClient) -> None:
    refused = admin.post("/users", {"email": "no address", "role": "king", "password": "tide"})
    said = {error["pointer"]: error["detail"] for error in refused.get_json()["errors"]}
    assert '"king"' in said["/role"]
    assert "tide" not in refused.text
    assert "/password" in said
