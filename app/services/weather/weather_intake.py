"""Import of weather from files and from forecast centres into the catalogue."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rq.timeouts import JobTimeoutException
from sqlalchemy import func, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.config import WEATHER_ENSEMBLES, WEATHER_SOURCES
from app.datasources.stored_files import hold_lock, make_folder, remove_folder, share_all
from app.datasources.weather import fetching, member_fetching
from app.datasources.weather.bucket import is_whole
from app.datasources.weather.climatology import build_climatology
from app.datasources.weather.downloading import Downloader, DownloadFailed
from app.datasources.weather.fetching import Fetched, NothingNewer
from app.datasources.weather.importing import ImportReport, import_files
from app.datasources.weather.layer_filling import FileDamaged, WeatherRefused
from app.datasources.weather.regions import Region
from app.datasources.weather.store import RunSummary, list_runs
from app.engine.weather import WeatherField
from app.extensions import chartroom
from app.models import WeatherRunRecord, utc_now
from app.services.errors import FieldError, Invalid, Unavailable
from app.services.platform import queue
from app.services.platform.sessions import installation_session
from app.services.platform.time_limit import TimeExceeded, time_limit
from app.services.weather import weather, weather_bucket, weather_retention
from app.services.weather.weather_age import is_stale

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]

#: Length of fetched forecasts [h].
FORECAST_H: Final = 240

#: Longest time that a worker takes for the run, or the members, of one source [s]. The next fetch
#: continues the download.
_LONGEST_FETCH_S: Final = 1200.0


def import_weather_files(
    paths: Sequence[Path],
    source: str,
    progress: Progress = lambda _done, _total: None,
    *,
    is_member_each: bool = False,
    region: Region | None = None,
) -> ImportReport:
    """Store and catalogue the weather of some files.

    With ``is_member_each`` every file is an ensemble member of a stored run. With ``region`` only
    that part of members is stored. Raise :class:`Invalid`, with the reasons, if nothing can be
    imported, and :class:`Unavailable` if the run cannot be stored or published; it is not
    catalogued then.
    """
    climatology = weather.find_climatology()
    field = None if climatology is None else WeatherField(climatology)
    try:
        report = import_files(
            paths,
            weather.runs_folder(),
            field,
            source=source,
            now=utc_now(),
            progress=progress,
            is_member_each=is_member_each,
            region=region,
        )
    except WeatherRefused as refused:
        faults = [FieldError("", reason) for reason in refused.left_out]
        lines = [f"Nothing was imported: {refused.detail}", *refused.left_out]
        raise Invalid(faults, detail="\n  ".join(lines)) from refused
    except OSError as fault:
        raise _cannot_write(weather.runs_folder(), fault) from fault
    published_sha256 = weather_bucket.publish(report.run.folder)
    with installation_session() as session:
        catalogue(session, report.run, published_sha256)
        # the row is locked now, so that what is there stays
        if not is_whole(report.run.folder, report.run.members):
            raise Unavailable(
                f"{report.run.name} was retired while it was imported. Import it again."
            )
    return report


def fetch(
    source: str,
    hours: int,
    progress: Progress = lambda _done, _total: None,
    url: str | None = None,
    newer_than: datetime | None = None,
) -> ImportReport:
    """Download and import the newest run of ``gfs`` or ``ecmwf``.

    Downloaded files stay until they are imported, so that the next call continues an interrupted
    download; one whose values cannot be read is removed. ``url`` names a mirror. Raise
    :class:`Unavailable` if the run is unavailable, or no newer than ``newer_than``, and
    :class:`Invalid` if nothing of it can be imported.
    """
    weather_bucket.check_reachable()
    with _sole_fetch(source):
        fetched = _store_downloads(
            lambda to: _download(source, to, hours, progress, url, newer_than)
        )
        with _damaged_removed():
            report = import_weather_files(fetched.files, source, progress)
        # this also removes older runs whose download was never completed
        _clear_downloads(f"{source}-*")
    return report


def fetch_members(
    ensemble: str,
    hours: int,
    count: int,
    progress: Progress = lambda _done, _total: None,
    url: str | None = None,
    region: Region | None = None,
) -> ImportReport:
    """Download and import members of ``ecmwf`` or ``gefs`` for the newest run of their source.

    Centres publish global files; only ``region`` is stored. Raise :class:`Unavailable` if the run
    or its members are not (yet) available, and :class:`Invalid` if none of them can be imported.
    """
    source = WEATHER_ENSEMBLES[ensemble]
    run = _find_newest((source,))
    if run is None:
        raise Unavailable(f"Members of {ensemble} need a run of {source}: fetch that first.")
    weather_bucket.check_reachable()
    if not weather_bucket.fetch(run, weather.runs_folder(), members=()):
        raise Unavailable(f"{run.name} is unavailable on this machine, so it takes no members.")
    reach_h = int((run.valid_to - run.reference_time).total_seconds() // 3600)
    wanted = run.reference_time, min(hours, reach_h), count, progress
    with _sole_fetch(f"members-{ensemble}"):
        fetched = _store_downloads(
            lambda to: member_fetching.fetch_members(ensemble, to, *wanted, url=url),
            f"Members of {run.name}: ",
        )
        with _damaged_removed():
            report = import_weather_files(fetched.files, fetched.source, progress, region=region)
        _clear_downloads(f"members-{ensemble}-*")
    return replace(report, left_out=(*fetched.left_out, *report.left_out))


class FetchUnderWay(Unavailable):
    """Another process of this machine downloads the same weather."""


@contextmanager
def _sole_fetch(downloads: str) -> Iterator[None]:
    """Hold downloads from others; raise :class:`FetchUnderWay` if another process has them."""
    folder = weather.downloads_folder()
    with ExitStack() as held:
        try:
            make_folder(folder)
            held.enter_context(hold_lock(folder.with_name(f".fetching-{downloads}"), waits=False))
        except BlockingIOError as fault:
            raise FetchUnderWay(
                f"Another process is fetching {downloads} on this machine, and stores it."
            ) from fault
        except OSError as fault:
            raise _cannot_write(folder, fault) from fault
        yield


def _store_downloads(download: Callable[[Path], Fetched], what: str = "") -> Fetched:
    """Download into the folder for it; raise :class:`Unavailable`, with ``what``, if that fails."""
    folder = weather.downloads_folder()
    try:
        return download(folder)
    except DownloadFailed as fault:
        raise Unavailable(f"{what}{fault}") from fault
    except OSError as fault:
        raise _cannot_write(folder, fault) from fault
    finally:
        share_all(folder)


@contextmanager
def _damaged_removed() -> Iterator[None]:
    """Remove a download whose values cannot be read, so that the next fetch downloads it again."""
    try:
        yield
    except Invalid as refused:
        if isinstance(refused.__cause__, FileDamaged):
            refused.__cause__.path.unlink(missing_ok=True)
        raise


def _clear_downloads(pattern: str) -> None:
    for finished in weather.downloads_folder().glob(pattern):
        remove_folder(finished)


def _cannot_write(folder: Path, fault: OSError) -> Unavailable:
    reason = fault.strerror or fault
    return Unavailable(
        f"No weather can be stored in {folder}: {reason}. See that its disk has room and that the"
        " service's account may write there."
    )


def fetch_if_due(source: str) -> ImportReport | None:
    """Fetch the newest run and its members, unless the stored run is recent; for workers.

    ``auto`` uses the first source that has a run. If none has, a warning is logged and the
    delay of the next attempt increases. Old runs are retired before by the installation's policy,
    so that a full disk has room again.
    """
    for name in weather_retention.retire_by_policy():
        logger.info("weather run %s is old and no plan needs it: removed", name)
    sources = WEATHER_SOURCES if source == "auto" else (source,)
    newest = _find_newest(sources)
    report = None
    if newest is None or utc_now() - newest.reference_time >= weather.FRESH_FOR:
        report = _fetch_first(sources, newest)
    members = _fetch_members_if_due()
    return report or members


def _fetch_first(sources: Sequence[str], newest: WeatherRunRecord | None) -> ImportReport | None:
    """Fetch from the first source that has a newer run than ``newest``.

    If the source of ``newest`` answers without a newer run, no other source is tried: an
    earlier publication is no reason to change the source.
    """
    newer_than = None if newest is None else newest.reference_time
    faults = []
    for source in sources:
        try:
            with time_limit(_LONGEST_FETCH_S):
                report = fetch(source, FORECAST_H, newer_than=newer_than)
        except FetchUnderWay as fault:
            logger.info("%s", fault)
            return None
        except (Unavailable, Invalid, TimeExceeded) as fault:
            is_late = isinstance(fault.__cause__, NothingNewer)
            if is_late and newest is not None and newest.source == source:
                logger.info("%s", fault)
                return None
            faults.append(f"{source}: {fault}")
        except JobTimeoutException:
            raise
        except Exception as fault:  # whatever it is, the next source may do
            logger.exception("%s failed", source)
            faults.append(f"{source}: {fault}")
        else:
            queue.forget_weather_failures()
            return report
    wait_h = queue.put_off_weather() / 3600.0
    logger.warning("no forecast was fetched (%s); next try in %.0f h", "; ".join(faults), wait_h)
    return None


def _fetch_members_if_due() -> ImportReport | None:
    """Fetch the members of the newest run, if an ensemble is configured and it has none."""
    settings = chartroom().settings
    ensemble = settings.weather_ensemble
    if ensemble not in WEATHER_ENSEMBLES:
        return None
    newest = _find_newest((WEATHER_ENSEMBLES[ensemble],))
    if newest is None or newest.members or is_stale(newest.reference_time, utc_now()):
        return None
    try:
        with time_limit(_LONGEST_FETCH_S):
            report = fetch_members(
                ensemble,
                FORECAST_H,
                settings.weather_members,
                region=settings.weather_members_region,
            )
    except (Unavailable, Invalid, TimeExceeded) as fault:
        logger.warning("no members were fetched: %s", fault)
        return None
    logger.info("%d members joined %s", len(report.run.members), report.run.name)
    for reason in report.left_out:
        logger.warning("left out of %s: %s", report.run.name, reason)
    return report


def _find_newest(sources: Sequence[str]) -> WeatherRunRecord | None:
    """The newest run of some sources, detached from its session."""
    with installation_session() as session:
        found = (run for run in weather.list_records(session) if run.source in sources)
        newest = next(found, None)
        session.expunge_all()
    return newest


def _download(
    source: str,
    folder: Path,
    hours: int,
    progress: Progress,
    url: str | None,
    newer_than: datetime | None,
) -> Fetched:
    address = url or {"gfs": fetching.NOAA_URL, "ecmwf": fetching.ECMWF_URL}[source]
    # checked once first, because a download from an unreachable server is tried several times
    Downloader().check_reachable(address)
    fetch_newest = {"gfs": fetching.fetch_gfs, "ecmwf": fetching.fetch_ecmwf}[source]
    return fetch_newest(folder, utc_now(), hours, progress, url=address, newer_than=newer_than)


def catalogue(session: Session, run: RunSummary, published_sha256: str | None = None) -> None:
    """Insert a stored run into the catalogue; a retired one is restored with its new members."""
    values: dict[str, Any] = {
        "name": run.name,
        "source": run.source,
        "reference_time": run.reference_time,
        "valid_from": run.valid_from,
        "valid_to": run.valid_to,
        "groups": [str(group) for group in run.groups],
        "global_groups": [str(group) for group in run.global_groups],
        "members": list(run.members),
        "notes": list(run.notes),
        "size_bytes": run.size_bytes,
        "published_sha256": published_sha256,
        "retired_at": None,
    }
    entry = insert(WeatherRunRecord).values(values)
    changing = ("retired_at", "members", "size_bytes", "global_groups", "published_sha256")
    # retention counts from the last import
    news = {name: values[name] for name in changing} | {"imported_at": func.now()}
    session.execute(entry.on_conflict_do_update(index_elements=["name"], set_=news))


def publish_stored() -> list[str]:
    """Upload the runs of this machine's store to the bucket again; return their names.

    A run whose members differ from those of the catalogue is left out: its index would remove the
    catalogue's members from every machine. Raise :class:`Unavailable` if there is no bucket, or an
    upload fails.
    """
    if weather_bucket.find_bucket() is None:
        raise Unavailable("WEATHER_BUCKET is not set: there is nowhere to publish runs.")
    with installation_session() as session:
        members_of = {each.name: tuple(each.members) for each in weather.list_records(session)}
    published = []
    for run in list_runs(weather.runs_folder()):
        if members_of.get(run.name, run.members) != run.members:
            logger.warning("%s is left out: the catalogue has other members of it", run.name)
        elif run.name in members_of:
            _store_digest(run, weather_bucket.publish(run.folder))
            published.append(run.name)
    return published


def _store_digest(run: RunSummary, digest: str | None) -> None:
    """Store the digest of a published run's index, unless the run has been retired meanwhile."""
    noted = {"published_sha256": digest, "global_groups": list(map(str, run.global_groups))}
    in_use = (WeatherRunRecord.name == run.name, WeatherRunRecord.retired_at.is_(None))
    with installation_session() as session:
        session.execute(update(WeatherRunRecord).where(*in_use).values(noted))


def create_climatology(progress: Callable[[float, str], None]) -> str:
    """Build the climatology of this installation; return its name."""
    return build_climatology(weather.climatology_folder(), progress).name
