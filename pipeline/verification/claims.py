"""The statements of a finished answer, each with the labels that it cites."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pipeline import markers
from pipeline.sentences import spans
from pipeline.verification import numbers
from pipeline.verification.lines import FENCE, HEADING, ITEM, is_rule, line_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.verification.figures import Number

_NUMBERING: Final = re.compile(r"^\s*\(?\d{1,3}[.)]\s+")
_EMPHASIS: Final = re.compile(r"\*\*|__")
_WORD: Final = re.compile(r"\w+")
_LEADING_IN: Final = (":", "：")
_TAG: Final = re.compile(
    r",\s*(?:\w+n['’]t \w+|right|correct|oder|nicht wahr|¿?verdad|¿?no|n['’]est-ce pas)\s*\?$"
)
"""Asks only whether what stands before it is so."""

_TURN: Final = re.compile(
    r"[;:：]\s|\s[–—]\s|[,.]?\s+(?:but|yet|however|although|though|while|whereas|aber|jedoch|sondern|doch|pero"
    r"|mais)\b,?|,\s+(?:so|and|also|und)\b",
    re.IGNORECASE,
)
"""Where a sentence about what the files do not say may go on with what they do."""

_COUNTED: Final = """
    step way point option reason item plan file document source part thing section passage question rule
    example kind type place result case schritte punkte gründe dateien dokumente quellen
"""
_COUNTING: Final = frozenset(_COUNTED.split())
_SMALL_TALK: Final = 12
"""Numbers up to this that count such a noun may count what the answer itself goes on to list."""

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

_LED: Final = "…:\n"
"""Stands for a lead-in that was taken out while its list stays."""

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
    mild: bool = False
    """It leads in to a list or asks something, and says so little that only a sign speaks against it."""
    listed: int = 0
    """Items of the list that it leads in to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A sentence, a list item, a row or a heading of the answer."""

    raw: str
    span: tuple[int, int]
    kind: str
    """What line it begins on: an ``item``, a ``row``, a ``heading`` or ``prose``, which ends a list."""

    @property
    def bare(self) -> str:
        text = markers.without_markers(self.raw)
        text = _NUMBERING.sub("", " ".join(_EMPHASIS.sub("", text).split()))
        if self.kind == "row":
            text = ", ".join(cell.strip() for cell in text.split("|") if cell.strip())
        return re.sub(r"\s+([.!?,;:])", r"\1", text).strip("*_# \t")

    @property
    def labels(self) -> tuple[str, ...]:
        found = markers.MARKER.finditer(self.raw)
        return tuple(dict.fromkeys(label for marker in found for label in markers.labels_of(marker)))


def find_claims(answer: str) -> list[Claim]:
    """Return the statements of *answer* in order.

    Code, headings, a table's head, questions, courtesies and statements about what the files do *not* say are
    none, unless they hold a number that tells something. A list item without a marker has those of the
    sentence that leads in to the list, and this one has its items' too; a marker that stands alone belongs to
    what stands before it, back to the last line that has its own.
    """
    statements = _Statements(answer=answer)
    for piece in _pieces(answer):
        statements.read(piece)
    return [claim for claim in statements.found if _says_enough(claim)]


@dataclass(slots=True, kw_only=True)
class _Statements:
    """The statements of an answer as far as it was read, and the list that is being read."""

    answer: str
    found: list[Claim] = field(default_factory=list)
    inherited: tuple[str, ...] = ()
    """What the lead-in of the list cites."""
    lead: int | None = None
    """Which statement leads in to it; None: its lead-in states nothing."""
    kind: str = ""
    """Of its lines; empty before the first one."""

    def read(self, piece: _Piece) -> None:
        text, labels = piece.bare, piece.labels
        if not _WORD.search(text):
            _cite_back(self.found, labels)
        elif text.endswith(_LEADING_IN):
            self._lead_in(piece, text, labels)
        elif stated := _stated(text, labels):
            self._state(piece, stated, labels)

    def _lead_in(self, piece: _Piece, text: str, labels: tuple[str, ...]) -> None:
        self.inherited, self.kind, self.lead = labels, "", None
        leads = _leads_on(self.answer, piece.span[1])
        if tells_a_number(text) or (labels and not leads):
            self.lead = len(self.found) if leads else None
            self.found.append(Claim(text=text, span=piece.span, labels=labels, mild=leads))

    def _state(self, piece: _Piece, stated: str, labels: tuple[str, ...]) -> None:
        self.kind = self.kind or piece.kind
        if piece.kind != self.kind or self.kind == "prose":
            self.inherited, self.lead = (), None
        if self.lead is not None:
            self.found[self.lead] = self._with_item(self.found[self.lead], piece, labels)
        asks = stated.endswith(_ASKING) and not _TAG.search(stated)
        self.found.append(Claim(text=stated, span=piece.span, labels=labels or self.inherited, mild=asks))

    def _with_item(self, lead: Claim, piece: _Piece, labels: tuple[str, ...]) -> Claim:
        """Return *lead* with what an item of its list cites, and counted if a line begins with it."""
        before = self.answer[: piece.span[0]].rpartition("\n")[2]
        begins = not _WORD.search(_NUMBERING.sub("", before))
        cited = tuple(dict.fromkeys((*lead.labels, *labels)))
        return replace(lead, labels=cited, listed=lead.listed + begins)


def tells_a_number(text: str) -> bool:
    """Tell whether *text* holds a number or a date that does more than count the lines to come."""
    figures = numbers.claimed_figures(text)
    return bool(figures.days or figures.phones) or any(_tells(number) for number in figures.numbers)


def _tells(number: Number) -> bool:
    value = max(number.readings)
    small = value <= (_SMALL_TALK if number.noun in _COUNTING else numbers.FEW)
    return number.unit is not None or not small or value % 1 != 0


def _leads_on(answer: str, end: int) -> bool:
    """Tell whether a list, a table or code follows what ends in a colon at *end*."""
    following = answer[end:].lstrip("* _\t").lstrip().partition("\n")[0]
    return bool(ITEM.match(following) or "|" in following or FENCE.match(following))


def _cite_back(found: list[Claim], labels: tuple[str, ...]) -> None:
    """Give a marker on a line of its own to the statements before it that have none."""
    for index in range(len(found) - 1, -1, -1):
        if found[index].labels:
            break
        found[index] = replace(found[index], labels=labels)


def _pieces(answer: str) -> Iterator[_Piece]:
    """Yield what may be a statement; each line is looked at once, however many sentences it holds."""
    kinds = line_kinds(answer)
    begins = [begin for begin, _ in kinds]
    for start, end in spans(answer):
        kind = kinds[bisect_right(begins, start) - 1][1]
        if kind not in ("code", "head", "heading"):
            yield _Piece(raw=answer[start:end], span=(start, end), kind=kind)


def _stated(text: str, labels: tuple[str, ...]) -> str:
    """Return what a sentence states about the world; empty: it asks, or tells what the files do not say."""
    if text.endswith(_ASKING):
        return text if _TAG.search(text) or (labels and tells_a_number(text)) else ""
    if not _ABSENCE.search(text):
        return text
    said = [part for part in _TURN.split(text) if not _ABSENCE.search(part)]
    rest = " ".join(part.strip() for part in said if _WORD.search(part))
    return rest if len(said) < len(_TURN.split(text)) and tells_a_number(rest) else ""


def _says_enough(claim: Claim) -> bool:
    words = [word.lower() for word in _WORD.findall(claim.text)]
    if claim.labels:
        return not _BARE_ANSWER.issuperset(words)
    return len(words) >= SHORTEST and (not _COURTESY.match(claim.text) or tells_a_number(claim.text))


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
        led = markers.without_markers(line).rstrip("* _\t\r\n").endswith(_LEADING_IN)
        kept.append((_LED if led else None) if gone else rest)
    return re.sub(r"\n{3,}", "\n\n", "".join(_tidied(kept))).strip()


def _cut(line: str, ranges: list[tuple[int, int]]) -> str:
    for start, end in reversed(ranges):
        line = line[:start] + line[end:].lstrip(" \t")
    if line.count("**") % 2:  # its other half went
        line = line.replace("**", "")
    return line.rstrip() + "\n" if line.strip() else ""


def _tidied(lines: list[str | None]) -> list[str]:
    """Leave out headings, tables' heads and lead-ins behind which all went; None is a line that went."""
    kept: list[str] = []
    following, lost, rule = "", False, False
    for line in reversed(lines):
        if line == _LED and not lost and (ITEM.match(following) or "|" in following):
            kept.append(_LED)
            continue
        line = None if line == _LED else line
        if line is None or (lost and (rule or _only_introduces(line, following))):
            rule = line is not None and is_rule(line)
            lost = True
            continue
        kept.append(line)
        if line.strip():
            following, lost = line, False
    return kept[::-1]


def _only_introduces(line: str, following: str) -> bool:
    """Tell whether *line* leads in to something, and *following* is another thing."""
    if HEADING.match(line):
        return not following or bool(HEADING.match(following))
    if markers.without_markers(line).rstrip().endswith(_LEADING_IN):
        return not (ITEM.match(following) or "|" in following)
    return is_rule(line) and "|" not in following
