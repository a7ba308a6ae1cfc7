"""The sea atlas and the climatology that benchmarks use."""

import os
from pathlib import Path

from app.datasources.weather.store import open_run
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from app.engine.weather import WeatherRun

#: A ship that fits every passage in the published tables.
SMALL_SHIP = ShipSize(draft_m=6.5, breadth_m=20.0, loa_m=130.0)


def open_atlas() -> SeaAtlas:
    """The atlas in ``ATLAS_DIR``, or ``var/atlas``, its kernels compiled."""
    atlas = SeaAtlas.open(Path(os.environ.get("ATLAS_DIR", "var/atlas")))
    atlas.warm_up()
    return atlas


def open_climatology() -> WeatherRun:
    """The climatology in ``WEATHER_DIR``, or ``var/weather``."""
    return open_run(Path(os.environ.get("WEATHER_DIR", "var/weather")) / "climatology")
