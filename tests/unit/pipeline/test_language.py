from __future__ import annotations

import re

import pytest

from pipeline.language import differ, foreign, language_of, own_words, without_function_words


@pytest.mark.parametrize(
    "text",
    [
        "How long do refunds take?",
        "refund times",
        "Add user identity information",
        "What did the composer of Der Ring write for Las Vegas?",
        "MIT OS hat",
        "PANIC-0417",
        "What did Señor Müller say about the contract?",
        "Does IFN-γ bind to its receptor?",
        "Who is 习近平 in the report?",
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
        "Muss ich die Rechnung beilegen?",
        "Kündigungsfrist",
        "Peut-on sauter depuis le bord du bassin ?",
        "Combien de temps prend le remboursement d'un abonnement mensuel ?",
        "Waar dien ik de aanvraag in?",
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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How long do refunds take?", "en"),
        ("Muss ich die Rechnung beilegen?", "de"),
        ("¿Me pagan si voy con mi coche?", "es"),
        ("Faut-il joindre la facture ?", "fr"),
        ("Mag ik het zwembad in?", "nl"),
        ("返金にはどのくらいかかりますか？", "ja"),
        ("退款 API 要多久？", "zh"),
        ("환불은 얼마나 걸립니까?", "ko"),
        ("كم يستغرق استرداد المبلغ؟", "ar"),
        ("Сколько длится возврат денег?", "ru"),
        ("Πόσο διαρκεί η επιστροφή;", "el"),
        ("INV-2026-1001", None),
        ("red hat", None),
        ("", None),
    ],
)
def test_the_language_of_a_text_is_told_by_its_words_and_letters(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_only_what_is_certainly_in_another_language_differs() -> None:
    english, german, spanish = "How long does it take?", "Wie lange dauert das?", "¿Cuánto tiempo tarda?"

    assert differ(english, german)
    assert differ("退款要多久？", german)
    assert not differ(spanish, "Quanto tempo demora isto para os clientes?")
    assert not differ(english, "INV-2026-1001")
    assert not differ(english, english)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("When does it leave?", ["leave"]),
        ("Whom do I ask?", []),
        ("What’s the first one?", []),
        ("What about the capital of Mongolia?", ["capital", "mongolia"]),
        ("Und wann fährt der Bus dann ab?", ["fährt", "bus"]),
        ("PANIC-0417", ["panic", "0417"]),
    ],
)
def test_words_of_its_own_are_those_that_are_not_common(text: str, own: list[str]) -> None:
    assert own_words(text) == own


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Wie lange dauert eine Erstattung?", ["dauert", "Erstattung"]),
        ("Qui se charge de détartrer la machine ?", ["charge", "détartrer", "machine"]),
        ("Wer hat das für INV-2026-1001 genehmigt?", ["INV", "2026", "1001", "genehmigt"]),
        ("退款要多久？", ["退款", "久"]),
        ("How long does it take?", ["long", "take"]),
        ("Erstattung", ["Erstattung"]),
    ],
)
def test_what_says_nothing_alone_is_left_out(text: str, left: list[str]) -> None:
    assert re.findall(r"\w+", without_function_words(text)) == left
