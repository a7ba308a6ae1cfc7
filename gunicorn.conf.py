"""gunicorn settings of the web process; the command line sets the address."""

import ctypes
import gc
import os
from typing import Any

from app import logs
from app.api.waiting import MOST_WAITING
from app.environment import SettingMissing, exit_if_misconfigured
from app.pages.web.warm_up import warm_up

workers = 2
#: four for active requests, the others for long polling
threads = 4 + MOST_WAITING
worker_class = "app.web_worker.WebWorker"
graceful_timeout = 5
#: per process; most are idle or incomplete and use no thread
worker_connections = 2000
#: idle connections are kept longer than clients, and proxies such as nginx (60 s), use them again:
#: a request on a connection that is closed at that moment fails, and only GET is safely repeated
keepalive = 75
#: only TRUSTED_PROXIES defines which proxies are trusted
forwarded_allow_ips = ""
#: loaded once, so that workers share its memory
preload_app = True
#: processes are replaced regularly, not all at once, as a precaution against growing memory
max_requests = 50_000
max_requests_jitter = 25_000
control_socket_disable = True
with exit_if_misconfigured():
    logconfig_dict = logs.configuration()
    if not os.environ.get("SECRET_KEY"):
        raise SettingMissing("SECRET_KEY is not set; without it nobody can sign in")


def bound_memory() -> None:
    """Limit the memory that glibc's allocator retains after large plans.

    By default each thread uses its own arena, up to eight per core, and a plan of a megabyte
    fragments each of them. Blocks above a threshold are mapped and returned to the system, but by
    default the threshold grows with freed blocks (mallopt(3)). Does nothing with other C
    libraries.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, 256 * 1024)


#: Parameters of mallopt(3), from glibc's malloc.h.
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
bound_memory()


def when_ready(server: Any) -> None:
    """Warm up the application before the workers are forked from it.

    If that fails, the application still serves; requests that need missing data report it.
    """
    try:
        warm_up(server.app.wsgi())
    except Exception:
        server.log.exception("The web process was not warmed up")
    # present objects are permanent: garbage collection need not scan or copy their pages
    gc.freeze()
