"""What Slack's refusal of a token means, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adapters.slack.calls import Refused
from adapters.slack.manifest import INSTALL_PATH
from bot.chat import RateLimited, Unreachable
from bot.doctor import Check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.chat import ChatError

COPY_BOT = "copy the Bot User OAuth Token from OAuth & Permissions into FOOTNOTE_SLACK__BOT_TOKEN"
MAKE_APP = "make an app-level token with connections:write, and set FOOTNOTE_SLACK__APP_TOKEN to it"
REINSTALL = f"install the app again under Install App, and {COPY_BOT}"
INSTALL = f"open https://your-address{INSTALL_PATH} in a browser"
INSTALL_AGAIN = f"let somebody of the workspace open https://your-address{INSTALL_PATH} again"
RENEW_CONFIG = "make a new one at https://api.slack.com/apps; it lasts 12 hours"
COMPARE = (
    "compare Event Subscriptions with docs/slack-manifest.yaml, or set FOOTNOTE_SLACK__CONFIG_TOKEN and have "
    "it compared"
)

_UNKNOWN, _REVOKED, _OTHER = "Slack does not know it.", "It was revoked.", "It is another kind of token."
_CREATE = "create the app anew from docs/slack-manifest.yaml"

BOT: Mapping[str, tuple[str, str]] = {
    "invalid_auth": (_UNKNOWN, COPY_BOT),
    "not_authed": (_UNKNOWN, COPY_BOT),
    "not_allowed_token_type": (_OTHER, COPY_BOT),
    "account_inactive": ("The app was removed from its workspace.", REINSTALL),
    "token_revoked": (_REVOKED, REINSTALL),
    "token_expired": ("It has expired, as tokens do with token rotation.", _CREATE),
}
"""Messages and remedies for what Slack answers to a bot's token."""
APP: Mapping[str, tuple[str, str]] = {
    "invalid_auth": (_UNKNOWN, MAKE_APP),
    "not_authed": (_UNKNOWN, MAKE_APP),
    "not_allowed_token_type": (_OTHER, MAKE_APP),
    "missing_scope": ("It lacks the scope connections:write.", MAKE_APP),
    "token_revoked": (_REVOKED, MAKE_APP),
    "account_inactive": ("The app does not exist any more.", _CREATE),
}
"""The same for an app token."""
CONFIG: Mapping[str, tuple[str, str]] = {
    "invalid_auth": ("Not compared: Slack does not know the configuration token.", RENEW_CONFIG),
    "token_expired": ("Not compared: the configuration token has expired.", RENEW_CONFIG),
    "token_revoked": ("Not compared: the configuration token was revoked.", RENEW_CONFIG),
}
"""The same for a configuration token."""


def explained(
    name: str, base_url: str, error: ChatError, known: Mapping[str, tuple[str, str]] | None = None
) -> Check:
    """Say in words what Slack answered, or that it did not; nothing that was sent is shown."""
    if isinstance(error, Refused):
        otherwise = (f"Slack refuses it ({error.code}).", "look the word up in Slack's documentation")
        message, remedy = (known or {}).get(error.code, otherwise)
    elif isinstance(error, RateLimited):
        message, remedy = "Slack asks to slow down.", f"run this again in {error.retry_after:.0f} seconds"
    elif isinstance(error, Unreachable):
        message = f"Slack's Web API at {urlsplit(base_url).hostname} cannot be reached."
        remedy = "check the network, HTTPS_PROXY and FOOTNOTE_SLACK__API_BASE_URL"
    else:
        message, remedy = "Slack's answer cannot be used.", "check FOOTNOTE_SLACK__API_BASE_URL"
    return Check(name=name, status="fail", message=message, remedy=remedy)
