"""Chartroom: voyage optimisation as a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from app.config import Settings


# Imports are local to the functions, so that ``import app.engine`` imports no web framework,
# database or queue.


def create_worker_app(settings: Settings) -> Flask:
    """Create the application of a worker, which answers no requests.

    Without operations and pages it needs 50 MB less memory.
    """
    from flask import Flask

    from app import extensions, tracing

    app = Flask(__name__)
    extensions.init_app(app, settings)
    tracing.init_app(app, settings.process_role)
    return app


def create_command_app(settings: Settings | None = None) -> Flask:
    """Create the application of an operator's command, without operations and pages.

    Their imports take most of the time of a command. Settings come from the environment unless
    given.
    """
    from flask import Flask

    from app import cli, extensions, tracing
    from app.config import Settings
    from app.services.platform import auditing as _noticing  # noqa: F401 - listens to sessions

    settings = settings or Settings.from_environment()
    app = Flask(__name__)
    extensions.init_app(app, settings)
    tracing.init_app(app, settings.process_role)
    cli.init_app(app)
    return app


def create_app(settings: Settings | None = None) -> Flask:
    """Create the web application; settings come from the environment unless given."""
    from pathlib import Path

    from flask import Flask

    from app import (
        cli,
        error_handlers,
        extensions,
        forwarded,
        pages,
        rate_limit,
        request_notes,
        tracing,
    )
    from app.api import registration
    from app.config import MAX_BODY_BYTES, Settings
    from app.services.platform import auditing as _noticing  # noqa: F401 - listens to sessions

    settings = settings or Settings.from_environment()
    root = Path(__file__).parent.parent
    app = Flask(
        __name__,
        static_folder=root / "static",
        template_folder=root / "frontend_templates",
    )
    app.config.update(SECRET_KEY=settings.secret_key, MAX_CONTENT_LENGTH=MAX_BODY_BYTES)
    app.url_map.strict_slashes = True
    app.wsgi_app = forwarded.TrustedProxies(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    extensions.init_app(app, settings)
    request_notes.name_requests(app)
    tracing.init_app(app, settings.process_role)
    request_notes.init_app(app)
    error_handlers.init_app(app)
    rate_limit.init_app(app)
    registration.init_app(app)
    pages.init_app(app)
    cli.init_app(app)
    return app
