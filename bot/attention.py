"""Which messages are questions to the bot, although they do not name it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from bot.preferences import FollowUps, known_preferences

if TYPE_CHECKING:
    from bot.incoming import IncomingMessage
    from bot.preferences import PreferenceStore
    from bot.questions import Questions

SMALL = 6
"""Words of a remark that may be nothing but polite."""

_POLITE = """
    thanks thank thankyou thx ty tysm cheers great perfect awesome amazing excellent wonderful brilliant
    lovely nice cool super neat good fine ok okay okey k alright right sure yes yeah yep yup no nope
    gotcha agreed noted welcome helpful helps helped works worked sense wow haha lol sorry hi hello hey bye
    goodbye understood got see
    danke dankeschön dank bitte gern gerne prima toll klasse genau gut ja jo jep nein verstanden passt stimmt
    merci parfait génial oui non compris bien bon bonjour salut
    gracias perfecto genial vale sí entendido bueno hola listo acuerdo
    obrigado obrigada perfeito ótimo sim entendi valeu beleza
    grazie perfetto ottimo capito bene ciao sì
    bedankt mooi goed tack tak takk bra kiitos dzięki dziękuję dobrze díky děkuji köszönöm mulțumesc
    teşekkürler teşekkür sağol tamam ευχαριστώ спасибо понял поняла ясно хорошо отлично дякую благодаря
    תודה شكرا شكراً ありがとう ありがとうございます ありがとうございました 了解 了解です はい
    谢谢 谢谢你 謝謝 多谢 好 好的 收到 明白 明白了 감사합니다 고마워 고마워요 네 넵
"""
"""Words of thanks, assent and greeting."""
_BETWEEN = """
    you that that's this it it's all so very much a lot really now i we makes for your the help too
    again and
    das hat mir uns sehr geholfen hilft so ist viel vielen schön klar dir euch alles
    beaucoup je j'ai c'est tout vous te d'accord muchas muchísimas mucho por la ayuda todo de está muy
    muito tudo pela ajuda mille molto tutto va u wel heel erg hartelijk tusen mycket så
    большое вам тебе всё çok ederim
"""
"""Words that stand between them."""
_POLITE_WORDS = frozenset(_POLITE.split())
_REMARK = _POLITE_WORDS | frozenset(_BETWEEN.split())
_WORD = re.compile(r"\w+(?:'\w+)*")
_SIGN = re.compile(r":[\w+'-]+:|(?<!\w)[+-]1(?!\w)")
"""An emoji by its name, or what is typed in place of one."""
_ASKING = re.compile(r"[?？؟]")


def is_small_talk(text: str) -> bool:
    """Tell whether *text* is thanks, assent or a sign, and nothing that a file could answer."""
    words = _WORD.findall(_SIGN.sub(" ", text.casefold().replace("’", "'")))
    if _ASKING.search(text) or len(words) > SMALL:
        return False
    return not words or (_REMARK.issuperset(words) and not _POLITE_WORDS.isdisjoint(words))


class Attention:
    """Listens to follow-ups in threads, as far as the channel's people chose."""

    def __init__(self, questions: Questions, preferences: PreferenceStore | None = None) -> None:
        """None: no channel ever chose anything."""
        self._questions = questions
        self._preferences = preferences

    async def wants(self, message: IncomingMessage) -> bool:
        """Tell whether *message* names the bot, or asks for more on what was asked in its thread."""
        if message.mentioned:
            return True
        if is_small_talk(message.text):
            return False
        follow_ups = (await known_preferences(self._preferences, message.thread.scope)).follow_ups
        match follow_ups:
            case FollowUps.ASKER:
                return await self._questions.asked(message.thread, message.author)
            case FollowUps.ALWAYS:
                return await self._questions.asked(message.thread, None)
            case FollowUps.MENTION:
                return False
            case _:
                assert_never(follow_ups)
