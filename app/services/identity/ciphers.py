"""Encryption of secrets that must be read again, and digests of those that need not.

The key of encryption is derived from ``SECRET_KEY``.
"""

import base64
import hashlib
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from app.extensions import chartroom
from app.services.errors import Unavailable

#: Separates this use of the key from others (RFC 5869, 3.2).
_PURPOSE: Final = b"chartroom: secrets of second factors, version 1"


def encipher(secret: str) -> bytes:
    """Encrypt a text (Fernet: AES-128-CBC with HMAC-SHA-256)."""
    return _cipher().encrypt(secret.encode())


def decipher(enciphered: bytes) -> str:
    """Decrypt a text; raises :class:`Unavailable` if ``SECRET_KEY`` has changed since."""
    try:
        return _cipher().decrypt(enciphered).decode()
    except InvalidToken:
        raise Unavailable(
            "The authenticator cannot be checked any more. Use a recovery code, or ask an admin to"
            " remove the second factor."
        ) from None


def digest(secret: str) -> bytes:
    """SHA-256 of a secret that is only compared; its random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def _cipher() -> Fernet:
    master = (chartroom().settings.secret_key or "").encode()
    derived = HKDF(SHA256(), length=32, salt=None, info=_PURPOSE).derive(master)
    return Fernet(base64.urlsafe_b64encode(derived))
