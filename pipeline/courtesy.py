"""Messages that greet or thank the assistant, ask about it or its files, or doubt it: nothing to look up."""

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
    DOUBT = "doubt"
    """To know what the last answer rests on."""
    THANKS = "thanks"
    ASSENT = "assent"
    """Nothing: it is a word of praise, assent or parting."""


SAID: Final = {
    Courtesy.THANKS: "You're welcome.",
    Courtesy.ASSENT: "All right. Ask me whenever you want to know something from the files.",
    Courtesy.DOUBT: "The sources of an answer stand below it, and the command “why” tells how it came about.",
}
"""What is said where commands cannot be named as a platform's people write them."""


_GREETING: Final = (
    r"(?:hi|hello|hey|hiya|howdy|greetings|good\s(?:morning|afternoon|evening|day)|hallo|moin|servus|guten\s(?:tag|"
    r"morgen|abend)|bonjour|salut|hola|buenos\sd[ií]as|ciao|ol[aá]|你好|您好|こんにちは|مرحبا)"
    r"(?:\s(?:hi|hello|there|again|everyone|all|bot|footnote|you))*(?:\show\sare\syou(?:\s(?:doing|today))?)?"
)
_FILES_NOUN: Final = r"(?:files?|documents?|docs|sources?|uploads?)"
_WHICH: Final = r"(?:what|which|how\smany)\s" + _FILES_NOUN
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
    _WHICH + r"\s(?:do\syou\s(?:have|know|see|use)(?:\saccess\sto)?(?:\sabout)?|"
    r"can\syou\s(?:see|read|search|use|access|answer\sfrom)|(?:have|has|were|was)\s(?:been\s)?"
    r"(?:indexed|uploaded|shared)|are\s(?:there|here|indexed|uploaded|available|known|in\shere))" + _HERE,
    _WHICH + r"\sare\sin\s(?:this|the)\s(?:channel|chat|thread|server|workspace)",
    r"(?:please\s)?(?:list|show(?:\sme)?)(?:\s(?:me|all|the|your|my|of))*\s" + _FILES_NOUN + _HERE,
    r"do\syou\shave\s(?:any|some)\s" + _FILES_NOUN + _HERE,
    r"welche\s(?:dateien|dokumente)\s(?:hast|kennst|siehst)\sdu|welche\s(?:dateien|dokumente)\sgibt\ses(?:\shier)?",
    r"qu[eé]\s(?:archivos|documentos)\s(?:tienes|hay)|quels\s(?:fichiers|documents)\s(?:as-tu|avez-vous)",
)
_DOUBT: Final = (
    r"(?:but\s)?are\syou\s(?:really\s|quite\s|absolutely\s)?(?:sure|certain)(?:\s(?:about|of)\s(?:that|this|it))?",
    r"why|why\s(?:this|that)\sanswer|why\sdo\syou\s(?:say|think)\s(?:that|this|so)",
    r"where\s(?:does|did)\s(?:it|that)\ssay\s(?:that|this|so)|where\s(?:does\sthat\sstand|is\sthat\swritten)",
    r"where\sdid\syou\s(?:find|get|read|see)\s(?:that|this)(?:\sfrom)?|how\sdo\syou\sknow(?:\sthat)?",
    r"bist\sdu\s(?:dir\s)?sicher|warum|wieso|wo\ssteht\sdas|woher\swei(?:ß|ss)t\sdu\sdas",
    r"est[aá]s\sseguro|por\squ[eé]|d[oó]nde\sdice\seso|tu\ses\ss[uû]r|pourquoi|o[uù]\sest-ce\s[eé]crit",
)


def _together(patterns: tuple[str, ...]) -> str:
    """Return what matches one of *patterns*, or two in a row."""
    one = "|".join(patterns)
    return rf"(?:{one})(?:\s(?:and\s)?(?:{one}))?"


_WHOLE: Final = {
    Courtesy.FILES: re.compile(rf"(?:{_GREETING}\s)?(?:{'|'.join(_FILES)})"),
    Courtesy.HELP: re.compile(rf"(?:{_GREETING}\s)?{_together(_HELP)}"),
    Courtesy.DOUBT: re.compile(_together(_DOUBT)),
    Courtesy.GREETING: re.compile(_GREETING),
}
"""A message is one of these only if nothing else stands in it."""

_LONGEST: Final = 100
"""Characters of the longest message that is looked at."""
_BETWEEN: Final = re.compile(r"[^\w'-]+|_+")

_SMALL: Final = 6
"""Words of a remark that may be nothing but polite."""

_THANKS: Final = """
    thanks thank thankyou thx ty tysm cheers danke dankeschön dank merci gracias obrigado obrigada valeu
    grazie bedankt tack tak takk kiitos dzięki dziękuję díky děkuji köszönöm mulțumesc teşekkürler teşekkür
    sağol ευχαριστώ спасибо дякую благодаря תודה شكرا شكراً ありがとう ありがとうございます
    ありがとうございました 谢谢 谢谢你 謝謝 多谢 감사합니다 고마워 고마워요
"""
_ASSENT: Final = """
    great perfect awesome amazing excellent wonderful brilliant
    lovely nice cool super neat good fine ok okay okey k alright right sure yes yeah yep yup no nope
    gotcha agreed noted welcome helpful helps helped works worked sense wow haha lol sorry hi hello hey bye
    goodbye understood got see
    bitte gern gerne prima toll klasse genau gut ja jo jep nein verstanden passt stimmt
    parfait génial oui non compris bien bon bonjour salut
    perfecto genial vale sí entendido bueno hola listo acuerdo
    perfeito ótimo sim entendi beleza
    perfetto ottimo capito bene ciao sì
    mooi goed bra dobrze
    tamam понял поняла ясно хорошо отлично
    了解 了解です はい
    好 好的 收到 明白 明白了 네 넵
"""
"""Words of praise, assent and greeting."""
_AMONG: Final = """
    you that that's this it it's all so very much a lot really now i we makes for your the help too
    again and
    das hat mir uns sehr geholfen hilft so ist viel vielen schön klar dir euch alles
    beaucoup je j'ai c'est tout vous te d'accord muchas muchísimas mucho por la ayuda todo de está muy
    muito tudo pela ajuda mille molto tutto va u wel heel erg hartelijk tusen mycket så
    большое вам тебе всё çok ederim
"""
"""Words that stand between them."""
_THANKING = frozenset(_THANKS.split())
_POLITE_WORDS = _THANKING | frozenset(_ASSENT.split())
_REMARK = _POLITE_WORDS | frozenset(_AMONG.split())
_WORD = re.compile(r"\w+(?:'\w+)*")
_SIGN = re.compile(r":[\w+'-]+:|(?<!\w)[+-]1(?!\w)")
"""An emoji by its name, or what is typed in place of one."""
_ASKING = re.compile(r"[?？؟]")


def courtesy_of(text: str) -> Courtesy | None:
    """Return what *text* wants of the assistant itself; None: it may be a question to the files."""
    if len(text) > _LONGEST:
        return None
    words = _BETWEEN.sub(" ", text.casefold().replace("’", "'")).strip()
    kind = next((kind for kind, whole in _WHOLE.items() if whole.fullmatch(words)), None)
    if kind is None and words and is_small_talk(text):
        return Courtesy.ASSENT if _THANKING.isdisjoint(_words_of(text)) else Courtesy.THANKS
    return kind


def reply_to(text: str) -> str | None:
    """Return what is said to *text* on no platform in particular; None: what its reason says."""
    courtesy = courtesy_of(text)
    return None if courtesy is None else SAID.get(courtesy)


def is_small_talk(text: str) -> bool:
    """Tell whether *text* is thanks, assent or a sign, and nothing that a file could answer."""
    words = _words_of(text)
    if _ASKING.search(text) or len(words) > _SMALL:
        return False
    return not words or (_REMARK.issuperset(words) and not _POLITE_WORDS.isdisjoint(words))


def _words_of(text: str) -> list[str]:
    return _WORD.findall(_SIGN.sub(" ", text.casefold().replace("’", "'")))
