"""Server-rendered pages, on the same services as the API.

Pages keep a signed session in a cookie and take no keys; the API takes keys and
no cookie, so neither can be reached through the other.
"""

from flask import Flask
from werkzeug.utils import find_modules, import_string

from app.pages.blueprint import pages
from app.pages.presenters import filters
from app.pages.views import openid
from app.pages.web import access, compression, errors, security, static_files

__all__ = ["init_app"]


def init_app(app: Flask) -> None:
    """Add the pages to the application."""
    # first, so that it runs last after a request and packs what is really sent
    compression.init_app(app)
    static_files.init_app(app)
    security.init_app(app)
    access.init_app(app)
    openid.init_app(app)
    filters.init_app(app)
    # importing a module of views adds its routes to the blueprint
    for module in find_modules("app.pages.views"):
        import_string(module)
    app.register_blueprint(pages)
    # last, so that it runs first after a request and the policy covers its pages too
    errors.init_app(app)
