"""Is a model there, and what does its server say of it: for the start of the program and for the doctor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import httpx

from pipeline.addresses import is_loopback
from pipeline.errors import ModelError, ModelMisconfigured
from pipeline.generation.choice import check_url
from pipeline.generation.embedders import EMBEDDED_DIMENSION, EMBEDDED_MODEL
from pipeline.generation.faults import translated
from pipeline.generation.profiles import plain_name

if TYPE_CHECKING:
    from pipeline.generation.choice import ModelChoice, Use
    from pipeline.generation.faults import Server

PATIENCE: Final = httpx.Timeout(5.0)
"""Seconds: a server that lists its models more slowly will not answer questions in time either."""

LISTED: Final = 8
"""Names of other models that a message mentions."""

_ANTHROPIC_VERSION: Final = "2023-06-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """What is known of one model."""

    reachable: bool
    """The server said which models it has."""
    has_model: bool
    message: str
    """One sentence for people."""
    remedy: str | None = None
    """What to do about it; None: nothing needs doing."""
    context_length: int | None = None
    """Tokens the model can read at most; None: its server does not say."""
    dimension: int | None = None
    """Length of its vectors, for an embedding model; None: not said."""

    @property
    def usable(self) -> bool:
        """The model can be asked."""
        return self.reachable and self.has_model


async def inspect(choice: ModelChoice, use: Use = "chat") -> ModelStatus:
    """Look at the model that *choice* names; ``auto`` looks at Ollama's. A server's state raises nothing."""
    provider = choice.resolved()
    if provider == "extractive":
        return ModelStatus(reachable=True, has_model=True, message="Answers quote the best sentences.")
    if provider == "embedded":
        message = f"{EMBEDDED_MODEL} runs in this process."
        return ModelStatus(reachable=True, has_model=True, message=message, dimension=EMBEDDED_DIMENSION)
    if provider != "ollama" and find_spec(f"langchain_{provider}") is None:
        remedy = f"pip install '.[{provider}]' in Footnote's folder"
        message = f"The {provider} client is not installed."
        return ModelStatus(reachable=False, has_model=False, message=message, remedy=remedy)
    try:
        server = choice.server(use)
        warning = check_url(choice, server.url)
        async with _client(server.url) as client:
            look = {"ollama": _ollama, "openai": _openai, "anthropic": _anthropic}[provider]
            with translated(server):
                status = await look(client, server, choice)
    except ModelError as error:
        return _failed(error, provider)
    if warning and status.usable:
        return replace(status, message=f"{status.message} {warning}")
    return status


def _client(url: str) -> httpx.AsyncClient:
    address = httpx.URL(url)
    return httpx.AsyncClient(
        timeout=PATIENCE,
        # a proxy from the environment cannot reach this machine's own servers
        trust_env=not is_loopback(address.host),
        # without TLS and without redirects there is nothing to verify, and certificates are slow to load
        verify=address.scheme == "https",
    )


def _failed(error: ModelError, provider: str) -> ModelStatus:
    remedy = "ollama serve" if provider == "ollama" else "start the server, or correct BASE_URL"
    if isinstance(error, ModelMisconfigured):
        remedy = "correct the FOOTNOTE_LLM__ and FOOTNOTE_EMBEDDING__ settings"
    return ModelStatus(reachable=False, has_model=False, message=str(error), remedy=remedy)


async def _ollama(client: httpx.AsyncClient, server: Server, choice: ModelChoice) -> ModelStatus:
    headers = _bearer(choice)
    tags = await _json(client, "GET", f"{server.url}/api/tags", headers)
    names = [plain_name(model["name"]) for model in tags.get("models", [])]
    if server.model not in names:
        return _missing(server, names)
    shown = await _json(client, "POST", f"{server.url}/api/show", headers, {"model": server.model})
    facts: dict[str, Any] = shown.get("model_info") or {}
    length = _fact(facts, ".context_length")
    return ModelStatus(
        reachable=True,
        has_model=True,
        message=f"{server.title} at {server.url} has '{server.model}'.",
        context_length=length,
        dimension=_fact(facts, ".embedding_length"),
    )


async def _openai(client: httpx.AsyncClient, server: Server, choice: ModelChoice) -> ModelStatus:
    listed = await _json(client, "GET", f"{server.url}/models", _bearer(choice))
    return _listed(server, listed)


async def _anthropic(client: httpx.AsyncClient, server: Server, choice: ModelChoice) -> ModelStatus:
    headers = {"x-api-key": choice.api_key or "", "anthropic-version": _ANTHROPIC_VERSION}
    return _listed(server, await _json(client, "GET", f"{server.url}/v1/models?limit=1000", headers))


def _listed(server: Server, listed: dict[str, Any]) -> ModelStatus:
    names = [model["id"] for model in listed.get("data", [])]
    # hosts of many models list only some, and aliases not at all
    if names and server.model not in names and not any(name.startswith(server.model) for name in names):
        return _missing(server, names)
    return ModelStatus(
        reachable=True, has_model=True, message=f"{server.title} at {server.url} has '{server.model}'."
    )


def _missing(server: Server, names: list[str]) -> ModelStatus:
    others = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
    has = f"it has {others}" if names else "it has none"
    return ModelStatus(
        reachable=True,
        has_model=False,
        message=f"{server.title} at {server.url} does not have the model '{server.model}'; {has}.",
        remedy=server.remedy,
    )


def _bearer(choice: ModelChoice) -> dict[str, str]:
    return {"Authorization": f"Bearer {choice.api_key}"} if choice.api_key else {}


def _fact(facts: dict[str, Any], ending: str) -> int | None:
    """Return the number whose key ends so; before the ending stands the model's architecture."""
    return next((int(value) for key, value in facts.items() if key.endswith(ending) and value), None)


async def _json(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    headers: dict[str, str],
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    response = await client.request(method, url, headers=headers, json=body)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer
