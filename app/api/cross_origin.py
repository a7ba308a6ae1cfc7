"""Cross-origin requests (CORS): only named sites may call the API from a browser."""

from flask import Flask
from flask_cors import CORS

#: What pages may send and read beyond what browsers always allow.
_SENT = (
    "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-API-Key",
    "X-Request-Id",
)  # fmt: skip
_READ = (
    "Content-Disposition", "ETag", "Idempotency-Replayed", "Location", "RateLimit",
    "RateLimit-Policy", "Retry-After", "X-Content-Hash", "X-Request-Id",
)  # fmt: skip

#: How long a browser need not ask again [s].
_KEPT_S = 600


def init_app(app: Flask) -> None:
    """Allow the origins that the settings name; cookies are never allowed."""
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
