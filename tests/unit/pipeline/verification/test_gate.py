"""The gate: which layer decides about which statement, and what is left of the answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from prometheus_client import REGISTRY

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelTimeout, ModelUnavailable
from pipeline.ingestion.tokens import analyze
from pipeline.observability import trace
from pipeline.verdicts import Layer, Mode, Standing
from pipeline.verification.gate import JUDGE_FAILED, MOST, UNAVAILABLE, Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.verification.gate import Checked
    from pipeline.verification.mechanical import Premise


def source(label: str, text: str, section: str | None = None) -> CitedSource:
    chunk = Chunk(
        chunk_id=f"d-{label}",
        document_id="d",
        display_name="policy.md",
        source="",
        chunk_index=0,
        text=text,
        place=Place(section=section),
    )
    return CitedSource(label=label, chunk=chunk)


SOURCES = (
    source("1", "Refunds for monthly plans take five working days.", "Refunds of the Northern branch"),
    source("2", "Cards are accepted in every shop. The fee is 3 %."),
)

VERBATIM = "Refunds for monthly plans take five working days [1]."
WRONG_NUMBER = "Refunds take nine working days [1]."
PARAPHRASE = "People get their money back within a week [1]."
UNMARKED = "Shops take cards from everybody."


@dataclass(slots=True)
class FixedEntailment:
    """Gives one score for every statement, or fails."""

    score: float = 0.9
    error: Exception | None = None
    hangs: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def __call__(self, premise: Premise, hypothesis: str) -> float:
        self.asked.append((premise.text, hypothesis))
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.score


@dataclass(slots=True)
class ScriptedJudge:
    """Gives its verdict, or fails."""

    verdict: bool | None = True
    error: Exception | None = None
    hangs: bool = False
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    async def __call__(self, claim: str, sources: Sequence[CitedSource]) -> bool | None:
        self.asked.append((claim, tuple(each.label for each in sources)))
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.verdict


async def check(
    answer: str,
    entailment: FixedEntailment | None = None,
    judge: ScriptedJudge | None = None,
    *,
    mode: Mode = Mode.STREAMING,
    patience_s: float = 5,
    judge_s: float = 5,
) -> Checked:
    gate = Gate(entailment or FixedEntailment(), analyze, judge=judge, patience_s=patience_s, judge_s=judge_s)
    return await gate.check(answer, SOURCES, mode=mode)


def stands(checked: Checked) -> list[tuple[Standing, Layer, str]]:
    return [(claim.verdict, claim.layer, claim.why) for claim in checked.verification.claims]


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


async def test_what_stands_there_word_for_word_needs_no_model() -> None:
    entailment = FixedEntailment()

    checked = await check(VERBATIM, entailment)

    assert stands(checked) == [(Standing.SUPPORTED, Layer.MECHANICAL, "verbatim")]
    assert entailment.asked == []


async def test_a_number_that_stands_nowhere_decides_against_and_is_named() -> None:
    checked = await check(WRONG_NUMBER)

    assert stands(checked) == [(Standing.UNSUPPORTED, Layer.MECHANICAL, "numbers")]
    assert checked.verification.doubtful[0].missing == ("nine",)
    assert checked.answer == WRONG_NUMBER


@pytest.mark.parametrize(
    ("score", "standing"),
    [(0.9, Standing.SUPPORTED), (0.4, Standing.UNCERTAIN), (0.1, Standing.UNSUPPORTED)],
)
async def test_a_paraphrase_is_decided_by_its_score(score: float, standing: Standing) -> None:
    checked = await check(PARAPHRASE, FixedEntailment(score))

    assert stands(checked) == [(standing, Layer.ENTAILMENT, "score")]
    assert checked.verification.claims[0].score == score


@pytest.mark.parametrize(
    "answer", ["Cards of students are not accepted in every small shop [2].", "The fee is -3 % now [2]."]
)
async def test_no_score_supports_what_may_be_turned_round(answer: str) -> None:
    [claim] = (await check(answer, FixedEntailment(0.95))).verification.claims

    assert claim.verdict is Standing.UNCERTAIN


@pytest.mark.parametrize(
    ("answer", "standing", "why"),
    [
        ("Man bekommt das Geld in einer Woche zurück [1].", Standing.UNCERTAIN, "language"),
        ("Der Betrag wird für „monthly plans“ in fünf Tagen erstattet [1].", Standing.UNCERTAIN, "language"),
        ("Es heißt dort: „Rückzahlungen für Monatstarife dauern“ [1].", Standing.UNCERTAIN, "quotes"),
        ("Der Betrag wird in der Regel in neun Tagen erstattet [1].", Standing.UNSUPPORTED, "numbers"),
        ("Es heißt dort: „It is for the people and the rest of us“ [1].", Standing.UNSUPPORTED, "quotes"),
        ("Der Fehler ist in der Datei INV-2026-1001 [1].", Standing.UNSUPPORTED, "codes"),
    ],
)
async def test_in_another_language_only_signs_speak_against(
    answer: str, standing: Standing, why: str
) -> None:
    checked = await check(answer, FixedEntailment(0.02), mode=Mode.VERIFIED)

    assert [(verdict, reason) for verdict, _, reason in stands(checked)] == [(standing, why)]
    assert checked.answer == ("" if standing is Standing.UNSUPPORTED else answer)


async def test_the_number_of_another_row_decides_against() -> None:
    gate = Gate(FixedEntailment(), analyze)

    checked = await gate.check("Pro costs 10 € [1].", [source("1", "Basic: 10 €\nPro: 20 €")])

    assert stands(checked) == [(Standing.UNSUPPORTED, Layer.MECHANICAL, "rows")]


async def test_a_lead_in_may_count_its_list_and_says_nothing_else_by_itself() -> None:
    lead = "Here are the 2 rules (3 % of all):"
    answer = f"{lead}\n- Refunds for monthly plans take five working days [1]\n- Cards are accepted [2]"

    counted = await check(answer, mode=Mode.VERIFIED)
    wrong = await check(answer.replace("3 %", "4 %"), mode=Mode.VERIFIED)

    assert counted.answer == answer
    assert wrong.answer == answer.replace(lead, "…:")


async def test_no_score_refuses_what_leads_in_to_a_list_or_asks() -> None:
    answer = "Here are 2 rules, and 3 % of all:\n- Refunds take five days [1]\n\nDo you mean the 3 % [2]?"

    checked = await check(answer, FixedEntailment(0.02))

    assert [verdict for verdict, _, _ in stands(checked)] == [
        Standing.UNSUPPORTED,
        Standing.UNSUPPORTED,
        Standing.UNCERTAIN,
    ]


@pytest.mark.parametrize(
    ("answer", "text"),
    [("They are 1.8 m tall [1].", "Height is 180 cm."), ("It weighs 2500 g [1].", "Weight is 2.5 kg.")],
)
async def test_no_score_refuses_a_number_in_another_unit(answer: str, text: str) -> None:
    checked = await Gate(FixedEntailment(score=0.1), analyze).check(answer, [source("1", text)])

    assert stands(checked) == [(Standing.UNCERTAIN, Layer.ENTAILMENT, "score")]


async def test_the_names_of_file_and_section_belong_to_the_source() -> None:
    entailment = FixedEntailment()

    await check("The branch of the Northern people pays [1].", entailment)

    [(premise, hypothesis)] = entailment.asked
    assert premise.startswith("policy.md\n\nRefunds of the Northern branch\n\nRefunds for")
    assert hypothesis == "The branch of the Northern people pays."


async def test_several_sources_of_a_statement_are_read_together() -> None:
    entailment = FixedEntailment()

    checked = await check("Refunds take five working days and the fee is 3 % [1][2].", entailment)

    assert stands(checked)[0][0] is Standing.SUPPORTED
    assert "Refunds for" in entailment.asked[0][0]
    assert "Cards are" in entailment.asked[0][0]


async def test_a_statement_without_a_source_is_counted_and_not_refused() -> None:
    checked = await check(f"{VERBATIM} {UNMARKED}", mode=Mode.VERIFIED)

    assert checked.verification.counts == {Standing.SUPPORTED: 1, Standing.UNCITED: 1}
    assert checked.answer == f"{VERBATIM} {UNMARKED}"


async def test_one_whose_number_stands_in_no_source_at_all_is_unsupported() -> None:
    nowhere = await check("The fee is 4 % for everybody.")
    somewhere = await check("The fee is 3 % for everybody.")

    assert stands(nowhere) == [(Standing.UNSUPPORTED, Layer.MECHANICAL, "numbers")]
    assert stands(somewhere) == [(Standing.UNCITED, Layer.MECHANICAL, "uncited")]


async def test_verified_mode_takes_out_what_is_not_supported() -> None:
    before = counted("footnote_sanitized_total", kind="unsupported_claim")

    checked = await check(f"{VERBATIM} {WRONG_NUMBER}", mode=Mode.VERIFIED)

    assert checked.answer == VERBATIM
    assert checked.verification.removed == 1
    assert [claim.text for claim in checked.verification.claims] == [
        "Refunds for monthly plans take five working days.",
        "Refunds take nine working days.",
    ]
    assert counted("footnote_sanitized_total", kind="unsupported_claim") == before + 1


async def test_each_statement_is_announced_before_it_is_checked() -> None:
    told: list[tuple[int, int]] = []
    gate = Gate(FixedEntailment(), analyze)

    await gate.check(
        f"{VERBATIM} {PARAPHRASE}", SOURCES, progress=lambda position, total: told.append((position, total))
    )

    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    "entailment", [FixedEntailment(error=ModelUnavailable("gone")), FixedEntailment(hangs=True)]
)
async def test_without_the_entailment_layer_words_decide_and_it_is_said(entailment: FixedEntailment) -> None:
    checked = await check(
        "The refunds for monthly plans take five working days [1]. Dinosaurs lived on continents [2].",
        entailment,
        patience_s=0.05,
    )

    assert [standing for standing, _, _ in stands(checked)] == [Standing.SUPPORTED, Standing.UNSUPPORTED]
    assert checked.degraded == (UNAVAILABLE,)
    assert len(entailment.asked) == 1


async def test_the_judge_is_asked_about_the_uncertain_only() -> None:
    judge = ScriptedJudge()

    checked = await check(f"{VERBATIM} {PARAPHRASE} {WRONG_NUMBER}", FixedEntailment(0.4), judge)

    assert judge.asked == [("People get their money back within a week.", ("1",))]
    assert stands(checked)[1] == (Standing.SUPPORTED, Layer.JUDGE, "judge")
    assert checked.verification.judged == 1


async def test_a_judge_that_says_no_speaks_against_and_one_that_says_nothing_leaves_it_open() -> None:
    against = await check(PARAPHRASE, FixedEntailment(0.4), ScriptedJudge(verdict=False))
    open_ = await check(PARAPHRASE, FixedEntailment(0.4), ScriptedJudge(verdict=None))

    assert stands(against)[0][0] is Standing.UNSUPPORTED
    assert stands(open_)[0][0] is Standing.UNCERTAIN
    assert open_.degraded == ()


@pytest.mark.parametrize("judge", [ScriptedJudge(error=ModelTimeout("slow")), ScriptedJudge(hangs=True)])
async def test_a_judge_that_fails_leaves_it_open_and_is_asked_no_more(judge: ScriptedJudge) -> None:
    checked = await check(f"{PARAPHRASE} {PARAPHRASE}", FixedEntailment(0.4), judge, judge_s=0.05)

    assert [standing for standing, _, _ in stands(checked)] == [Standing.UNCERTAIN] * 2
    assert len(judge.asked) == 1
    assert checked.degraded == (JUDGE_FAILED,)


async def test_the_judge_is_asked_so_often_and_no_oftener() -> None:
    judge = ScriptedJudge()

    checked = await check(" ".join([PARAPHRASE] * 5), FixedEntailment(0.4), judge)

    assert len(judge.asked) == 3
    assert checked.verification.counts == {Standing.SUPPORTED: 3, Standing.UNCERTAIN: 2}


async def test_an_endless_answer_is_checked_up_to_a_bound() -> None:
    entailment = FixedEntailment()

    checked = await check(" ".join([PARAPHRASE] * (MOST + 2)), entailment)

    assert len(entailment.asked) == MOST
    assert [why for _, _, why in stands(checked)[MOST:]] == ["too_many"] * 2


async def test_an_answer_that_states_nothing_passes_as_it_is() -> None:
    before = counted("footnote_observed_total", kind="nothing_stated")

    checked = await check("The documents do not answer this.", mode=Mode.VERIFIED)

    assert checked.answer == "The documents do not answer this."
    assert checked.verification.claims == ()
    assert counted("footnote_observed_total", kind="nothing_stated") == before + 1


async def test_the_rates_are_counted_and_the_trace_holds_no_text() -> None:
    before = counted("footnote_claims_total", verdict="supported")
    with trace.collect() as events:
        await check(f"{VERBATIM} {UNMARKED} {WRONG_NUMBER}")

    [event] = [event for event in events if event["event"] == "verification.checked"]
    assert counted("footnote_claims_total", verdict="supported") == before + 1
    assert event == {
        "event": "verification.checked",
        "mode": "streaming",
        "supported": 1,
        "unsupported": 1,
        "uncertain": 0,
        "uncited": 1,
        "removed": 0,
        "judged": 0,
    }


async def test_it_can_be_kept_as_json() -> None:
    checked = await check(WRONG_NUMBER)

    kept = checked.verification.as_json()

    assert kept["counts"] == {"supported": 0, "unsupported": 1, "uncertain": 0, "uncited": 0}
    assert kept["claims"] == [
        {
            "text": "Refunds take nine working days.",
            "span": [0, len(WRONG_NUMBER)],
            "labels": ("1",),
            "verdict": "unsupported",
            "layer": "mechanical",
            "why": "numbers",
            "missing": ("nine",),
            "score": None,
        }
    ]
