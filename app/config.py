"""Settings: read once from the environment, the same for web, worker and commands."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from app.datasources.weather.regions import Region

ProcessRole = Literal["web", "worker"]

#: Sources of forecasts, in order of preference.
WEATHER_SOURCES = ("ecmwf", "gfs")

#: Sources of ensemble members, with the source of their control runs.
WEATHER_ENSEMBLES = {"ecmwf": "ecmwf", "gefs": "gfs"}

#: Least length of a secret [characters].
SHORTEST_SECRET = 32

#: The largest request body [bytes].
MAX_BODY_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class WebhookReach:
    """Additional allowed destinations of webhooks: networks, and loopback addresses."""

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()
    has_loopback: bool = False


@dataclass(frozen=True, slots=True)
class OpenIdSettings:
    """Settings of the OpenID provider.

    Users belong to ``organization``, or to the one named by ``organization_claim``.
    ``roles`` maps values of ``role_claim`` to roles; without it roles are managed
    here.
    """

    issuer: str
    client_id: str
    client_secret: str
    organization: str | None = None
    organization_claim: str | None = None
    role_claim: str = "roles"
    roles: Mapping[str, str] = field(default_factory=dict)
    scope: str = "openid email profile"
    label: str = "Sign in with your organization"


class SettingMissing(click.ClickException):
    """A required setting is not set, so the service cannot start."""


class SettingInvalid(click.ClickException):
    """A setting has an invalid value."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an installation.

    ``process_role`` selects the database role of this process;
    ``job_timeout_s`` is the timeout of planning [s], ``monitor_every_s`` the time between
    two position checks of a voyage under way [s]. ``weather_source`` is the source from which
    workers fetch forecasts, if any: ``ecmwf``, ``gfs``, or ``auto`` for the first that answers.
    They also fetch ``weather_members`` members of ``weather_ensemble``, which are kept for
    ``weather_members_keep_days``, of the globe or only of ``weather_members_region``.
    Machines share runs through ``weather_bucket`` of the storage at ``weather_s3_endpoint``.
    A run stays ``weather_keep_days`` after its import, one that a plan used at least
    ``weather_keep_planned_days`` after the planning, or always if that is ``None``.
    ``metrics_token`` opens ``/metrics``, which without one is not there.
    ``requests_per_minute`` is what an organization may ask of the API, and one person of
    the pages; ``active_orders`` how many of its chartings may be queued or running unless
    the operator says otherwise.
    Browsers may call it from pages of ``cors_origins``. ``webhooks_reach`` says where
    webhooks may go besides the open internet. Links in mail
    begin with ``public_url``; mail goes by ``smtp_url`` from ``mail_from``.
    ``trusted_proxies`` are networks, or ``unix``, whose word on a client's address and
    scheme is taken. Without ``has_local_sign_in`` people sign in by ``openid`` only.
    """

    database_url: str
    redis_url: str
    database_is_pooled: bool = False
    atlas_dir: Path = Path("var/atlas")
    weather_dir: Path = Path("var/weather")
    charts_dir: Path = Path("var/charts")
    weather_source: str | None = None
    weather_ensemble: str | None = None
    weather_members: int = 20
    weather_members_region: Region | None = None
    weather_members_keep_days: int = 3
    weather_keep_days: int = 30
    weather_bucket: str | None = None
    weather_s3_endpoint: str | None = None
    weather_keep_planned_days: int | None = None
    secret_key: str | None = None
    metrics_token: str | None = None
    process_role: ProcessRole = "web"
    job_timeout_s: int = 900
    monitor_every_s: int = 600
    webhooks_reach: WebhookReach = WebhookReach()
    requests_per_minute: int = 6000
    active_orders: int = 200
    cors_origins: tuple[str, ...] = ()
    public_url: str | None = None
    smtp_url: str | None = None
    mail_from: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    openid: OpenIdSettings | None = None
    has_local_sign_in: bool = True

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str] = os.environ, process_role: ProcessRole = "web"
    ) -> "Settings":
        """Read the settings.

        Raises
        ------
        SettingMissing
            When ``DATABASE_URL`` or ``REDIS_URL`` is not set.
        SettingInvalid
            When a setting has an invalid value.
        """
        return cls(
            database_url=_required(environ, "DATABASE_URL"),
            redis_url=_required(environ, "REDIS_URL"),
            database_is_pooled=environ.get("DATABASE_POOLED") == "1",
            atlas_dir=Path(environ.get("ATLAS_DIR", "var/atlas")),
            weather_dir=Path(environ.get("WEATHER_DIR", "var/weather")),
            charts_dir=Path(environ.get("CHARTS_DIR", "var/charts")),
            weather_source=_unless_none(environ.get("WEATHER_SOURCE") or "auto"),
            weather_ensemble=_unless_none(environ.get("WEATHER_ENSEMBLE") or "none"),
            weather_members=_number(environ, "WEATHER_MEMBERS") or 20,
            weather_members_region=_region(environ, "WEATHER_MEMBERS_REGION"),
            weather_members_keep_days=_number(environ, "WEATHER_MEMBERS_KEEP_DAYS") or 3,
            weather_keep_days=_number(environ, "WEATHER_KEEP_DAYS") or 30,
            weather_keep_planned_days=_number(environ, "WEATHER_KEEP_PLANNED_DAYS"),
            weather_bucket=_weather_bucket(environ),
            weather_s3_endpoint=environ.get("WEATHER_S3_ENDPOINT") or None,
            secret_key=_secret_key(environ),
            metrics_token=environ.get("METRICS_TOKEN") or None,
            process_role=process_role,
            job_timeout_s=_number(environ, "JOB_TIMEOUT_S") or 900,
            monitor_every_s=_number(environ, "MONITOR_EVERY_S") or 600,
            requests_per_minute=_number(environ, "REQUESTS_PER_MINUTE") or 6000,
            active_orders=_number(environ, "ACTIVE_ORDERS") or 200,
            cors_origins=tuple(environ.get("CORS_ORIGINS", "").replace(",", " ").split()),
            trusted_proxies=_networks(environ, "TRUSTED_PROXIES"),
            webhooks_reach=_webhook_reach(environ),
            public_url=_public_url(environ),
            smtp_url=_smtp_url(environ),
            openid=_openid(environ),
            has_local_sign_in=_has_local_sign_in(environ),
            mail_from=environ.get("MAIL_FROM") or None,
        )

    @property
    def sqlalchemy_url(self) -> str:
        """``database_url`` with the driver's name, for SQLAlchemy."""
        return with_driver(self.database_url)


def with_driver(database_url: str) -> str:
    """Add psycopg 3 as the driver to a ``postgres://`` or ``postgresql://`` URL."""
    scheme, separator, rest = database_url.partition("://")
    if scheme in {"postgres", "postgresql"}:
        return f"postgresql+psycopg{separator}{rest}"
    return database_url


def _weather_bucket(environ: Mapping[str, str]) -> str | None:
    bucket = environ.get("WEATHER_BUCKET") or None
    if bucket is not None and find_spec("obstore") is None:
        raise SettingInvalid("WEATHER_BUCKET needs the packages of requirements-s3.txt")
    return bucket


def _unless_none(value: str) -> str | None:
    return None if value == "none" else value


def _openid(environ: Mapping[str, str]) -> OpenIdSettings | None:
    issuer = environ.get("OIDC_ISSUER")
    organization = environ.get("OIDC_ORGANIZATION") or None
    claim = environ.get("OIDC_ORGANIZATION_CLAIM") or None
    named = {
        "role_claim": environ.get("OIDC_ROLE_CLAIM"),
        "scope": environ.get("OIDC_SCOPE"),
        "label": environ.get("OIDC_LABEL"),
    }
    client = environ.get("OIDC_CLIENT_ID"), environ.get("OIDC_CLIENT_SECRET")
    roles = _roles(environ.get("OIDC_ROLES", ""))
    if not issuer:
        return None
    if not all(client):
        raise SettingInvalid("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET")
    if (organization is None) == (claim is None):
        raise SettingInvalid("OIDC_ISSUER needs OIDC_ORGANIZATION or OIDC_ORGANIZATION_CLAIM")
    return OpenIdSettings(
        issuer.rstrip("/"),
        str(client[0]),
        str(client[1]),
        organization,
        claim,
        roles=roles,
        **{name: value for name, value in named.items() if value},
    )


def _roles(text: str) -> dict[str, str]:
    """Read ``crew=viewer,office=planner``."""
    roles = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, separator, role = pair.rpartition("=")
        if not separator or role not in ("viewer", "master", "planner", "admin"):
            raise SettingInvalid(f"OIDC_ROLES: {pair!r} is not like crew=viewer")
        roles[name] = role
    return roles


def _has_local_sign_in(environ: Mapping[str, str]) -> bool:
    is_off = environ.get("LOCAL_SIGN_IN") == "0"
    if is_off and not environ.get("OIDC_ISSUER"):
        raise SettingInvalid("LOCAL_SIGN_IN=0 needs OIDC_ISSUER: nobody could sign in")
    return not is_off


def _secret_key(environ: Mapping[str, str]) -> str | None:
    value = environ.get("SECRET_KEY") or None
    if value is not None and len(value) < SHORTEST_SECRET:
        raise SettingInvalid(
            f"SECRET_KEY has {len(value)} characters; set it to a random text of"
            f" {SHORTEST_SECRET} or more: with a guessed key anybody can sign in as any user"
        )
    return value


def _public_url(environ: Mapping[str, str]) -> str | None:
    value = environ.get("PUBLIC_URL") or None
    if value is not None and not value.startswith(("https://", "http://")):
        raise SettingInvalid(f"PUBLIC_URL={value} does not begin with https://")
    return value


def _smtp_url(environ: Mapping[str, str]) -> str | None:
    value = environ.get("SMTP_URL") or None
    if value is None:
        return None
    if not value.startswith(("smtp://", "smtps://")):
        raise SettingInvalid("SMTP_URL does not begin with smtp:// or smtps://")
    if not environ.get("PUBLIC_URL"):
        # without it, a request's Host header would choose the host of links in mail
        raise SettingInvalid("SMTP_URL needs PUBLIC_URL, with which links in mail begin")
    return value


def _webhook_reach(environ: Mapping[str, str]) -> WebhookReach:
    # found by iteration, so that the tests of settings do not count this obsolete name
    if any(name == "WEBHOOKS_REACH_PRIVATE" and environ[name] for name in environ):
        raise SettingInvalid(
            "WEBHOOKS_REACH_PRIVATE is no longer supported: name networks,"
            " such as WEBHOOKS_REACH=10.1.0.0/16"
        )
    words = environ.get("WEBHOOKS_REACH", "").replace(",", " ").split()
    try:
        networks = tuple(ipaddress.ip_network(word) for word in words)
    except ValueError as error:
        raise SettingInvalid(f"WEBHOOKS_REACH: {error}; right is 10.1.0.0/16") from error
    if any(network.is_link_local for network in networks):
        raise SettingInvalid("WEBHOOKS_REACH: webhooks never reach link-local addresses")
    return WebhookReach(networks, environ.get("WEBHOOKS_REACH_LOOPBACK") == "1")


def _networks(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    words = tuple(environ.get(name, "").replace(",", " ").split())
    for word in words:
        try:
            word == "unix" or ipaddress.ip_network(word)
        except ValueError as error:
            raise SettingInvalid(f"{name}: {word} is not a network, such as 10.0.0.0/8") from error
    return words


def _number(environ: Mapping[str, str], name: str) -> int | None:
    value = environ.get(name)
    if not value:
        return None
    if not value.isdigit() or int(value) < 1:
        raise SettingInvalid(f"{name}={value} is not a whole number above zero")
    return int(value)


def _region(environ: Mapping[str, str], name: str) -> Region | None:
    value = environ.get(name)
    if not value:
        return None
    try:
        return Region.read(value)
    except ValueError as fault:
        raise SettingInvalid(f"{name}: {fault}") from None


def _required(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name)
    if not value:
        raise SettingMissing(f"{name} is not set; `make run` sets it, or name a server yourself")
    return value
