"""The web application, for ``gunicorn wsgi:app``, and the one of ``flask --app wsgi COMMAND``."""

import gc

from app import cli, create_app, create_command_app
from app.environment import exit_if_misconfigured

gc.disable()  # what is loaded stays: to look for garbage in it takes a fifth of the start
with exit_if_misconfigured():
    app = create_command_app() if cli.is_invoked() else create_app()
gc.enable()
gc.freeze()  # the collector skips what is loaded, at the end of a command too
