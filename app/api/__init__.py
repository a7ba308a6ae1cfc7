"""The JSON API under ``/v1``: one module per group of resources."""

from flask import Flask

from app.api import chartings, documentation, health, organization, vessels, weather


def init_app(app: Flask) -> None:
    """Register every operation and describe them all."""
    api = documentation.make_api(app)
    for module in (organization, vessels, chartings, weather):
        api.register_blueprint(module.blueprint, url_prefix="/v1")
    app.register_blueprint(health.blueprint)
    app.register_blueprint(documentation.blueprint)
