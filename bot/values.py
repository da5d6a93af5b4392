"""What single settings must look like, and what people are told when one does not."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr

from pipeline.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

_SEALING_KEY_BYTES = 32


def _guarded_url(url: str) -> str:
    """Accept https and wss anywhere, plain http and ws only to this machine: a token travels in clear."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.hostname:
        raise ValueError("this is not a web address; write it like https://host/path")
    if parts.scheme in {"http", "ws"} and not is_loopback(parts.hostname):
        raise ValueError("the token would travel in clear; use https, or a loopback address")
    return url


def _web_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("this is not a web address; write it like http://127.0.0.1:11434")
    return url


def _at_home(path: Path) -> Path:
    """Read a leading ``~`` as shells do; .env has no shell to do so."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise ValueError("nobody's home is known here; write the whole path") from error


def _secret(secret: SecretStr) -> SecretStr:
    """Take the spaces and line ends off that copying and secret files leave."""
    return SecretStr(secret.get_secret_value().strip())


def _beginning(prefix: str, name: str) -> Callable[[SecretStr], SecretStr]:
    """Check how a token begins; Slack has several kinds, and they are easily taken for one another."""

    def check(secret: SecretStr) -> SecretStr:
        secret = _secret(secret)
        if secret.get_secret_value().startswith(prefix):
            return secret
        other = next((kind for start, kind in _KINDS if secret.get_secret_value().startswith(start)), None)
        raise ValueError(f"{name} begins with {prefix}" + (f"; this is {other}" if other else ""))

    return check


_KINDS = (
    ("xoxb-", "a bot token"),
    ("xapp-", "an app token"),
    ("xoxp-", "a user token"),
    ("xoxe.xoxb-", "a token that expires; an app with token rotation cannot be used"),
    ("xoxe.xoxp-", "a configuration token, or a user token that expires"),
    ("xoxe-", "a token for renewing another one"),
)


def _bot_of_discord(secret: SecretStr) -> SecretStr:
    """Check that a token has three parts; what else stands on the pages of an application has not."""
    secret = _secret(secret)
    text = secret.get_secret_value()
    if _DISCORD_TOKEN.fullmatch(text):
        return secret
    other = next((kind for form, kind in _DISCORD_KINDS if form.fullmatch(text)), None)
    raise ValueError(
        "a bot's token has three parts with dots between them; "
        + (f"this is {other}; " if other else "")
        + "the Bot page of the application shows it after “Reset Token”"
    )


_DISCORD_TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_DISCORD_KINDS = (
    (re.compile(r"\d{17,20}"), "an id, such as the application's"),
    (re.compile(r"[0-9a-f]{64}"), "the application's public key"),
    (re.compile(r"[\w-]{32}", re.ASCII), "the client secret"),
    (re.compile(r"Bot .*", re.IGNORECASE), "a token with “Bot” before it, which does not belong to it"),
    (re.compile(r"([\"']).*\1"), "a token in quotation marks"),
    (re.compile(r"https?://.*"), "an address"),
)


def _sealing(secret: SecretStr) -> SecretStr:
    keys = keys_in(secret.get_secret_value())
    if not keys or not all(_is_sealing_key(key) for key in keys):
        raise ValueError("a key is 32 random bytes in URL-safe base64; docs/slack.md shows how to make one")
    return SecretStr(",".join(keys))


def keys_in(text: str) -> list[str]:
    """Return keys that stand with commas between them."""
    return [key for part in text.split(",") if (key := part.strip())]


def _is_sealing_key(key: str) -> bool:
    try:
        return len(urlsafe_b64decode(key)) == _SEALING_KEY_BYTES
    except (binascii.Error, ValueError):
        return False


Folder = Annotated[Path, AfterValidator(_at_home)]
GuardedUrl = Annotated[str, AfterValidator(_guarded_url)]
WebUrl = Annotated[str, AfterValidator(_web_url)]
Secret = Annotated[SecretStr, AfterValidator(_secret)]
BotToken = Annotated[SecretStr, AfterValidator(_beginning("xoxb-", "a bot token"))]
AppToken = Annotated[SecretStr, AfterValidator(_beginning("xapp-", "an app token"))]
ConfigToken = Annotated[SecretStr, AfterValidator(_beginning("xoxe.xoxp-", "a configuration token"))]
SealingKeys = Annotated[SecretStr, AfterValidator(_sealing)]
DiscordToken = Annotated[SecretStr, AfterValidator(_bot_of_discord)]
