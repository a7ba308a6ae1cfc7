"""Preparation of web processes before they fork."""

from typing import Any

import pytest

from app import create_app
from app.config import Settings
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import seaway_risks
from app.engine.vessel.kernels import voluntary_speed_kn
from app.pages.web.warm_up import warm_up

NOWHERE = Settings(
    database_url="postgresql://nobody@localhost:1/none", redis_url="redis://localhost:1/0"
)


@pytest.mark.atlas
def test_kernels_that_find_water_for_a_port_are_loaded_before_the_first_request(
    sea: SeaAtlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[Any] = []
    monkeypatch.setattr(SeaAtlas, "find_water", lambda _atlas, *asked: searched.append(asked))
    monkeypatch.setattr("app.services.sea.sea.open_atlas", lambda: sea)
    warm_up(create_app(NOWHERE))
    assert len(searched) == 1


def test_templates_and_kernels_are_loaded_without_a_connection() -> None:
    app = create_app(NOWHERE)
    warm_up(app)
    compiled = {name for _, name in app.jinja_env.cache or ()}
    assert compiled == set(app.jinja_env.list_templates())
    assert seaway_risks.signatures
    assert voluntary_speed_kn.signatures
