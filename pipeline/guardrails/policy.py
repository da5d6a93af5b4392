"""The text policy of what people ask and what is remembered: which texts give the assistant orders."""

from __future__ import annotations

import re
from typing import Final

from pipeline.plain import folded

_PRIOR = r"(?:previous|prior|preceding|earlier|above|initial|original|given|existing|system|all)"
_ORDERS = r"(?:instructions?|prompts?|orders?|rules?|directives?|guidelines?|programming|constraints?)"
_DROP = r"(?:ignore|disregard|forget|override|bypass|overrule|do not (?:follow|obey|listen to)|don't (?:follow|obey|listen to)|stop following|pay no (?:attention|heed) to|take no notice of)"
_TELL = r"(?:repeat|print|reveal|show|output|display|leak|disclose|recite|dump|write out|tell me|give me|what (?:are|is|were|was))"


def patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    """Compile *sources* so that case does not count."""
    return tuple(re.compile(source, re.IGNORECASE) for source in sources)


# An order to the assistant has a verb *and* an object that only an assistant has ("your instructions",
# "previous prompts"); single words such as "ignore", "system" or "jailbreak" occur in honest questions.

OVERRIDES: Final = patterns(
    rf"\b{_DROP}\b[^.?!\n]{{0,40}}\b(?:{_PRIOR}|your)\b[^.?!\n]{{0,30}}\b{_ORDERS}\b",
    rf"\b{_DROP}\b[^.?!\n]{{0,20}}\b(?:everything|anything|all|any)\b[^.?!\n]{{0,20}}\b(?:above|before|said|told|previous|prior)\b",
    rf"\bforgotten\b[^.?!\n]{{0,30}}\b(?:your|all)\b[^.?!\n]{{0,20}}\b{_ORDERS}\b",
    r"\b(?:ignorieren?|ignorier|vergiss|vergessen sie|missachten?)\b[^.?!\n]{0,40}\b(?:anweisungen|vorgaben|regeln|instruktionen|befehle)\b|\b(?:vergiss|vergessen sie|ignoriere)\s+(?:bitte\s+)?alles\b[^.?!\n]{0,30}\b(?:gesagt|bisher|vorher|zuvor|oben)\b",
    r"\b(?:ignor(?:a|e|ez|er|en)|olvid(?:a|e|en)|oublie[rz]?)\s+(?:\w+\s+)?(?:tou(?:te)?s|les|ces|tes|vos|mes|ses|tod[ao]s|l[ao]s|tus|sus|est[ao]s|le|tutte|as)\b[^.?!\n]{0,40}\b(?:instrucciones|instructions|consignes|instruções|istruzioni|reglas|règles)\b",
    r"(?:忽略|无视|忽視|無視|忘记|忘掉|不要遵守)[^。？！\n]{0,12}(?:指令|指示|提示|规则|規則)",
    r"(?:以前|これまで|今まで|前|上記|すべて|全て)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)[^。？！\n]{0,6}(?:無視|忘れ|従わない)",
)
"""Drop what you were told."""

DISCLOSURES: Final = patterns(
    rf"\b{_TELL}\b[^.?!\n]{{0,40}}\b(?:your|system|hidden|secret|initial|above|previous)\s+(?:\w+\s+){{0,2}}(?:instructions?|prompts?)\b",
    r"\b(?:repeat|print|output)\b[^.?!\n]{0,20}\b(?:the|all)\b[^.?!\n]{0,12}\binstructions?\b(?:\s+(?:above|given|in\b|as\b|formatted)|\s*$)",
)
"""Tell what you were told."""

PERSONAS: Final = patterns(
    r"\byou(?:'re| are| will be)?\s+(?:now|being|called)\b[^.?!\n]{0,40}\b(?:dan|jailbroken|unrestricted|unfiltered|developer mode|evil)\b",
    r"\bdan\b[^.?!\n]{0,20}\bcan do anything\b|\bdo anything now\b|\b(?:god|dan|apophis) mode\b[^.?!\n]{0,20}\b(?:on|enabled|activated)\b",
    r"\bpretend\b[^.?!\n]{0,30}\b(?:no|without|forgotten)\b[^.?!\n]{0,30}\b(?:rules?|restrictions?|limits?|guidelines?|filters?)\b",
)
"""Be somebody who was told nothing."""

CONTROLS: Final = patterns(
    r"<[|｜][^\s|｜<>]{1,40}[|｜]>|</?(?:im_start|im_end|system|endoftext|start_header_id|(?:start|end)_of_turn)>|\[/?INST\]|<</?SYS>>"
)
"""Signs with which a chat template tells who speaks."""

_ASKED_ONLY: Final = patterns(
    r"\bdeveloper mode\b[^.?!\n]{0,20}\b(?:on|enabled|activated)\b",
    r"\bfrom now on\b[^.?!\n]{0,20}\byou\b[^.?!\n]{0,40}\b(?:are|act|reply|respond|answer|obey|must|will)\b",
    r"\bdo not tell (?:the|your) (?:user|developers?)\b|\bwithout (?:telling|informing) the user\b",
    r"^\s*[{\[<(#*]*\s*(?:system|assistant|developer)\s*(?:prompt|message|note)?\s*[>\])]*\s*:\s*\S",
)
"""What is an order in a question, and may be a letter, a manual or a transcript in a document."""

_ATTEMPTS: Final = (*OVERRIDES, *DISCLOSURES, *PERSONAS, *CONTROLS, *_ASKED_ONLY)


def contains_injection_attempt(text: str) -> bool:
    """Tell whether *text* gives the assistant orders instead of asking something.

    Questions that merely talk about such orders ("what does our policy say about prompt injection?") pass.
    """
    lines = folded(text).splitlines()
    return any(pattern.search(line) for line in lines for pattern in _ATTEMPTS)
