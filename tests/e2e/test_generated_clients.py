"""Clients generated from the committed API description, run against the service."""

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.service import ROOT, Service

DESCRIPTION = ROOT / "docs" / "api" / "openapi.json"
CLIENTS = ROOT / "tests" / "e2e" / "clients"
NODE_MODULES = ROOT / "node_modules"
STRICT = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    """Run a program, check that it succeeds, and return its output."""
    ended = subprocess.run(
        list(map(str, command)), cwd=folder, env=os.environ | variables,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_a_client_in_python_goes_through_the_tutorial(service: Service, tmp_path: Path) -> None:
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    run(
        "openapi-python-client", "generate", "--path", DESCRIPTION, "--meta", "none",
        "--config", CLIENTS / "generator.yml", "--output-path", tmp_path / "chartroom_client",
        folder=tmp_path, PATH=programs,
    )  # fmt: skip
    tutorial = (sys.executable, CLIENTS / "tutorial.py", service.address, service.key)
    assert run(*tutorial, folder=tmp_path, PYTHONPATH=str(tmp_path)).endswith("done\n")
    classes = [file.stem for file in (tmp_path / "chartroom_client" / "models").iterdir()]
    assert [name for name in classes if "type_1_type_" in name] == []


def test_a_client_in_strict_typescript_goes_through_the_tutorial(
    service: Service, tmp_path: Path
) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "tutorial.ts").write_text((CLIENTS / "tutorial.ts").read_text())
    tools = NODE_MODULES / ".bin"
    run(tools / "openapi-typescript", DESCRIPTION, "--output", "api.ts", folder=tmp_path)
    run(
        tools / "tsc", *STRICT, "--target", "es2022", "--module", "nodenext", "--lib",
        "es2022,dom", "--typeRoots", "none", "tutorial.ts", folder=tmp_path,
    )  # fmt: skip
    said = run("node", "tutorial.js", service.address, service.key, folder=tmp_path)
    assert said == "done\n"
