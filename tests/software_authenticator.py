"""An authenticator in software: makes passkeys and signs with them, as a browser answers."""

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, encode_cbor

USER_PRESENT, USER_VERIFIED, HAS_CREDENTIAL = 0x01, 0x04, 0x40


@dataclass
class SoftwareAuthenticator:
    """A security key with one passkey, used by a browser at ``origin``."""

    origin: str = "http://localhost"
    verifies_user: bool = True
    sign_count: int = 0
    rp_id: str = ""
    user_handle: bytes = b""
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    private_key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    #: The attestation, and members of the public key that are not its own.
    format: str = "none"
    statement: dict[str, Any] = field(default_factory=dict)
    key_members: dict[int, Any] = field(default_factory=dict)

    def create(self, options: dict[str, Any]) -> str:
        """Make the passkey, as ``navigator.credentials.create`` does."""
        self.rp_id = options["rp"]["id"]
        self.user_handle = base64url_to_bytes(options["user"]["id"])
        attested = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id
        data = self._data(HAS_CREDENTIAL) + attested + self._public_key()
        attestation = {"fmt": self.format, "attStmt": self.statement, "authData": data}
        return self._answer(
            clientDataJSON=self._client_data("webauthn.create", options["challenge"]),
            attestationObject=encode_cbor(attestation),
        )

    def get(self, options: dict[str, Any]) -> str:
        """Sign with the passkey, as ``navigator.credentials.get`` does."""
        self.sign_count += 1
        data = self._data(0)
        client = self._client_data("webauthn.get", options["challenge"])
        signed = data + hashlib.sha256(client).digest()
        return self._answer(
            clientDataJSON=client,
            authenticatorData=data,
            signature=self.private_key.sign(signed, ec.ECDSA(SHA256())),
            userHandle=self.user_handle,
        )

    def _data(self, flags: int) -> bytes:
        rp_id = self.rp_id or urlsplit(self.origin).hostname or ""
        flags |= USER_PRESENT | (USER_VERIFIED if self.verifies_user else 0)
        return (
            hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + self.sign_count.to_bytes(4)
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        said = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _public_key(self) -> bytes:
        """The public key in COSE (RFC 9053): EC2, ES256, P-256."""
        point = self.private_key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32), -3: point.y.to_bytes(32)}
        return encode_cbor(key | self.key_members)

    def _answer(self, **response: bytes) -> str:
        id_ = bytes_to_base64url(self.credential_id)
        encoded: dict[str, Any] = {k: bytes_to_base64url(v) for k, v in response.items()}
        if "attestationObject" in encoded:
            encoded["transports"] = ["usb"]
        return json.dumps({"id": id_, "rawId": id_, "type": "public-key", "response": encoded})
