"""Numbers and dates agree however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.verification.names import find_codes, find_names
from pipeline.verification.numbers import claimed_figures, known_figures


def lacking(claim: str, source: str) -> list[str]:
    return known_figures(source).lacks(claimed_figures(claim))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It costs 1,000 euros.", "Preis: 1.000 €"),
        ("There are 1 000 users.", "1,000 users"),
        ("There are 1'000 users.", "1000 users"),
        ("Growth is 5 percent.", "growth 5%"),
        ("Es sind 1,5 Prozent.", "1.5 %"),
        ("It takes five days.", "within 5 days"),
        ("Es dauert zwölf Tage.", "12 Tage"),
        ("It takes 12 days.", "twelve days"),
        ("The budget is $1.5bn.", "1.5 billion dollars"),
        ("Das sind 5 Mio. Euro.", "5,000,000 €"),
        ("It was paid on 5 March 2024.", "2024-03-05"),
        ("It was paid on March 5th.", "am 5. März 2024"),
        ("It was paid on 05.03.24.", "March 5, 2024"),
        ("It was paid on 3/5/2024.", "5 March 2024"),
        ("It was in March 2024.", "Paid on 2024-03-05."),
        ("It was paid on 5 March 2024.", "In 2024 it was paid on 5 March."),
        ("It happened in 2024.", "on 05.03.2024"),
        ("It opens at 10:30.", "um 10.30 Uhr"),
        ("Between 10-20 days.", "10 to 20 days"),
        ("A 5GB disk.", "5 GB"),
        ("The 20th time.", "20 times"),
        ("There are two ways to do it.", "Either call or write."),
        ("1. Check the cable.", "Check the cable."),
        ("It runs on x86 and INV-2026-1001.", "nothing"),
        ("Die Frist endet am 03.05.2024.", "am 3. Mai 2024"),
        ("Am 31.12.2024 und 1.2.2024.", "31. Dezember 2024, 1. Februar 2024"),
        ("Leave is twenty-five days.", "25 days"),
        ("Leave is 25 days.", "twenty five days"),
        ("The limit is 120 seconds.", "one hundred and twenty seconds"),
        ("It has sixteen seats.", "16 seats"),
        ("Between twenty and thirty.", "20 to 30"),
        ("The twenty-fifth day.", "day 25"),
        ("It costs two million.", "2,000,000"),
        ("Es sind fünfundzwanzig Tage.", "25 Tage"),
        ("Es war 2024.", "zweitausendvierundzwanzig"),
        ("Hay quince días.", "15 días"),
        ("Il y a 16 jours.", "seize jours"),
        ("You get 0.5 days.", "half a day"),
        ("Add 1/2 cup.", "½ cup"),
        ("It starts at 2 pm.", "14:00"),
        ("It starts at 2 p.m.", "14 Uhr"),
        ("It starts at 09:30.", "9:30 a.m."),
        ("It ends at 12 am.", "0:00"),
        ("This is on page 3.", "Refunds"),
        ("According to source 1, it is so.", "It is so."),
        ("Section 2.3.1 and § 5 say so.", "It is so."),
        ("Call +49 30 1234567.", "Tel. 030/123-4567"),
        ("Call 555-123-4567.", "(555) 123 4567"),
        ("It was so in 2023/24.", "2023/2024"),
        ("Version 2.13 is needed.", "2.13.4 or newer"),
        ("年假为15天。", "年假为十五天。"),
        ("见第3条。", "年假"),
        ("截止日期是2024年5月3日。", "2024-05-03"),
        ("费用是5万元。", "50000元"),
        ("2万5千円です。", "25000円"),
        ("It takes 48 hours.", "within 2 days"),
        ("It takes 2 days.", "48 hours"),
        ("It takes 90 minutes.", "1½ hours"),
        ("Es dauert 18 Monate.", "anderthalb Jahre"),
        ("It takes six months.", "half a year"),
        ("Die Frist ist 6 Monate.", "ein halbes Jahr"),
        ("It is due every 12 months.", "once a year"),
        ("It lasts 14 days.", "a fortnight"),
        ("The way is 1,500 m long.", "1.5 km"),
        ("It weighs 1.5 kg.", "1500 g"),
        ("It has 2 GB.", "2048 MB"),
        ("25 % pay.", "A quarter of them pays."),
        ("1/4 of it.", "25 percent"),
        ("67 % pay.", "Two thirds pay."),
        ("Four out of five agree.", "80 %"),
        ("80 % agree.", "four in five"),
        ("A ratio of 50% is much.", "a ratio of 0.5"),
        ("It leaves at 7:45.", "七時四十五分に出ます"),
        ("Il ouvre à 7h45.", "7:45"),
        ("It opens at 3 pm.", "下午3点开门"),
        ("Somebody is there 24/7.", "24 hours, 7 days a week"),
        ("Revenue was 1.2 million dollars.", "$1.2M"),
        ("Revenue was $1,200,000.", "$1.2M"),
        ("Revenue was $3B.", "3 billion dollars"),
        ("Revenue was $45m.", "$45 million"),
        ("Revenue was 5M €.", "5 Mio. €"),
        ("Revenue was 1,234,567 €.", "1.234.567,00 €"),
        ("It has 1.2M users.", "1.2 million users"),
        ("The beam is 5 m long.", "5 metres"),
        ("The timeout is 0.5 seconds.", "500 ms"),
        ("The timeout is 1.5 s.", "1500 milliseconds"),
        ("It takes 1 hour and 30 minutes.", "90 minutes"),
        ("It takes 90 minutes.", "1 hour 30 minutes"),
        ("It takes 1h30.", "90 minutes"),
        ("It takes 18 months.", "1 year and 6 months"),
        ("The limit is 1,000,000.", "max_connections: 1_000_000"),
        ("The quota is 1 GiB.", "1024 MB"),
        ("It weighs 5 pounds.", "5 lb"),
        ("It rose by 5 percentage points.", "5 %"),
        ("The fee is 10 €.", "10 € per month"),
        ("The fee is 10 € a month.", "10 €/month"),
        ("The limit is 5 requests a second.", "5 requests per second"),
        ("Support is 5 €, shipping 10 € per month.", "Shipping is 10 € and a year of support 5 €."),
        ("One of four users pays.", "One in four users pays."),
        ("One of three servers is up.", "Two of three servers are down."),
        ("It took 12 days.", "Two in 12 days."),
        ("It is online in 12 languages.", "Chapter one in 12 languages is online."),
        ("Three of three servers failed.", "Two of three servers failed, and in Bonn all three servers."),
        ("The address is 10.100.200.100.", "10.100.200.100"),
    ],
)
def test_the_same_figure_is_found_in_another_spelling(claim: str, source: str) -> None:
    assert lacking(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("It costs 1,001 euros.", "1.000 €", ["1,001 euros"]),
        ("Growth is 5%.", "It costs $5.", ["5%"]),
        ("It takes five days.", "10 days", ["five"]),
        ("It takes two days.", "It takes ten days.", ["two"]),
        ("It was paid on 4 March 2024.", "5 March 2024", ["4 March 2024"]),
        ("It was paid on March 5.", "May 5", ["March 5"]),
        ("It was paid in March 2023.", "5 March 2024", ["March 2023"]),
        ("It costs 5 million.", "5 thousand", ["5 million"]),
        ("It has 1.50 metres.", "1,5 and 15", []),
        ("The fee is 1 €.", "The fee is 1.000 €.", ["1 €"]),
        ("费用是99欧元。", "费用是12欧元。", ["99欧元"]),
        ("员工每年有20天带薪年假。", "员工每年享有15天带薪年假。", ["20"]),
        ("年假为二十天。", "年假为十五天。", ["二十"]),
        ("料金は99ユーロです。", "料金は12ユーロです。", ["99ユーロ"]),
        ("요금은 99유로입니다.", "요금은 12유로입니다.", ["99유로"]),
        ("截止日期是2024年5月4日。", "2024-05-03", ["2024年5月4日"]),
        ("It takes 99hours.", "It takes 12hours.", ["99"]),
        ("Leave is twenty-five days.", "5 days, 20 hours", ["twenty-five"]),
        ("Es sind fünfundzwanzig Tage.", "5 oder 20 Tage", ["fünfundzwanzig"]),
        ("It starts at 2 pm.", "It starts at 2 am.", ["2 pm"]),
        ("Call +49 30 1234568.", "Tel. 030/1234567", ["+49 30 1234568"]),
        ("It was so in 2023/24.", "2023", ["2024"]),
        ("It takes 2 hours.", "2 days", ["2"]),
        ("It takes 3 days.", "48 hours", ["3"]),
        ("It takes 7 months.", "half a year", ["7"]),
        ("The way is 150 m long.", "1.5 km", ["150"]),
        ("It is 1 %.", "0.5 %", ["1 %"]),
        ("3 % pay.", "Two in 90 pay.", ["3 %"]),
        ("30 % pay.", "A quarter of them pays.", ["30 %"]),
        ("The price is 2024 €.", "in 2024", ["2024 €"]),
        ("It is 5 %.", "on 5 March", ["5 %"]),
        ("The pump weighs 5 lb.", "5 kg", ["5"]),
        ("The pump weighs 5 pounds.", "5 kg", ["5 pounds"]),
        ("It is 5 miles long.", "5 m", ["5"]),
        ("It holds 5 gallons.", "5 l", ["5"]),
        ("The timeout is 500 s.", "500 ms", ["500"]),
        ("It has 500 KB.", "500 bytes", ["500"]),
        ("Revenue was 1.234.568 €.", "1,234,567 €", ["1.234.568 €"]),
        ("Revenue was $1.2B.", "$1.2M", ["$1.2B"]),
        ("It takes 1 hour and 40 minutes.", "1 hour 30 minutes", ["40"]),
        ("It takes 95 minutes.", "1 hour 30 minutes", ["95"]),
        ("The rent is $1,000 per week.", "$1,000 per month", ["$1,000"]),
        ("The fee is 10 euros a month.", "10 euros a year", ["10 euros"]),
        ("You have 5 days of leave per year.", "5 days of leave per month", ["5"]),
        ("The limit is 5 requests per hour.", "5 requests per second", ["5"]),
        ("Three of three servers failed.", "Two of three servers failed.", ["Three of three servers"]),
        ("4 users pay.", "One in four users pays.", ["4"]),
    ],
)
def test_another_figure_is_missed_as_the_claim_writes_it(claim: str, source: str, missing: list[str]) -> None:
    assert lacking(claim, source) == missing


def test_a_date_in_another_language_is_told_by_its_day_and_year() -> None:
    known = known_figures("el 5 de marzo de 2024")

    assert known.lacks(claimed_figures("It ends on 5 March 2024."), abroad=True) == []
    assert known.lacks(claimed_figures("It ends on 6 March 2024."), abroad=True) == ["6 March 2024"]


def test_a_version_is_no_date_and_no_number() -> None:
    figures = claimed_figures("Version 2.13.4 of 1.30.20")

    assert (figures.numbers, figures.days) == ((), ())


def test_another_sign_is_told_and_may_be_a_dash() -> None:
    known = known_figures("The balance is −5 €. It was 10 - 7 € before.")

    assert known.turns(claimed_figures("The balance is 5 €.")) == ["5 €"]
    assert known.turns(claimed_figures("The balance is -5 €, and was 7 €.")) == []


@pytest.mark.parametrize(
    "noise",
    [
        "a",
        "\n",
        " ",
        "x.",
        "zehn",
        "a: ",
        "百",
        "not ",
        "hundert",
        "a-",
        "A-",
        "aB",
        "1 ",
        "1/2 ",
        "0",
        "$1 m",
    ],
)
def test_noise_is_read_in_linear_time(noise: str) -> None:
    text = noise * (20_000 // len(noise))

    claimed_figures(text)
    known_figures(text)
    find_codes(text)
    find_names(text)


@given(st.integers(min_value=0, max_value=10**12))
def test_grouping_does_not_change_a_number(number: int) -> None:
    grouped = f"{number:,}"

    for mark in (",", ".", " ", "’", "\u202f"):
        assert lacking(f"It is {grouped.replace(',', mark)} now", f"It was {number} then") == []


@given(st.text(max_size=200))
def test_every_text_has_its_own_figures(text: str) -> None:
    assert lacking(text, text) == []
