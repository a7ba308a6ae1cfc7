"""Versioned addresses of static files, and the imports of scripts.

Addresses have a digest of the content, so browsers may cache files until they change. Import maps
add it to the imports of scripts; fonts, which style sheets refer to, have none.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any, Final

from flask import Flask, Response, current_app, request

#: Import names of libraries, and their paths under ``static``.
_LIBRARIES: Final = {"uplot": "vendor/uplot/uPlot.esm.js"}
_SCRIPTS: Final = "js"
_UNVERSIONED: Final = ".woff2"
_IMPORTED: Final = re.compile(r'(?:\bfrom|^import)\s+"([^"]+)"', re.MULTILINE)
_VERSION: Final = "v"
_VERSION_BYTES: Final = 8
_YEAR_S: Final = 31_536_000


def init_app(app: Flask) -> None:
    """Add versions to addresses of static files, and template functions for imports."""
    app.url_defaults(_add_version)
    app.after_request(_allow_caching)
    app.add_template_global(list_imports)
    app.add_template_global(map_imports)


def _add_version(endpoint: str, values: dict[str, Any]) -> None:
    """Add the version of a static file to its address, if the file exists."""
    if endpoint == "static" and not values["filename"].endswith(_UNVERSIONED):
        version = _version(values["filename"])
        if version:
            values[_VERSION] = version


def _allow_caching(response: Response) -> Response:
    """Allow caching of a static file if its address has the current version."""
    if request.endpoint != "static" or response.status_code not in (200, 304):
        return response
    version = request.args.get(_VERSION)
    if version and version == _version((request.view_args or {})["filename"]):
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = _YEAR_S
        response.cache_control.immutable = True
    return response


def map_imports() -> dict[str, str]:
    """Return the addresses of scripts and libraries by their import names."""
    folder = _folder()
    scripts = (each.relative_to(folder).as_posix() for each in folder.glob(f"{_SCRIPTS}/**/*.js"))
    named = {f"{current_app.static_url_path}/{script}": script for script in sorted(scripts)}
    return {name: _address(script) for name, script in (named | _LIBRARIES).items()}


def list_imports(script: str) -> tuple[str, ...]:
    """Return the addresses of all direct and indirect imports of a script."""
    found: set[str] = set()
    waiting = [script]
    while waiting:
        further = set(_list_own_imports(waiting.pop())) - found
        found |= further
        waiting += further
    return tuple(map(_address, sorted(found - {script})))


def _list_own_imports(script: str) -> Iterator[str]:
    folder = PurePosixPath(script).parent
    for name in _find_imports(*_state(script)):
        yield _LIBRARIES.get(name) or normpath(str(folder / name))


def _address(filename: str) -> str:
    """Return the address of a script; ``url_for`` is too slow for the eighty of each page."""
    return f"{current_app.static_url_path}/{filename}?{_VERSION}={_version(filename)}"


def _version(filename: str) -> str | None:
    try:
        return _digest(*_state(filename))
    except OSError:
        return None


def _folder() -> Path:
    return Path(current_app.static_folder or "")


def _state(filename: str) -> tuple[Path, int]:
    """Return a static file and its time of change, the key of the caches."""
    path = _folder() / filename
    return path, path.stat().st_mtime_ns


@lru_cache(maxsize=1024)
def _digest(path: Path, _changed_at_ns: int) -> str:
    return blake2b(path.read_bytes(), digest_size=_VERSION_BYTES).hexdigest()


@lru_cache(maxsize=1024)
def _find_imports(path: Path, _changed_at_ns: int) -> tuple[str, ...]:
    return tuple(_IMPORTED.findall(path.read_text(encoding="utf-8")))
