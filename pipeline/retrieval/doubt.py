"""What speaks against an answer although many words of the question are there: names, and denials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipeline.sentences import coverage, split, weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Analyze = Callable[[str], Sequence[str]]

READ: Final = 3
"""Passages whose sentences are compared with a question that denies; the best ones hold what it is about."""

_AS_NEAR: Final = 0.9
"""Of the words that the nearest sentence shares with the question: another one may as well be meant."""

_WORD: Final = re.compile(r"\w[\w.,’'-]*")
_BEFORE_A_WORD: Final = " \t\n\"'“”‘’(["
_SHORT: Final = 3
"""Letters of words that stay small in a title: "of", "the"."""

_ASKS: Final = re.compile(r"\b(?:what|which|who|whom|whose|where|when|how (?:many|much))\b", re.IGNORECASE)
_DENIES: Final = re.compile(
    r"\b(?:not(?! only\b| just\b)|never|none|nobody|nothing|nowhere|neither|cannot"
    r"|no(?! later\b| more than\b| less than\b| fewer than\b|\. ?\d|\W*$))\b|n[’']t\b",
    re.IGNORECASE,
)
_RESTRICTS: Final = re.compile(
    r"\b(?:except|only|but|other than|exclud\w+|instead|rather|unless|without|lack\w*|fail\w*|refus\w+"
    r"|reject\w*|prohibit\w*|forbid\w*|banned|against|oppos\w+|im?possible|unable|unavailable|invalid|ineligible"
    r"|incapable|free|non|apart from|hardly|rarely|little|few)\b",
    re.IGNORECASE,
)
"""Says of something that it is left out, so that it may answer what is not so."""

_CONDITION: Final = re.compile(
    r"^\W*(?:if|unless|because|in case)\b[^,]*,"
    r"|(?<=\w)\W+(?:if|when|unless|because|since|so that|in case|while)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""A clause that says when something holds: "if I am not a member" asks for what is so without one."""


def names(question: str, analyze: Analyze) -> frozenset[str]:
    """Return the tokens of the names and numbers in *question*: what people do not put into other words.

    A name begins with a capital letter within a sentence. Where all long words do, capitals tell nothing.
    """
    words = list(_WORD.finditer(question))
    long = [word.group() for word in words if len(word.group()) > _SHORT and word.group()[0].isalpha()]
    capitals = not all(map(_large, long))
    kept = [
        word.group()
        for word in words
        if any(map(str.isdigit, word.group())) or (capitals and _is_name(question, word))
    ]
    asked = frozenset(analyze(question))
    return asked.intersection(token for word in kept for token in analyze(word))


def undenied(question: str, passages: Sequence[str], analyze: Analyze) -> bool:
    """Tell whether *question* asks for what is not so, while the sentences nearest to it deny nothing.

    "Which invoices are not paid twice?" takes the denial for granted. A claim and a question for yes or no do
    not: a sentence that says the opposite answers them. English only.
    """
    asked_of = _CONDITION.sub(" ", question)
    if not _ASKS.search(asked_of) or not _DENIES.search(asked_of):
        return False
    sentences = [sentence for passage in passages[:READ] for sentence in split(passage)]
    tokens = [analyze(sentence) for sentence in sentences]
    asked, weight = analyze(question), weights(tokens)
    shares = [coverage(asked, held, weight) for held in tokens]
    if not any(shares):
        return False
    near = [text for text, share in zip(sentences, shares, strict=True) if share >= _AS_NEAR * max(shares)]
    return not any(_DENIES.search(text) or _RESTRICTS.search(text) for text in near)


def _is_name(question: str, word: re.Match[str]) -> bool:
    before = question[: word.start()].rstrip(_BEFORE_A_WORD)
    return _large(word.group()) and bool(before) and before[-1] not in ".?!:"


def _large(word: str) -> bool:
    return word[0].isupper()
