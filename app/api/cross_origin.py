"""Cross-origin requests (CORS): only configured sites may call the API from a browser."""

from flask import Flask
from flask_cors import CORS

#: Headers that scripts may send and read, besides those that browsers always allow.
_SENT = (
    "Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key", "If-Match",
    "If-None-Match", "Last-Event-ID", "Prefer", "X-API-Key", "X-Request-Id",
)  # fmt: skip
_READ = (
    "Content-Disposition", "ETag", "Idempotency-Replayed", "Location", "RateLimit",
    "RateLimit-Policy", "Retry-After", "X-Content-Hash", "X-Request-Id",
)  # fmt: skip

#: Time that browsers cache a preflight response [s].
_KEPT_S = 600


def init_app(app: Flask) -> None:
    """Allow the configured origins, without cookies."""
    origins = app.extensions["chartroom"].settings.cors_origins
    if origins:
        CORS(
            app,
            resources={r"/v1/.*": {"origins": list(origins)}},
            allow_headers=_SENT,
            expose_headers=_READ,
            max_age=_KEPT_S,
            send_wildcard=False,
        )
