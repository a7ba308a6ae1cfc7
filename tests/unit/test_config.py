"""Settings read from the environment."""

from ipaddress import ip_network

import pytest

from app.config import Settings, WebhookReach
from app.environment import SettingInvalid, SettingMissing

SERVERS = {"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://q"}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_is_not_named_is_asked_for_by_its_variable(name: str) -> None:
    with pytest.raises(SettingMissing, match=f"{name} is not set"):
        Settings.from_environment(SERVERS | {name: ""})


@pytest.mark.parametrize("value", ["soon", "0", "-1", "1.5"])
def test_a_number_that_is_none_is_refused_by_its_variable(value: str) -> None:
    with pytest.raises(SettingInvalid, match=f"JOB_TIMEOUT_S={value} is not a whole number"):
        Settings.from_environment(SERVERS | {"JOB_TIMEOUT_S": value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JOB_TIMEOUT_S", "²"),
        ("WEATHER_MEMBERS", "51"),
        ("WEATHER_KEEP_DAYS", "99999999999"),
        ("WEATHER_SOURCE", "gsf"),
        ("WEATHER_ENSEMBLE", "ec"),
        ("LOCAL_SIGN_IN", "never"),
        ("DATABASE_POOLED", "2"),
        ("WEBHOOKS_REACH_LOOPBACK", "loop"),
        ("CORS_ORIGINS", "https://a.example/pages"),
        ("CORS_ORIGINS", "a.example"),
        ("SMTP_URL", "smtp://"),
        ("PUBLIC_URL", "https://"),
        ("PUBLIC_URL", "a.example"),
        ("PUBLIC_URL", "https://a.example/?to=b"),
        ("PUBLIC_URL", "https://a.example#b"),
        ("PUBLIC_URL", "https://a b.example"),
        ("PUBLIC_URL", "https://a.example\n"),
        ("OIDC_ISSUER", "https://a.example\n"),
        ("WEATHER_S3_ENDPOINT", "s3.example"),
        ("MAIL_FROM", "chartroom@a.example\n"),
        ("MAIL_FROM", "chartroom@a.example\nBcc: b@b.example"),
        ("MAIL_FROM", "a@a.example, b@b.example"),
        ("MAIL_FROM", "chartroom"),
        ("MAIL_FROM", "a@"),
        ("MAIL_FROM", "crew: a@a.example;"),
        ("WEBHOOKS_REACH", "169.254.0.0/15"),
        ("WEBHOOKS_REACH", "169.254.169.254"),
        ("WEBHOOKS_REACH", "::ffff:169.254.0.0/112"),
        ("WEBHOOKS_REACH", "fe00::/8"),
        ("WEBHOOKS_REACH", "::/0"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingInvalid, match=name) as refused:
        Settings.from_environment(SERVERS | {name: value})
    assert value in refused.value.message


@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.parametrize("value", ["nonsense", "http://secret@host/"])
def test_an_address_of_a_server_that_is_none_is_refused_and_not_said_again(
    name: str, value: str
) -> None:
    with pytest.raises(SettingInvalid, match=f"{name} is not like") as refused:
        Settings.from_environment(SERVERS | {name: value})
    assert value not in refused.value.message


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://u:secret@host:port/x",
        "postgresql+psycopg2://db/x",
        "postgresql+asyncpg://db/x",
    ],
)
def test_a_database_with_another_driver_or_without_a_valid_port_is_refused(value: str) -> None:
    with pytest.raises(SettingInvalid, match="DATABASE_URL is not like") as refused:
        Settings.from_environment(SERVERS | {"DATABASE_URL": value})
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_usual_scheme_of_a_database_is_that_of_the_driver(scheme: str) -> None:
    named = SERVERS | {"DATABASE_URL": f"{scheme}://db/x"}
    assert Settings.from_environment(named).sqlalchemy_url == "postgresql+psycopg://db/x"


def test_links_begin_with_any_address_of_a_site() -> None:
    for value in ("http://localhost:8000", "https://a.example/chartroom/"):
        assert Settings.from_environment(SERVERS | {"PUBLIC_URL": value}).public_url == value


@pytest.mark.parametrize("value", ["chartroom@localhost", "Größe <mail@a.example>"])
def test_mail_comes_from_one_address_with_or_without_a_name(value: str) -> None:
    assert Settings.from_environment(SERVERS | {"MAIL_FROM": value}).mail_from == value


@pytest.mark.parametrize("value", ["0", "false", "OFF", "no"])
def test_the_sign_in_by_password_is_switched_off_by_any_usual_word(value: str) -> None:
    provider = {
        "OIDC_ISSUER": "https://id.example",
        "OIDC_CLIENT_ID": "a",
        "OIDC_CLIENT_SECRET": "b",
        "OIDC_ORGANIZATION": "c",
    }
    assert Settings.from_environment(SERVERS | provider).has_local_sign_in
    off = Settings.from_environment(SERVERS | provider | {"LOCAL_SIGN_IN": value})
    assert not off.has_local_sign_in


@pytest.mark.parametrize(
    ("ensemble", "source", "is_fit"),
    [
        ("ecmwf", "auto", True),
        ("ecmwf", "ecmwf", True),
        ("gefs", "gfs", True),
        ("gefs", "auto", False),
        ("ecmwf", "gfs", False),
        ("gefs", "none", False),
    ],
)
def test_an_ensemble_belongs_to_the_source_of_the_forecasts(
    ensemble: str, source: str, is_fit: bool
) -> None:
    named = SERVERS | {"WEATHER_ENSEMBLE": ensemble, "WEATHER_SOURCE": source}
    if is_fit:
        assert Settings.from_environment(named).weather_ensemble == ensemble
    else:
        with pytest.raises(SettingInvalid, match=f"WEATHER_ENSEMBLE={ensemble} .*, not {source}:"):
            Settings.from_environment(named)


def test_sites_are_known_as_browsers_name_them() -> None:
    named = SERVERS | {"CORS_ORIGINS": "https://A.example/, http://localhost:5173"}
    origins = Settings.from_environment(named).cors_origins
    assert origins == ("https://a.example", "http://localhost:5173")


def test_a_pooler_is_there_only_where_the_operator_says_so() -> None:
    assert not Settings.from_environment(SERVERS).database_is_pooled
    assert Settings.from_environment(SERVERS | {"DATABASE_POOLED": "1"}).database_is_pooled


def test_an_empty_setting_is_as_none_at_all() -> None:
    names = ("JOB_TIMEOUT_S", "WEATHER_KEEP_DAYS", "WEATHER_KEEP_PLANNED_DAYS", "METRICS_TOKEN",
             "WEATHER_SOURCE", "WEATHER_ENSEMBLE", "WEATHER_MEMBERS", "WEBHOOKS_REACH",
             "WEBHOOKS_REACH_LOOPBACK", "ATLAS_DIR", "WEATHER_DIR", "CHARTS_DIR")  # fmt: skip
    assert Settings.from_environment(SERVERS | dict.fromkeys(names, "")) == (
        Settings.from_environment(SERVERS)
    )


@pytest.mark.parametrize(
    ("value", "source"), [(None, "auto"), ("auto", "auto"), ("gfs", "gfs"), ("none", None)]
)
def test_weather_comes_by_itself_unless_it_is_switched_off(
    value: str | None, source: str | None
) -> None:
    environment = SERVERS if value is None else SERVERS | {"WEATHER_SOURCE": value}
    assert Settings.from_environment(environment).weather_source == source


@pytest.mark.parametrize(
    ("allowed", "reach"),
    [({}, WebhookReach()), ({"WEBHOOKS_REACH_LOOPBACK": "1"}, WebhookReach(has_loopback=True)),
     ({"WEBHOOKS_REACH": "10.1.0.0/16, fd00::/8"},
      WebhookReach((ip_network("10.1.0.0/16"), ip_network("fd00::/8")))),
     ({"WEBHOOKS_REACH": "::ffff:10.1.0.0/112"}, WebhookReach((ip_network("10.1.0.0/16"),)))],
)  # fmt: skip
def test_webhooks_reach_as_far_as_the_operator_allows(
    allowed: dict[str, str], reach: WebhookReach
) -> None:
    assert Settings.from_environment(SERVERS | allowed).webhooks_reach == reach


@pytest.mark.parametrize(
    "wrong",
    [{"WEBHOOKS_REACH": "all"}, {"WEBHOOKS_REACH": "10.1.0.1/16"},
     {"WEBHOOKS_REACH_PRIVATE": "1"}],
)  # fmt: skip
def test_no_setting_opens_more_than_named_networks_to_webhooks(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingInvalid, match="WEBHOOKS_REACH"):
        Settings.from_environment(SERVERS | wrong)


@pytest.mark.parametrize("name", ["SECRET_KEY", "METRICS_TOKEN"])
def test_a_secret_that_can_be_guessed_is_refused_and_not_said_again(name: str) -> None:
    with pytest.raises(SettingInvalid, match=f"{name} has 31 characters") as refused:
        Settings.from_environment(SERVERS | {name: "k" * 31})
    assert "kkk" not in refused.value.message
    kept = Settings.from_environment(SERVERS | {name: "k" * 32})
    assert "k" * 32 in (kept.secret_key, kept.metrics_token)
