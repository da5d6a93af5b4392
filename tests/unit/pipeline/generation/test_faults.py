"""What went wrong with a model server, told by class and status."""

from __future__ import annotations

import json

import anthropic
import httpx
import httpx2
import openai
import pytest
from ollama import ResponseError

from pipeline.errors import (
    ModelError,
    ModelMisconfigured,
    ModelNotFound,
    ModelTimeout,
    ModelUnavailable,
)
from pipeline.generation.faults import Server, translate, translated

SERVER = Server(title="Ollama", url="http://127.0.0.1:11434", model="llama3.2")
REQUEST = httpx.Request("POST", "http://127.0.0.1:11434/api/chat")


def status_error(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError("x", request=REQUEST, response=httpx.Response(status, request=REQUEST))


def sdk_error(sdk: object, status: int) -> Exception:
    request = httpx2.Request("POST", "http://127.0.0.1/")
    made: Exception = sdk.APIStatusError(  # type: ignore[attr-defined]  # both SDKs have the same classes
        "x", response=httpx2.Response(status, request=request), body=None
    )
    return made


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ResponseError("gone", 404), ModelNotFound),
        (ResponseError("broke", 500), ModelUnavailable),
        (ResponseError("in the stream"), ModelUnavailable),
        (ResponseError("no", 403), ModelMisconfigured),
        (ConnectionError("refused"), ModelUnavailable),
        (TimeoutError(), ModelTimeout),
        (httpx.ReadTimeout("x"), ModelTimeout),
        (httpx.ConnectTimeout("x"), ModelUnavailable),
        (httpx.ConnectError("x"), ModelUnavailable),
        (httpx.RemoteProtocolError("x"), ModelUnavailable),
        (status_error(404), ModelNotFound),
        (status_error(504), ModelTimeout),
        (status_error(302), ModelUnavailable),
        (json.JSONDecodeError("x", "", 0), ModelUnavailable),
        (sdk_error(openai, 404), ModelNotFound),
        (sdk_error(openai, 429), ModelUnavailable),
        (sdk_error(openai, 401), ModelMisconfigured),
        (sdk_error(anthropic, 404), ModelNotFound),
        (sdk_error(anthropic, 529), ModelUnavailable),
        (openai.APITimeoutError(httpx2.Request("POST", "http://x/")), ModelTimeout),
        (anthropic.APITimeoutError(httpx2.Request("POST", "http://x/")), ModelTimeout),
        (openai.APIConnectionError(request=httpx2.Request("POST", "http://x/")), ModelUnavailable),
        (httpx2.ReadError("x"), ModelUnavailable),
    ],
)
def test_every_fault_of_a_client_becomes_ours(error: Exception, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught, translated(SERVER):
        raise error

    assert type(caught.value) is kind
    assert caught.value.__cause__ is error


def test_what_a_server_said_is_not_repeated() -> None:
    error = translate(ResponseError("the prompt was: a secret", 500), SERVER)

    assert "secret" not in str(error)
    assert "500" in str(error)


def test_our_own_mistakes_are_not_the_server_s() -> None:
    with pytest.raises(KeyError), translated(SERVER):
        raise KeyError("x")
