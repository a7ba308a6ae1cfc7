"""Preparation of web processes before they fork."""

from app import create_app
from app.config import Settings
from app.engine.vessel import seaway_risks
from app.engine.vessel.kernels import voluntary_speed_kn
from app.pages.web.warm_up import warm_up


def test_templates_and_kernels_are_loaded_without_a_connection() -> None:
    nowhere = Settings(
        database_url="postgresql://nobody@localhost:1/none", redis_url="redis://localhost:1/0"
    )
    app = create_app(nowhere)
    warm_up(app)
    compiled = {name for _, name in app.jinja_env.cache or ()}
    assert compiled == set(app.jinja_env.list_templates())
    assert seaway_risks.signatures
    assert voluntary_speed_kn.signatures
