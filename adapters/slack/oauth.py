"""How a workspace installs the app by itself: the way to Slack's consent page, and back with a code."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode, urljoin

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import AsyncCallbackOptions
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.response import BoltResponse
from slack_sdk.oauth import OAuthStateUtils
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from adapters.slack import pages
from adapters.slack.calls import FAILURES
from adapters.slack.installations import URL
from adapters.slack.manifest import INSTALL_PATH, REDIRECT_PATH
from pipeline.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from slack_bolt.oauth.async_callback_options import AsyncFailureArgs, AsyncSuccessArgs
    from slack_bolt.request.async_request import AsyncBoltRequest
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.installations import Installations

logger = logging.getLogger(__name__)

PATIENCE = timedelta(minutes=10)
"""How long somebody may stay on Slack's consent page."""
_COOKIE = "footnote-slack-state"
_STATE = "slack/state/"
_TEAM = re.compile(r"[A-Z0-9]{1,32}")


class States(Protocol):
    """What a vault does, as far as states need it."""

    async def put(self, name: str, text: str) -> None:
        """Keep *text*."""

    async def take(self, name: str) -> str | None:
        """Return what is kept and remove it, for one of all callers."""

    async def expire(self, prefix: str, older_than: timedelta) -> int:
        """Remove what has been kept for too long."""


class VaultStates(AsyncOAuthStateStore):
    """States of installations under way: each is good once, on any replica, and for `PATIENCE`.

    A state is found by its digest, so that how long a look-up takes tells nothing about another one's state.
    """

    def __init__(self, vault: States) -> None:
        self._vault = vault

    @property
    def logger(self) -> logging.Logger:
        return logger

    async def async_issue(self, *_: object, **__: object) -> str:
        await self._vault.expire(_STATE, PATIENCE)
        state = secrets.token_urlsafe(32)
        await self._vault.put(_name(state), "issued")
        return state

    async def async_consume(self, state: str) -> bool:
        await self._vault.expire(_STATE, PATIENCE)
        return await self._vault.take(_name(state)) is not None


def _name(state: str) -> str:
    return _STATE + hashlib.sha256(state.encode()).hexdigest()


class BrowserState(OAuthStateUtils):
    """Ties a state to the browser that asked for it."""

    def is_valid_browser(self, state: str | None, request_headers: Mapping[str, Any]) -> bool:
        given = request_headers.get("cookie") or ()
        parts = ";".join([given] if isinstance(given, str) else given).split(";")
        pairs = (part.strip().partition("=") for part in parts)
        kept = [value.strip('"') for name, _, value in pairs if name == self.cookie_name]
        return bool(state) and any(hmac.compare_digest(one.encode(), str(state).encode()) for one in kept)


class InstallFlow(AsyncOAuthFlow):
    """Bolt's flow: the browser is checked, then the state, then the code is exchanged and the token kept.

    It differs in what may go wrong: codes do not get into the log, what a browser sends is quoted in no
    address and on no page, and an answer of Slack's that does not come is a page and not a traceback.
    """

    async def build_authorize_url(self, state: str, request: AsyncBoltRequest) -> str:
        asked = {
            "client_id": self.settings.client_id,
            "scope": ",".join(self.settings.scopes or ()),
            "state": state,
        }
        team = (request.query.get("team") or [""])[0]
        if _TEAM.fullmatch(team):
            asked["team"] = team
        return f"{self.settings.authorization_url}?{urlencode(asked)}"

    async def run_installation(self, code: str) -> Installation | None:
        try:
            # the SDK's own method uses a part of aiohttp that is going away
            granted = await self.client.api_call(
                "oauth.v2.access",
                data={
                    "code": code,
                    "client_id": self.settings.client_id,
                    "client_secret": self.settings.client_secret,
                },
            )
            token = granted["access_token"]
            known = await self.client.auth_test(token=token)
        except (*FAILURES, KeyError) as failure:
            logger.warning("an installation failed: %s", _reason(failure))
            return None
        if granted.get("expires_in"):
            logger.warning("an installation failed: the app has token rotation, which cannot be used")
            return None
        return _installation(granted.data, known.data, token)  # type: ignore[arg-type] # bytes only for files

    async def store_installation(self, request: AsyncBoltRequest, installation: Installation) -> None:
        try:
            await self.settings.installation_store.async_save(installation)
        except StorageError as error:
            raise BoltError(str(error)) from error


def install_routes(
    *,
    client: AsyncWebClient,
    client_id: str,
    client_secret: str,
    scopes: Sequence[str],
    installations: Installations,
    states: States,
) -> list[web.RouteDef]:
    """Return the two pages of the installation, for the service's own server.

    *client* needs no token; where it speaks to, there the consent page is as well.
    """
    settings = AsyncOAuthSettings(
        client_id=client_id,
        client_secret=client_secret,
        scopes=scopes,
        user_scopes=(),
        install_path=INSTALL_PATH,
        install_page_rendering_enabled=False,
        redirect_uri_path=REDIRECT_PATH,
        authorization_url=urljoin(client.base_url, "/oauth/v2/authorize"),
        installation_store=installations,
        state_store=VaultStates(states),
        state_cookie_name=_COOKIE,
        state_expiration_seconds=int(PATIENCE.total_seconds()),
        callback_options=AsyncCallbackOptions(success=_succeeded, failure=_failed),
        logger=logger,
    )
    settings.state_utils = BrowserState(
        cookie_name=_COOKIE, expiration_seconds=settings.state_expiration_seconds
    )
    flow = InstallFlow(client=client, settings=settings, logger=logger)
    return [
        # no HEAD: it would issue states
        web.get(INSTALL_PATH, _handler(flow.handle_installation), allow_head=False),
        web.get(REDIRECT_PATH, _handler(flow.handle_callback), allow_head=False),
    ]


def _handler(step: Callable[[AsyncBoltRequest], Any]) -> Callable[[web.Request], Any]:
    async def handle(request: web.Request) -> web.Response:
        try:
            response = await step(await to_bolt_request(request))
        except StorageError as error:
            logger.error("an installation failed: %s", error)  # noqa: TRY400 - its sentence is all there is to say
            response = _page(503, pages.failed("storage_error"))
        answer = await to_aiohttp_response(response)
        for cookie in answer.cookies.values():
            cookie["samesite"] = "Lax"
        return answer

    return handle


def _installation(granted: Mapping[str, Any], known: Mapping[str, Any], token: str) -> Installation:
    """Put together what the code was exchanged for; tokens of people are left out."""
    organisation, team = granted.get("enterprise") or {}, granted.get("team") or {}
    whole = bool(granted.get("is_enterprise_install"))
    return Installation(
        app_id=granted.get("app_id"),
        enterprise_id=organisation.get("id"),
        enterprise_name=organisation.get("name"),
        enterprise_url=known.get("url") if whole else None,
        team_id=team.get("id"),
        team_name=team.get("name"),
        bot_token=token,
        bot_id=known.get("bot_id"),
        bot_user_id=granted.get("bot_user_id") or known.get("user_id"),
        bot_scopes=granted.get("scope") or "",
        user_id=(granted.get("authed_user") or {}).get("id") or "",
        is_enterprise_install=whole,
        token_type=granted.get("token_type"),
        custom_values={URL: known.get("url")},
    )


def _reason(failure: Exception) -> str:
    """Return Slack's code for *failure*, or what kind it is: an exception's text may hold what was sent."""
    response = getattr(failure, "response", None)
    data = getattr(response, "data", None)
    return str(data.get("error")) if isinstance(data, dict) else type(failure).__name__


async def _succeeded(args: AsyncSuccessArgs) -> BoltResponse:
    installation = args.installation
    whole = installation.is_enterprise_install
    logger.info("installed in %s", installation.enterprise_id if whole else installation.team_id)
    place = installation.enterprise_name if whole else installation.team_name
    return _page(200, pages.installed(place or "your workspace"), args.settings.state_utils)


async def _failed(args: AsyncFailureArgs) -> BoltResponse:
    if args.error is not None:
        logger.error("an installation failed: %s", args.error)
    known = args.reason if args.reason in pages.SENTENCES else "for another reason"
    logger.info("an installation ended: %s", known)
    return _page(args.suggested_status_code, pages.failed(args.reason), args.settings.state_utils)


def _page(status: int, text: str, state: OAuthStateUtils | None = None) -> BoltResponse:
    ended = {} if state is None else {"Set-Cookie": state.build_set_cookie_for_deletion()}
    return BoltResponse(status=status, body=text, headers={**pages.HEADERS, **ended})
