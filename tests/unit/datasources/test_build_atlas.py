"""The sea atlas is built anew where code that determines its contents has changed."""

import grimp

from app.datasources import build_atlas


def test_every_module_of_the_sea_that_building_uses_is_an_input_of_the_atlas() -> None:
    imports = grimp.build_graph("app")
    used = imports.find_upstream_modules("app.engine.sea.build")
    of_the_sea = {name for name in used if name.startswith("app.engine.sea.")}
    packages = {name for name in of_the_sea if imports.find_children(name)}
    inputs = {f"app.{name.replace('/', '.')}" for name in build_atlas.BUILDERS}
    assert of_the_sea - packages <= inputs
