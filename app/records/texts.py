"""Characters allowed in texts, and codes in words."""

import re
import unicodedata
from typing import Final

#: Control characters that are allowed in texts of several lines.
LINE_CONTROLS: Final = "\n\r\t"

#: Pattern of the accents that Unicode takes off letters, and letters that keep theirs.
ACCENTS: Final = "[\u0300-\u036f]"
UNACCENTED: Final = ("øłđðı", "olddi")

#: Embeddings, overrides and isolates of the direction of writing.
_TURNS_WRITING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

#: Error of a text that :func:`is_storable` rejects.
UNSTORABLE: Final = "The text has a character that cannot be stored."


def in_words(code: str) -> str:
    """Return a code as words: under way for UNDER_WAY."""
    return code.replace("_", " ").lower()


def is_storable(text: str) -> bool:
    """Return whether PostgreSQL can store a text: it has no NUL and no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def is_control(sign: str) -> bool:
    """Return whether a character controls the output instead of being shown.

    Control characters (Unicode category Cc), line and paragraph separators, and the
    marks that turn the direction of writing (Unicode Standard Annex 9).
    """
    return unicodedata.category(sign) in ("Cc", "Zl", "Zp") or sign in _TURNS_WRITING


def find_text_fault(text: str, allowed_controls: str = "") -> str | None:
    """Find an error of a text; ``None`` if there is none."""
    if not is_storable(text):
        return UNSTORABLE
    for sign in text:
        if is_control(sign) and sign not in allowed_controls:
            return f"Must not hold the control character U+{ord(sign):04X}."
    if text and not text.strip():
        return "Must hold more than white space."
    return None


def fold(text: str) -> str:
    """Return a text in small letters without accents, as people type names.

    :func:`app.services.chartings.charting_statements.fold_column` does the same in the database.
    """
    bare = re.sub(ACCENTS, "", unicodedata.normalize("NFD", text)).lower()
    return bare.translate(str.maketrans(*UNACCENTED))


def drop_faulty(text: str, allowed_controls: str = "") -> str:
    """Remove the characters that are not allowed in a text."""
    return "".join(
        sign
        for sign in text
        if is_storable(sign) and (sign in allowed_controls or not is_control(sign))
    ).strip()
