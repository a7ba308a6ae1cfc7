"""Readers of settings in the environment, which say what is wrong with one and what is right."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import click

from app.network_addresses import read_network

#: Least length of a secret [characters].
SHORTEST_SECRET = 32

#: The address of a site, which others continue with a path.
_SITE = re.compile(r"https?://[^/?#\s][^?#\s]*")

#: Words for a switch.
_SWITCH = {"1": True, "true": True, "on": True, "yes": True,
           "0": False, "false": False, "off": False, "no": False}  # fmt: skip


class SettingMissing(click.ClickException):
    """A required setting is not set, so the service cannot start."""


class SettingInvalid(click.ClickException):
    """A setting has an invalid value."""


@contextmanager
def exit_if_misconfigured() -> Iterator[None]:
    """End a process in which a setting is missing or invalid with one line that says so."""
    try:
        yield
    except click.ClickException as fault:
        sys.exit(f"chartroom: {fault.message}")


def read_required(environ: Mapping[str, str], name: str) -> str:
    """Read a setting; raises :class:`SettingMissing` if it is not set."""
    value = environ.get(name)
    if not value:
        raise SettingMissing(
            f"{name} is not set; with `make run` use scripts/command.py, which sets it"
        )
    return value


def read_number(environ: Mapping[str, str], name: str, most: int = 10**9) -> int | None:
    """Read a whole number from 1 to ``most``; raises :class:`SettingInvalid`."""
    value = environ.get(name)
    if not value:
        return None
    if not value.isdecimal() or not 1 <= int(value) <= most:
        raise SettingInvalid(f"{name}={value} is not a whole number from 1 to {most:,}")
    return int(value)


def read_switch(environ: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Read a switch; raises :class:`SettingInvalid` unless it is one of the usual words."""
    value = environ.get(name)
    if not value:
        return default
    if value.lower() not in _SWITCH:
        raise SettingInvalid(f"{name}={value} is neither 1 nor 0")
    return _SWITCH[value.lower()]


def read_choice(
    environ: Mapping[str, str], name: str, default: str, known: Iterable[str]
) -> str | None:
    """Read one of ``known`` names, the default or ``none``; raises :class:`SettingInvalid`."""
    value = environ.get(name) or default
    allowed = dict.fromkeys([default, *known, "none"])
    if value not in allowed:
        raise SettingInvalid(f"{name}={value} is not one of: {', '.join(allowed)}")
    return None if value == "none" else value


def read_secret(environ: Mapping[str, str], name: str, danger: str) -> str | None:
    """Read a secret, which no message repeats; raises :class:`SettingInvalid` if it is short."""
    value = environ.get(name) or None
    if value is not None and len(value) < SHORTEST_SECRET:
        raise SettingInvalid(
            f"{name} has {len(value)} characters; set it to a random text of"
            f" {SHORTEST_SECRET} or more: {danger}"
        )
    return value


def read_site(environ: Mapping[str, str], name: str) -> str | None:
    """Read the address of a site; raises :class:`SettingInvalid`."""
    value = environ.get(name) or None
    if value is not None and not _SITE.fullmatch(value):
        raise SettingInvalid(f"{name}={value} is not like https://chartroom.example")
    return value


def read_networks(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Read networks, or ``unix``; raises :class:`SettingInvalid`."""
    words = tuple(environ.get(name, "").replace(",", " ").split())
    for word in words:
        try:
            word == "unix" or read_network(word)
        except ValueError as error:
            raise SettingInvalid(f"{name}: {word} is not a network, such as 10.0.0.0/8") from error
    return words
