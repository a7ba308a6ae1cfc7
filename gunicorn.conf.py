"""How the web process runs, wherever it runs; the address is named on the command line."""

from app import logs

workers = 2
threads = 4
worker_class = "gthread"
graceful_timeout = 5
#: loaded once, so that its memory is shared between the workers
preload_app = True
control_socket_disable = True
logconfig_dict = logs.configuration()
