"""Installed packages are pinned, and nothing points outside this repository."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[a-z0-9,]+\])?==(?P<version>[^\s;]+)")
HASHED = r"^(\S+?)(?:\[[a-z0-9,]+\])?==\S+ \\\n +--hash=sha256:[0-9a-f]{64}"
REQUIREMENTS = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-data.txt",
    "requirements-moto.txt",
    "requirements-s3.txt",
    "requirements-tracing.txt",
)
# put together, so that this file doesn't find itself
REGISTRIES = ("pypi" + ".org", "pythonhosted" + ".org", "registry." + "npmjs", "yarnpkg" + ".com")
MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|work|Users)/\w")
CDN = re.compile(r"unpkg\.com|jsdelivr|cdnjs|googleapis\.com|gstatic\.com|\bcdn\.", re.IGNORECASE)
LOADS = re.compile(
    r"""<(script|link|img|iframe)\b[^>]*(src|href)=["']?(https?:)?//"""
    r"""|url\(["']?(https?:)?//|@import\s+["'](https?:)?//|(fetch|import)\(\s*["'`](https?:)?//""",
    re.IGNORECASE,
)


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = (ROOT / name.decode() for name in listed.stdout.split(b"\0") if name)
    return [path for path in paths if path.is_file()]


def read_texts() -> dict[str, str]:
    texts = {}
    for path in tracked_files():
        try:
            texts[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return texts


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return read_texts()


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    found = {}
    for line in lines:
        if line.strip() and not line.lstrip().startswith(("#", "--hash=")):
            pin = PIN.match(line)
            assert pin, f"{name}: not an exact pin: {line}"
            found[pin["name"].lower().replace("_", "-")] = pin["version"]
    return found


def declared() -> dict[str, dict[str, str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {"run": project["dependencies"], **project["optional-dependencies"]}
    return {
        group: {pin["name"]: pin["version"] for pin in map(PIN.match, lines) if pin}
        for group, lines in groups.items()
    }


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_is_pinned_to_one_version(name):
    assert pins(name)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-data.txt"])
def test_what_users_install_is_known_by_its_contents(name):
    text = (ROOT / name).read_text()
    hashed = re.findall(
        r"^(\S+?)(?:\[[a-z0-9,]+\])?==\S+ \\\n +--hash=sha256:[0-9a-f]{64}", text, re.M
    )
    assert [each.lower().replace("_", "-") for each in hashed] == list(pins(name))


def test_the_pinned_lists_are_those_of_the_project_file():
    groups = declared()
    running, developing = pins("requirements.txt"), pins("requirements-dev.txt")
    assert groups["run"].items() <= running.items()
    assert groups["dev"].items() <= developing.items()
    for extra in ("s3", "tracing"):
        with_extra = pins(f"requirements-{extra}.txt")
        assert groups[extra].items() <= with_extra.items()
        assert running.items() <= with_extra.items() <= developing.items(), (
            "tests must run what users run"
        )
    assert pins("requirements-moto.in").items() <= pins("requirements-moto.txt").items()


def test_the_front_end_lock_is_that_of_package_json():
    asked = json.loads((ROOT / "package.json").read_text())
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for group in ("dependencies", "devDependencies"):
        for package, version in asked[group].items():
            assert locked[f"node_modules/{package}"]["version"] == version
    assert all("integrity" in entry for path, entry in locked.items() if path)


def test_every_direct_dependency_is_accounted_for():
    documented = (ROOT / "docs" / "dependencies.md").read_text()
    asked = json.loads((ROOT / "package.json").read_text())
    names = [
        *(name for group in declared().values() for name in group),
        *pins("requirements-data.txt"),
        *pins("requirements-moto.in"),
    ]
    names += [*asked["dependencies"], *asked["devDependencies"]]
    words = set(re.findall(r"[\w@/.-]+", documented))
    assert [name for name in names if name not in words] == []


def test_no_file_names_a_package_registry(texts):
    hits = [name for name, text in texts.items() if any(host in text for host in REGISTRIES)]
    assert hits == []
    assert "resolved" not in texts["package-lock.json"]


def test_no_file_names_a_path_of_one_machine(texts):
    hits = [
        f"{name}: {hit[0]}" for name, text in texts.items() if (hit := MACHINE_PATH.search(text))
    ]
    assert hits == []


def test_pages_load_nothing_from_another_host(texts):
    shown = {
        name: text
        for name, text in texts.items()
        if name.startswith(("app/", "frontend_templates/", "static/"))
    }
    hits = [name for name, text in shown.items() if LOADS.search(text) or CDN.search(text)]
    assert hits == []


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://a.example/x.js">',
        "<link rel=stylesheet href=//a.example/x.css>",
        "background: url('https://a.example/x.png')",
        "import('https://a.example/x.js')",
    ],
)
def test_a_load_from_another_host_would_be_seen(text):
    assert LOADS.search(text)


def test_a_link_that_a_reader_may_follow_is_no_load():
    assert not LOADS.search('<a href="https://www.imo.org/">IMO</a>')


def test_nothing_large_is_kept_in_git():
    large = [str(path) for path in tracked_files() if path.stat().st_size > 1_000_000]
    assert large == []


def test_every_make_target_is_phony_and_helped():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    helped = set(re.findall(r"^([a-z]+):.*## \S", makefile, re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert targets == helped == phony


def test_readme_names_only_make_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"`make ([a-z]+)", (ROOT / name).read_text()))
        assert named
        assert named <= targets
