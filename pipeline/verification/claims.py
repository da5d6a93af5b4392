"""The statements of a finished answer, each with the labels that it cites."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pipeline import markers
from pipeline.sentences import spans

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCED: Final = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|(?:\*\*|__)[^*_\n]+(?:\*\*|__):?\s*$)")
_RULE: Final = re.compile(r"[\s|:+-]*-[\s|:+-]*$")
_ROW: Final = re.compile(r"\s*\|?.*\S\s*\|\s*\S.*|\s*\|.*\|\s*$")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s")
_NUMBERING: Final = re.compile(r"^\s*\(?\d{1,3}[.)]\s+")
_EMPHASIS: Final = re.compile(r"\*\*|__")
_WORD: Final = re.compile(r"\w+")
_LEADING_IN: Final = (":", "：")
_ASKING: Final = ("?", "？", "¿")

_COURTESY: Final = re.compile(
    r"(?:sure|certainly|of course|absolutely|great question|you'?re welcome|thank(?:s| you)|hello|hi|sorry"
    r"|i(?:'m| am) (?:sorry|happy|glad|afraid)|i hope|let me know|feel free|please (?:let|feel|note that i)"
    r"|if you (?:have|need|want|would like)|here (?:is|are|'s)|hope (?:this|that)|is there anything"
    r"|gern(?:e)?\b|natürlich|ich hoffe|falls sie|wenn sie (?:weitere|noch)|hier (?:ist|sind)|leider kann ich"
    r"|lassen sie mich|vielen dank|i (?:do not|don'?t|can'?t|cannot|could not|couldn'?t) "
    r"(?:know|find|answer|see|tell|help)|ich (?:weiß|kann|konnte|finde))\b",
    re.IGNORECASE,
)
_MATERIAL: Final = r"\b(?:documents?|sources?|files?|passages?|context|texts?|excerpts?|information)\b"
_SAYING: Final = (
    r"(?:mention|say|state|contain|provide|specif|answer|includ|giv|describ|cover|discuss|explain|indicat|tell"
    r"|hold|address|name)"
)
_MATERIAL_DE: Final = r"\b(?:dokumente?n?|quellen?|dateien?|texte?n?|unterlagen|abschnitte?n?|passagen?)\b"
_SAYING_DE: Final = r"(?:erwähn|enth[aä]lt|nenn|beantwort|steh|angegeben|angaben|hervor|informationen|sag)"
_ABSENCE: Final = re.compile(
    rf"{_MATERIAL}.{{0,40}}?(?:\bnot|n['’]t|\bnever) (?:\w+ ){{0,2}}?{_SAYING}"
    rf"|{_MATERIAL}.{{0,40}}?\b(?:has|have|contains?|provides?|gives?) no\b"
    r"|\bno (?:information|mention|details?|answer)\b.{0,60}\b(?:in|by|from|about|on)\b"
    r"|\bnot (?:mentioned|stated|specified|provided|answered|contained|found) (?:in|by) the\b"
    rf"|{_MATERIAL_DE}.{{0,60}}?\b(?:nicht|keine?n?)\b.{{0,40}}?{_SAYING_DE}"
    rf"|{_MATERIAL_DE}.{{0,30}}?{_SAYING_DE}.{{0,60}}?\b(?:nicht|keine?n?)\b",
    re.IGNORECASE,
)
"""Says what the files do not say: about the files, and therefore in none of them."""

SHORTEST: Final = 3
"""Words below which a sentence without a marker says too little to be counted ("Yes.")."""

_BARE_ANSWER: Final = frozenset(["yes", "no", "true", "false", "correct", "right", "ja", "nein", "doch"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of an answer."""

    text: str
    """Without its markers, in one line."""
    span: tuple[int, int]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A sentence, a list item, a row or a heading of the answer."""

    raw: str
    span: tuple[int, int]
    line: str
    """The line on which it begins."""

    @property
    def bare(self) -> str:
        text = markers.without_markers(self.raw)
        text = _NUMBERING.sub("", " ".join(_EMPHASIS.sub("", text).split()))
        if self.is_row:
            text = ", ".join(cell.strip() for cell in text.split("|") if cell.strip())
        return re.sub(r"\s+([.!?,;:])", r"\1", text).strip("*_# \t")

    @property
    def labels(self) -> tuple[str, ...]:
        found = markers.MARKER.finditer(self.raw)
        return tuple(dict.fromkeys(label for marker in found for label in markers.labels_of(marker)))

    @property
    def is_row(self) -> bool:
        return bool(_ROW.match(self.line))

    @property
    def kind(self) -> str:
        """Return what line it stands on: an ``item``, a ``row`` or ``prose``, which ends a list."""
        return "row" if self.is_row else "item" if _ITEM.match(self.line) else "prose"


def find_claims(answer: str) -> list[Claim]:
    """Return the statements of *answer* in order.

    Code, headings, a table's head, questions, courtesies and statements about what the files do *not* say are
    none. A list item without a marker has those of the sentence that leads in to the list; a marker that
    stands alone belongs to what stands before it, back to the last line that has its own.
    """
    found: list[Claim] = []
    inherited: tuple[str, ...] = ()
    kind = ""
    for piece in _pieces(answer):
        if not _WORD.search(piece.bare):
            _cite_back(found, piece.labels)
        elif piece.bare.endswith(_LEADING_IN):
            inherited, kind = piece.labels, ""
        elif _states(piece):
            kind = kind or piece.kind
            inherited = inherited if piece.kind == kind != "prose" else ()
            found.append(Claim(text=piece.bare, span=piece.span, labels=piece.labels or inherited))
    return [claim for claim in found if _says_enough(claim)]


def _cite_back(found: list[Claim], labels: tuple[str, ...]) -> None:
    """Give a marker on a line of its own to the statements before it that have none."""
    for index in range(len(found) - 1, -1, -1):
        if found[index].labels:
            break
        found[index] = replace(found[index], labels=labels)


def _pieces(answer: str) -> Iterator[_Piece]:
    code = [match.span() for match in _FENCED.finditer(answer)]
    heads = _table_heads(answer)
    for start, end in spans(answer):
        opened = answer.rfind("\n", 0, start) + 1
        closed = answer.find("\n", start)
        line = answer[opened : closed if closed >= 0 else len(answer)]
        inside = any(a < end and start < b for a, b in code)
        if not inside and opened not in heads and not _HEADING.match(line):
            yield _Piece(raw=answer[start:end], span=(start, end), line=line)


def _table_heads(answer: str) -> set[int]:
    """Return where the lines begin that head a table: those above a rule of dashes."""
    heads: set[int] = set()
    before = position = 0
    for line in answer.splitlines(keepends=True):
        if "|" in line and _RULE.match(line.rstrip("\n")):
            heads |= {before, position}
        before, position = position, position + len(line)
    return heads


def _states(piece: _Piece) -> bool:
    text = piece.bare
    return not (text.endswith(_ASKING) or _ABSENCE.search(text))


def _says_enough(claim: Claim) -> bool:
    words = [word.lower() for word in _WORD.findall(claim.text)]
    if claim.labels:
        return not _BARE_ANSWER.issuperset(words)
    return len(words) >= SHORTEST and not _COURTESY.match(claim.text)


def without(answer: str, taken: list[tuple[int, int]]) -> str:
    """Return *answer* without the ranges *taken*, and without the lines that then say nothing any more."""
    kept: list[str | None] = []
    position = 0
    for line in answer.splitlines(keepends=True):
        begin, end = position, position + len(line)
        position = end
        touching = [(max(a, begin) - begin, min(b, end) - begin) for a, b in taken if a < end and begin < b]
        rest = _cut(line, touching) if touching else line
        gone = touching and not _WORD.search(_NUMBERING.sub("", markers.without_markers(rest)))
        kept.append(None if gone else rest)
    return re.sub(r"\n{3,}", "\n\n", "".join(_tidied(kept))).strip()


def _cut(line: str, ranges: list[tuple[int, int]]) -> str:
    for start, end in reversed(ranges):
        line = line[:start] + line[end:].lstrip(" \t")
    return line.rstrip() + "\n" if line.strip() else ""


def _tidied(lines: list[str | None]) -> list[str]:
    """Leave out headings, tables' heads and lead-ins behind which all went; None is a line that went."""
    kept: list[str] = []
    following, lost, rule = "", False, False
    for line in reversed(lines):
        if line is None or (lost and (rule or _only_introduces(line, following))):
            rule = line is not None and bool(_RULE.match(line.rstrip())) and "|" in line
            lost = True
            continue
        kept.append(line)
        if line.strip():
            following, lost = line, False
    return kept[::-1]


def _only_introduces(line: str, following: str) -> bool:
    """Tell whether *line* leads in to something, and *following* is another thing."""
    if _HEADING.match(line):
        return not following or bool(_HEADING.match(following))
    if markers.without_markers(line).rstrip().endswith(_LEADING_IN):
        return not (_ITEM.match(following) or "|" in following)
    return "|" in line and bool(_RULE.match(line.rstrip())) and "|" not in following
