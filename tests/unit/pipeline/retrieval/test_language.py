from __future__ import annotations

import pytest

from pipeline.retrieval.language import foreign


@pytest.mark.parametrize(
    "text",
    [
        "How long do refunds take?",
        "refund times",
        "Add user identity information",
        "What did the composer of Der Ring write for Las Vegas?",
        "MIT OS hat",
        "PANIC-0417",
        "",
    ],
)
def test_english_and_what_has_no_language_is_not_foreign(text: str) -> None:
    assert not foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "Wie lange dauert eine Erstattung?",
        "Wer unterschreibt den Vertrag im April?",
        "Quand les remboursements sont-ils faits ?",
        "¿Cuánto tardan los reembolsos?",
        "cuando pagan los reembolsos",
        "Quando sono pagati i rimborsi?",
        "Hoe lang duurt een terugbetaling?",
        "退款需要多久？",
        "كم يستغرق استرداد المبلغ؟",
    ],
)
def test_letters_and_function_words_show_another_language(text: str) -> None:
    assert foreign(text)
