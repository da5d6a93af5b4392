"""Which model to use, as plain values, and which of them may be used at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, assert_never
from urllib.parse import urlsplit

from pipeline.addresses import is_loopback
from pipeline.errors import ModelMisconfigured
from pipeline.generation.faults import Server
from pipeline.generation.profiles import plain_name

Provider = Literal["auto", "ollama", "openai", "anthropic", "extractive", "embedded"]
Use = Literal["chat", "embedding"]

_URLS: Final = {
    "ollama": "http://127.0.0.1:11434",
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
_TITLES: Final = {"ollama": "Ollama", "openai": "The OpenAI-compatible server", "anthropic": "Anthropic"}
_MODELS: Final = {
    ("ollama", "chat"): "llama3.2",
    ("ollama", "embedding"): "nomic-embed-text",
    ("openai", "embedding"): "text-embedding-3-small",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """One model as the settings name it."""

    provider: Provider = "auto"
    model: str | None = None
    """None: the provider's default, where there is one."""
    base_url: str | None = None
    """None: the provider's own address."""
    api_key: str | None = field(default=None, repr=False)
    num_ctx: int = 8192
    """Tokens of the context window that are used, prompt and answer together."""
    num_predict: int = 512
    """Tokens an answer may have."""
    timeout_s: float = 180.0
    """Seconds a whole answer may take, waiting for its turn not counted."""
    first_token_s: float | None = None
    """Seconds until the model's first sign of life; None: two thirds of `timeout_s`."""

    def under(self, name: str) -> ModelChoice:
        """Return the choice that an embedder's *name*, such as ``ollama:nomic-embed-text``, stands for."""
        provider, _, model = name.partition(":")
        match provider:
            case "ollama" | "openai" | "embedded" if model:
                return replace(self, provider=provider, model=model)
            case _:
                raise ModelMisconfigured(f"'{name}' is not the name of an embedding model.")

    def resolved(self) -> Provider:
        """Return the provider to try: ``auto`` means Ollama first."""
        return "ollama" if self.provider == "auto" else self.provider

    def server(self, use: Use) -> Server:
        """Return the server and model that this choice names. Raises `ModelMisconfigured`."""
        provider = self.resolved()
        if provider in ("extractive", "embedded"):
            raise ModelMisconfigured(f"'{provider}' is no server.")
        model = self.model or _MODELS.get((provider, use))
        if model is None:
            section = "LLM" if use == "chat" else "EMBEDDING"
            raise ModelMisconfigured(f"Name the model to use: set FOOTNOTE_{section}__MODEL.")
        url = (self.base_url or _URLS[provider]).rstrip("/")
        return Server(title=_TITLES[provider], url=url, model=plain_name(model))


def check_url(choice: ModelChoice, url: str) -> str | None:
    """Return a warning about *url*, None if there is nothing to say. Raises `ModelMisconfigured`.

    Text and keys go out over https, or over http to this very machine. A model server in the local network
    is often plain http; Ollama is let through with a warning as long as no key goes with it.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelMisconfigured(f"'{url}' is not the address of a model server; write http(s)://host:port.")
    if parts.username or parts.password:
        raise ModelMisconfigured(
            "Put the key of a model server into its API_KEY setting, not into its address."
        )
    if parts.scheme == "https" or is_loopback(parts.hostname):
        return None
    provider = choice.resolved()
    match provider:
        case "ollama" if choice.api_key is None:
            return f"Questions and passages go to {url} unencrypted; use https outside a trusted network."
        case "ollama":
            raise ModelMisconfigured(f"A key must not go to {url} unencrypted; use https.")
        case "openai" | "anthropic":
            raise ModelMisconfigured(f"{url} is neither https nor this machine; use https.")
        case "auto" | "extractive" | "embedded":
            return None
        case _:
            assert_never(provider)
