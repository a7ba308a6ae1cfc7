"""A small OpenID provider for tests, with Authlib's server side: real codes and signatures.

It requires PKCE (S256) and a nonce, and signs in the person whose claims are in ``person``.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, Response, jsonify
from joserfc.jwk import KeySet, RSAKey
from werkzeug.serving import make_server

CLIENT_ID, CLIENT_SECRET = "chartroom", "a secret between two"


class Client(ClientMixin):
    """Chartroom as a client of the provider."""

    client_id = CLIENT_ID

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri.endswith("/sign-in/openid/callback")

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == CLIENT_SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return endpoint == "token" and method == "client_secret_basic"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class Code(AuthorizationCodeMixin):
    """An authorization code with the data of its request."""

    code: str
    redirect_uri: str
    scope: str
    nonce: str
    code_challenge: str
    code_challenge_method: str
    person: dict[str, Any]

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> list[str]:
        return ["pwd", "otp"]


@cache
def make_key() -> RSAKey:
    """Make the key of all providers, which takes longer than what most tests do with it."""
    return RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class Provider:
    """State of the provider; ``claims`` override the signed ones, ``key`` signs them."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=make_key)
    signing_key: RSAKey | None = None
    codes: dict[str, Code] = field(default_factory=dict)


class _CodeGrant(grants.AuthorizationCodeGrant):
    provider: Provider
    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic",)

    def save_authorization_code(self, code: str, request: Any) -> None:
        data = request.payload.data
        self.provider.codes[code] = Code(
            code,
            request.payload.redirect_uri,
            request.payload.scope,
            data.get("nonce"),
            data.get("code_challenge"),
            data.get("code_challenge_method"),
            dict(self.provider.person),
        )

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        return self.provider.codes.get(code)

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del self.provider.codes[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> dict[str, Any]:
        return authorization_code.person


class _IdToken(OpenIDCode):
    provider: Provider

    def exists_nonce(self, nonce: str, request: Any) -> bool:
        return any(code.nonce == nonce for code in self.provider.codes.values())

    def get_client_algorithm(self, client: Client) -> str:
        return "RS256"

    def get_encode_header(self, client: Client) -> dict[str, str]:
        return {"alg": "RS256", "kid": "one"}

    def resolve_client_private_key(self, client: Client) -> RSAKey:
        return self.provider.signing_key or self.provider.key

    def get_compatible_claims(self, request: Any) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": self.provider.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300}

    def generate_user_info(self, user: dict[str, Any], scope: str) -> UserInfo:
        return UserInfo(user | self.provider.claims)


def make_app(provider: Provider) -> Flask:
    app = Flask("provider")
    server = AuthorizationServer(app, lambda _id: Client(), lambda _token, _request: None)
    grant = type("CodeGrant", (_CodeGrant,), {"provider": provider})
    id_token = type("IdToken", (_IdToken,), {"provider": provider})
    server.register_grant(grant, [id_token(require_nonce=True), CodeChallenge(required=True)])

    @app.get("/.well-known/openid-configuration")
    def configuration() -> Response:
        return jsonify(
            issuer=provider.issuer,
            authorization_endpoint=f"{provider.issuer}/authorize",
            token_endpoint=f"{provider.issuer}/token",
            jwks_uri=f"{provider.issuer}/keys",
            response_types_supported=["code"],
            subject_types_supported=["public"],
            id_token_signing_alg_values_supported=["RS256"],
            token_endpoint_auth_methods_supported=["client_secret_basic"],
        )

    @app.get("/keys")
    def keys() -> Response:
        return jsonify(KeySet([provider.key]).as_dict(private=False))

    @app.get("/authorize")
    def authorize() -> Any:
        consent = server.get_consent_grant(end_user=provider.person)
        return server.create_authorization_response(grant_user=provider.person, grant=consent)

    @app.post("/token")
    def token() -> Any:
        return server.create_token_response()

    return app


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run a provider on a free port."""
    provider = Provider()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")  # loopback needs no TLS
        server = make_server("127.0.0.1", 0, make_app(provider), threaded=True)
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
