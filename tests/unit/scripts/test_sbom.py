import json
import re

import pytest
import sbom
import vendor
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import canonicalize_name
from setup_steps import ROOT

PIN = re.compile(r"^([\w.-]+)(?:\[[\w,]+\])?==([^\s;]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def bill():
    return sbom.bill_of_materials()


def by_purl(bill):
    return {component["purl"].partition("?")[0]: component for component in bill["components"]}


def test_the_bill_of_materials_is_valid_cyclonedx(bill):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-data.txt"])
def test_it_names_every_pinned_python_package_with_its_version(bill, name):
    pinned = PIN.findall((ROOT / name).read_text())
    assert pinned
    found = by_purl(bill)
    for package, version in pinned:
        assert f"pkg:pypi/{canonicalize_name(package)}@{version}" in found


def test_it_names_no_package_of_the_tests(bill):
    names = {component["name"] for component in bill["components"]}
    assert not names & {"pytest", "cyclonedx-bom", "axe-core", "typescript"}


def test_it_names_every_library_of_the_pages_with_version_and_digest(bill):
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    found = by_purl(bill)
    for package, _ in vendor.LIBRARIES.values():
        version = locked[f"node_modules/{package}"]["version"]
        component = found[f"pkg:npm/{package.replace('@', '%40')}@{version}"]
        assert component["hashes"][0]["alg"] == "SHA-512"
        assert len(component["hashes"][0]["content"]) == 128


def test_every_dependency_is_a_component_and_the_service_reaches_the_database_driver(bill):
    refs = {component["bom-ref"] for component in bill["components"]}
    dependencies = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    assert refs == dependencies.keys() - {"root-component"}
    assert {ref for used in dependencies.values() for ref in used} <= refs
    own = dependencies["root-component"]
    assert any(ref.startswith("psycopg==") for ref in own)
    assert "node_modules/leaflet" in own


def test_a_package_below_another_is_found_before_the_common_one():
    packages = {"node_modules/a": {}, "node_modules/b": {}, "node_modules/a/node_modules/b": {}}
    assert sbom.required("node_modules/a", "b", packages) == "node_modules/a/node_modules/b"
    assert sbom.required("node_modules/b", "a", packages) == "node_modules/a"


def test_nothing_in_it_depends_on_the_machine_or_the_time(bill):
    text = json.dumps(bill)
    assert "timestamp" not in bill["metadata"]
    assert "serialNumber" not in bill
    assert str(ROOT) not in text
    assert "://" not in text.replace(bill["$schema"], "")


def test_another_version_than_the_pinned_one_is_refused():
    bom = {"components": [{"name": "Flask", "version": "3.0.0"}]}
    with pytest.raises(SystemExit, match=r"flask 3\.1\.3 is not installed here"):
        sbom.keep_pinned(bom, {"flask": "3.1.3"})
