"""The operator's commands and the other uses of ``wsgi``."""

import sys

import click
import pytest

from app import cli


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--app", "wsgi", "orgs", "list"], True),
        (["--app", "wsgi", "migrate"], True),
        (["--app", "wsgi", "run"], False),
        (["--app", "wsgi", "routes"], False),
    ],
)
def test_flask_invokes_a_command_of_the_operator_if_one_is_named(monkeypatch, arguments, expected):
    monkeypatch.setattr(sys, "argv", ["flask", *arguments])
    with click.Context(click.Command("flask")):
        assert cli.is_invoked() is expected


def test_a_web_server_invokes_no_command_whatever_its_arguments(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gunicorn", "--chdir", "data", "wsgi:app"])
    assert not cli.is_invoked()
