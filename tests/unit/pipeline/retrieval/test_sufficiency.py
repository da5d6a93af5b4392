from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import RankedChunk, Retrieval
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from pipeline.retrieval.sufficiency import judge, limits_for
from tests.fakes.stored import chunk_of


def found(
    text: str,
    *,
    cosine: float | None,
    coverage: float = 0.5,
    weight: float = 0.5,
    dense_rank: int | None = 1,
    sparse_rank: int | None = 1,
    missing: int = 0,
    unnamed: float = 0.0,
) -> Retrieval:
    ranked = RankedChunk(
        chunk=chunk_of("d1", 0, text),
        score=1,
        dense_rank=dense_rank,
        sparse_rank=sparse_rank,
        cosine=cosine,
        coverage=coverage,
        weight=weight,
        missing=missing,
        unnamed=unnamed,
    )
    return Retrieval(ranked=(ranked,))


def why(question: str, retrieval: Retrieval) -> str:
    return judge(question, retrieval, analyze).why


def score(*chunks: Retrieval) -> float:
    ranked = tuple(each for found in chunks for each in found.ranked)
    value = judge("Who won?", Retrieval(ranked=ranked), analyze).signals["score"]
    assert value is not None
    return value


def test_nothing_found_is_not_enough() -> None:
    verdict = judge("refunds?", Retrieval(ranked=()), analyze)

    assert (verdict.sufficient, verdict.why) == (False, "nothing_found")
    assert verdict.signals["score"] is None


def test_a_close_chunk_is_enough() -> None:
    verdict = judge("How long do refunds take?", found("Refunds take five days.", cosine=0.7), analyze)

    assert verdict.sufficient
    assert verdict.signals == {
        "chunks": 1,
        "cosine": 0.7,
        "coverage": 0.5,
        "near": 0.9,
        "agreed": 1.0,
        "rare": 0.5,
        "unnamed": 0.0,
        "missing": 0,
        "undenied": False,
        "score": pytest.approx(-4.6 + 4.9 * 0.9 + 1.1 + 0.28 * 0.5),
    }


@pytest.mark.parametrize(
    ("cosine", "coverage", "dense_rank"),
    [
        (0.05, 0.0, 1),
        (0.137, 0.214, 9),  # "Who won the world cup in 1998?" to a company's handbook
        (0.292, 0.278, 12),  # "What is the dress code?" to the same
        (0.29, 0.3, None),
        (None, 0.1, None),
    ],
)
def test_a_far_chunk_that_shares_few_words_is_not_enough(
    cosine: float | None, coverage: float, dense_rank: int | None
) -> None:
    retrieval = found(
        "Refunds.", cosine=cosine, coverage=coverage, weight=0.3, dense_rank=dense_rank, missing=2
    )

    assert why("Who won the cup?", retrieval) == "unrelated"


@pytest.mark.parametrize(
    ("cosine", "coverage"),
    [
        (0.264, 0.597),  # "mileage rate for my own car"
        (0.449, 0.252),  # "Does the firm give money when a baby is born?"
        (0.15, 0.9),
        (0.55, 0.0),
        (None, 0.2),
    ],
)
def test_closeness_and_words_make_up_for_each_other(cosine: float | None, coverage: float) -> None:
    assert why("Who won the cup?", found("The cup", cosine=cosine, coverage=coverage)) == "found"


def test_a_chunk_that_is_near_in_meaning_and_in_words_says_more_than_two_that_share_this() -> None:
    words, meaning = found("The cup", cosine=0.1, coverage=0.8), found("Prizes", cosine=0.6, coverage=0.0)
    both = found("The cup", cosine=0.6, coverage=0.8)

    assert score(both, found("x", cosine=0.1, coverage=0.0)) > score(words, meaning)


def test_it_counts_that_the_best_of_one_arm_is_high_in_the_other() -> None:
    ranks = (1, 2, 50, None)
    scores = [score(found("The cup", cosine=0.4, dense_rank=rank)) for rank in ranks]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(ranks)

    first, second = found("A cup", cosine=0.4, dense_rank=None), found("The cup", cosine=0.4, sparse_rank=2)
    assert score(second, first) == scores[-1]
    assert score(second) == scores[0]  # the first was a copy of it


def test_rare_words_that_are_there_count_beside_their_share() -> None:
    one, three = found("cup", cosine=0.4, weight=0.3), found("FIFA cup Paris", cosine=0.4, weight=1.8)

    assert score(three) > score(one)


def test_a_name_that_the_chunk_with_most_words_lacks_counts_against_it() -> None:
    held, lacked = found("Leave in Porto", cosine=0.4), found("Leave in Porto", cosine=0.4, unnamed=0.3)
    fewer = found("Berlin", cosine=0.1, coverage=0.1)

    assert score(lacked) == pytest.approx(score(held) - 0.9)
    assert score(lacked, fewer) == score(lacked)


def test_a_denial_that_the_files_do_not_make_counts_against_them() -> None:
    paid, unpaid = found("Interns are paid for holidays.", cosine=0.5), found("Not paid.", cosine=0.5)

    def asked(retrieval: Retrieval) -> float:
        value = judge("Who is not paid for holidays?", retrieval, analyze).signals["score"]
        assert value is not None
        return value

    assert asked(paid) < asked(unpaid) - 3


@given(missing=st.integers(0, 60), cosine=st.floats(-1, 1), coverage=st.floats(0, 1))
def test_missing_words_alone_lower_a_score_but_refuse_next_to_nobody(
    missing: int, cosine: float, coverage: float
) -> None:
    complete = score(found("The cup", cosine=cosine, coverage=coverage))
    lacking = score(found("The cup", cosine=cosine, coverage=coverage, missing=missing))

    assert lacking <= complete
    assert lacking >= min(complete, -2.8)


def test_of_several_chunks_the_one_with_the_fewest_missing_words_counts() -> None:
    fewer, more = found("The cup", cosine=0.5, missing=1), found("A cup", cosine=0.5, missing=5)

    assert score(fewer, more) == score(fewer) > score(more)


def test_a_follow_up_that_leans_on_what_was_said_is_held_to_a_lower_limit() -> None:
    far = found(
        "Annual plans: fifteen days.", cosine=0.29, coverage=0.26, weight=0.3, dense_rank=5, missing=3
    )
    nothing = found("Annual plans: fifteen days.", cosine=0.1, coverage=0.0, weight=0)
    unseen = found("Annual plans: fifteen days.", cosine=None, coverage=0.0)

    assert judge("And for annual ones?", far, analyze, leaning=True).sufficient
    assert not judge("And for annual ones?", far, analyze).sufficient
    assert judge("zzyzx qwertz?", nothing, analyze, leaning=True).why == "unrelated"
    assert judge("Why?", unseen, analyze, leaning=True).sufficient
    assert judge("And PANIC-0999?", found("x", cosine=0.4), analyze, leaning=True).why == "code_not_found"


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Where do I ask for it?", "found"),
        ("What do I need for that?", "found"),
        ("And in the first year?", "found"),
        ("What about the capital of Mongolia?", "unrelated"),
        ("How many moons does it have?", "unrelated"),
    ],
)
def test_a_follow_up_without_a_word_of_its_own_is_about_what_was_answered_before(
    question: str, why: str
) -> None:
    far = found("Annual plans: fifteen days.", cosine=0.1, coverage=0.0, weight=0, dense_rank=5)

    assert judge(question, far, analyze, leaning=True).why == why
    assert judge(question, far, analyze).why == "unrelated"


def test_words_that_could_not_be_looked_at_do_not_count_against_a_chunk() -> None:
    unseen = replace(
        found("The cup", cosine=0.29, coverage=0.0, weight=0, sparse_rank=None),
        degraded=("sparse:unavailable",),
    )

    assert why("Who won the cup?", unseen) == "found"
    assert why("Who won the cup?", replace(unseen, degraded=())) == "unrelated"


def test_with_the_words_arm_off_closeness_and_coverage_decide() -> None:
    alone = replace(
        found("The cup", cosine=0.29, coverage=0.5, weight=0.2, dense_rank=None, unnamed=0.3),
        degraded=("sparse:off",),
    )

    assert why("Who won the cup?", alone) == "found"
    assert why("Who won the cup?", replace(alone, degraded=())) == "unrelated"


def test_an_embedder_whose_cosines_were_not_measured_gets_careful_limits() -> None:
    weak = found("The cup", cosine=0.25, coverage=0.2, dense_rank=None)

    for name in ("embedded:all-minilm-l6-v2-int8", "ollama:all-minilm"):
        assert not judge("Who won?", weak, analyze, limits_for(name)).sufficient
    assert judge("Who won?", weak, analyze, limits_for("openai:text-embedding-3-large")).sufficient
    assert judge("Who won?", weak, analyze, limits_for("openai:any"), leaning=True).sufficient


POOL = {
    "de": "Das Bad ist dienstags bis sonntags von 7 bis 21 Uhr geöffnet. Der Eintritt kostet 4,50 Euro, für "
    "Schüler 2,80 Euro. Fundsachen werden an der Kasse aufbewahrt.",
    "es": "La piscina abre de martes a domingo de 7 a 21 horas. La entrada cuesta 4,50 euros y 2,80 euros "
    "para estudiantes. Los objetos perdidos se guardan en la taquilla.",
    "fr": "La piscine est ouverte du mardi au dimanche de 7 h à 21 h. L'entrée coûte 4,50 euros, 2,80 euros "
    "pour les étudiants. Les objets trouvés sont gardés à la caisse.",
    "zh": "游泳馆周二至周日7点到21点开放。门票45元，学生票28元。失物由售票处保管。",
    "ar": "يفتح المسبح من الثلاثاء إلى الأحد من الساعة 7 حتى 21. سعر التذكرة 4 دنانير، وللطلاب ديناران. "
    "تحفظ المفقودات عند شباك التذاكر.",
    "ja": "プールは火曜日から日曜日の7時から21時まで営業します。入場料は450円、学生は280円です。"
    "忘れ物は受付で保管しています。",
    "en": "The pool is open from Tuesday to Sunday, 7 to 21. Entrance is 4.50 euros, 2.80 euros for "
    "students. Lost property is kept at the ticket desk.",
}
"""The same in several languages."""


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Was kostet der Eintritt für Schüler?"),
        ("de", "Wo werden Fundsachen aufbewahrt?"),
        ("es", "¿A qué hora abre la piscina?"),
        ("es", "¿Cuánto cuesta la entrada para estudiantes?"),
        ("fr", "À quelle heure ouvre la piscine ?"),
        ("fr", "Où sont gardés les objets trouvés ?"),
        ("zh", "学生票多少钱？"),
        ("ar", "أين تحفظ المفقودات؟"),
        ("ja", "学生の入場料はいくらですか？"),
    ],
)
def test_words_of_a_question_in_another_language_are_enough(language: str, question: str) -> None:
    assert why(question, found(POOL[language], cosine=0.1, coverage=0.1)) == "found"


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Wie backe ich ein Sauerteigbrot für die Familie?"),
        ("de", "Wann ist der Dreißigjährige Krieg zu Ende gegangen?"),
        ("es", "¿Cuánto tarda el reembolso de un plan mensual?"),
        ("es", "¿Cuál es la altura del monte Everest?"),
        ("fr", "Combien de jours de congés ai-je par an ?"),
        ("fr", "Qui a écrit Les Misérables pour le théâtre ?"),
        ("zh", "没用完的年假什么时候作废？"),
        ("ar", "كم يستغرق استرداد مبلغ الاشتراك الشهري؟"),
        ("ja", "源氏物語の作者は誰ですか？"),
    ],
)
def test_function_words_connect_nothing_in_any_language(language: str, question: str) -> None:
    assert why(question, found(POOL[language], cosine=0.4, coverage=0.6)) == "unrelated"


def test_in_another_script_even_a_high_cosine_says_nothing() -> None:
    assert why("红楼梦的作者是谁？", found(POOL["zh"], cosine=0.7, coverage=0.0)) == "unrelated"
    assert why("Wer schrieb den Faust?", found(POOL["de"], cosine=0.7, coverage=0.0)) == "found"


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("When does the pool open?", "de"),
        ("Where is lost property kept?", "ar"),
        ("Wann hat das Hallenbad geöffnet?", "en"),
        ("学生票多少钱？", "en"),
    ],
)
def test_between_two_languages_it_is_said_that_meaning_cannot_be_compared(question: str, file: str) -> None:
    apart = found(POOL[file], cosine=0.1, coverage=0.0, weight=0)
    words_only = replace(apart, ranked=(replace(apart.ranked[0], cosine=None),))

    assert why(question, apart) == "other_language"
    assert why(question, words_only) == "unrelated"
    assert judge(question, apart, analyze, limits_for("openai:text-embedding-3-large")).why == "unrelated"
    assert judge(question, apart, analyze, limits_for("ollama:nomic-embed-text")).why == "other_language"


def test_names_and_numbers_are_found_between_two_languages() -> None:
    receipts = found("Frau Brandt genehmigt Belege über 500 Euro.", cosine=0.1, coverage=0.1, weight=0.1)

    assert why("Who approves more than 500?", receipts) == "found"
    assert why("What is done by Ms Brandt?", receipts) == "found"
    assert why("Who approves receipts?", receipts) == "other_language"


def test_a_follow_up_in_another_language_is_not_refused() -> None:
    said = found(POOL["de"], cosine=0.1, coverage=0.0)

    assert judge("Und wann wieder?", said, analyze, leaning=True).sufficient


@pytest.mark.parametrize(
    ("question", "cosine"),
    [
        ("How much vacation do I have?", 0.399),
        ("How much time off do I get?", 0.33),
        ("Can I fly for a work trip?", 0.305),
    ],
)
def test_among_few_chunks_one_that_is_near_in_meaning_is_enough_without_any_word(
    question: str, cosine: float
) -> None:
    near = found(
        "Every employee has 25 days of annual leave.", cosine=cosine, coverage=0, weight=0, missing=5
    )
    unworded = replace(near.ranked[0], sparse_rank=None)

    assert why(question, Retrieval(ranked=(unworded,) * 5)) == "found"
    assert why(question, Retrieval(ranked=(unworded,) * 6)) == "unrelated"
    assert why(question, Retrieval(ranked=(replace(unworded, cosine=0.29),))) == "unrelated"


def test_a_code_that_no_chunk_holds_is_not_enough() -> None:
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3)) == "code_not_found"
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=None)) == "code_not_found"


def test_the_code_is_named_as_the_reason_although_it_counts_against_the_score_too() -> None:
    far = found("PANIC-0417: pump.", cosine=0.3, coverage=0.2, unnamed=0.7, missing=3)

    assert why("What does PANIC-0999 mean?", far) == "code_not_found"


def test_a_code_that_a_chunk_or_its_file_name_holds_is_enough() -> None:
    assert why("What does PANIC-0417 mean?", found("panic-0417: pump.", cosine=0.3)) == "found"
    assert why("summarise release v2.13.4", found("see notes 2.13.4", cosine=0.3)) == "found"


def test_a_code_may_be_spelled_otherwise() -> None:
    assert why("What does PANIC-0999 mean?", found("Panic number 999: fan.", cosine=0.4)) == "found"
    assert why("What does PANIC-0999 mean?", found("Panics of all kinds: fan.", cosine=0.8)) == "found"


def test_a_chunk_about_another_code_of_the_same_kind_is_not_enough() -> None:
    other = found("API-4031: the key has expired. INV-2026-1001 was paid.", cosine=0.5)

    assert why("What does API-4999 mean?", other) == "code_not_found"
    assert why("Who got INV-2026-1002?", other) == "code_not_found"
    assert why("What changed in 4.0.31?", found("4, 0 and 31 pumps", cosine=0.5)) == "code_not_found"


@pytest.mark.parametrize(
    "question", ["the 20th century", "the 1990s", "a 50mb file", "42 pumps", "Q3 results", "60-minute calls"]
)
def test_amounts_and_ordinals_are_no_codes(question: str) -> None:
    assert why(question, found("something close", cosine=0.3)) == "found"


def test_the_verdict_is_traced_without_words() -> None:
    with collect() as events:
        verdict = judge("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3), analyze)

    assert events == [
        {
            "event": "retrieval.sufficiency",
            "why": "code_not_found",
            "leaning": False,
            "weak": False,
            **verdict.signals,
        }
    ]
    assert all(value is None or isinstance(value, int | float) for value in verdict.signals.values())


def test_what_is_only_loosely_related_is_answered_from_with_a_word_of_caution() -> None:
    near = found("Annual plans: fifteen days.", cosine=0.35, coverage=0.25, weight=0.3, dense_rank=2)
    clear = found("Annual plans: fifteen days.", cosine=0.6, coverage=0.9, weight=2.0, dense_rank=1)

    assert judge("How long do parental breaks take?", near, analyze).weak
    assert not judge("How long do annual plans take?", clear, analyze).weak
    assert not judge("And how long do these take?", near, analyze, leaning=True).weak
    assert not judge("How long do parental breaks take?", near, analyze, limits_for("bge-m3")).weak


def test_a_question_in_another_language_than_all_passages_is_answered_with_caution() -> None:
    english = found(
        "The Aqua 300 has a warranty of thirty-six months, which begins on the day of delivery.", cosine=0.5
    )
    german = found(
        "Die Garantie der Aqua 300 beträgt sechsunddreißig Monate ab dem Tag der Lieferung.", cosine=0.5
    )
    asked = "Wie lange ist die Garantie der Aqua 300?"

    assert judge(asked, english, analyze).weak
    assert not judge(asked, german, analyze).weak


def test_a_follow_up_may_name_what_the_files_do_not() -> None:
    asked = found(
        "Annual plans: fifteen days.", cosine=0.29, coverage=0.5, weight=0.3, unnamed=1.0, missing=1
    )

    assert judge("And for annual ones, in Essen?", asked, analyze, leaning=True).sufficient
    assert not judge("How long do annual plans take in Essen?", asked, analyze).sufficient
