"""The message of `make run`, with the answers that a service gives about the demo's vessel."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import greeting
import pytest
from run import Settings

EMAIL = "demo@chartroom.example"


@pytest.fixture
def answering(tmp_path):
    """Settings of a service, and the status and body of its answers."""
    answer = {"status": 200, "items": []}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"items": answer["items"]}).encode()
            self.send_response(answer["status"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = str(server.server_address[1])
        settings = Settings.from_environment({"PORT": port, "STATE_DIR": str(tmp_path)})
        settings.demo_key.write_text("vk_live_demo\n")
        settings.demo_password.write_text("a password\n")
        yield settings, answer
        server.shutdown()


def test_the_message_names_address_sign_in_and_logs_and_orders_a_route(answering):
    settings, answer = answering
    answer["items"] = [{"id": "newest"}, {"id": "first"}]
    said = greeting.greeting(settings, EMAIL)
    assert f"\n  Map      {settings.address}/\n  Sign in  {EMAIL}, password a password\n" in said
    assert f"\n  API      {settings.address}/docs, key in {settings.demo_key}\n  Logs     " in said
    assert '"vesselId": "first"' in said
    assert said.endswith("\n\nCtrl-C stops all of it.")


def test_a_demo_without_a_vessel_is_greeted_too(answering):
    settings, _ = answering
    said = greeting.greeting(settings, EMAIL)
    assert "The demo has no vessel" in said
    assert "curl" not in said


def test_only_an_unauthorized_key_is_called_no_longer_valid(answering):
    settings, answer = answering
    answer["status"] = 401
    assert "no longer valid" in greeting.greeting(settings, EMAIL)
    answer["status"] = 503
    said = greeting.greeting(settings, EMAIL)
    assert "503" in said
    assert "no longer valid" not in said


def test_without_the_demo_user_no_sign_in_is_named(answering):
    settings, _ = answering
    settings.demo_password.unlink()
    said = greeting.greeting(settings, "")
    assert "Sign in" not in said
    assert f"{settings.address}/docs, key in" in said
