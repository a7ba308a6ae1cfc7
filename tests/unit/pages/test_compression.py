"""Compression of responses."""

import gzip
from pathlib import Path

import pytest
from flask import Flask, Response

from app.pages.web import compression

LONG = "the sea " * 1000


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    (tmp_path / "long.css").write_text(LONG)
    (tmp_path / "short.css").write_text("a{}")
    (tmp_path / "picture.png").write_bytes(LONG.encode())
    app = Flask(__name__, static_folder=tmp_path, static_url_path="/static")
    compression.init_app(app)
    app.add_url_rule("/page", "page", view_func=lambda: Response(LONG, mimetype="text/html"))
    app.add_url_rule("/lost", "lost", view_func=lambda: Response(LONG, 404, mimetype="text/html"))
    return app


@pytest.mark.parametrize("path", ["/page", "/static/long.css"])
def test_long_texts_are_compressed_for_clients_that_accept_gzip(app: Flask, path: str) -> None:
    with app.test_client().get(path, headers={"Accept-Encoding": "br, gzip"}) as packed:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.data).decode() == LONG
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(LONG) / 10


@pytest.mark.parametrize("path", ["/page", "/static/long.css"])
def test_other_clients_get_plain_text(app: Flask, path: str) -> None:
    with app.test_client().get(path) as plain:
        assert "Content-Encoding" not in plain.headers
        assert plain.text == LONG


@pytest.mark.parametrize("path", ["/static/short.css", "/static/picture.png", "/lost"])
def test_small_files_pictures_and_errors_are_not_compressed(app: Flask, path: str) -> None:
    with app.test_client().get(path, headers={"Accept-Encoding": "gzip"}) as answer:
        assert "Content-Encoding" not in answer.headers


def test_a_changed_file_is_compressed_again(app: Flask, tmp_path: Path) -> None:
    client, headers = app.test_client(), {"Accept-Encoding": "gzip"}
    client.get("/static/long.css", headers=headers).close()
    (tmp_path / "long.css").write_text(LONG.upper())
    with client.get("/static/long.css", headers=headers) as again:
        assert gzip.decompress(again.data).decode() == LONG.upper()


def test_an_unchanged_file_is_not_sent_again(app: Flask) -> None:
    client, headers = app.test_client(), {"Accept-Encoding": "gzip"}
    with client.get("/static/long.css", headers=headers) as first:
        seen = headers | {"If-None-Match": first.headers["ETag"]}
    with client.get("/static/long.css", headers=seen) as second:
        assert second.status_code == 304
