"""Invalid requests and their errors."""

import gzip
import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.integration.client import CHARTING, VESSEL, ApiClient, list_pointers


def test_a_body_that_is_not_json_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"{", content_type="application/json")
    assert refused.status_code == 400


def test_a_body_of_another_media_type_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"{}", content_type="text/plain")
    assert refused.status_code == 415


def test_a_body_that_nests_without_end_is_refused(planner: ApiClient) -> None:
    refused = planner.post("/vessel", data=b"[" * 100_000, content_type="application/json")
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


@pytest.mark.parametrize("accepted", ["application/json; charset=utf-8", "application/json;q=0.9"])
def test_parameters_of_an_accepted_media_type_are_no_reason_to_refuse(
    planner: ApiClient, accepted: str
) -> None:
    assert planner.get("/vessel", headers={"Accept": accepted}).status_code == 200


def test_a_method_that_is_not_there_is_refused_with_those_that_are(planner: ApiClient) -> None:
    refused = planner.delete("/vessel")
    assert refused.status_code == 405
    assert {"GET", "POST"} <= set(refused.headers["Allow"].split(", "))
    assert "DELETE is not possible here; possible are GET," in refused.get_json()["detail"]


def test_an_empty_key_header_leaves_a_bearer_token_valid(planner: ApiClient) -> None:
    bearer = {"Authorization": f"Bearer {planner.key}"}
    assert planner.get("/organization", headers={"X-API-Key": "", **bearer}).status_code == 200
    assert planner.get("/organization", headers={"X-API-Key": ""}).status_code == 401
    assert planner.get("/organization", headers={"X-API-Key": "vk", **bearer}).status_code == 401


def test_an_empty_body_and_a_number_without_end_are_explained(planner: ApiClient) -> None:
    empty = planner.post("/vessel", data=b"", content_type="application/json")
    assert (empty.status_code, "is empty" in empty.get_json()["detail"]) == (400, True)
    endless = planner.post(
        "/vessel", data=b'{"dwt": ' + b"9" * 5000 + b"}", content_type="application/json"
    )
    assert (endless.status_code, "too many digits" in endless.get_json()["detail"]) == (400, True)


def test_a_compressed_answer_has_a_tag_of_its_own_that_is_recognised(planner: ApiClient) -> None:
    path, packed = "/zones", {"Accept-Encoding": "gzip"}
    plain_tag = planner.get(path).headers["ETag"]
    answer = planner.get(path, headers=packed)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["ETag"] != plain_tag
    for tag in (answer.headers["ETag"], f"W/{answer.headers['ETag']}"):
        unchanged = planner.get(path, headers=packed | {"If-None-Match": tag})
        assert unchanged.status_code == 304
        assert unchanged.headers["ETag"] == answer.headers["ETag"]
    assert planner.get(path, headers={"If-None-Match": plain_tag}).status_code == 304


def test_a_change_may_name_the_tag_of_the_compressed_answer(planner: ApiClient) -> None:
    notes = dict.fromkeys(("captain", "owner", "registrarId"), "x" * 200)
    notes["image"] = f"https://fleet.example/{'x' * 200}"
    made = planner.post("/vessel", VESSEL | notes)
    path = f"/vessel/{made.get_json()['id']}"
    read = planner.get(path, headers={"Accept-Encoding": "gzip"})
    assert read.headers["ETag"] == made.headers["ETag"][:-1] + '-gzip"'
    seen = {"If-Match": read.headers["ETag"]}
    assert planner.put(path, VESSEL, headers=seen).status_code == 200
    assert planner.put(path, VESSEL, headers=seen).status_code == 412


@pytest.mark.parametrize("send", ["put", "patch", "delete"])
def test_a_change_that_asks_for_no_resource_is_refused(planner: ApiClient, send: str) -> None:
    made = planner.post("/vessel", VESSEL)
    path, bodies = f"/vessel/{made.get_json()['id']}", [] if send == "delete" else [VESSEL]
    for tag in ("*", made.headers["ETag"]):
        refused = getattr(planner, send)(path, *bodies, headers={"If-None-Match": tag})
        assert refused.status_code == 412
    other = getattr(planner, send)(path, *bodies, headers={"If-None-Match": '"another"'})
    assert other.status_code in (200, 204)


def test_an_unknown_field_is_refused_with_the_one_that_is_probably_meant(
    planner: ApiClient,
) -> None:
    body = CHARTING | {"vesselId": "any", "maxWaveHeigth": 3, "colour": "red"}
    errors = planner.post("/charting", body).get_json()["errors"]
    assert {error["pointer"]: error["detail"] for error in errors} == {
        "/maxWaveHeigth": "Unknown field; did you mean maxWaveHeight? Received: 3.",
        "/colour": 'Unknown field. Received: "red".',
    }


def test_an_answer_without_content_has_no_media_type(planner: ApiClient) -> None:
    deleted = planner.delete(f"/vessel/{planner.make_vessel()['id']}")
    assert (deleted.status_code, deleted.headers.get("Content-Type")) == (204, None)


def test_a_bare_plus_in_a_time_is_explained(planner: ApiClient) -> None:
    path = f"/telemetry/{planner.make_vessel()['id']}?from=2026-03-01T12:00:00+01:00"
    assert "+ is %2B" in planner.get(path).get_json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("field", "value", "detail"),
    [
        ("optimizationType", None, "Must be one of: FUEL, ETA, BAL; not null."),
        ("waveUnit", None, "Must be one of: meters, douglas; not null."),
        ("noGoAreas", {}, "Must be a list."),
        ("noGoAreas", [None], "Must be an area in GeoJSON, not null."),
        ("importedData", [None], "Must be a JSON object, not null."),
    ],
)
def test_a_null_is_refused_with_what_would_be_right(
    planner: ApiClient, field: str, value: object, detail: str
) -> None:
    refused = planner.post("/charting", CHARTING | {"vesselId": "any", field: value})
    assert [error["detail"] for error in refused.get_json()["errors"]] == [detail]


def test_a_path_that_is_not_there_is_a_problem_too(planner: ApiClient) -> None:
    missing = planner.get("/nothing")
    assert missing.status_code == 404
    assert "There is no operation at /v1/nothing" in missing.get_json()["detail"]
    problem = missing.get_json()
    assert problem["instance"] == "/v1/nothing"
    assert set(problem) == {"type", "title", "status", "detail", "instance", "requestId", "code"}


def test_a_request_keeps_its_id(planner: ApiClient) -> None:
    named = planner.get("/vessel", headers={"X-Request-Id": "voyage-7"})
    assert named.headers["X-Request-Id"] == "voyage-7"
    refused = planner.get("/vessel/none", headers={"X-Request-Id": "bad id\u00e9"})
    assert re.fullmatch(r"[0-9a-f]{32}", refused.headers["X-Request-Id"])
    assert refused.get_json()["requestId"] == refused.headers["X-Request-Id"]


def test_an_unforeseen_error_shows_nothing_of_the_inside(
    planner: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("app.services.vessels.vessels.list_page", break_down)
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


def test_an_unknown_query_parameter_is_refused_with_those_that_are_known(
    planner: ApiClient,
) -> None:
    (only,) = planner.get("/vessel?limit=3").get_json()["errors"]
    assert only["pointer"] == "/limit"
    assert "page, pageSize" in only["detail"]


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


def test_a_field_named_twice_is_refused_at_its_place(planner: ApiClient) -> None:
    written = json.dumps(VESSEL)
    twice = written[:-1] + ', "draftScant": 3}'
    refused = planner.post("/vessel", data=twice.encode(), content_type="application/json")
    assert list_pointers(refused) == ["/draftScant"]
    deep = b'{"importedData": [{"name": "a", "name": "b"}]}'
    refused = planner.post("/charting", data=deep, content_type="application/json")
    assert list_pointers(refused) == ["/importedData/0/name"]
    assert planner.get("/vessel").get_json()["total"] == 0


@pytest.mark.parametrize("name", ["", "   ", "\u00a0\t", "two\nlines", "bell\x07", "\u202egnp.exe"])
def test_a_blank_name_and_one_with_control_characters_are_refused(
    planner: ApiClient, name: str
) -> None:
    assert list_pointers(planner.post("/vessel", VESSEL | {"name": name})) == ["/name"]


def test_a_description_may_have_several_lines(planner: ApiClient) -> None:
    ring = [[0, 50], [1, 50], [1, 51], [0, 50]]
    made = planner.post(
        "/constraints",
        {
            "name": "Bank",
            "type": "USER_DEFINED",
            "level": "GLOBAL",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "description": "Breakers.\nAnd wrecks.",
        },
    )
    assert made.status_code == 201, made.text


def test_a_body_may_be_sent_as_gzip(planner: ApiClient) -> None:
    def send(body: bytes, coding: str) -> Any:
        headers = {"Content-Encoding": coding}
        return planner.post("/vessel", data=body, content_type="application/json", headers=headers)

    written = json.dumps(VESSEL).encode()
    assert send(gzip.compress(written), "gzip").status_code == 201
    assert send(gzip.compress(written[:9]) + gzip.compress(written[9:]), "GZIP").status_code == 201
    assert send(written, "identity").status_code == 201
    assert send(written, "gzip").status_code == 400
    assert send(gzip.compress(written)[:-9], "gzip").status_code == 400
    refused = send(written, "br")
    assert (refused.status_code, refused.headers["Accept-Encoding"]) == (415, "gzip")
    bomb = gzip.compress(b" " * 60_000_000)
    assert send(bomb, "gzip").status_code == 413


def test_a_charting_may_be_sent_back_as_gzip(planner: ApiClient) -> None:
    charting = planner.order()
    answer = planner.http.put(
        f"/v1/charting/{charting['id']}",
        data=gzip.compress(json.dumps(charting).encode()),
        headers={
            "X-API-Key": planner.key,
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
        },
    )
    assert (answer.status_code, answer.get_json()["latestRevision"]) == (200, 2), answer.text


def test_telemetry_may_be_sent_as_gzip(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    sent = planner.post(
        f"/telemetry/{vessel_id}/batch",
        data=gzip.compress(b"{}\n"),
        content_type="application/x-ndjson",
        headers={"Content-Encoding": "gzip"},
    )
    assert (sent.status_code, sent.get_json()["rejected"]) == (200, 1)


def test_a_query_parameter_given_twice_is_refused(planner: ApiClient) -> None:
    assert list_pointers(planner.get("/vessel?page=1&page=2")) == ["/page"]
    assert list_pointers(planner.get("/organization?page=1&page=2")) == ["/page"]


def test_contradictions_are_reported_beside_an_invalid_field(planner: ApiClient) -> None:
    asked = CHARTING | {"vesselId": "a vessel", "maxWaveHeight": -1}
    asked |= {"speedRangeMin": 19, "speedRangeMax": 12, "maxWindBf": 99}
    wrong = {"/maxWaveHeight", "/speedRangeMin", "/maxWindBf"}
    assert set(list_pointers(planner.post("/charting", asked))) == wrong
    (item,) = planner.post("/charting/batch", {"items": [asked]}).get_json()["items"]
    assert {fault["pointer"] for fault in item["errors"]} == wrong
    assert list_pointers(planner.post("/charting", [])) == [""]


def test_a_query_that_is_not_utf_8_is_refused_at_its_parameter(planner: ApiClient) -> None:
    refused = planner.get("/ports?search=%ff&page=1")
    assert list_pointers(refused) == ["/search"]
    nul = planner.get("/ports?search=%00").get_json()["errors"][0]["detail"]
    assert nul.startswith(refused.get_json()["errors"][0]["detail"])


def test_another_spelling_of_a_path_is_answered_with_a_problem_that_names_the_right_one(
    planner: ApiClient,
) -> None:
    moved = planner.get("//vessel")
    assert (moved.status_code, moved.content_type) == (308, "application/problem+json")
    assert moved.headers["Location"].endswith("/v1/vessel")
    assert moved.get_json()["requestId"] == moved.headers["X-Request-Id"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/vessel?page=9223372036854775807", 422),
        ("/charting?page=" + "9" * 400, 422),
        ("/charting?search=%00", 422),
        ("/ports?search=%00", 422),
        ("/ports?search=%ff", 422),
        ("/charting?search=caf%C3", 422),
        ("/charting?search=caf%C3%A9", 200),
        ("/charting/{id}?revision=99999999999999999999", 422),
        ("/charting/{id}?revision=2147483648", 422),
        ("/weather/point?lat=1e400&lng=-30&time=2026-03-01T00:00:00Z", 422),
    ],
)
def test_what_no_answer_could_be_made_for_is_refused_and_breaks_nothing(
    planner: ApiClient, path: str, status: int
) -> None:
    charting_id = planner.order()["id"] if "{id}" in path else ""
    answer = planner.get(path.format(id=charting_id))
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("geometry", [
    {"type": "Polygon", "coordinates": 5},
    {"type": "Feature", "properties": [1], "geometry": None},
    {"type": "FeatureCollection", "features": 5},
])  # fmt: skip
def test_geometry_of_the_wrong_shape_is_refused_at_its_place(
    planner: ApiClient, geometry: dict[str, Any]
) -> None:
    vessel_id = planner.make_vessel()["id"]
    asked = CHARTING | {"vesselId": vessel_id, "noGoAreas": geometry}
    refused = planner.post("/charting", asked)
    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"].startswith("/noGoAreas")


@pytest.mark.atlas
@pytest.mark.usefixtures("climatology")
@pytest.mark.parametrize(("sent", "shown"), [("-20.1", -20.1), ("359.9", -0.1), ("180", -180.0)])
def test_the_weather_names_the_longitude_as_sent_or_its_western_one(
    planner: ApiClient, sent: str, shown: float
) -> None:
    answer = planner.get(f"/weather/point?lat=50&lng={sent}&time=2026-03-01T00:00:00Z")
    assert answer.get_json()["lng"] == shown


@pytest.mark.parametrize("year", ["0001", "9999"])
@pytest.mark.usefixtures("climatology")
def test_the_weather_of_the_first_and_the_last_year_is_that_of_the_season(
    planner: ApiClient, year: str
) -> None:
    for time in (f"{year}-01-01T00:00:00Z", f"{year}-12-31T23:59:59Z"):
        answer = planner.get(f"/weather/point?lat=50&lng=-30&time={time}")
        assert answer.status_code == 200, answer.text
