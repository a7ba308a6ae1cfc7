import json

import pytest
import vendor
from setup_steps import ROOT


@pytest.fixture
def modules(tmp_path):
    for package, patterns in vendor.LIBRARIES.values():
        for pattern in patterns:
            path = tmp_path / "node_modules" / package / pattern.replace("*", "one.png")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(package)
    return tmp_path / "node_modules"


def test_files_lie_flat_under_their_library(modules, tmp_path):
    target = tmp_path / "vendor"
    vendor.fill(modules, target)
    assert (target / "leaflet" / "leaflet.js").read_text() == "leaflet"
    assert (target / "leaflet" / "images" / "one.png").exists()


def test_what_is_no_longer_used_goes(modules, tmp_path):
    target = tmp_path / "vendor"
    (target / "jquery").mkdir(parents=True)
    vendor.fill(modules, target)
    assert {path.name for path in target.iterdir()} == set(vendor.LIBRARIES)


def test_a_file_that_a_package_lacks_is_named_and_the_old_folder_stays(modules, tmp_path):
    target = tmp_path / "vendor"
    vendor.fill(modules, target)
    (modules / "uplot" / "LICENSE").unlink()
    with pytest.raises(FileNotFoundError, match="uplot has no LICENSE"):
        vendor.fill(modules, target)
    assert (target / "uplot" / "LICENSE").exists()


def test_every_library_is_asked_for_in_package_json():
    asked = json.loads((ROOT / "package.json").read_text())["dependencies"]
    assert {package for package, _ in vendor.LIBRARIES.values()} == set(asked)
