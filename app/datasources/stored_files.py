"""Files and folders of the stores, which the service reads and replaces whoever wrote them.

Operators run commands as root, under any umask, while web and workers have an account of their own.
"""

import fcntl
import logging
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

logger = logging.getLogger(__name__)


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, and share each."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        share(folder)


def share(path: Path) -> None:
    """Let every account read a file or folder; root gives it to the owner of the parent folder."""
    # links are not followed: in a folder of the service's account they could lead root elsewhere
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        with suppress(PermissionError):  # another account's, or on a file server
            mode = os.fstat(handle).st_mode
            readable = 0o755 if stat.S_ISDIR(mode) else 0o644
            os.fchmod(handle, stat.S_IMODE(mode) | readable)
            if os.geteuid() == 0:
                parent = path.parent.stat()
                os.fchown(handle, parent.st_uid, parent.st_gid)
    finally:
        os.close(handle)


def share_all(folder: Path) -> None:
    """Share everything in a folder, if root may have written it."""
    if os.geteuid() == 0:
        for path in folder.rglob("*"):
            if not path.is_symlink():
                share(path)


def find_private(folder: Path, account: os.stat_result) -> Iterator[Path]:
    """Find a folder, and what is in it, that the owner of another file is not allowed to read."""
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # removed meanwhile, or a link to nothing
            if not _may_read(account, path.stat()):
                yield path


def _may_read(account: os.stat_result, found: os.stat_result) -> bool:
    if account.st_uid == 0:
        return True
    allowed = found.st_mode
    if found.st_uid == account.st_uid:
        allowed >>= 6
    elif found.st_gid == account.st_gid:
        allowed >>= 3
    wanted = 0o5 if stat.S_ISDIR(found.st_mode) else 0o4
    return allowed & wanted == wanted


def remove_folder(folder: Path) -> None:
    """Remove a folder, which another process may be removing too; warn if some of it stays."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        logger.warning("%s cannot be removed: give it to the service's account", folder)


@contextmanager
def hold_lock(path: Path, *, waits: bool = True) -> Iterator[None]:
    """Hold a lock that one process of this machine holds at a time, by a file that stays.

    Raise :class:`BlockingIOError` if another one holds it and this one does not wait.
    """
    with path.open("w") as lock:
        share(path)
        fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
