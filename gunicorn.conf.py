"""How the web process runs, wherever it runs; the address is named on the command line."""

import gc
from typing import Any

from app import logs
from app.api.waiting import MOST_WAITING
from app.pages.warm_up import warm_up

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
control_socket_disable = True
logconfig_dict = logs.configuration()


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
