"""Which model may be used, and where its text may go."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.errors import ModelMisconfigured
from pipeline.generation.choice import ModelChoice, check_url
from pipeline.generation.profiles import prefixes_for, thinks_aloud


def check(provider: Any, url: str, key: str | None = None) -> str | None:
    return check_url(ModelChoice(provider=provider, base_url=url, api_key=key), url)


@pytest.mark.parametrize(
    ("provider", "url", "key"),
    [
        ("ollama", "http://127.0.0.1:11434", "k"),
        ("ollama", "http://localhost:11434", None),
        ("ollama", "http://[::1]:11434", "k"),
        ("ollama", "https://ollama.example", "k"),
        ("openai", "https://api.openai.com/v1", "k"),
        ("openai", "http://127.0.0.1:8000/v1", "k"),
        ("anthropic", "https://api.anthropic.com", "k"),
    ],
)
def test_encrypted_or_local_addresses_are_fine(provider: str, url: str, key: str | None) -> None:
    assert check(provider, url, key) is None


@pytest.mark.parametrize("provider", ["ollama", "auto"])
def test_ollama_in_the_local_network_is_let_through_with_a_warning(provider: str) -> None:
    warning = check(provider, "http://192.168.1.5:11434")

    assert warning is not None
    assert "unencrypted" in warning


@pytest.mark.parametrize(
    ("provider", "url", "key"),
    [
        ("ollama", "http://192.168.1.5:11434", "k"),
        ("openai", "http://192.168.1.5:8000/v1", "k"),
        ("openai", "http://192.168.1.5:8000/v1", None),
        ("anthropic", "http://proxy.example", "k"),
        ("openai", "http://127.0.0.1.example.com/v1", "k"),
        ("openai", "http://127.0.0.1@evil.example/v1", "k"),
        ("ollama", "ollama:11434", None),
        ("ollama", "ftp://127.0.0.1/", None),
        ("ollama", "http://", None),
        ("ollama", "https://user:secret@ollama.example", None),
    ],
)
def test_keys_and_text_do_not_go_out_in_the_open(provider: str, url: str, key: str | None) -> None:
    with pytest.raises(ModelMisconfigured):
        check(provider, url, key)


def test_no_key_is_shown() -> None:
    choice = ModelChoice(provider="openai", api_key="very-secret")

    assert "very-secret" not in repr(choice)


def test_providers_have_their_own_addresses_and_models() -> None:
    server = ModelChoice().server("chat")

    assert (server.url, server.model) == ("http://127.0.0.1:11434", "llama3.2")
    assert ModelChoice().server("embedding").model == "nomic-embed-text"
    assert ModelChoice(model="qwen3:latest").server("chat").model == "qwen3"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_hosted_models_must_be_named(provider: Any) -> None:
    with pytest.raises(ModelMisconfigured, match="FOOTNOTE_LLM__MODEL"):
        ModelChoice(provider=provider).server("chat")


def test_what_runs_here_has_no_server() -> None:
    with pytest.raises(ModelMisconfigured):
        ModelChoice(provider="extractive").server("chat")


def test_an_embedder_is_found_again_by_its_name() -> None:
    choice = ModelChoice(base_url="http://127.0.0.1:1").under("ollama:nomic-embed-text:v1.5")

    assert (choice.provider, choice.model) == ("ollama", "nomic-embed-text:v1.5")
    assert choice.base_url == "http://127.0.0.1:1"
    for name in ("nomic", "other:model", "ollama:"):
        with pytest.raises(ModelMisconfigured):
            choice.under(name)


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("hf.co/intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("all-minilm", "", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_families_have_their_prefixes(model: str, query: str, document: str) -> None:
    prefixes = prefixes_for(model)

    assert (prefixes.query, prefixes.document) == (query, document)


def test_models_that_always_reason_are_known() -> None:
    assert all(
        thinks_aloud(name) for name in ("deepseek-r1:8b", "qwq", "Qwen3-4B-Thinking-2507", "phi4-reasoning")
    )
    assert not any(thinks_aloud(name) for name in ("llama3.2", "qwen3:4b", "mistral", "gemma3"))
