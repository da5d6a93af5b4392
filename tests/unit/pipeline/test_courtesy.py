from __future__ import annotations

import pytest

from pipeline.courtesy import Courtesy, courtesy_of, is_small_talk, reply_to


@pytest.mark.parametrize(
    "text",
    [
        "what files do you have?",
        "Which documents do you know?",
        "What docs do you have access to?",
        "Hello, what files do you have here?",
        "What files are there in this channel?",
        "which documents are indexed",
        "What documents have been uploaded?",
        "list all the files",
        "Show me your files",
        "Do you have any documents?",
        "Welche Dateien hast du?",
        "¿Qué archivos tienes?",
        "how many files are there?",
        "How many documents do you have here?",
    ],
)
def test_a_question_for_the_files_is_none_to_them(text: str) -> None:
    assert courtesy_of(text) is Courtesy.FILES


@pytest.mark.parametrize(
    "text",
    [
        "help",
        "Help me, please!",
        "What can you answer?",
        "what kind of questions can you answer",
        "What can I ask you?",
        "Who are you?",
        "Hi! What can you do?",
        "How do I use this bot?",
        "Was kannst du?",
        "Who are you and what can you do?",
    ],
)
def test_a_question_about_the_assistant_is_none_to_the_files(text: str) -> None:
    assert courtesy_of(text) is Courtesy.HELP


@pytest.mark.parametrize(
    "text", ["hello", "Hi there!", "hey bot", "Good morning 👋", "Hello, how are you?", "Hallo!", "你好"]
)
def test_a_greeting_is_no_question(text: str) -> None:
    assert courtesy_of(text) is Courtesy.GREETING


@pytest.mark.parametrize(
    "text",
    [
        "What files do I need for a visa application?",
        "What files do you have about refunds?",
        "Which documents do you have to sign before the first day?",
        "Which documents are needed here?",
        "Which documents are indexed by the search engine?",
        "Hello world program in Rust",
        "hello world",
        "What does hello mean?",
        "help desk opening hours",
        "Who can help me with a broken laptop?",
        "What can you do if the pump stops?",
        "What do you know about refunds?",
        "What can I ask for as a refund?",
        "How do you work out the refund?",
        "List the files that the installer writes",
        "Who are your suppliers?",
        "What is Footnote 3 about?",
        "Good morning routine",
        "refunds",
        "How many files are there in the appendix?",
        "How many documents are needed here?",
        "Who are you and what can you do about the pump?",
        "Why is the deposit three months?",
        "are you sure the deposit is refunded?",
        "Are you sure about the deposit?",
        "why not",
        "Where does it say that the deposit is refunded?",
        "Where do I find that?",
        "How do you know that the pump is full?",
        "Thanks, and for returns",
        "ok, and the deposit?",
        "ok?",
        "👍",
        "",
        "hello " * 50,
    ],
)
def test_a_question_that_the_files_may_answer_is_asked(text: str) -> None:
    assert courtesy_of(text) is None


@pytest.mark.parametrize(
    "text",
    ["thanks", "Great, thank you!", "thanks!", "danke", "gracias", "merci", "ok thx", "Hi, thanks!", "谢谢"],
)
def test_thanks_are_taken(text: str) -> None:
    assert courtesy_of(text) is Courtesy.THANKS
    assert reply_to(text) == "You're welcome."


@pytest.mark.parametrize("text", ["ok", "Great!", "got it", "no", "bye", ":+1:", "alles klar, gut"])
def test_assent_is_no_question(text: str) -> None:
    assert courtesy_of(text) is Courtesy.ASSENT


@pytest.mark.parametrize(
    "text",
    [
        "are you sure?",
        "But are you really sure about that?",
        "where does it say that?",
        "Where did you get that from?",
        "why?",
        "Why do you say that?",
        "Why? Where does it say that?",
        "Are you sure, and how do you know?",
        "Bist du sicher?",
        "¿Por qué?",
        "pourquoi ?",
    ],
)
def test_a_doubt_about_the_last_answer_is_no_question_to_the_files(text: str) -> None:
    assert courtesy_of(text) is Courtesy.DOUBT


def test_what_has_a_sentence_of_its_own_gets_no_other() -> None:
    assert reply_to("hello") is None
    assert reply_to("How long does a refund take?") is None


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "Thanks a lot",
        "ok",
        "OK.",
        "great, that helps, thank you",
        "That’s great, thanks",
        "got it",
        "makes sense",
        "👍",
        "👍🏽 🎉",
        ":+1:",
        ":thumbsup::skin-tone-2:",
        "+1",
        "…",
        "",
        "yes",
        "no",
        "Danke!",
        "Vielen Dank",
        "alles klar, danke",
        "Dankeschön 🙏",
        "genau",
        "merci",
        "Merci beaucoup !",
        "d'accord, merci",
        "parfait",
        "gracias",
        "Muchas gracias",
        "¡vale!",
        "obrigado",
        "grazie mille",
        "va bene",
        "dank je wel",
        "tack så mycket",
        "dzięki",
        "děkuji",
        "teşekkürler",
        "спасибо большое",
        "дякую",
        "תודה",
        "شكراً",
        "ありがとうございます！",
        "はい、了解です",
        "谢谢",
        "好的，谢谢",
        "감사합니다",
    ],
)
def test_thanks_assent_and_signs_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok?",
        "Is that so?",
        "why",
        "And the refunds",
        "what is the right one",
        "no, the other file",
        "how does it work",
        "thanks, and for returns",
        "Danke, und für Retouren",
        "merci, et pour les retours",
        "ok 5 days",
        "2024",
        "good for what",
        "thanks a lot for all your very much good help",
        "谢谢，多久？",
        "ORA-00942",
        "really?",
        "so what does that make",
    ],
)
def test_whatever_may_be_a_question_is_none(text: str) -> None:
    assert not is_small_talk(text)
