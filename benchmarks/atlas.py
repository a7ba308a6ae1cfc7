"""The sea atlas and the climatology that benchmarks use."""

import os
from pathlib import Path

from app.datasources.weather.store import open_run
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from app.engine.weather import WeatherRun

#: A ship that fits every passage in the published tables.
SMALL_SHIP = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)


def open_atlas() -> SeaAtlas:
    """The atlas in ``ATLAS_DIR``, or ``var/atlas``, its kernels compiled."""
    atlas = SeaAtlas.open(Path(os.environ.get("ATLAS_DIR", "var/atlas")))
    ship = ShipSize(draft_m=5.0, breadth_m=15.0, loa_m=90.0)
    for path in atlas.find_paths(Position(36.0, -6.5), Position(35.9, -2.0), ship=ship):
        atlas.build_legs(path, TrackKind.GREAT_CIRCLE)
    atlas.depth_m(0.0, 0.0)
    atlas.is_water(0.0, 0.0)
    return atlas


def open_climatology() -> WeatherRun:
    """The climatology in ``WEATHER_DIR``, or ``var/weather``."""
    return open_run(Path(os.environ.get("WEATHER_DIR", "var/weather")) / "climatology")
