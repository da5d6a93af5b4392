from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest

from bot.settings import InvalidSettings, Settings, load_settings

if TYPE_CHECKING:
    from pathlib import Path

KEY = "A" * 43 + "="


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_nothing_needs_to_be_set() -> None:
    settings = load_settings()

    assert settings.llm.provider == "auto"
    assert settings.database.startswith("sqlite+aiosqlite:///")
    assert settings.vectors.endswith("/data/vectors")


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("FOOTNOTE_LLM__MODEL=from-file\nFOOTNOTE_LLM__NUM_CTX=4096\nOTHER=1\n")
    monkeypatch.setenv("FOOTNOTE_LLM__MODEL", "from-environment")

    settings = load_settings()

    assert (settings.llm.model, settings.llm.num_ctx) == ("from-environment", 4096)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FOOTNOTE_LLM__PROVIDER", "gpt", "'ollama'"),
        ("FOOTNOTE_LLM__NUM_CTX", "12", "1024"),
        ("FOOTNOTE_LLM__NUM_PREDICT", "8000", "half of num_ctx"),
        ("FOOTNOTE_LLM__PROVIDER", "anthropic", "FOOTNOTE_LLM__MODEL"),
        ("FOOTNOTE_RETRIEVAL__TOP_K", "0", "1"),
        ("FOOTNOTE_RETRIEVAL__TOPK", "5", "no such setting"),
        ("FOOTNOTE_LMM__MODEL", "x", "no such setting"),
        ("FOOTNOTE_SLACK__API_BASE_URL", "http://slack.example/api/", "in clear"),
        ("FOOTNOTE_DISCORD__GATEWAY_URL", "ws://gateway.example", "in clear"),
        ("FOOTNOTE_DISCORD__TOKEN", "hidden", "TOKEN: a bot's token has three parts"),
        ("FOOTNOTE_DISCORD__TOKEN", "100000000000000050", "this is an id, such as the application's"),
        ("FOOTNOTE_DISCORD__TOKEN", "0f" * 32, "this is the application's public key"),
        ("FOOTNOTE_DISCORD__TOKEN", "aB3_-" * 6 + "xy", "this is the client secret"),
        ("FOOTNOTE_DISCORD__TOKEN", "Bot a.b.c", "“Bot” before it"),
        ("FOOTNOTE_DISCORD__TOKEN", "https://discord.com/api", "this is an address"),
        ("FOOTNOTE_DISCORD__RECHECK_HOURS", "0", "greater than 0"),
        (
            "FOOTNOTE_SLACK__BOT_TOKEN",
            "xapp-1-A1-2-3",
            "BOT_TOKEN: a bot token begins with xoxb-; this is an app",
        ),
        ("FOOTNOTE_SLACK__BOT_TOKEN", "xoxp-1", "this is a user token"),
        ("FOOTNOTE_SLACK__BOT_TOKEN", "xoxe.xoxb-1", "expires"),
        (
            "FOOTNOTE_SLACK__APP_TOKEN",
            "xoxb-1",
            "APP_TOKEN: an app token begins with xapp-; this is a bot token",
        ),
        ("FOOTNOTE_SLACK__APP_TOKEN", "xapp-1", "SLACK__BOT_TOKEN: an app token alone is not enough"),
        ("FOOTNOTE_SLACK__CONFIG_TOKEN", "xoxe-1", "renewing"),
        ("FOOTNOTE_SLACK__CONNECTIONS", "11", "10"),
        ("FOOTNOTE_SLACK__ENCRYPTION_KEY", "passphrase", "ENCRYPTION_KEY: a key is 32 random bytes"),
        ("FOOTNOTE_SLACK__ENCRYPTION_KEY", f"{KEY},short", "ENCRYPTION_KEY: a key is 32 random bytes"),
        ("FOOTNOTE_SLACK__ENCRYPTION_KEY", ",", "ENCRYPTION_KEY: a key is 32 random bytes"),
        ("FOOTNOTE_SLACK__CLIENT_SECRET", "s", "SLACK__CLIENT_ID: a client secret needs"),
        ("FOOTNOTE_LLM__BASE_URL", "localhost:11434", "web address"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(InvalidSettings, match=said):
        load_settings()


def test_all_faults_are_named_at_once_and_no_value_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_HTTP__PORT", "secret-port")
    monkeypatch.setenv("FOOTNOTE_LLM__BASE_URL", "ftp://user:secret-word@host")
    monkeypatch.setenv("FOOTNOTE_LLM__TIMEOUT_S", "-1")

    with pytest.raises(InvalidSettings) as raised:
        load_settings()

    message = str(raised.value)
    assert all(name in message for name in ("HTTP__PORT", "LLM__BASE_URL", "LLM__TIMEOUT_S"))
    assert "secret" not in message


def test_a_key_does_not_travel_in_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_LLM__API_KEY", "k")
    monkeypatch.setenv("FOOTNOTE_LLM__BASE_URL", "http://models.example:8000")

    with pytest.raises(InvalidSettings, match="in clear"):
        load_settings()


def test_what_many_workspaces_need_is_named_at_once_beside_a_wrong_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOOTNOTE_SLACK__CLIENT_ID", "1.2")
    monkeypatch.setenv("FOOTNOTE_SLACK__BOT_TOKEN", "xoxp-secret-word")

    with pytest.raises(InvalidSettings) as raised:
        load_settings()

    said = str(raised.value)
    named = (
        "BOT_TOKEN: a bot token begins",
        "CLIENT_ID: a bot token serves one",
        "CLIENT_SECRET",
        "ENCRYPTION_KEY",
    )
    assert all(f"FOOTNOTE_SLACK__{name}" in said for name in (*named, "SIGNING_SECRET"))
    assert "secret-word" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("arrival", [{"signing_secret": "s"}, {"app_token": "xapp-1"}])
def test_many_workspaces_are_served_over_http_or_socket_mode(arrival: dict[str, str]) -> None:
    many = {"client_id": "1.2", "client_secret": "s", "encryption_key": f" {KEY} , {KEY},", **arrival}

    settings = Settings(slack=many, _env_file=None)

    assert settings.slack.sealing_keys == (KEY, KEY)
    assert settings.platforms == ("Slack",)


def test_a_token_may_end_with_the_line_of_its_file() -> None:
    slack = Settings(slack={"bot_token": "xoxb-1\n", "signing_secret": " s "}, _env_file=None).slack

    assert slack.bot_token is not None and slack.bot_token.get_secret_value() == "xoxb-1"
    assert slack.signing_secret is not None and slack.signing_secret.get_secret_value() == "s"


def test_discords_token_loses_its_line_end_and_is_not_shown_when_it_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = Settings(discord={"token": " a.b-_1.c\n"}, _env_file=None).discord.token
    monkeypatch.setenv("FOOTNOTE_DISCORD__TOKEN", "'a.hidden.token'")

    with pytest.raises(InvalidSettings, match="in quotation marks") as raised:
        load_settings()

    assert token is not None and token.get_secret_value() == "a.b-_1.c"
    assert "hidden" not in "".join(traceback.format_exception(raised.value))


def test_an_address_of_discords_that_lacks_the_other_one_is_known() -> None:
    here, socket = "http://127.0.0.1:9/api/v10", "ws://127.0.0.1:9/gw/"
    api = Settings(discord={"api_base_url": here}, _env_file=None).discord
    gateway = Settings(discord={"gateway_url": socket}, _env_file=None).discord
    both = Settings(discord={"api_base_url": here, "gateway_url": socket}, _env_file=None).discord

    assert api.halfway == "FOOTNOTE_DISCORD__GATEWAY_URL"
    assert gateway.halfway == "FOOTNOTE_DISCORD__API_BASE_URL"
    assert both.halfway is None


def test_secrets_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SLACK__BOT_TOKEN", "xoxb-hidden")
    monkeypatch.setenv("FOOTNOTE_DATABASE_URL", "postgresql+asyncpg://u:hidden@db/x")

    assert "hidden" not in repr(load_settings())


def test_a_local_address_may_be_plain() -> None:
    assert Settings(slack={"api_base_url": "http://127.0.0.1:9/api/"}, _env_file=None).slack.api_base_url


def test_platforms_are_those_that_a_token_was_given_for() -> None:
    address = Settings(slack={"api_base_url": "https://slack.example/api/"}, _env_file=None)
    tokens = Settings(slack={"signing_secret": "s"}, discord={"token": "a.b.c"}, _env_file=None)

    assert address.platforms == ()
    assert tokens.platforms == ("Slack", "Discord")


def test_a_tilde_in_the_file_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".env").write_text("FOOTNOTE_DATA_DIR=~/kept\n")

    settings = load_settings()

    assert settings.data_dir == tmp_path / "kept"
    assert str(tmp_path / "kept") in settings.database


def test_a_home_that_nobody_has_is_a_fault_of_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", "~nobody-of-this-name/kept")

    with pytest.raises(InvalidSettings, match="FOOTNOTE_DATA_DIR: nobody's home"):
        load_settings()


def test_a_group_that_is_set_as_a_whole_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_LLM", "x")

    with pytest.raises(InvalidSettings, match="FOOTNOTE_LLM: this is a group"):
        load_settings()
