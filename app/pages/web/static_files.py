"""Static files, which browsers keep until they change, and what scripts import.

Addresses name a version of the content. Scripts and sheets that name each other by plain paths
do so too: import maps give scripts' versions, and fonts, which sheets name, have none.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any, Final

from flask import Flask, Response, current_app, request

#: Names by which scripts import libraries, and where these lie under ``static``.
_LIBRARIES: Final = {"uplot": "vendor/uplot/uPlot.esm.js"}
_SCRIPTS: Final = "js"
_NAMED_BY_SHEETS: Final = ".woff2"
_IMPORTED: Final = re.compile(r'(?:\bfrom|^import)\s+"([^"]+)"', re.MULTILINE)
_VERSION: Final = "v"
_VERSION_BYTES: Final = 8
_YEAR_S: Final = 31_536_000


def init_app(app: Flask) -> None:
    """Version static files' addresses, and let templates ask for scripts' imports."""
    app.url_defaults(_add_version)
    app.after_request(_keep)
    app.add_template_global(list_imports)
    app.add_template_global(map_imports)


def _add_version(endpoint: str, values: dict[str, Any]) -> None:
    """Add the version of a static file to its address, where there is such a file."""
    if endpoint == "static" and not values["filename"].endswith(_NAMED_BY_SHEETS):
        version = _version(values["filename"])
        if version:
            values[_VERSION] = version


def _keep(response: Response) -> Response:
    """Let browsers keep a static file whose address names the version that is sent."""
    version = request.args.get(_VERSION)
    is_sent = request.endpoint == "static" and response.status_code in (200, 304)
    if version and is_sent and version == _version((request.view_args or {})["filename"]):
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = _YEAR_S
        response.cache_control.immutable = True
    return response


def map_imports() -> dict[str, str]:
    """Return the addresses of scripts and libraries by the names that scripts import them by."""
    folder = _folder()
    scripts = (each.relative_to(folder).as_posix() for each in folder.glob(f"{_SCRIPTS}/**/*.js"))
    named = {f"{current_app.static_url_path}/{script}": script for script in sorted(scripts)}
    return {name: _address(script) for name, script in (named | _LIBRARIES).items()}


def list_imports(script: str) -> tuple[str, ...]:
    """Return the addresses of all that a script imports, and that these import."""
    found: set[str] = set()
    waiting = [script]
    while waiting:
        further = set(_list_own_imports(waiting.pop())) - found
        found |= further
        waiting += further
    return tuple(map(_address, sorted(found - {script})))


def _list_own_imports(script: str) -> Iterator[str]:
    beside = PurePosixPath(script).parent
    for name in _find_imports(*_state(script)):
        yield _LIBRARIES.get(name) or normpath(str(beside / name))


def _address(filename: str) -> str:
    """Return what ``url_for`` does for a script; for eighty on each page that takes too long."""
    return f"{current_app.static_url_path}/{filename}?{_VERSION}={_version(filename)}"


def _version(filename: str) -> str | None:
    try:
        return _digest(*_state(filename))
    except OSError:
        return None


def _folder() -> Path:
    return Path(current_app.static_folder or "")


def _state(filename: str) -> tuple[Path, int]:
    """Return a static file and when it changed, by which it is known to be the same."""
    path = _folder() / filename
    return path, path.stat().st_mtime_ns


@lru_cache(maxsize=1024)
def _digest(path: Path, _changed_at_ns: int) -> str:
    return blake2b(path.read_bytes(), digest_size=_VERSION_BYTES).hexdigest()


@lru_cache(maxsize=1024)
def _find_imports(path: Path, _changed_at_ns: int) -> tuple[str, ...]:
    return tuple(_IMPORTED.findall(path.read_text(encoding="utf-8")))
