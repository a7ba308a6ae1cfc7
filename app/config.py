"""Settings: read once from the environment, the same for web, worker and commands."""

import ipaddress
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from redis.connection import parse_url
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from app.environment import (
    SettingInvalid,
    read_choice,
    read_networks,
    read_number,
    read_required,
    read_secret,
    read_site,
    read_switch,
)
from app.network_addresses import Network, read_network

if TYPE_CHECKING:
    from app.datasources.weather.regions import Region

ProcessRole = Literal["web", "worker"]

#: Sources of forecasts, in order of preference.
WEATHER_SOURCES = ("ecmwf", "gfs")

#: Sources of ensemble members, with the source of their control runs.
WEATHER_ENSEMBLES = {"ecmwf": "ecmwf", "gefs": "gfs"}

#: A site as browsers name it in ``Origin``.
_ORIGIN = re.compile(r"https?://[^/\s]+")

#: Networks that webhooks never reach: clouds serve machine credentials at such addresses.
_LINK_LOCAL = (
    ipaddress.IPv4Network("169.254.0.0/16"),
    ipaddress.IPv6Network("fe80::/10"),
)

#: Members that the sources have at most.
_MOST_MEMBERS = 50

#: Longest time that a run may be kept [days].
MOST_DAYS = 36_500

#: The largest request body [bytes].
MAX_BODY_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class WebhookReach:
    """Additional allowed destinations of webhooks: networks, and loopback addresses."""

    networks: tuple[Network, ...] = ()
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
    ``requests_per_minute`` is what an organization may ask of the API, three quarters of
    it by one key, and one person of the pages; ``active_orders`` how many of its chartings
    may be queued or running unless the operator says otherwise.
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
    weather_members_region: "Region | None" = None
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

        Raise :class:`SettingMissing` if ``DATABASE_URL`` or ``REDIS_URL`` is not set, and
        :class:`SettingInvalid` for an invalid value.
        """
        return cls(
            database_url=_database_url(environ),
            redis_url=_redis_url(environ),
            database_is_pooled=read_switch(environ, "DATABASE_POOLED", default=False),
            atlas_dir=Path(environ.get("ATLAS_DIR") or "var/atlas"),
            weather_dir=Path(environ.get("WEATHER_DIR") or "var/weather"),
            charts_dir=Path(environ.get("CHARTS_DIR") or "var/charts"),
            weather_source=read_choice(environ, "WEATHER_SOURCE", "auto", WEATHER_SOURCES),
            weather_ensemble=_ensemble(environ),
            weather_members=read_number(environ, "WEATHER_MEMBERS", most=_MOST_MEMBERS) or 20,
            weather_members_region=_region(environ, "WEATHER_MEMBERS_REGION"),
            weather_members_keep_days=_days(environ, "WEATHER_MEMBERS_KEEP_DAYS") or 3,
            weather_keep_days=_days(environ, "WEATHER_KEEP_DAYS") or 30,
            weather_keep_planned_days=_days(environ, "WEATHER_KEEP_PLANNED_DAYS"),
            weather_bucket=_weather_bucket(environ),
            weather_s3_endpoint=read_site(environ, "WEATHER_S3_ENDPOINT"),
            secret_key=read_secret(
                environ, "SECRET_KEY", "with a guessed key anybody can sign in as any user"
            ),
            metrics_token=read_secret(
                environ, "METRICS_TOKEN", "it opens /metrics to whoever has it"
            ),
            process_role=process_role,
            job_timeout_s=read_number(environ, "JOB_TIMEOUT_S") or 900,
            monitor_every_s=read_number(environ, "MONITOR_EVERY_S") or 600,
            requests_per_minute=read_number(environ, "REQUESTS_PER_MINUTE") or 6000,
            active_orders=read_number(environ, "ACTIVE_ORDERS") or 200,
            cors_origins=_origins(environ),
            trusted_proxies=read_networks(environ, "TRUSTED_PROXIES"),
            webhooks_reach=_webhook_reach(environ),
            public_url=read_site(environ, "PUBLIC_URL"),
            smtp_url=_smtp_url(environ),
            openid=_openid(environ),
            has_local_sign_in=_has_local_sign_in(environ),
            mail_from=_mail_from(environ),
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


def _openid(environ: Mapping[str, str]) -> OpenIdSettings | None:
    issuer = read_site(environ, "OIDC_ISSUER")
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
    is_on = read_switch(environ, "LOCAL_SIGN_IN", default=True)
    if not is_on and not environ.get("OIDC_ISSUER"):
        raise SettingInvalid("LOCAL_SIGN_IN=0 needs OIDC_ISSUER: nobody could sign in")
    return is_on


def _database_url(environ: Mapping[str, str]) -> str:
    value = read_required(environ, "DATABASE_URL")
    try:
        scheme = make_url(value).drivername
    except (ArgumentError, ValueError):  # a port that is no number
        scheme = ""
    if scheme not in {"postgres", "postgresql", "postgresql+psycopg"}:
        raise SettingInvalid("DATABASE_URL is not like postgresql://user:password@host/name")
    return value


def _redis_url(environ: Mapping[str, str]) -> str:
    value = read_required(environ, "REDIS_URL")
    try:
        parse_url(value)  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise SettingInvalid("REDIS_URL is not like redis://:password@host:6379/0") from error
    return value


def _origins(environ: Mapping[str, str]) -> tuple[str, ...]:
    words = environ.get("CORS_ORIGINS", "").replace(",", " ").split()
    origins = tuple(word.rstrip("/").lower() for word in words)
    for word, origin in zip(words, origins, strict=True):
        if not _ORIGIN.fullmatch(origin):
            raise SettingInvalid(f"CORS_ORIGINS: {word} is not a site, such as https://a.example")
    return origins


def _ensemble(environ: Mapping[str, str]) -> str | None:
    """Read the source of members, whose control runs must come from the forecasts' source."""
    ensemble = read_choice(environ, "WEATHER_ENSEMBLE", "none", WEATHER_ENSEMBLES)
    source = read_choice(environ, "WEATHER_SOURCE", "auto", WEATHER_SOURCES)
    # auto fetches the first source wherever it answers
    fetched = WEATHER_SOURCES[0] if source == "auto" else source
    if ensemble is not None and WEATHER_ENSEMBLES[ensemble] != fetched:
        raise SettingInvalid(
            f"WEATHER_ENSEMBLE={ensemble} needs WEATHER_SOURCE={WEATHER_ENSEMBLES[ensemble]},"
            f" not {source or 'none'}: members belong to a run of that source"
        )
    return ensemble


def _smtp_url(environ: Mapping[str, str]) -> str | None:
    value = environ.get("SMTP_URL") or None
    if value is None:
        return None
    if not value.startswith(("smtp://", "smtps://")):
        raise SettingInvalid("SMTP_URL does not begin with smtp:// or smtps://")
    try:
        address = urlsplit(value)
        _ = address.port
    except ValueError as error:
        raise SettingInvalid(
            "SMTP_URL has no valid port: write special characters of a password by codes, / as %2F"
        ) from error
    if not address.hostname:
        raise SettingInvalid("SMTP_URL names no host; right is smtp://mail.example:587")
    if not environ.get("PUBLIC_URL"):
        # without it, a request's Host header would choose the host of links in mail
        raise SettingInvalid("SMTP_URL needs PUBLIC_URL, with which links in mail begin")
    return value


def _mail_from(environ: Mapping[str, str]) -> str | None:
    """Read the sender of mail as a header's value, which holds no line break."""
    value = environ.get("MAIL_FROM") or None
    if value is None:
        return None
    message = EmailMessage()
    with suppress(ValueError, IndexError):  # of a line break within, and of "a@"
        message["From"] = value
    sender = message["From"]
    is_group = sender is not None and any(group.display_name for group in sender.groups)
    if sender is None or sender.defects or is_group or len(sender.addresses) != 1:
        raise SettingInvalid(
            f"MAIL_FROM={value} is not one e-mail address, such as Chartroom <chartroom@a.example>"
        )
    return value


def _webhook_reach(environ: Mapping[str, str]) -> WebhookReach:
    # found by iteration, so that the tests of settings do not count this obsolete name
    if any(name == "WEBHOOKS_REACH_PRIVATE" and environ[name] for name in environ):
        raise SettingInvalid(
            "WEBHOOKS_REACH_PRIVATE is no longer supported: name networks,"
            " such as WEBHOOKS_REACH=10.1.0.0/16"
        )
    words = environ.get("WEBHOOKS_REACH", "").replace(",", " ").split()
    networks = tuple(map(_webhook_network, words))
    return WebhookReach(networks, read_switch(environ, "WEBHOOKS_REACH_LOOPBACK", default=False))


def _webhook_network(word: str) -> Network:
    try:
        network = read_network(word)
    except ValueError as error:
        raise SettingInvalid(f"WEBHOOKS_REACH: {error}; right is 10.1.0.0/16") from error
    if any(network.overlaps(each) for each in _LINK_LOCAL):
        raise SettingInvalid(
            f"WEBHOOKS_REACH: {word} contains link-local addresses, which webhooks never reach;"
            " right is 10.1.0.0/16"
        )
    return network


def _days(environ: Mapping[str, str], name: str) -> int | None:
    return read_number(environ, name, most=MOST_DAYS)


def _region(environ: Mapping[str, str], name: str) -> "Region | None":
    value = environ.get(name)
    if not value:
        return None
    from app.datasources.weather.regions import Region  # imports numba, which few commands need

    try:
        return Region.read(value)
    except ValueError as fault:
        raise SettingInvalid(f"{name}: {fault}") from None
