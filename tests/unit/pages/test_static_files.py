"""Versioned static files, and imports of scripts."""

from pathlib import Path

import pytest
from flask import Flask, render_template_string, url_for

from app.pages.web import static_files


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    files = {
        "js/page.js": 'import { a } from "./a.js";\nimport plot from "uplot";\n',
        "js/a.js": 'import {\n    b,\n    c,\n} from "./deep/b.js";\nimport "./page.js";\n',
        "js/deep/b.js": 'export * from "../a.js";\n// nothing from here\n',
        "css/page.css": "a{}",
        "vendor/uplot/uPlot.esm.js": "export default 1;\n",
        "vendor/font.woff2": "font",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    app = Flask(__name__, static_folder=tmp_path, static_url_path="/static")
    static_files.init_app(app)
    return app


def address(app: Flask, filename: str) -> str:
    with app.test_request_context():
        return url_for("static", filename=filename)


def test_all_direct_and_indirect_imports_of_a_script_are_listed(app: Flask) -> None:
    with app.test_request_context():
        listed = render_template_string("{{ list_imports('js/page.js')|join(' ') }}")
    names = ("js/a.js", "js/deep/b.js", "vendor/uplot/uPlot.esm.js")
    assert listed.split() == [address(app, name) for name in names]


def test_every_script_is_imported_in_its_current_version(app: Flask) -> None:
    with app.test_request_context():
        imports = static_files.map_imports()
    assert list(imports) == ["/static/js/a.js", "/static/js/deep/b.js", "/static/js/page.js",
                             "uplot"]  # fmt: skip
    assert imports["/static/js/a.js"] == address(app, "js/a.js")
    assert imports["uplot"] == address(app, "vendor/uplot/uPlot.esm.js")


def test_a_file_with_its_version_is_cached(app: Flask) -> None:
    with app.test_client().get(address(app, "css/page.css")) as sent:
        assert sent.text == "a{}"
        assert sent.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("query", ["", "?v=", "?v=0011223344556677"])
def test_a_file_with_no_version_or_another_is_not_cached(app: Flask, query: str) -> None:
    with app.test_client().get(f"/static/css/page.css{query}") as sent:
        assert sent.text == "a{}"
        assert sent.headers["Cache-Control"] == "no-cache"


def test_a_changed_file_has_another_address(app: Flask, tmp_path: Path) -> None:
    before = address(app, "css/page.css")
    (tmp_path / "css/page.css").write_text("b{}")
    assert address(app, "css/page.css") != before


def test_fonts_and_missing_files_have_a_plain_address(app: Flask) -> None:
    assert address(app, "vendor/font.woff2") == "/static/vendor/font.woff2"
    assert address(app, "js/none.js") == "/static/js/none.js"


def test_files_outside_the_folder_have_no_version(app: Flask) -> None:
    with app.test_client().get("/static/../secret?v=1") as lost:
        assert lost.status_code == 404
