"""What families of models expect of their input and do to their output: data, no code paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """What an embedding model wants before a query and before a passage."""

    query: str = ""
    document: str = ""


_SEARCH: Final = "Represent this sentence for searching relevant passages: "
_INSTRUCT: Final = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

PREFIXES: Final[tuple[tuple[str, Prefixes], ...]] = (
    # from the models' cards; the first pattern that occurs in the model's name decides
    (r"nomic-embed", Prefixes(query="search_query: ", document="search_document: ")),
    (r"\be5-.*instruct", Prefixes(query=_INSTRUCT + " ")),
    (r"\be5\b|e5-(?:small|base|large)", Prefixes(query="query: ", document="passage: ")),
    (r"mxbai-embed", Prefixes(query=_SEARCH)),
    (r"arctic-embed2|arctic-embed-\w-v2", Prefixes(query="query: ")),
    (r"arctic-embed", Prefixes(query=_SEARCH)),
    (r"bge-(?:small|base|large)-en", Prefixes(query=_SEARCH)),
    (r"qwen3-embedding", Prefixes(query=_INSTRUCT)),
    (r"embeddinggemma", Prefixes(query="task: search result | query: ", document="title: none | text: ")),
)

_THINKS_ALOUD: Final = re.compile(
    r"thinking|reason|deepseek-r1|\br1\b|r1-distill|\bqwq\b|deepscaler|openthinker|cogito|exaone-deep|marco-o1"
)


def prefixes_for(model: str) -> Prefixes:
    """Return what *model*'s family wants before texts; nothing for families that are not listed."""
    name = model.lower()
    return next((prefixes for pattern, prefixes in PREFIXES if re.search(pattern, name)), Prefixes())


def thinks_aloud(model: str) -> bool:
    """Tell whether *model*'s family is known to reason before it answers, whatever it is told."""
    return bool(_THINKS_ALOUD.search(model.lower()))


def plain_name(model: str) -> str:
    """Return *model* without the tag that Ollama adds by itself."""
    return model.removesuffix(":latest")
