"""The bucket through which machines share the runs of weather, where one is named."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final

from app.extensions import chartroom
from app.models import WeatherRunRecord
from app.services.errors import Unavailable

# It brings numba with it, which commands and short-lived processes need not wait for.
if TYPE_CHECKING:
    from app.datasources.weather.bucket import RunBucket

logger = logging.getLogger(__name__)

#: Indexes of runs that a web is fetching, and who may look at them.
_under_way: Final[set[str]] = set()
_lock: Final = Lock()


def find_bucket() -> RunBucket | None:
    """Return this installation's bucket; ``None`` where runs are not shared through one."""
    settings = chartroom().settings
    if settings.weather_bucket is None:
        return None
    return _open(settings.weather_bucket, settings.weather_s3_endpoint)


@cache
def _open(name: str, endpoint: str | None) -> RunBucket:
    from app.datasources.weather.bucket import RunBucket

    return RunBucket(name, endpoint)


def check_reachable() -> None:
    """Raise :class:`Unavailable` where there is a bucket that does not answer."""
    from app.datasources.weather.bucket import BucketFault

    bucket = find_bucket()
    try:
        if bucket is not None:
            bucket.check_reachable()
    except BucketFault as fault:
        raise Unavailable(f"The bucket of weather runs does not answer: {fault}") from fault


def publish(folder: Path) -> str | None:
    """Put a stored run into the bucket, if there is one; answers the SHA-256 of its index.

    Raises
    ------
    Unavailable
        When it cannot be put there.
    """
    from app.datasources.weather.bucket import BucketFault

    bucket = find_bucket()
    try:
        return None if bucket is None else bucket.publish(folder)
    except BucketFault as fault:
        raise Unavailable(f"{folder.name} was not published: {fault}") from fault


def bring_in(record: WeatherRunRecord, runs_folder: Path) -> bool:
    """Fetch what the store lacks of a run; answers whether it is all there.

    A web, whose requests cannot wait for that, begins to fetch and answers at once.
    """
    from app.datasources.weather.bucket import is_whole

    if is_whole(runs_folder / record.name, record.members):
        return True
    bucket, digest = find_bucket(), record.published_sha256
    if bucket is None or digest is None:
        return False
    wanted = (bucket, record.name, digest, runs_folder, tuple(record.members))
    if chartroom().settings.process_role == "worker":
        return _fetch(*wanted)
    with _lock:
        if digest not in _under_way:
            _under_way.add(digest)
            Thread(target=_fetch, args=wanted, daemon=True).start()
    return False


def _fetch(
    bucket: RunBucket, name: str, digest: str, runs_folder: Path, members: tuple[int, ...]
) -> bool:
    from app.datasources.weather.bucket import BucketFault

    try:
        bucket.fetch(name, digest, runs_folder, members)
    except (BucketFault, OSError) as fault:
        logger.warning("weather run %s cannot be fetched: %s", name, fault)
        return False
    finally:
        with _lock:
            _under_way.discard(digest)
    logger.info("weather run %s was fetched from %s", name, bucket.name)
    return True


def remove(folder: Path) -> None:
    """Take a run out of the store and the bucket."""
    from app.datasources.weather.store import remove_run

    if folder.is_dir():
        remove_run(folder)
    _remove_published(folder.name)


def remove_members(folder: Path) -> None:
    """Take the members of a run out of the store and the bucket."""
    from app.datasources.weather.store import MEMBERS, remove_members

    remove_members(folder)
    _remove_published(f"{folder.name}/{MEMBERS}")


def _remove_published(name: str) -> None:
    """Take files out of the bucket; what stays there since it is away costs room alone."""
    from app.datasources.weather.bucket import BucketFault

    bucket = find_bucket()
    try:
        if bucket is not None:
            bucket.remove(name)
    except BucketFault as fault:
        logger.warning("%s stays in the bucket: %s", name, fault)
