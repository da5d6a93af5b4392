"""``auth.*``, ``apps.*``, ``oauth.*``, ``views.*``, ``assistant.*`` and ``agents.*``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tests.fakes.slack.blocks import check
from tests.fakes.slack.chat import TS, conversation
from tests.fakes.slack.web_api import ApiError, Caller, method
from tests.fakes.slack.world import View

if TYPE_CHECKING:
    from tests.fakes.slack.state import State

TRIGGER_SECONDS = 3.0


@method("auth.test")
def auth_test(_: State, caller: Caller) -> dict[str, Any]:
    space = caller.workspace
    who = {"user": "footnote", "user_id": space.bot, "bot_id": space.bot_id}
    return {"url": space.url, "team": space.name, "team_id": space.id, "is_enterprise_install": False, **who}


@method("auth.revoke")
def auth_revoke(_: State, caller: Caller) -> dict[str, Any]:
    if not caller.flag("test"):
        caller.workspace.installed = False
    return {"revoked": not caller.flag("test")}


@method("apps.connections.open")
def connections_open(state: State, _: Caller) -> dict[str, Any]:
    ticket = uuid4().hex
    state.tickets.add(ticket)
    socket = state.base_url.replace("http", "ws", 1).removesuffix("api/")
    return {"url": f"{socket}link/?ticket={ticket}&app_id={state.app_id}"}


@method("apps.manifest.export")
def manifest_export(state: State, caller: Caller) -> dict[str, Any]:
    if caller.need("app_id") != [state.app_id]:
        raise ApiError("invalid_app_id")
    return {"manifest": state.manifest}


@method("oauth.v2.access")
def oauth_access(state: State, caller: Caller) -> dict[str, Any]:
    arguments = caller.arguments
    given = (str(arguments.get("client_id", "")), str(arguments.get("client_secret", "")))
    client_id, secret = caller.credentials if caller.credentials[0] else given
    if client_id != state.client_id:
        raise ApiError("invalid_client_id")
    if secret != state.client_secret:
        raise ApiError("bad_client_secret")
    (code,) = caller.need("code")
    team = state.codes.pop(code, None)
    if team is None:
        raise ApiError("invalid_code")
    space = state.workspaces[team]
    space.installed = True
    return {
        "access_token": space.token,
        "token_type": "bot",
        "scope": ",".join(sorted(space.scopes)),
        "bot_user_id": space.bot,
        "app_id": state.app_id,
        "team": {"id": space.id, "name": space.name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": next(iter(space.users))},
    }


@method("views.publish")
def views_publish(state: State, caller: Caller) -> dict[str, Any]:
    (user,) = caller.need("user_id")
    if user not in caller.workspace.users:
        raise ApiError("user_not_found")
    view = _view(state, caller, kind="home", user=user)
    state.homes[caller.workspace.id, user] = view
    return {"view": {"id": view.id, **view.view}}


@method("views.open")
def views_open(state: State, caller: Caller) -> dict[str, Any]:
    (trigger,) = caller.need("trigger_id")
    made = state.triggers.pop(trigger, None)
    if made is None:
        raise ApiError("exchanged_trigger_id")
    if state.clock() - made > TRIGGER_SECONDS:
        raise ApiError("expired_trigger_id")
    view = _view(state, caller, kind="modal", user=state.trigger_users.get(trigger, ""))
    state.views.append(view)
    return {"view": {"id": view.id, **view.view}}


def _view(state: State, caller: Caller, *, kind: str, user: str) -> View:
    given = caller.arguments.get("view")
    if not isinstance(given, dict) or given.get("type") != kind:
        raise ApiError("invalid_arguments")
    for name, most in (("title", 24), ("submit", 24), ("close", 24)):
        if name in given and len(given[name]["text"]) > most:
            raise ApiError("invalid_arguments")
    if kind == "modal" and "title" not in given:
        raise ApiError("invalid_arguments")
    if len(given.get("private_metadata") or "") > 3_000:
        raise ApiError("invalid_arguments")
    check(given.get("blocks") or [], most=100, measure=state.measure)
    return View(id=f"V{state.number():07d}", user=user, team=caller.workspace.id, view=given)


@method("assistant.threads.setStatus", scope="chat:write|assistant:write")
def set_status(state: State, caller: Caller) -> dict[str, Any]:
    key = _thread(caller)
    if len(caller.arguments.get("loading_messages") or []) > 10:
        raise ApiError("invalid_arguments")
    status = str(caller.arguments.get("status") or "")
    state.status_history.append((*key, status))
    if status:
        state.statuses[key] = status
    else:
        state.statuses.pop(key, None)
    return {}


@method("assistant.threads.setTitle", scope="assistant:write")
def set_title(state: State, caller: Caller) -> dict[str, Any]:
    _check_agent(state)
    (title,) = caller.need("title")
    state.titles[_thread(caller)] = title
    return {}


@method("assistant.threads.setSuggestedPrompts", scope="assistant:write")
def set_prompts(state: State, caller: Caller) -> dict[str, Any]:
    _check_agent(state)
    conversation(caller, "channel_id")
    prompts = caller.arguments.get("prompts") or []
    if not 1 <= len(prompts) <= 4 or any(not {"title", "message"} <= prompt.keys() for prompt in prompts):
        raise ApiError("invalid_arguments")
    state.prompts.append(caller.arguments)
    return {}


@method("agents.sessions.setStatus", scope="chat:write")
def set_session(state: State, caller: Caller) -> dict[str, Any]:
    _check_agent(state)
    channel, status = conversation(caller, "channel_id"), caller.arguments.get("status")
    if status not in {"active", "processing", "suspended", "closed"}:
        raise ApiError("invalid_arguments")
    state.sessions[channel.id, str(caller.arguments.get("thread_ts") or "")] = str(status)
    return {}


def _check_agent(state: State) -> None:
    if not state.agent:
        raise ApiError("not_agent_app")


def _thread(caller: Caller) -> tuple[str, str]:
    channel = conversation(caller, "channel_id")
    (thread,) = caller.need("thread_ts")
    if not TS.fullmatch(thread):
        raise ApiError("invalid_thread_ts")
    return channel.id, thread
