"""Write the software bill of materials of what users install, in CycloneDX 1.6: `make sbom`.

It names the Python packages of requirements.txt and requirements-data.txt, and the npm packages
from which static/vendor is filled. It holds no address of a package index and no path of this
machine, and a time only if SOURCE_DATE_EPOCH gives one: the same packages give the same file.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from cyclonedx.spdx import is_supported_id
from packageurl import PackageURL
from packaging.utils import canonicalize_name
from pip_requirements_parser import RequirementsFile
from setup_steps import ROOT, VAR, say

TARGET = VAR / "sbom" / "chartroom.cdx.json"
REQUIREMENTS = ("requirements.txt", "requirements-data.txt")
ALGORITHMS = {"sha512": "SHA-512"}  # as npm and CycloneDX spell them


def main() -> None:
    """Write the file."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(bill_of_materials(), indent=2) + "\n", encoding="utf-8")
    say(f"Wrote {TARGET.relative_to(ROOT)}")


def bill_of_materials() -> dict[str, Any]:
    """Return the bill of materials as JSON. Exits if other packages are installed than pinned."""
    bom = installed_packages()
    keep_pinned(bom, pinned_versions())
    add_npm_packages(bom, json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8")))
    for component in (*bom["components"], *bom["metadata"]["tools"]["components"]):
        component.pop("externalReferences", None)
    return bom


def installed_packages() -> dict[str, Any]:
    """Return what is installed in this Python, with licences and dependencies."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--sv=1.6"]
    command += ["--output-reproducible", "--no-validate"]  # a test validates the whole
    command += ["--pyproject=pyproject.toml", sys.executable]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(answer.stderr)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def pinned_versions() -> dict[str, str]:
    """Return the version of each Python package that users install, by its normalised name."""
    return {
        canonicalize_name(requirement.name): requirement.get_pinned_version
        for name in REQUIREMENTS
        for requirement in RequirementsFile.from_file(str(ROOT / name)).requirements
        if requirement.name
    }


def keep_pinned(bom: dict[str, Any], pins: Mapping[str, str]) -> None:
    """Remove packages that users do not install."""
    installed: dict[str, Any] = {
        canonicalize_name(each["name"]): each for each in bom["components"]
    }
    for name, pinned in pins.items():
        if name not in installed or installed[name]["version"] != pinned:
            sys.exit(f"{name} {pinned} is not installed here: `make test` installs what is pinned.")
    bom["components"] = [installed[name] for name in sorted(pins)]
    kept = {each["bom-ref"] for each in (bom["metadata"]["component"], *bom["components"])}
    bom["dependencies"] = [
        {"ref": each["ref"], "dependsOn": [ref for ref in each.get("dependsOn", ()) if ref in kept]}
        for each in bom["dependencies"]
        if each["ref"] in kept
    ]


def add_npm_packages(bom: dict[str, Any], lock: Mapping[str, Any]) -> None:
    """Add what `npm ci --omit=dev` installs: libraries, and packages that their bundles contain."""
    packages = {path: each for path, each in lock["packages"].items() if not each.get("dev")}
    root = bom["metadata"]["component"]["bom-ref"]
    for path, package in packages.items():
        used = [required(path, name, packages) for name in package.get("dependencies", ())]
        if path:
            bom["components"].append(npm_component(path, package))
            bom["dependencies"].append({"ref": path, "dependsOn": used})
        else:
            (own,) = (each for each in bom["dependencies"] if each["ref"] == root)
            own["dependsOn"] += used


def required(path: str, name: str, packages: Mapping[str, Any]) -> str:
    """Return the path of a package that the one at `path` requires: npm looks below it first."""
    nested = f"{path}/node_modules/{name}"
    return nested if nested in packages else f"node_modules/{name}"


def npm_component(path: str, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the component of a package of package-lock.json."""
    group, _, name = path.rpartition("node_modules/")[2].rpartition("/")
    algorithm, _, digest = package["integrity"].partition("-")
    licence = package["license"]
    return {
        "type": "library",
        "bom-ref": path,
        **({"group": group} if group else {}),
        "name": name,
        "version": package["version"],
        "purl": str(PackageURL("npm", group, name, package["version"])),
        "licenses": [{"license": {"id" if is_supported_id(licence) else "name": licence}}],
        "hashes": [{"alg": ALGORITHMS[algorithm], "content": base64.b64decode(digest).hex()}],
    }


if __name__ == "__main__":
    main()
