"""Normalisation of place names: case, accents, spaces and spelling variants."""

import re
import unicodedata
from typing import Final

#: Letters that Unicode does not decompose, as people type them.
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ə": "e"}
)

#: One letter written as two: Goeteborg for Göteborg, Aarhus for Århus.
_DIGRAPHS: Final = re.compile("(?<=[aou])e|(?<=a)a")

#: Abbreviations of words in names.
_ABBREVIATIONS: Final = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}

_APOSTROPHES: Final = re.compile("['’ʻʼ‘`´]")


def fold(name: str) -> str:
    """Return the words of a name without case, accents, apostrophes and doubled vowels."""
    letters = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN_LETTERS))
    unaccented = "".join(letter for letter in letters if not unicodedata.combining(letter))
    words = re.findall(r"[^\W_]+", _APOSTROPHES.sub("", unaccented))
    return " ".join(_DIGRAPHS.sub("", word) for word in words)


def expand(folded: str) -> str:
    """Write out the abbreviated words of a folded name: ``st petersburg``, ``saint petersburg``."""
    return " ".join(_ABBREVIATIONS.get(word, word) for word in folded.split())


def squash(folded: str) -> str:
    """Return a folded name without its spaces: ``kao hsiung`` is ``kaohsiung``."""
    return folded.replace(" ", "")


def is_one_letter_off(name: str, other: str) -> bool:
    """Return whether two names differ by one letter, or by two that are exchanged."""
    if abs(len(name) - len(other)) > 1:
        return False
    pairs = enumerate(zip(name, other, strict=False))
    at = next((i for i, (one, two) in pairs if one != two), min(len(name), len(other)))
    rest, other_rest = name[at:], other[at:]
    is_exchange = rest[:2] == other_rest[:2][::-1] and rest[2:] == other_rest[2:]
    return is_exchange or other_rest[1:] in (rest, rest[1:]) or rest[1:] == other_rest
