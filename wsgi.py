"""The web application, for gunicorn: ``gunicorn wsgi:app``."""

from app import create_app
from app.environment import exit_if_misconfigured

with exit_if_misconfigured():
    app = create_app()
