"""File of reference voyages, so that a changed planner is compared without new searches.

A reference is searched again if its inputs have changed: the request, the seed, the second
optimiser, or the ship and weather models that price it.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import app.engine
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from benchmarks.storm_reference import Reference, find_reference

_ENGINE = Path(app.engine.__file__).parent
_BENCHMARKS = Path(__file__).parent


class References:
    """References of a file; without a file none is stored."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        is_there = path is not None and path.exists()
        self._kept = json.loads(path.read_text()) if path is not None and is_there else {}

    def find(
        self, request: VoyageRequest, sea: SeaAtlas, weather: WeatherField, seed: int
    ) -> Reference | None:
        """Return the reference of the file, or search for it and add it."""
        key = _digest(request, seed)
        if key not in self._kept:
            found = find_reference(request, sea, weather, seed)
            self._kept[key] = found and [found.hours, found.fuel_t, found.highest_wave_m]
            if self._path is not None:
                self._path.write_text(json.dumps(self._kept, indent=1))
        kept = self._kept[key]
        return kept and Reference(*kept)


def _digest(request: VoyageRequest, seed: int) -> str:
    """Return a digest of all inputs of a reference."""
    digest = hashlib.sha256(f"{seed} {request!r}".encode())
    for source in _list_sources():
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _list_sources() -> Iterator[Path]:
    yield from (_BENCHMARKS / name for name in ("storm_reference.py", "storm_weather.py"))
    for package in ("sailing", "vessel", "weather"):
        yield from sorted((_ENGINE / package).glob("*.py"))
