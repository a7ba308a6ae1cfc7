"""Files that the browser is given: they exist, parse, and name only colours that there are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "static"
TEMPLATES = sorted((ROOT / "frontend_templates").rglob("*.html"))
SHEETS = sorted((STATIC / "css").glob("*.css"))
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))


def test_templates_name_only_static_files_that_exist() -> None:
    named = {
        name
        for template in TEMPLATES
        for name in re.findall(r"filename='([^'%]+)'", template.read_text())
        if not name.startswith("vendor/")
    }
    assert named
    assert [name for name in sorted(named) if not (STATIC / name).is_file()] == []


def test_templates_name_only_icons_that_exist() -> None:
    drawn = set(re.findall(r'<symbol id="([^"]+)"', (STATIC / "img" / "icons.svg").read_text()))
    used = {
        name
        for source in (*TEMPLATES, *SCRIPTS)
        for name in re.findall(r"""\bicon\(["']([a-z]+)["']\)""", source.read_text())
    }
    assert used
    assert used <= drawn


def test_sheets_and_scripts_use_only_properties_that_are_set() -> None:
    sources = "\n".join(path.read_text() for path in (*SHEETS, *SCRIPTS))
    declared = set(re.findall(r"(--[a-z0-9-]+):", sources))
    set_by_script = set(re.findall(r'setProperty\("(--[a-z0-9-]+)"', sources))
    used = set(re.findall(r"var\((--[a-z0-9-]+)", sources))
    used |= {f"--{name}" for name in re.findall(r"""\btoken\(["']([a-z0-9-]+)["']\)""", sources)}
    assert used - declared - set_by_script == set()


@pytest.mark.parametrize("path", [*SHEETS, *SCRIPTS, *TEMPLATES], ids=lambda path: path.name)
def test_no_file_reaches_for_another_host(path: Path) -> None:
    text = path.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|[\"'(]//[a-z]", text)


def test_scripts_import_only_what_is_there() -> None:
    for script in SCRIPTS:
        for name in re.findall(r'^import .* from "([^"]+)"', script.read_text(), re.M):
            assert name == "uplot" or (script.parent / name).resolve().is_file(), (script, name)


PARSE = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
for (const path of process.argv.slice(1)) new SourceTextModule(readFileSync(path, "utf8"));
"""


def test_scripts_parse() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node is installed")
    options = ["--no-warnings", "--experimental-vm-modules", "--input-type=module", "-e", PARSE]
    result = subprocess.run(
        [node, *options, *map(str, SCRIPTS)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
