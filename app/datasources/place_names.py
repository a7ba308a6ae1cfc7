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
