"""Texts that people read use the words of the field, none of the project's own."""

import ast
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "frontend_templates"
SCRIPTS = ROOT / "static" / "js"
PROGRAM = ROOT / "app"

#: Labels that were replaced by the terms of maritime software.
REPLACED_LABELS = (
    "Order a route",
    "Order again",
    "Order with this arrival",
    "Fewest miles in ECAs",
    "Why this way",
    "What it was planned on",
    "Waves to",
    "Wind to",
    "Under keel",
    "Forecast for",
    "Another way",
    "Shortest way",
    "All her time",
    "Who she is",
    "What follows",
    "Ask for less above",
    "Constraint is back",
    "no ship's yet",
    "There is nothing here",
    "Finding the ways",
)
#: Words that say nothing to a navigator here; "under way" is the field's own.
BANNED = re.compile(
    r"\b(?:tell|tells|told|beside|amid|haste|her|hers)\b|(?<!under )\bways?\b|\bto \S+ signs\b",
    re.IGNORECASE,
)
#: Attributes of elements that are shown or read out.
_SHOWN = ("alt", "aria-label", "placeholder", "title", "data-confirm", "data-confirm-title")
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`")
_JS_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)


class _Reader(HTMLParser):
    """Gathers the texts of a template: text nodes and shown attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        self.texts += [value for name, value in attrs if name in _SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)


def _template_texts(source: str) -> Iterator[str]:
    """Texts between tags, shown attributes, and strings inside Jinja's own marks."""
    reader = _Reader()
    reader.feed(_JINJA.sub("", source))
    yield from reader.texts
    for mark in _JINJA.findall(source):
        if not mark.startswith("{#"):
            yield from _strings(mark)


def _strings(source: str) -> Iterator[str]:
    for groups in _QUOTED.findall(source):
        yield from filter(None, groups)


def _python_texts(source: str) -> Iterator[str]:
    """String literals of a module that read as a message; docstrings are not among them."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings and " " in node.value:
            yield node.value


def _operation_texts(source: str) -> Iterator[str]:
    """Docstrings that the API's description or the command line shows."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            yield ast.get_docstring(node) or ""


def _visible() -> Iterator[tuple[Path, str]]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield from ((path, text) for text in _template_texts(path.read_text()))
    for path in sorted(SCRIPTS.rglob("*.js")):
        source = _JS_COMMENT.sub("", path.read_text())
        yield from ((path, text) for text in _strings(source) if " " in text)
    for path in sorted(PROGRAM.rglob("*.py")):
        if PROGRAM / "engine" in path.parents:
            continue
        yield from ((path, text) for text in _python_texts(path.read_text()))
        if path.parent == PROGRAM / "api" or path.name.startswith("cli"):
            yield from ((path, text) for text in _operation_texts(path.read_text()))


@pytest.fixture(scope="module")
def visible() -> list[tuple[Path, str]]:
    return list(_visible())


def test_texts_of_all_kinds_are_read(visible: list[tuple[Path, str]]) -> None:
    texts = {text.strip() for _, text in visible}
    assert {"Plan route", "Max wave height", "Planning started.", "Page not found"} <= texts


def test_no_replaced_label_is_shown(visible: list[tuple[Path, str]]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {label}"
        for path, text in visible
        for label in REPLACED_LABELS
        if re.search(rf"\b{label}\b", text, re.IGNORECASE)
    ]
    assert found == []


def test_no_banned_word_is_shown(visible: list[tuple[Path, str]]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: “{match[0]}” in {' '.join(text.split())!r}"
        for path, text in visible
        for match in BANNED.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("shown", "is_banned"),
    [
        ("The shortest way", True),
        ("Time under way", False),
        ("up to 200 signs", True),
        ("Fuel with her auxiliaries", True),
        ("The route beside it", True),
        ("Highway of the sea, there, teller", False),
    ],
)
def test_the_pattern_finds_words_and_no_parts_of_words(shown: str, is_banned: bool) -> None:
    assert bool(BANNED.search(shown)) is is_banned


def _docstrings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


def test_no_docstring_of_the_program_begins_with_a_question_word() -> None:
    question = re.compile(r"(?:What|Whether|How|Where|Who|When|Why)\b")
    found = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in sorted(PROGRAM.rglob("*.py"))
        for text in _docstrings(path.read_text())
        if question.match(text)
    ]
    assert found == []


def test_no_description_of_a_field_begins_with_a_question_word() -> None:
    """A description of a flag may begin with “Whether”."""
    document = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    question = re.compile(r"(?:What|How|Where|Who|Whose|When|Why|It)\b")
    found = [
        f"{name}.{key}: {field['description']}"
        for name, schema in document["components"]["schemas"].items()
        for key, field in schema.get("properties", {}).items()
        if question.match(field.get("description", ""))
    ]
    assert found == []
