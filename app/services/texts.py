"""Which characters a text may hold."""

import unicodedata
from typing import Final

#: Embeddings, overrides and isolates of the direction of writing.
_TURNS_WRITING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can keep a text: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def is_control(sign: str) -> bool:
    """Whether a character steers the output instead of being shown.

    Control characters (Unicode category Cc), line and paragraph separators, and the
    marks that turn the direction of writing (Unicode Standard Annex 9).
    """
    return unicodedata.category(sign) in ("Cc", "Zl", "Zp") or sign in _TURNS_WRITING
