"""Server-rendered pages, on the same services as the API.

Pages keep a signed session in a cookie and take no keys; the API takes keys and
no cookie, so neither can be reached through the other.
"""

from flask import Flask

from app.pages.blueprint import pages
from app.pages.presenters import filters
from app.pages.views import (
    account,
    addresses,
    admin,
    admin_audit,
    admin_data,
    admin_keys,
    admin_organization,
    admin_users,
    basemap,
    chart_place,
    chart_weather,
    constraints,
    departures,
    events,
    fleet,
    fuel_front,
    home,
    noon_reports,
    openid,
    passage_plan,
    passwords,
    ports,
    reviews,
    route,
    route_check,
    route_editor,
    route_files,
    second_factor,
    sign_in,
    vessel_form,
    vessel_records,
    voyages,
    voyages_under_way,
)
from app.pages.web import access, compression, errors, security, static_files, weather_badge

__all__ = ["init_app"]

# importing a module of views adds its routes to the blueprint
_VIEWS = (
    account,
    addresses,
    admin,
    admin_audit,
    admin_data,
    admin_keys,
    admin_organization,
    admin_users,
    weather_badge,
    basemap,
    chart_place,
    chart_weather,
    constraints,
    departures,
    events,
    fleet,
    fuel_front,
    home,
    openid,
    passage_plan,
    noon_reports,
    passwords,
    ports,
    reviews,
    route,
    route_check,
    route_editor,
    route_files,
    second_factor,
    sign_in,
    vessel_form,
    vessel_records,
    voyages,
    voyages_under_way,
)


def init_app(app: Flask) -> None:
    """Add the pages to the application."""
    # first, so that it runs last after a request and packs what is really sent
    compression.init_app(app)
    static_files.init_app(app)
    security.init_app(app)
    access.init_app(app)
    openid.init_app(app)
    filters.init_app(app)
    app.register_blueprint(pages)
    # last, so that it runs first after a request and the policy covers its pages too
    errors.init_app(app)
