"""The text policy that question and summary share: which texts give the assistant orders."""

from __future__ import annotations

import re
import unicodedata

# Zero-width characters, joiners and direction marks are used to break up trigger words.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

_PRIOR = r"(?:previous|prior|preceding|earlier|above|initial|original|given|existing|system|all)"
_ORDERS = r"(?:instructions?|prompts?|orders?|rules?|directives?|guidelines?|programming|constraints?)"
_DROP = r"(?:ignore|disregard|forget|override|bypass|overrule|do not (?:follow|obey|listen to)|don't (?:follow|obey|listen to)|stop following)"
_TELL = r"(?:repeat|print|reveal|show|output|display|leak|disclose|recite|dump|write out|tell me|give me|what (?:are|is|were|was))"

# An order to the assistant has a verb *and* an object that only an assistant has ("your instructions",
# "previous prompts"); single words such as "ignore", "system" or "jailbreak" occur in honest questions.
_ATTEMPTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DROP}\b[^.?!\n]{{0,40}}\b(?:{_PRIOR}|your)\b[^.?!\n]{{0,30}}\b{_ORDERS}\b",
        rf"\b{_DROP}\b[^.?!\n]{{0,20}}\b(?:everything|anything|all|any)\b[^.?!\n]{{0,20}}\b(?:above|before|said|told|previous|prior)\b",
        rf"\bforgotten\b[^.?!\n]{{0,30}}\b(?:your|all)\b[^.?!\n]{{0,20}}\b{_ORDERS}\b",
        rf"\b{_TELL}\b[^.?!\n]{{0,40}}\b(?:your|system|hidden|secret|initial|above|previous)\s+(?:\w+\s+){{0,2}}(?:instructions?|prompts?)\b",
        r"\b(?:repeat|print|output)\b[^.?!\n]{0,20}\b(?:the|all)\b[^.?!\n]{0,12}\binstructions?\b(?:\s+(?:above|given|in\b|as\b|formatted)|\s*$)",
        r"\byou(?:'re| are| will be)?\s+(?:now|being|called)\b[^.?!\n]{0,40}\b(?:dan|jailbroken|unrestricted|unfiltered|developer mode|evil)\b",
        r"\bdan\b[^.?!\n]{0,20}\bcan do anything\b|\bdo anything now\b|\b(?:developer|god|dan|apophis) mode\b[^.?!\n]{0,20}\b(?:on|enabled|activated)\b",
        r"\bfrom now on\b[^.?!\n]{0,20}\byou\b[^.?!\n]{0,40}\b(?:are|act|reply|respond|answer|obey|must|will)\b",
        r"\bpretend\b[^.?!\n]{0,30}\b(?:no|without|forgotten)\b[^.?!\n]{0,30}\b(?:rules?|restrictions?|limits?|guidelines?|filters?)\b",
        r"\bdo not tell (?:the|your) (?:user|developers?)\b|\bwithout (?:telling|informing) the user\b",
        r"^\s*[{\[<(#*]*\s*(?:system|assistant|developer)\s*(?:prompt|message|note)?\s*[>\])]*\s*:\s*\S",
        r"<\|?(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[/?INST\]|<</?SYS>>",
        r"\b(?:ignoriere|vergiss)\b[^.?!\n]{0,40}\b(?:anweisungen|vorgaben|regeln)\b",
        r"\bignor(?:a|e|ez|er)\b[^.?!\n]{0,40}\b(?:instrucciones|instructions|consignes|instruções)\b",
        r"(?:忽略|无视|忘记)[^。？！\n]{0,12}(?:指令|指示|提示|规则)",
        r"(?:以前|前|上記)の(?:指示|命令)[^。？！\n]{0,6}(?:無視|忘れ)",
    )
)


def contains_injection_attempt(text: str) -> bool:
    """Tell whether *text* gives the assistant orders instead of asking something.

    Questions that merely talk about such orders ("what does our policy say about prompt injection?") pass.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return any(pattern.search(line) for line in plain.splitlines() for pattern in _ATTEMPTS)
