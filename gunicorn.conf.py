"""How the web process runs, wherever it runs; the address is named on the command line."""

import ctypes
import gc
from typing import Any

from app import logs
from app.api.waiting import MOST_WAITING
from app.pages.web.warm_up import warm_up

workers = 2
#: four for requests at work, the others for those that only wait
threads = 4 + MOST_WAITING
worker_class = "app.web_worker.WebWorker"
graceful_timeout = 5
#: of each process, most of them idle or with half a request: they cost no thread
worker_connections = 2000
#: who is behind a proxy is told by TRUSTED_PROXIES alone
forwarded_allow_ips = ""
#: loaded once, so that its memory is shared between the workers
preload_app = True
#: a belt, for what grows in spite of all: each process is replaced now and then, never both at once
max_requests = 50_000
max_requests_jitter = 25_000
control_socket_disable = True
logconfig_dict = logs.configuration()


def bound_memory() -> None:
    """Let glibc's allocator return what large plans have taken, which it else keeps by thread.

    Each thread takes memory from an arena of its own, up to eight a core, and a plan of a
    megabyte leaves holes in each that the others cannot use; blocks above the threshold are
    mapped and given back, where by default the threshold grows with the blocks that were freed
    (mallopt(3)). Does nothing with another C library.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, 256 * 1024)


#: Parameters of mallopt(3), from glibc's malloc.h.
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
bound_memory()


def when_ready(server: Any) -> None:
    """Warm the application that the workers are about to fork from.

    It serves all the same where that fails: the pages that need what is missing say so.
    """
    try:
        warm_up(server.app.wsgi())
    except Exception:
        server.log.exception("The web process was not warmed")
    # what is there now stays: collections need neither look at it nor break its sharing
    gc.freeze()
