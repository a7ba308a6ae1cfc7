"""Bringing weather in: files handed over, forecasts fetched, both catalogued."""

import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.datasources.weather import fetching
from app.datasources.weather.climatology import build_climatology
from app.datasources.weather.downloading import DownloadFailed
from app.datasources.weather.importing import ImportReport, import_files
from app.datasources.weather.layer_filling import WeatherRefused
from app.datasources.weather.store import RunSummary
from app.engine.weather import WeatherField
from app.models import WeatherRunRecord, utc_now
from app.services.errors import FieldError, Invalid, Unavailable
from app.services.platform.sessions import installation_session
from app.services.weather import weather, weather_retention

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]

#: How far ahead forecasts are fetched [h].
FORECAST_H: Final = 240


def take_files(
    paths: Sequence[Path], source: str, progress: Progress = lambda _done, _total: None
) -> ImportReport:
    """Store and catalogue the weather of some files.

    Raises
    ------
    Invalid
        When nothing can be taken; each fault is something that was left out.
    """
    climatology = weather.find_climatology()
    field = None if climatology is None else WeatherField(climatology)
    try:
        report = import_files(
            paths, weather.runs_folder(), field, source=source, now=utc_now(), progress=progress
        )
    except WeatherRefused as refused:
        faults = [FieldError("", reason) for reason in refused.left_out]
        raise Invalid(faults, detail=_word_refusal(refused)) from refused
    with installation_session() as session:
        catalogue(session, report.run)
    return report


def fetch(
    source: str, hours: int, progress: Progress = lambda _done, _total: None, url: str | None = None
) -> ImportReport:
    """Download the newest run of ``gfs`` or ``ecmwf``, then take it.

    What was downloaded is kept until it is taken, so that the next call goes on
    where this one broke off. ``url`` names a mirror.

    Raises
    ------
    Unavailable
        When the run cannot be had.
    Invalid
        When nothing of it can be taken.
    """
    folder = weather.downloads_folder()
    try:
        if source == "gfs":
            address = url or fetching.NOAA_URL
            fetched = fetching.fetch_gfs(folder, utc_now(), hours, progress, url=address)
        else:
            fetched = fetching.fetch_ecmwf(folder, hours, progress, source=url or "ecmwf")
    except DownloadFailed as fault:
        raise Unavailable(str(fault)) from fault
    report = take_files(fetched.files, source, progress)
    # with it go older runs whose fetch was never ended
    for finished in folder.glob(f"{source}-*"):
        shutil.rmtree(finished)
    return report


def fetch_if_due(source: str) -> ImportReport | None:
    """Fetch the newest run unless one was begun within the last hours; for workers.

    What has become old by the installation's policy goes in return.
    """
    with installation_session() as session:
        newest = max(
            (r.reference_time for r in weather.list_records(session) if r.source == source),
            default=None,
        )
    if newest is not None and utc_now() - newest < weather.FRESH_FOR:
        return None
    report = fetch(source, FORECAST_H)
    for name in weather_retention.retire_by_policy():
        logger.info("weather run %s is old and no plan needs it: removed", name)
    return report


def catalogue(session: Session, run: RunSummary) -> None:
    """Enter a stored run; one that is there already comes back into use."""
    values = {
        "name": run.name,
        "source": run.source,
        "reference_time": run.reference_time,
        "valid_from": run.valid_from,
        "valid_to": run.valid_to,
        "groups": [str(group) for group in run.groups],
        "notes": list(run.notes),
        "size_bytes": run.size_bytes,
        "retired_at": None,
    }
    entry = insert(WeatherRunRecord).values(values)
    session.execute(entry.on_conflict_do_update(index_elements=["name"], set_={"retired_at": None}))


def make_climatology(progress: Callable[[float, str], None]) -> str:
    """Build the climatology of this installation; answers its name."""
    return build_climatology(weather.climatology_folder(), progress).name


def _word_refusal(refused: WeatherRefused) -> str:
    return "\n  ".join([f"Nothing was imported: {refused.detail}", *refused.left_out])
