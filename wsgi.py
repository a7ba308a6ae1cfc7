"""The web application, for gunicorn: ``gunicorn wsgi:app``."""

import gc

from app import create_app
from app.environment import exit_if_misconfigured

gc.disable()  # what is loaded stays: to look for garbage in it takes a fifth of the start
with exit_if_misconfigured():
    app = create_app()
gc.enable()
