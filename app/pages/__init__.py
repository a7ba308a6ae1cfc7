"""Server-rendered pages, on the same services as the API.

Pages use a signed session cookie and accept no keys; the API accepts keys and no cookie.
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
    # Registered first, so that it runs last and compresses the final response.
    compression.init_app(app)
    static_files.init_app(app)
    security.init_app(app)
    access.init_app(app)
    openid.init_app(app)
    filters.init_app(app)
    # Importing a module of views adds its routes to the blueprint.
    for module in find_modules("app.pages.views"):
        import_string(module)
    app.register_blueprint(pages)
    # Registered last, so that it runs first and error pages get the security headers too.
    errors.init_app(app)
