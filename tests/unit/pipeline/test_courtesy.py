from __future__ import annotations

import pytest

from pipeline.courtesy import Courtesy, courtesy_of


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
        "",
        "hello " * 50,
    ],
)
def test_a_question_that_the_files_may_answer_is_asked(text: str) -> None:
    assert courtesy_of(text) is None
