"""Preparation before web processes fork, so that the first request is fast."""

from flask import Flask

from app.pages.charts.route_map import lay_out_chart, render, show_all
from app.services.upkeep.warm_up import warm_up_reading


def warm_up(app: Flask) -> None:
    """Compile the templates, including folium's, and load the data for reading plans.

    No connection is opened, because forked processes must not share one.
    """
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
    chart = lay_out_chart()
    show_all(chart, [(0.0, 0.0), (1.0, 1.0)])
    render(chart)
    with app.app_context():
        warm_up_reading()
