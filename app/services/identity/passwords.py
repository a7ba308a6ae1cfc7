"""Password rules: minimum length and strength.

zxcvbn (Wheeler, USENIX Security 2016) estimates the strength from common passwords, names,
words, repeats and keyboard runs. NIST SP 800-63B-4, 3.1.1.2 requires a length and such a list
and forbids rules on kinds of characters.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from app.services.errors import Invalid

SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 1024

LENGTH: Final = f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters."
GUESSED: Final = (
    "This password is easily guessed{because}. Take four or more words that do not belong together,"
    " without your name and address, or let a password manager make one up."
)

#: "Safely unguessable": 10^8 guesses or more, on zxcvbn's scale of 0 to 4.
_LEAST_SCORE: Final = 3
#: Leading characters that zxcvbn examines; its time grows faster than the length.
_LOOKED_AT: Final = 72
#: Shortest part of a name that is compared; shorter ones occur in many words by chance.
_SHORTEST_WORD: Final = 3


def check(password: str, *own: str | None) -> None:
    """Raise :class:`Invalid` for an unacceptable password.

    ``own`` are the user's address and name, which attackers try first.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise Invalid.at("/password", LENGTH)
    words = _words(own)
    estimate = _estimate(password[:_LOOKED_AT], words)
    if estimate["score"] < _LEAST_SCORE:
        reason = estimate["feedback"]["warning"].rstrip(".")
        because = f": {reason[0].lower()}{reason[1:]}" if reason else ""
        raise Invalid.at("/password", GUESSED.format(because=because))
    rest = _without(password[:_LOOKED_AT], words)
    if rest != password[:_LOOKED_AT] and (not rest or _estimate(rest)["score"] < _LEAST_SCORE):
        because = ": it is little more than your name or address"
        raise Invalid.at("/password", GUESSED.format(because=because))


def _estimate(password: str, words: Iterable[str] = ()) -> dict[str, Any]:
    """Estimate the strength with zxcvbn, which has no type hints."""
    from zxcvbn import zxcvbn  # its lists of words take 12 MB, which workers do not need

    estimate: dict[str, Any] = zxcvbn(password, list(words))  # type: ignore[no-untyped-call]
    return estimate


def _words(own: Iterable[str | None]) -> list[str]:
    """An address and a name, whole and in parts, longest first."""
    given = [text.casefold() for text in own if text]
    parts = {part for text in (*given, "chartroom") for part in (text, *re.split(r"[\W_]+", text))}
    words = (part for part in parts if len(part) >= _SHORTEST_WORD)
    return sorted(words, key=lambda word: (-len(word), word))


def _without(password: str, words: Iterable[str]) -> str:
    """Return a password without the words that identify its user."""
    for word in words:
        password = re.sub(re.escape(word), "", password, flags=re.IGNORECASE)
    return password
