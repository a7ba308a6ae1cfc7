"""Does once, before web processes fork, what the first reader of a page would wait for."""

from flask import Flask

from app.pages.charts.route_map import lay_out_chart, render, show_all
from app.services.upkeep.warm_up import warm_up_reading


def warm_up(app: Flask) -> None:
    """Compile the templates, folium's too, and load what a plan is read with.

    No connection is made: processes that fork from this one must not share any.
    """
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
    chart = lay_out_chart()
    show_all(chart, [(0.0, 0.0), (1.0, 1.0)])
    render(chart)
    with app.app_context():
        warm_up_reading()
