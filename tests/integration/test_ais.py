"""AIS positions: import from files and from a feed, and monitoring of voyages by them."""

import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import event
from sqlalchemy.exc import TimeoutError as PoolExhausted
from werkzeug.test import TestResponse

from app.records.instants import format_instant, parse_instant
from app.services.vessels import ais_feed
from tests.ais_sentences import MMSI, make_message, with_tag_block
from tests.integration.client import VESSEL, ApiClient
from tests.integration.voyages import HOUR, Plan, Voyage

pytestmark = [pytest.mark.usefixtures("redis")]

AT = datetime(2026, 3, 1, 6, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def post(client: ApiClient, vessel_id: str, *lines: bytes, mimetype: str = "text/plain") -> Any:
    headers = {"Content-Type": mimetype}
    answer: TestResponse = client.post(
        f"/telemetry/{vessel_id}/ais", data=b"\r\n".join(lines), headers=headers
    )
    return answer


@pytest.fixture
def vessel_id(planner: ApiClient) -> str:
    return str(planner.make_vessel(mmsi=MMSI)["id"])


def test_one_position_of_each_minute_is_stored(planner: ApiClient, vessel_id: str) -> None:
    lines = [
        with_tag_block(make_message(lat=49.5 - 0.001 * each), AT + each * MINUTE / 6)
        for each in range(18)
    ]
    answer = post(planner, vessel_id, *lines).get_json()
    assert (answer["stored"], answer["duplicates"], answer["rejected"]) == (3, 15, 0)
    again = post(planner, vessel_id, *lines).get_json()
    assert (again["stored"], again["duplicates"]) == (0, 18)
    page = planner.get(f"/telemetry/{vessel_id}/ais").get_json()
    assert [each["timestamp"] for each in page["items"]] == [
        format_instant(AT + each * MINUTE) for each in range(3)
    ]
    assert page["items"][0] == {
        "timestamp": "2026-03-01T06:00:00Z", "latitude": 49.5, "longitude": -5.25, "speed": 13.4,
        "course": 231.2, "heading": 230.0,
    }  # fmt: skip
    span = {"from": format_instant(AT + MINUTE), "to": format_instant(AT + MINUTE)}
    one = planner.get(f"/telemetry/{vessel_id}/ais", query_string=span).get_json()
    assert one["total"] == 1


def test_a_range_without_practical_end_has_all_positions(
    planner: ApiClient, vessel_id: str
) -> None:
    post(planner, vessel_id, with_tag_block(make_message(), AT))
    for span in ("from=0001-01-01&to=9999-12-31", "to=9999-12-31T23:59:59Z"):
        assert planner.get(f"/telemetry/{vessel_id}/ais?{span}").get_json()["total"] == 1
    assert planner.get(f"/telemetry/{vessel_id}/ais?from=9999-12-31").get_json()["total"] == 0


def test_other_ships_are_passed_over_and_lines_at_fault_named(
    planner: ApiClient, vessel_id: str
) -> None:
    answer = post(
        planner,
        vessel_id,
        with_tag_block(make_message(mmsi="227006761"), AT),
        b"noise",
        with_tag_block(make_message(), datetime.now(UTC) + HOUR),
        with_tag_block(make_message(speed=99.0), AT),
    ).get_json()
    assert (answer["stored"], answer["otherShips"], answer["rejected"]) == (0, 1, 3)
    assert [(each["line"], each["detail"][:12]) for each in answer["items"]] == [
        (2, "The line can"), (3, "Lies more th"), (4, "99 kn is mor"),
    ]  # fmt: skip


def test_own_positions_of_a_ship_s_log_need_no_mmsi(planner: ApiClient) -> None:
    vessel_id = planner.make_vessel()["id"]
    rmc = b"$GPRMC,123519,A,4807.038,N,01131.000,W,022.4,084.4,230326,003.1,W*71"
    answer = post(planner, vessel_id, rmc).get_json()
    assert (answer["stored"], answer["items"]) == (1, [])


def test_for_a_vessel_without_mmsi_the_answer_states_that_no_message_can_be_its_own(
    planner: ApiClient, vessel_id: str
) -> None:
    unnumbered, message = planner.make_vessel()["id"], with_tag_block(make_message(), AT)
    answer = post(planner, unnumbered, message).get_json()
    assert (answer["stored"], answer["otherShips"]) == (0, 1)
    assert "set its mmsi" in answer["note"]
    assert post(planner, vessel_id, message).get_json()["note"] is None


def test_another_body_is_refused(planner: ApiClient, vessel_id: str) -> None:
    assert post(planner, vessel_id, b"{}", mimetype="application/json").status_code == 415
    too_many = post(planner, vessel_id, *[b"x"] * 50_001)
    assert too_many.status_code == 422
    assert "50,001" in too_many.text


@pytest.mark.parametrize("mmsi", ["12345678", "123456789", "2270067600", "22700676O"])
def test_an_mmsi_that_no_ship_has_is_refused(planner: ApiClient, mmsi: str) -> None:
    answer = planner.post("/vessel", VESSEL | {"mmsi": mmsi})
    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/mmsi"


def test_two_vessels_of_an_organization_have_no_mmsi_in_common(
    planner: ApiClient, vessel_id: str
) -> None:
    answer = planner.post("/vessel", VESSEL | {"mmsi": MMSI})
    assert (answer.status_code, answer.get_json()["code"]) == (409, "MMSI_TAKEN")


@pytest.mark.atlas
@pytest.mark.usefixtures("atlas")
class TestFollowing:
    """A voyage whose ship reports by AIS, alone or in addition to telemetry."""

    @pytest.fixture
    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0)

    @pytest.fixture
    def voyage(
        self, planner: ApiClient, plan: Plan, worker_app: Flask, context: Flask, now: datetime
    ) -> Voyage:
        voyage = Voyage(planner, plan, worker_app, now - 6 * HOUR)
        planner.patch(f"/vessel/{voyage.vessel_id}", {"mmsi": MMSI})
        return voyage

    def send(self, voyage: Voyage, until: datetime, **changes: Any) -> None:
        lines = []
        for at in voyage.track:
            time = parse_instant(at["time"]) + MINUTE
            if time <= until:
                place = {"lat": at["lat"], "lon": at["lng"], "speed": round(at["speedKn"], 1)}
                lines.append(with_tag_block(make_message(**(place | changes)), time))
        answer = post(voyage.planner, voyage.vessel_id, *lines).get_json()
        # of positions in one minute, one is stored
        assert answer["stored"] + answer["duplicates"] == len(lines), answer

    def test_a_voyage_starts_and_is_followed_by_ais_alone(
        self, voyage: Voyage, now: datetime
    ) -> None:
        self.send(voyage, now)
        voyage.check_position_reports()
        shown = voyage.progress()
        assert (shown["state"], shown["startedBy"]) == ("UNDER_WAY", "position reports")
        assert shown["progress"]["madeGoodNm"] > 30
        assert abs(shown["progress"]["behindH"]) < 0.2
        assert shown["progress"]["fuelMt"] is None, "positions say nothing of fuel"

    def test_fuel_is_that_of_telemetry_between_positions_by_ais(
        self, voyage: Voyage, now: datetime
    ) -> None:
        voyage.report(until=now)
        voyage.check_position_reports()
        fuel_t = voyage.progress()["progress"]["fuelMt"]
        self.send(voyage, now)
        voyage.check_position_reports()
        assert voyage.progress()["progress"]["fuelMt"] == pytest.approx(fuel_t, abs=0.1)

    def test_a_spoofed_position_is_refused_and_listed(self, voyage: Voyage, now: datetime) -> None:
        self.send(voyage, now)
        spoofed = with_tag_block(make_message(lat=10.0), now)
        assert post(voyage.planner, voyage.vessel_id, spoofed).get_json()["stored"] == 1
        voyage.check_position_reports()
        shown = voyage.progress()
        (refused,) = shown["refusedPositions"]
        assert (refused["fault"], refused["lat"]) == ("JUMP", 10.0)
        assert shown["progress"]["behindH"] < 1.0

    def test_two_ships_that_send_one_mmsi_give_no_position(
        self, voyage: Voyage, now: datetime
    ) -> None:
        voyage.report(until=now)
        self.send(voyage, now, lat=-40.0)
        voyage.check_position_reports()
        assert voyage.progress()["state"] == "EXPECTED"


@pytest.fixture
def feed() -> Iterator[tuple[socket.socket, int]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30.0)
        yield server, server.getsockname()[1]


def follow_to_one_fault(
    app: Flask, organization_id: UUID, port: int, send: Callable[[], None]
) -> None:
    """Follow a feed until the one bad line that ``send`` sends from another thread."""
    sender = threading.Thread(target=send)
    sender.start()
    with app.app_context():
        following = ais_feed.follow(organization_id, "127.0.0.1", port)
        assert len(next(following).faults) == 1
        following.close()
    sender.join()


def test_a_feed_that_falls_silent_is_connected_again(
    app: Flask,
    organization_id: UUID,
    feed: tuple[socket.socket, int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(ais_feed, "_FLUSH_S", 0.05)
    monkeypatch.setattr(ais_feed, "_MOST_SILENCE_S", 0.2)
    server, port = feed

    def send() -> None:
        silent, _ = server.accept()
        with silent, server.accept()[0] as second:
            second.sendall(b"noise\n")

    follow_to_one_fault(app, organization_id, port, send)
    assert "nothing received" in caplog.text


def test_a_feed_is_followed_again_once_the_database_answers(
    app: Flask,
    organization_id: UUID,
    feed: tuple[socket.socket, int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server, port = feed
    pool = app.extensions["chartroom"].engine.pool

    def refuse(*_checkout: object) -> None:
        raise PoolExhausted("the database does not answer")

    def send() -> None:
        for change in (event.listen, event.remove):
            connection, _ = server.accept()
            change(pool, "checkout", refuse)
            with connection:
                connection.sendall(b"noise\n")

    follow_to_one_fault(app, organization_id, port, send)
    assert "the database does not answer" in caplog.text


def test_a_feed_is_stored_and_connected_again_when_it_is_lost(
    app: Flask,
    planner: ApiClient,
    vessel_id: str,
    organization_id: UUID,
    feed: tuple[socket.socket, int],
) -> None:
    server, port = feed

    def send() -> None:
        for each in range(2):
            connection, _ = server.accept()
            now = datetime.now(UTC) - (each + 1) * MINUTE
            line = with_tag_block(make_message(), now) + b"\r\n"
            connection.sendall(line[:20])
            connection.sendall(line[20:] + b"noise\n" + make_message(mmsi="227006761") + b"\n")
            connection.close()

    sender = threading.Thread(target=send)
    sender.start()
    with app.app_context():
        following = ais_feed.follow(organization_id, "127.0.0.1", port)
        first, second = next(following), next(following)
        following.close()
    sender.join()
    assert [(each.stored, each.other_ships, len(each.faults)) for each in (first, second)] == [
        (1, 1, 1), (1, 1, 1),
    ]  # fmt: skip
    assert planner.get(f"/telemetry/{vessel_id}/ais").get_json()["total"] == 2
