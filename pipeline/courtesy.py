"""Messages that greet the assistant, or ask about it and its files: there is nothing to look up for them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class Courtesy(StrEnum):
    """What such a message wants."""

    GREETING = "greeting"
    HELP = "help"
    """To know what the assistant is good for."""
    FILES = "files"
    """To know which files there are."""


_GREETING: Final = (
    r"(?:hi|hello|hey|hiya|howdy|greetings|good\s(?:morning|afternoon|evening|day)|hallo|moin|servus|guten\s(?:tag|"
    r"morgen|abend)|bonjour|salut|hola|buenos\sd[ií]as|ciao|ol[aá]|你好|您好|こんにちは|مرحبا)"
    r"(?:\s(?:hi|hello|there|again|everyone|all|bot|footnote|you))*(?:\show\sare\syou(?:\s(?:doing|today))?)?"
)
_FILES_NOUN: Final = r"(?:files?|documents?|docs|sources?|uploads?)"
_HERE: Final = (
    r"(?:\s(?:here|now|(?:in|for|from|of)\s(?:this|the)\s(?:channel|chat|thread|server|workspace)))*"
)
_HELP: Final = (
    r"(?:please\s)?help(?:\sme)?(?:\splease)?",
    r"(?:can|could)\syou\shelp(?:\sme)?",
    r"i\sneed\s(?:some\s)?help",
    r"(?:who|what)\sare\syou",
    r"what\s(?:can|do)\syou\sdo(?:\sfor\s(?:me|us))?" + _HERE,
    r"what\sdo\syou\sknow" + _HERE,
    r"what\scan\s(?:i|we)\sask(?:\syou)?(?:\sabout)?" + _HERE,
    r"what\s(?:kinds?\sof\s|sorts?\sof\s)?(?:questions\s)?can\syou\sanswer" + _HERE,
    r"how\s(?:can|do)\s(?:i|we)\suse\s(?:you|this\sbot|this\sassistant|footnote)",
    r"how\s(?:can\syou\shelp(?:\sme)?|do\syou\swork)",
    r"what\s(?:is|does)\s(?:this\sbot|footnote)(?:\sdo)?",
    r"hilfe|was\skannst\sdu(?:\salles)?|wer\sbist\sdu|ayuda|qu[eé]\spuedes\shacer|aide|que\speux-tu\sfaire",
)
_FILES: Final = (
    r"(?:what|which)\s" + _FILES_NOUN + r"\s(?:do\syou\s(?:have|know|see|use)(?:\saccess\sto)?(?:\sabout)?|"
    r"can\syou\s(?:see|read|search|use|access|answer\sfrom)|(?:have|has|were|was)\s(?:been\s)?"
    r"(?:indexed|uploaded|shared)|are\s(?:there|here|indexed|uploaded|available|known|in\shere))" + _HERE,
    r"(?:what|which)\s" + _FILES_NOUN + r"\sare\sin\s(?:this|the)\s(?:channel|chat|thread|server|workspace)",
    r"(?:please\s)?(?:list|show(?:\sme)?)(?:\s(?:me|all|the|your|my|of))*\s" + _FILES_NOUN + _HERE,
    r"do\syou\shave\s(?:any|some)\s" + _FILES_NOUN + _HERE,
    r"welche\s(?:dateien|dokumente)\s(?:hast|kennst|siehst)\sdu|welche\s(?:dateien|dokumente)\sgibt\ses(?:\shier)?",
    r"qu[eé]\s(?:archivos|documentos)\s(?:tienes|hay)|quels\s(?:fichiers|documents)\s(?:as-tu|avez-vous)",
)
_WHOLE: Final = {
    Courtesy.FILES: re.compile(rf"(?:{_GREETING}\s)?(?:{'|'.join(_FILES)})"),
    Courtesy.HELP: re.compile(rf"(?:{_GREETING}\s)?(?:{'|'.join(_HELP)})"),
    Courtesy.GREETING: re.compile(_GREETING),
}
"""A message is one of these only if nothing else stands in it."""

_LONGEST: Final = 100
"""Characters of the longest message that is looked at."""
_BETWEEN: Final = re.compile(r"[^\w'-]+|_+")


def courtesy_of(text: str) -> Courtesy | None:
    """Return what *text* wants of the assistant itself; None: it may be a question to the files."""
    if len(text) > _LONGEST:
        return None
    words = _BETWEEN.sub(" ", text.casefold().replace("’", "'")).strip()
    return next((kind for kind, whole in _WHOLE.items() if whole.fullmatch(words)), None)
