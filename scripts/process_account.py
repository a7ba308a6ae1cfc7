"""The account of web and workers: the caller's, or an unprivileged one if root starts them.

Run as a script by the unprivileged account, it prints the first of the given paths, or of the files
and folders below them, that the account cannot read.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from local_processes import Account, ServiceError, can_reach, current_account, service_account
from prepare import ATLAS, KERNELS, WEATHER
from setup_steps import PYTHON, ROOT, VAR, say

# the account of Redis, whose password web and workers have anyway; that of PostgreSQL can read the
# database's files, and so bypass row-level security
NAME = "redis"
CODE = (
    *("app", "static", "frontend_templates"),
    *("gunicorn.conf.py", "wsgi.py", "worker.py", "webhook_worker.py"),
)
WRITTEN = (WEATHER, VAR / "basemap")
TRIAL_PATIENCE_S = 60.0


def process_account(port: int, *folders: Path) -> Account:
    """Return the account for web and workers, which listen on `port` and write in `folders`.

    Returns root's account, and says why, if the unprivileged one cannot run them.
    """
    try:
        account = service_account(NAME)
        reason = obstacle(account, port, *folders)
    except ServiceError as error:
        reason = str(error)
    if reason is None:
        return account
    say(
        f"Warning: web and workers run as root, because {reason}. Run the command as another user,"
        f" or let {NAME!r} read the folder and its Python (docs/operations.md)."
    )
    return current_account()


def obstacle(account: Account, port: int, *folders: Path) -> str | None:
    """Return why `account` cannot run web and workers, or None if it can."""
    if account.is_current:
        return None
    if port < first_unprivileged_port():
        return f"port {port} is reserved for root"
    parents = [path.resolve().parent for path in (PYTHON, *WRITTEN, *folders)]
    for folder in (ROOT, *parents):
        if not can_reach(account, folder):
            return f"the account {account.name!r} cannot reach {folder}"
    code = [ROOT / name for name in CODE]
    return failed_trial(account, *code, ATLAS, VAR / "charts")


def first_unprivileged_port() -> int:
    """Return the smallest port on which any account may listen."""
    return int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text(encoding="utf-8"))


def failed_trial(account: Account, *paths: Path) -> str | None:
    """Run Python as `account` to read `paths`; return why that fails, or None."""
    try:
        result = subprocess.run(
            [str(PYTHON), __file__, *(str(path) for path in paths if path.exists())],
            cwd=ROOT,
            env=home_of(account),
            capture_output=True,
            text=True,
            check=False,
            timeout=TRIAL_PATIENCE_S,
            user=account.uid,
            group=account.gid,
            extra_groups=[],
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the account {account.name!r} cannot run {PYTHON} ({error})"
    if result.returncode:
        last_line = result.stderr.strip().rpartition("\n")[2]
        return f"{PYTHON} fails for the account {account.name!r} ({last_line})"
    unreadable = result.stdout.strip()
    return f"the account {account.name!r} cannot read {unreadable}" if unreadable else None


def home_of(account: Account) -> dict[str, str]:
    """Return the account's HOME, in which libraries look for files."""
    return {"HOME": pwd.getpwuid(account.uid).pw_dir}


def grant(account: Account, kernels: Path, *folders: Path) -> dict[str, str]:
    """Give another account what web and workers write; return their additional environment.

    They get a copy of the compiled kernels in `kernels`, made at each start: numba unpickles its
    cache, so root must not load one that another account can write. Raises ServiceError if the
    kernels themselves lie there.
    """
    if account.is_current:
        return {}
    if kernels.resolve() == KERNELS.resolve():
        raise ServiceError(
            f"NUMBA_CACHE_DIR names {KERNELS}, the folder of the copy of the kernels that web and"
            " workers use. Name another folder."
        )
    shutil.rmtree(kernels, ignore_errors=True)
    shutil.copytree(KERNELS, kernels)
    for folder in (*WRITTEN, *folders, kernels):
        folder.mkdir(parents=True, exist_ok=True)
        give(folder.resolve(), account)
    return {**home_of(account), "NUMBA_CACHE_DIR": str(kernels)}


def give(folder: Path, account: Account) -> None:
    """Make `account` the owner of a folder and its contents; symbolic links are not followed."""
    for _, _, names, descriptor in os.fwalk(folder):
        os.fchown(descriptor, account.uid, account.gid)
        for name in names:
            os.chown(name, account.uid, account.gid, dir_fd=descriptor, follow_symlinks=False)


def first_unreadable(paths: Sequence[str]) -> Path | None:
    """Return the first path at or below `paths` that this process cannot read.

    Bytecode does not count: without it Python compiles the code.
    """
    for top in map(Path, paths):
        for path in (top, *top.rglob("*")):
            if "__pycache__" not in path.parts and not os.access(path, os.R_OK):
                return path
    return None


if __name__ == "__main__":
    import_module("gunicorn.app.wsgiapp")  # fails if the packages are unreadable
    print(first_unreadable(sys.argv[1:]) or "")
