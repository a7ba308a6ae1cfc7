"""The bucket, if configured, through which machines share weather runs."""

import logging
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from app.datasources.weather import store
from app.datasources.weather.bucket import BucketFault, RunBucket, is_whole, partial_folder
from app.extensions import chartroom
from app.models import WeatherRunRecord
from app.services.errors import Unavailable

logger = logging.getLogger(__name__)

#: Indexes of the runs that a web process is fetching, and the lock that guards them.
_under_way: Final[set[str]] = set()
_lock: Final = Lock()


def find_bucket() -> RunBucket | None:
    """Return this installation's bucket; ``None`` if none is configured."""
    settings = chartroom().settings
    if settings.weather_bucket is None:
        return None
    return _open(settings.weather_bucket, settings.weather_s3_endpoint)


_open: Final = cache(RunBucket)


def check_reachable() -> None:
    """Raise :class:`Unavailable` if a bucket is configured and does not answer."""
    bucket = find_bucket()
    try:
        if bucket is not None:
            bucket.check_reachable()
    except BucketFault as fault:
        raise Unavailable(f"The bucket of weather runs does not answer: {fault}") from fault


def publish(folder: Path) -> str | None:
    """Upload a stored run to the bucket, if there is one; return the SHA-256 of its index.

    Raise :class:`Unavailable` if the upload fails.
    """
    bucket = find_bucket()
    try:
        return None if bucket is None else bucket.publish(folder)
    except BucketFault as fault:
        raise Unavailable(f"{folder.name} was not published: {fault}") from fault


def fetch(record: WeatherRunRecord, runs_folder: Path, members: Sequence[int]) -> bool:
    """Fetch the missing files of a run, with these members; return whether it is complete.

    It may take minutes: call it without open locks.
    """
    if is_whole(runs_folder / record.name, members):
        return True
    bucket, digest = find_bucket(), record.published_sha256
    if bucket is None or digest is None:
        return False
    return _fetch(bucket, record.name, digest, runs_folder, members)


def start_fetch(record: WeatherRunRecord, runs_folder: Path) -> None:
    """Start a background fetch of a run without members, in a web process.

    Do nothing in a worker, which fetches before it locks rows.
    """
    bucket, digest = find_bucket(), record.published_sha256
    if bucket is None or digest is None or chartroom().settings.process_role != "web":
        return
    if is_whole(runs_folder / record.name, members=()):
        return
    with _lock:
        if digest not in _under_way:
            _under_way.add(digest)
            wanted = (bucket, record.name, digest, runs_folder, ())
            Thread(target=_fetch, args=wanted, daemon=True).start()


def _fetch(
    bucket: RunBucket, name: str, digest: str, runs_folder: Path, members: Sequence[int]
) -> bool:
    try:
        bucket.fetch(name, digest, runs_folder, members)
    except (BucketFault, OSError) as fault:
        logger.warning("weather run %s is unavailable: %s", name, fault)
        return False
    finally:
        with _lock:
            _under_way.discard(digest)
    logger.info("weather run %s was fetched from %s", name, bucket.name)
    return True


def remove(folder: Path, part: str = "") -> None:
    """Remove a run, or a part of it such as its members, from the store and the bucket."""
    remove_local(folder, part)
    _remove_published(f"{folder.name}/{part}".rstrip("/"))


def remove_local(folder: Path, part: str = "") -> None:
    """Remove a run or a part of it from the store, with its partial downloads."""
    try:
        store.remove_run(folder / part)
    except FileNotFoundError:
        pass  # it has no such part, or another process removes it too
    except OSError as fault:
        logger.warning("%s cannot be removed: %s", folder / part, fault)
    shutil.rmtree(partial_folder(folder) / part, ignore_errors=True)


def _remove_published(name: str) -> None:
    """Remove files from the bucket; if it is unreachable they stay and only take up space."""
    bucket = find_bucket()
    try:
        if bucket is not None:
            bucket.remove(name)
    except BucketFault as fault:
        logger.warning("%s stays in the bucket: %s", name, fault)
