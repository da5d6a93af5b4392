"""LangChain's clients of model servers, built from plain values and from nothing in the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx
from langchain_core.utils.env import env_var_is_set
from langchain_ollama import ChatOllama, OllamaEmbeddings

from pipeline.addresses import is_loopback
from pipeline.errors import ModelMisconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    from pipeline.generation.choice import ModelChoice
    from pipeline.generation.faults import Server

CLOSE: Final = {"Connection": "close"}
"""Sent to hosted models, so that no connection outlives its answer."""

RETRIES: Final = 1
"""How often the SDKs of hosted models try again after an overload; the total time stays bounded."""

CONNECT_S: Final = 10.0

NO_KEY: Final = "none"
"""What OpenAI-compatible servers without keys are sent, since the SDK insists on one."""

_RETIRED: Final = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")


def chat_model(choice: ModelChoice, server: Server, *, num_predict: int) -> BaseChatModel:
    """Return a chat model without sampling parameters. Raises `ModelMisconfigured`."""
    for name in _RETIRED:
        if env_var_is_set(name):
            raise ModelMisconfigured(f"LangChain refuses to run while {name} is set; unset it.")
    build = {"ollama": _chat_ollama, "openai": _chat_openai, "anthropic": _chat_anthropic}
    return build[choice.resolved()](choice, server, num_predict)


def embeddings(choice: ModelChoice, server: Server) -> Embeddings:
    """Return an embedding model. Raises `ModelMisconfigured`."""
    if choice.resolved() == "ollama":
        return OllamaEmbeddings(
            model=server.model, base_url=server.url, client_kwargs=_ollama_client(choice, server)
        )
    if choice.resolved() == "openai":
        return _openai_embeddings(choice, server)
    raise ModelMisconfigured(f"{server.title} has no embedding models; use ollama, openai or embedded.")


def _chat_ollama(choice: ModelChoice, server: Server, num_predict: int) -> BaseChatModel:
    return ChatOllama(
        model=server.model,
        base_url=server.url,
        num_ctx=choice.num_ctx,
        num_predict=num_predict,
        reasoning=False,
        client_kwargs=_ollama_client(choice, server),
    )


def _ollama_client(choice: ModelChoice, server: Server) -> dict[str, Any]:
    address = urlsplit(server.url)
    return {
        "timeout": httpx.Timeout(choice.timeout_s, connect=CONNECT_S),
        # LangChain has no way to close a client: no connection outlives its answer, or the loop it belongs to
        "limits": httpx.Limits(max_keepalive_connections=0),
        # a redirect could lead people's text anywhere
        "follow_redirects": False,
        "trust_env": not is_loopback(address.hostname or ""),
        # without TLS and without redirects there is nothing to verify, and certificates are slow to load
        "verify": address.scheme == "https",
        "auth": _only_our_key(choice.api_key),
    }


def _only_our_key(key: str | None) -> Callable[[httpx.Request], httpx.Request]:
    """Set the key that was chosen; Ollama's client would send OLLAMA_API_KEY to any host, http included."""

    def sign(request: httpx.Request) -> httpx.Request:
        request.headers.pop("Authorization", None)
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    return sign


def _chat_openai(choice: ModelChoice, server: Server, num_predict: int) -> BaseChatModel:
    try:
        from langchain_openai import ChatOpenAI
        from langchain_openai.chat_models.base import BaseChatOpenAI
    except ImportError as error:
        raise _not_installed("openai") from error
    official = urlsplit(server.url).hostname == "api.openai.com"
    # other servers know the older name of the limit, max_tokens, which only the parent class still sends
    kind = ChatOpenAI if official else BaseChatOpenAI
    settings: dict[str, Any] = {
        "model": server.model,
        "base_url": server.url,
        "api_key": choice.api_key or NO_KEY,
        "timeout": choice.timeout_s,
        "max_retries": RETRIES,
        "default_headers": CLOSE,
        "max_tokens": num_predict,
        "stream_usage": True,
        "use_responses_api": False,
    }
    return kind(**settings)


def _openai_embeddings(choice: ModelChoice, server: Server) -> Embeddings:
    try:
        from langchain_openai import OpenAIEmbeddings
    except ImportError as error:
        raise _not_installed("openai") from error
    settings: dict[str, Any] = {
        "model": server.model,
        "base_url": server.url,
        "api_key": choice.api_key or NO_KEY,
        "timeout": choice.timeout_s,
        "max_retries": RETRIES,
        "default_headers": CLOSE,
        # counting tokens here would fetch OpenAI's vocabulary from the network, and send tokens, not text
        "check_embedding_ctx_length": False,
        "model_kwargs": {"encoding_format": "float"},
    }
    return OpenAIEmbeddings(**settings)


def _chat_anthropic(choice: ModelChoice, server: Server, num_predict: int) -> BaseChatModel:
    try:
        from langchain_anthropic import ChatAnthropic
    except ImportError as error:
        raise _not_installed("anthropic") from error
    if not choice.api_key:
        raise ModelMisconfigured("Anthropic needs a key: set FOOTNOTE_LLM__API_KEY.")
    settings: dict[str, Any] = {
        "model": server.model,
        "base_url": server.url,
        "api_key": choice.api_key,
        "timeout": choice.timeout_s,
        "max_retries": RETRIES,
        "default_headers": CLOSE,
        "max_tokens": num_predict,
    }
    return ChatAnthropic(**settings)


def _not_installed(extra: str) -> ModelMisconfigured:
    return ModelMisconfigured(
        f"The {extra} client is not installed: pip install '.[{extra}]' in Footnote's folder."
    )
