"""Which sentences of a source answer: no question, no list of long items, no padding."""

from __future__ import annotations

import pytest

from pipeline.generation.extractive import candidates, choose
from pipeline.generation.quoting import phrase
from pipeline.ingestion.tokens import analyze
from tests.unit.pipeline.generation.test_extractive import answer, source


@pytest.mark.parametrize(
    ("text", "question", "quoted"),
    [
        (
            "We sell shoes.\n\n**Can I return a product?**\nYes, within 30 days.\n\n**Do you ship?**\nWe do.",
            "Can I return a product?",
            "Yes, within 30 days [1].",
        ),
        (
            "**Q: How do I reset my badge?**\nA: Ask at the front desk.\n\nBadges are blue.",
            "How do I reset my badge?",
            "Ask at the front desk [1].",
        ),
        (
            "Who pays for language courses? Half of it the company. Courses start in May.",
            "Who pays for language courses?",
            "Half of it the company [1].",
        ),
    ],
)
async def test_the_answer_to_a_question_of_the_source_is_quoted_and_not_that_question(
    text: str, question: str, quoted: str
) -> None:
    text = await answer(question, source(text))

    assert text.startswith(quoted)
    assert "?" not in text


async def test_a_question_that_nothing_follows_is_quoted_only_where_there_is_nothing_else() -> None:
    question = source("Can I return a product?")

    assert "?" not in await answer("Can I return a product?", question, source("Shoes are sold.", "2"))
    assert await answer("Can I return a product?", question) == "Can I return a product [1]?"


MINUTES = """\
The meeting was about:

1. Budget
   The budget grows by four percent. Ms Kern asked for a report on the costs of heating, which Mr Anders will
   write until the end of March. The board thanked both of them for their work.
2. New warehouse
   Four members voted for Leipzig. Mr Vogel voted against Leipzig, because the rent is too high there. The
   lease begins in June, and the move takes two weeks. Staff will be told on Monday."""


async def test_one_sentence_of_a_list_of_long_items_is_quoted_and_not_the_list() -> None:
    text = await answer("Who voted against Leipzig?", source(MINUTES))

    assert "Mr Vogel voted against Leipzig, because the rent is too high there [1]." in text
    assert "budget" not in text.lower()


def test_two_sentences_of_a_list_of_long_items_bring_nothing_else() -> None:
    found = candidates("voted Leipzig", "", [source(MINUTES)], analyze)
    both = [one for one in found if "Leipzig" in one.text]

    assert phrase(both) == (
        "2. New warehouse: Four members voted for Leipzig [1]. "
        "Mr Vogel voted against Leipzig, because the rent is too high there [1]."
    )


def test_a_list_of_long_items_begins_behind_its_lead_alone() -> None:
    [lead] = candidates("What was the meeting about?", "", [source(MINUTES)], analyze)[:1]

    assert phrase([lead]).startswith("The meeting was about: [1]\n1. Budget")


def test_the_best_comes_first_where_the_two_do_not_read_on() -> None:
    text = "The fee is 8 euros. It rains. Dogs sleep. The fee for guests is 9 euros."
    found = candidates("fee for guests", "", [source(text)], analyze)
    chosen = choose(found, [1.0 if "guests" in one.text else 0.95 for one in found])

    assert "guests" in chosen[0].text
    assert len(chosen) == 2


def test_the_best_value_of_a_configuration_comes_first() -> None:
    config = source("server:\n  port: 8443\ndatabase:\n  port: 5432\n", name="a.yaml")
    found = candidates("database port", "", [config], analyze)
    chosen = choose(found, [1.0 if "database" in one.text else 0.99 for one in found])

    assert chosen[0].text == "database > port: 5432"


@pytest.mark.parametrize(("cosine", "quoted"), [(0.95, 2), (0.6, 1)])
def test_a_second_sentence_is_nearly_as_close_as_the_best(cosine: float, quoted: int) -> None:
    text = "The deposit is three months' rent. The minimum order is 800 euros."
    found = candidates("How high is the sum?", "", [source(text)], analyze)

    assert len(choose(found, [1.0 if "deposit" in one.text else cosine for one in found])) == quoted
