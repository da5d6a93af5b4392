"""What the gate found, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.checks import LISTED, account, remark
from bot.explanation import explain
from bot.wording import final_text, notes
from pipeline.conversation import GenerationResponse
from pipeline.verdicts import CheckedClaim, Layer, Mode, Standing, Verification
from tests.fakes.pipeline import citation


def claim(text: str, verdict: Standing = Standing.SUPPORTED, **values: object) -> CheckedClaim:
    made = CheckedClaim(
        text=text,
        span=(0, len(text)),
        labels=("1",),
        verdict=verdict,
        layer=Layer.ENTAILMENT,
        why="score",
        score=0.4,
    )
    return replace(made, **values)  # type: ignore[arg-type]  # fields by name, as the tests give them


GOOD = claim("Refunds take five days.")
BAD = claim("They cost 99 euros.", Standing.UNSUPPORTED, why="numbers", missing=("99 euros",))
OPEN = claim("Banks may be slower.", Standing.UNCERTAIN)
BARE = claim("Ask the office.", Standing.UNCITED, labels=(), why="uncited", score=None)


def found(*claims: CheckedClaim, mode: Mode = Mode.STREAMING, removed: int = 0) -> Verification:
    return Verification(mode=mode, claims=claims, removed=removed)


@pytest.mark.parametrize("verification", [None, found(), found(GOOD), found(GOOD, OPEN, BARE)])
def test_nothing_is_said_where_nothing_needs_saying(verification: Verification | None) -> None:
    assert remark(verification) == ""


def test_a_doubtful_statement_is_quoted_with_what_its_source_lacks() -> None:
    assert remark(found(GOOD, BAD, OPEN, GOOD)) == (
        "⚠ 1 of 4 statements is not clearly supported by its source: "
        "“They cost 99 euros.” (not there: 99 euros)"
    )


def test_many_doubtful_statements_are_counted() -> None:
    said = remark(found(BAD, BAD, BAD))

    assert said.startswith("⚠ 3 of 3 statements are not clearly supported by their sources: ")
    assert said.endswith(" and 1 more")


def test_a_checked_answer_says_what_was_left_out_and_what_stays_open() -> None:
    assert remark(found(GOOD, BAD, OPEN, BARE, mode=Mode.VERIFIED, removed=1)) == (
        "⚠ 1 of 4 statements was left out because its source does not support it. "
        "2 of 4 statements could not be confirmed."
    )
    assert remark(found(GOOD, mode=Mode.VERIFIED)) == ""


def test_a_statement_cannot_format_the_remark() -> None:
    assert "\\*\\*x\\*\\*" in remark(found(claim("**x** is so", Standing.UNSUPPORTED)))


def test_the_finished_reply_has_the_remark_below_the_sources() -> None:
    response = GenerationResponse(
        success=True, answer="They cost 99 euros [1].", citations=(citation("1"),), verification=found(BAD)
    )

    said = final_text(response)

    assert said.index("[1] handbook.pdf") < said.index("⚠ 1 of 1 statement is not clearly supported")


def test_an_explanation_lists_every_statement_with_its_reason() -> None:
    kept = found(GOOD, BAD, OPEN, BARE, claim("It is so.", why="verbatim", score=1.0)).as_json()

    assert list(account(kept)) == [
        "- Checked 5 statements: 2 supported, 1 not supported, 1 uncertain, 1 without a source",
        "  - ✓ “Refunds take five days.” [1]: likely to be supported: 40%",
        "  - ⚠ “They cost 99 euros.” [1]: its source lacks the number 99 euros",
        "  - ? “Banks may be slower.” [1]: likely to be supported: 40%",
        "  - – “Ask the office.”: cites no source",
        "  - ✓ “It is so.” [1]: stands there word for word",
    ]
    assert "- Checked 5 statements" in explain({"verification": kept}, None, {})


def test_what_stands_in_another_row_or_language_has_words() -> None:
    kept = found(
        claim("Pro costs 10 €.", Standing.UNSUPPORTED, why="rows", score=None),
        claim("Es kostet etwas.", Standing.UNCERTAIN, why="language"),
    )

    assert [line.partition("[1]: ")[2] for line in list(account(kept.as_json()))[1:]] == [
        "the source has this number in another row",
        "its source is in another language, so only numbers, codes and quotations were compared",
    ]


def test_a_long_explanation_is_counted_and_an_old_record_has_none() -> None:
    lines = list(account(found(*[GOOD] * (LISTED + 3)).as_json()))

    assert lines[-1] == "  - … and 3 more"
    assert list(account(None)) == list(account({})) == list(account(found().as_json())) == []


def test_what_the_gate_had_to_do_without_has_words() -> None:
    said = notes(("entailment:unavailable", "judge:failed", "verification:failed"))

    assert len(said) == 3
    assert not [note for note in said if note.startswith("Answered without a part")]
