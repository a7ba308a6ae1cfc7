"""Decoding of text files, which state no encoding."""

import codecs


def decode_text(content: bytes) -> tuple[str, str]:
    """Return a file's text and its encoding; Windows-1252 is what Excel writes without a mark."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace"), "UTF-16"
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "Windows-1252"
