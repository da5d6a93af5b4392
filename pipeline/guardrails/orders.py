"""The document policy: which sentences of a text address the assistant instead of whoever reads the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.guardrails.kinds import HINTS, SIGNS, SURE, WEAK
from pipeline.plain import folded
from pipeline.sentences import spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Span = tuple[int, int]

_ENOUGH: Final = 2
"""Signs of different kinds, in sentences that stand together, that make an order of them."""

_SURE: Final = "sure"

_APART: Final = re.compile(r"\b(?:[A-Za-z] ){3,}[A-Za-z]\b")
_WORD: Final = re.compile(r"\w+")
_OTHER_HINT: Final = re.compile("[<\\[\u3040-\u30ff\u4e00-\u9fff]")
"""Signs of control, and scripts that do not part words."""

_COMMENT: Final = re.compile(r"<!--.{0,4000}?(?:-->|\Z)", re.DOTALL)
_FENCED: Final = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED: Final = re.compile(
    r"“[^”]{2,400}”|„[^“”]{2,400}[“”]|«[^»]{2,400}»|「[^」]{2,400}」|\"[^\"]{2,400}\""
    r"|(?<!\w)'[^'\n]{2,400}'(?!\w)|`[^`]{2,400}`"
)
_TALK: Final = re.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|adversar\w*|malicious\w*|exploit\w*|examples?|e\.g|for instance"
    r"|such as|like|phrases?|payloads?|patterns?|trick\w*|angriff\w*|angreifer\w*|beispiel\w*|ataque\w*"
    r"|ejemplo\w*|attaque\w*|exemple\w*)\b|攻击|例如|注入|攻撃|例えば",
    re.IGNORECASE,
)
_REPORTED: Final = re.compile(
    r"\b(?:to|that|which|who|would|could|can|may|might|and|or)\s+(?:\w+ly\s+)?$", re.IGNORECASE
)
_YOU: Final = re.compile(r"\byou(?:r|rself)?\b", re.IGNORECASE)

_BEFORE: Final = 600
"""Characters before a quotation or a block of code in which it may be called an example."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    span: Span
    signs: frozenset[str]


def contains_orders(text: str) -> bool:
    """Tell whether *text*, a piece of a document, gives the assistant orders."""
    return bool(orders_in(text))


def orders_in(text: str) -> list[Span]:
    """Return where *text* gives the assistant orders, as half-open ranges of characters, in order.

    A sentence that talks about such orders is none: one that says of what its quotation is an example, or
    that tells what an attacker does.
    """
    comments = [found.span() for found in _COMMENT.finditer(text) if _is_order(text, found.span())]
    passed = [*comments, *_examples(text)]
    sentences = [one for span in spans(text) if not _touches(span, passed) for one in _read(text, span)]
    orders = [one.span for run in _runs(sentences) if _adds_up(run) for one in run]
    return sorted([*comments, *orders])


def _read(text: str, span: Span) -> list[_Sentence]:
    """Return a sentence, or its lines one by one where these show as much as it does."""
    whole = _Sentence(span, _signs(text, span))
    lines = [_Sentence(line, _signs(text, line)) for line in _lines(text, span)]
    if len(lines) > 1 and whole.signs <= _union(lines):
        return lines
    return [whole]


def _lines(text: str, span: Span) -> list[Span]:
    ends = [*(found.start() for found in re.finditer(r"\n", text[slice(*span)])), span[1] - span[0]]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [(span[0] + start, span[0] + end) for start, end in zip(starts, ends, strict=True)]


def _union(sentences: Iterable[_Sentence]) -> frozenset[str]:
    return frozenset[str]().union(*(one.signs for one in sentences))


def _is_order(text: str, span: Span) -> bool:
    return _adds_up([_Sentence(span, _signs(text, span))])


def _adds_up(run: Sequence[_Sentence]) -> bool:
    signs = _union(run)
    return _SURE in signs or (len(signs) >= _ENOUGH and not signs <= WEAK)


def _runs(sentences: Iterable[_Sentence]) -> Iterator[list[_Sentence]]:
    """Yield sentences with signs that stand together, at most one without any between two of them."""
    run: list[_Sentence] = []
    gap = 0
    for one in sentences:
        gap = 0 if one.signs else gap + 1
        if gap > 1 and run:
            yield run
            run = []
        if one.signs:
            run.append(one)
    if run:
        yield run


def _signs(text: str, span: Span) -> frozenset[str]:
    """Return the kinds of signs in one sentence, what it quotes as an example left out."""
    said = _joined(" ".join(folded(text[slice(*span)]).split()))
    if not _OTHER_HINT.search(said) and HINTS.isdisjoint(_WORD.findall(said.lower())):
        return frozenset()
    if _TALK.search(_QUOTED.sub(" ", text[max(0, span[0] - _BEFORE) : span[0]] + "\n" + said)):
        said = _QUOTED.sub(" ", said)
    signs = {name for name, kind in SIGNS.items() if any(pattern.search(said) for pattern in kind)}
    if _is_sure(said):
        signs.add(_SURE)
    return frozenset(signs)


def _joined(said: str) -> str:
    """Join words whose letters were set apart."""
    return _APART.sub(lambda word: word[0].replace(" ", ""), said)


def _is_sure(said: str) -> bool:
    found = (pattern.search(said) for pattern in SURE)
    return any(match is not None and not _reports(said[: match.start()]) for match in found)


def _reports(before: str) -> bool:
    """Tell by what stands *before* an order whether it only tells of one: "attackers ask models to …"."""
    return bool(_REPORTED.search(before) and _TALK.search(before) and not _YOU.search(before))


def _examples(text: str) -> list[Span]:
    """Return the blocks of code that the text before them calls examples."""
    blocks = (found.span() for found in _FENCED.finditer(text))
    return [block for block in blocks if _TALK.search(text, max(0, block[0] - _BEFORE), block[0])]


def _touches(span: Span, others: Iterable[Span]) -> bool:
    return any(begin < span[1] and span[0] < end for begin, end in others)
