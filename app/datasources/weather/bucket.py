"""Runs of weather in a bucket of S3-compatible storage, fetched by checksum.

A run has the same files in the bucket as in the store, and an index with the
SHA-256 of each file, in the format of ``sha256sum --check``::

    gfs-20260101T00Z-3f9c0a1b2d/index-<SHA-256 of the index>
    gfs-20260101T00Z-3f9c0a1b2d/manifest.json
    gfs-20260101T00Z-3f9c0a1b2d/wind-wave.npy
    gfs-20260101T00Z-3f9c0a1b2d/members/manifest.json

Nothing in the bucket is trusted: the catalogue has the checksum of the index, and the
index has those of the files. Files are fetched into ``.fetching-NAME`` in the store,
checked, and renamed once all are complete. That folder stays when a fetch is interrupted,
so that the next attempt skips correct files.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from app.datasources.checksums import is_right, list_checksums, parse_checksums
from app.datasources.stored_files import hold_lock, make_folder, share
from app.datasources.weather.run_writer import put_in_place, sweep
from app.datasources.weather.store import MEMBERS, RunUnreadable, list_members, read_manifest

if TYPE_CHECKING:
    from obstore.store import S3Store

#: How much one request fetches [bytes], and how long it may take.
_PART: Final = 16 * 1024 * 1024
_PART_TAKES: Final = "60s"
_CONNECT_TAKES: Final = "5s"
#: Number and total time of retries of a request.
_RETRIES: Final = 3
_RETRIES_TAKE: Final = timedelta(seconds=30)
#: How large an index may be [bytes]; that of a run with 50 members has about 20,000.
_INDEX_LIMIT: Final = 1_000_000
#: Begins the name of the folder that a run is fetched into.
_PARTIAL: Final = ".fetching-"
#: The names of a run's files; no other is ever read or written.
_FILE: Final = re.compile(rf"(?:{MEMBERS}/)?\w[\w.-]*")


class BucketFault(Exception):
    """A bucket that cannot be reached, or an object in it that is missing or damaged."""


class RunBucket:
    """A bucket of runs.

    ``name`` may go on with a prefix, as in ``bucket/weather``; ``endpoint`` is the storage's
    address, that of AWS where it is ``None``. Credentials are those of the variables of AWS.
    """

    def __init__(self, name: str, endpoint: str | None = None) -> None:
        self.name = name
        self._endpoint = endpoint

    def check_reachable(self) -> None:
        """Ask for an object that need not be there; raises :class:`BucketFault`."""
        with self._asked() as obstore:
            next(iter(obstore.list(self._store, chunk_size=1)), None)

    def publish(self, folder: Path) -> str:
        """Upload a stored run, its index last; return the SHA-256 of the index."""
        paths = (path for path in folder.rglob("*") if path.is_file())
        names = (path.relative_to(folder).as_posix() for path in paths)
        files = sorted(name for name in names if _FILE.fullmatch(name))
        index = list_checksums(folder, files).encode()
        digest = hashlib.sha256(index).hexdigest()
        for file in files:
            self._put(f"{folder.name}/{file}", folder / file)
        self._put(_index_key(folder.name, digest), index)
        return digest

    def fetch(self, name: str, digest: str, runs_folder: Path, members: Sequence[int]) -> None:
        """Fetch the missing files of a run, with these members, by the SHA-256 of its index.

        Raise :class:`BucketFault` if something of it is unavailable or damaged. The store is then
        as it was, but for the files that were fetched: the next try goes on from these.
        """
        make_folder(runs_folder)
        with hold_lock(runs_folder / ".fetching"):  # one process of a machine at a time
            sweep(runs_folder)
            index = self.read_index(name, digest)
            if not is_whole(runs_folder / name, members=()):
                self._fetch_folder(name, "", index, runs_folder)
            if not is_whole(runs_folder / name, members):
                self._fetch_folder(name, f"{MEMBERS}/", index, runs_folder)
            shutil.rmtree(partial_folder(runs_folder / name), ignore_errors=True)

    def read_index(self, name: str, digest: str) -> Mapping[str, str]:
        """The files of a run with their SHA-256; raises :class:`BucketFault`."""
        key = _index_key(name, digest)
        with self._asked(key) as obstore:
            found = obstore.get(self._store, key)
            if found.meta["size"] > _INDEX_LIMIT:
                raise self._damaged(key)
            content = bytes(found.bytes())
        if hashlib.sha256(content).hexdigest() != digest:
            raise self._damaged(key)
        checksums = parse_checksums(content.decode())
        if not all(map(_FILE.fullmatch, checksums)):
            raise self._damaged(key)
        return checksums

    def remove(self, name: str) -> None:
        """Remove a run, or with ``NAME/members`` its members, from the bucket."""
        with self._asked(name) as obstore:
            for page in obstore.list(self._store, prefix=name):
                obstore.delete(self._store, [entry["path"] for entry in page])

    def _fetch_folder(
        self, name: str, prefix: str, index: Mapping[str, str], runs_folder: Path
    ) -> None:
        """Fetch the files of one folder of a run, and put it in place when all are right."""
        partial = partial_folder(runs_folder / name) / (prefix or "control")
        make_folder(partial)
        wanted = {
            file[len(prefix) :]: checksum
            for file, checksum in index.items()
            if file.startswith(prefix) and "/" not in file[len(prefix) :]
        }
        for path in partial.iterdir():  # of an index that was replaced since
            if path.name not in wanted:
                path.unlink()
        for file, checksum in wanted.items():
            if not is_right(partial / file, checksum):
                self._download(f"{name}/{prefix}{file}", partial / file, checksum)
        put_in_place(partial, runs_folder / name / prefix, replace=True)

    def _download(self, key: str, path: Path, checksum: str) -> None:
        found = hashlib.sha256()
        with path.open("wb") as file:
            share(path)
            for part in self._read(key):
                found.update(part)
                file.write(part)
        if found.hexdigest() != checksum:
            raise self._damaged(key)

    def _read(self, key: str) -> Iterator[bytes]:
        """Read an object part by part, so that each is tried again by itself."""
        with self._asked(key) as obstore:
            size = obstore.head(self._store, key)["size"]
        for start in range(0, size, _PART):
            with self._asked(key) as obstore:
                end = min(start + _PART, size)
                part = bytes(obstore.get_range(self._store, key, start=start, end=end))
            yield part

    def _put(self, key: str, content: Path | bytes) -> None:
        with self._asked(key) as obstore:
            obstore.put(self._store, key, content)

    def _damaged(self, key: str) -> BucketFault:
        return BucketFault(f"{self.name}/{key} is damaged: it is not as it was published")

    @cached_property
    def _store(self) -> S3Store:
        from obstore.store import S3Store

        bucket, _, prefix = self.name.partition("/")
        return S3Store(
            bucket,
            prefix=prefix or None,
            endpoint=self._endpoint,
            client_options={
                "allow_http": (self._endpoint or "").startswith("http://"),
                "connect_timeout": _CONNECT_TAKES,
                "timeout": _PART_TAKES,
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRIES_TAKE},
        )

    @contextmanager
    def _asked(self, key: str | None = None) -> Iterator[ModuleType]:
        """Yield the client; convert its errors to faults that name the object or the bucket."""
        import obstore
        from obstore.exceptions import BaseError

        try:
            yield obstore
        except (BaseError, OSError) as error:
            first_line = str(error).partition("\n")[0]
            where = self.name if key is None else f"{self.name}/{key}"
            raise BucketFault(f"{where}: {first_line}") from error


def is_whole(folder: Path, members: Sequence[int]) -> bool:
    """Return whether a run is in the store and can be read, with these members."""
    try:
        read_manifest(folder)
    except RunUnreadable:
        return False
    return not members or list_members(folder) == tuple(members)


def partial_folder(folder: Path) -> Path:
    """Return the folder that a run of the store is fetched into."""
    return folder.with_name(f"{_PARTIAL}{folder.name}")


def list_local(runs_folder: Path) -> set[str]:
    """Return the names of the runs that a store has files of, whole or in part."""
    folders = [*runs_folder.glob("[!.]*"), *runs_folder.glob(f"{_PARTIAL}*")]
    return {folder.name.removeprefix(_PARTIAL) for folder in folders}


def _index_key(name: str, digest: str) -> str:
    return f"{name}/index-{digest}"
