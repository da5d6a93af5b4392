"""Lines as they were set on a page, back to running text."""

from __future__ import annotations

import re

FULL_LINE = 0.7
"""A line this long, against the page's long ones, was broken by the typesetter, not by the author."""
SHORTEST_LINE = 20
"""Lines that were set to a width have at least so many characters; shorter ones stand for themselves."""
_LONG_LINE_QUANTILE = 0.9

_HYPHEN = re.compile("[\ufffe\u00ad]\\s*(.?)")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]]*$")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_CJK_BREAK = re.compile(rf"{_CJK.pattern}\n(?={_CJK.pattern})")
_WORDS = re.compile(r"[^\W\d_]{2,}")


def reflow(text: str) -> str:
    """Join lines that were broken inside a sentence, and words that were hyphenated at a line's end.

    Lines of a table, headings and ends of paragraphs keep their breaks. pdfium marks a hyphen that stands at
    the end of a line by U+FFFE.
    """
    lines = _HYPHEN.sub(_unhyphenated, text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    lengths = sorted(len(line) for line in lines)
    full = max(SHORTEST_LINE, FULL_LINE * lengths[int(_LONG_LINE_QUANTILE * (len(lengths) - 1))])
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        parts.append(line)
        parts.append(_joint(line, following, full))
    return "".join(parts).rstrip()


def _unhyphenated(match: re.Match[str]) -> str:
    """Close the word; before a capital or a figure the hyphen was the author's ("Lucene-BM25")."""
    following = match.group(1)
    return following if following.islower() or not following.isalnum() else f"-{following}"


def _joint(line: str, following: str, full: float) -> str:
    ends, begins = line.rstrip(), following.lstrip()[:1]
    if len(ends) < SHORTEST_LINE or not begins.isalnum() or _SENTENCE_END.search(ends) or not _is_prose(ends):
        return "\n"
    if len(ends) < full and not (begins.islower() or _CJK.match(begins)):
        return "\n"
    if _CJK_BREAK.match(f"{line[-1]}\n{following[0]}"):
        return ""
    return "" if line[-1].isspace() else " "


def _is_prose(line: str) -> bool:
    """Whether words take more of the line than figures do."""
    return 2 * sum(map(len, _WORDS.findall(line))) > len(line)
