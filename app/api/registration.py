"""Registration of all operations; it imports every other module of the package."""

from flask import Flask

from app.api import (
    ais,
    areas,
    calibrations,
    code_list,
    conditional,
    cross_origin,
    data,
    departures,
    documentation,
    event_stream,
    health,
    keys,
    links,
    metrics,
    noon_reports,
    organization,
    places,
    route_orders,
    telemetry,
    users,
    vessels,
    voyages,
    waiting,
    weather,
    webhooks,
)


def init_app(app: Flask) -> None:
    """Register all operations."""
    api = documentation.make_api(app)
    waiting.init_app(app)
    cross_origin.init_app(app)
    conditional.init_app(app)
    groups = (
        organization.blueprint,
        vessels.blueprint,
        vessels.statistics,
        calibrations.blueprint,
        telemetry.blueprint,
        ais.blueprint,
        noon_reports.blueprint,
        departures.blueprint,
        voyages.blueprint,
        areas.constraints,
        areas.client_data,
        route_orders.blueprint,
        weather.blueprint,
        places.ports,
        places.zones,
        keys.blueprint,
        organization.audit_log,
        users.blueprint,
        data.blueprint,
        webhooks.blueprint,
        event_stream.blueprint,
    )
    for group in groups:
        api.register_blueprint(group, url_prefix="/v1")
    links.describe_links(api.spec)
    app.register_blueprint(health.blueprint)
    app.register_blueprint(metrics.blueprint)
    app.register_blueprint(documentation.blueprint)
    app.register_blueprint(code_list.blueprint)
