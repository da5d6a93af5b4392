"""Units of time, length, weight, volume and data, so that two days are 48 hours."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_TABLE: Final = """
time 0.001: ms msec msecs millisecond milliseconds millisekunde millisekunden
time 1: s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi
time 60: min mins minute minutes minuten minuto minutos minuti minuut
time 3600: h hr hrs hour hours stunde stunden heure heures hora horas ore uur
time 86400: d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen
time 604800: week weeks woche wochen semaine semaines semana semanas settimana settimane weken
time 1209600: fortnight fortnights
time 2592000: month months monat monate monaten mois mes meses mese mesi maand maanden
time 31536000: year years jahr jahre jahren année années ans año años anno anni ano anos jaar
time 31449600: year years jahr jahre jahren
months 1: month months monat monate monaten mois mes meses mese mesi maand maanden
months 3: quarter quarters quartal quartale quartalen trimestre trimestres
months 12: year years jahr jahre jahren année années ans año años anno anni ano anos jaar
months 120: decade decades jahrzehnt jahrzehnte
length 1: mm millimetre millimetres millimeter millimeters
length 10: cm centimetre centimetres centimeter centimeters zentimeter
length 1000: m metre metres meter meters mètre mètres metro metros
length 25.4: inch inches zoll
length 304.8: ft foot feet
length 914.4: yd yds yard yards
length 1609344: mile miles meile meilen
length 1000000: km kilometre kilometres kilometer kilometers kilómetros
weight 1: mg milligram milligrams milligramm
weight 1000: g gram grams gramm gramme grammes
weight 1000000: kg kilo kilos kilogram kilograms kilogramm
weight 28349.523125: oz ounce ounces unze unzen
weight 453592.37: lb lbs
weight 1000000000: t tonne tonnes tonnen
volume 1: ml millilitre millilitres milliliter milliliters
volume 473.176473: pint pints
volume 568.26125: pint pints
volume 3785.411784: gal gallon gallons
volume 4546.09: gal gallon gallons
volume 1000: l litre litres liter liters
data 0.001: byte bytes
data 0.0009765625: byte bytes
data 1: kb kilobyte kilobytes kib
data 1000: mb megabyte megabytes
data 1024: mb megabyte megabytes mib
data 1000000: gb gigabyte gigabytes
data 1048576: gb gigabyte gigabytes gib
data 1000000000: tb terabyte terabytes
data 1073741824: tb terabyte terabytes tib
"""
"""What one of a unit is in the smallest of its kind. A month is 30 days; a year is 12 months, 365 days or
52 weeks. Pints and gallons are American or British; a pound may be money, and is read in `numbers`."""

_FACTORS: Final[dict[str, list[tuple[str, Decimal]]]] = {}
for _line in _TABLE.strip().splitlines():
    _kind, _factor, *_names = _line.replace(":", "").split()
    for _name in _names:
        _FACTORS.setdefault(_name, []).append((_kind, Decimal(_factor)))

NAMES: Final = "|".join(sorted(_FACTORS, key=len, reverse=True))
_BEHIND: Final = re.compile(rf"[\s\u00a0\u202f-]{{0,2}}(?:an? |eines? )?({NAMES})(?!\w)", re.IGNORECASE)
"""Behind a number: 5 days, 5-day, 5km, half a year."""

_TIMES: Final = "|".join(sorted((n for n, f in _FACTORS.items() if f[0][0] == "time"), key=len, reverse=True))
_PERIOD: Final = re.compile(
    r"\s?(?:(?!(?:and|or|but|und|oder|in|within|after|before|nach|vor)\b)[^\W\d_]{1,20}\s){0,3}?"
    r"(?:(?:[^\W\d_]{0,20}/\s?|(?:per|pro)\s)(second|sekunde|s)"
    r"|(?:[^\W\d_]{0,20}/\s?|(?:per|a|an|each|every|pro|je|im|am|par|al)\s)"
    r"(minute|hour|day|week|month|year|stunde|tag|woche|monat|jahr|jour|semaine|mois|an|día|semana|mes|año))"
    r"(?!\w)",
    re.IGNORECASE,
)
"""Behind a number: 10 € per month, 5 requests a day."""

_COMPOUND: Final = re.compile(
    rf"(?<![\w.,])(\d{{1,4}})[\s-]?({_TIMES})[\s-](?:(?:and|und|et|y)\s)?(\d{{1,2}})[\s-]?({_TIMES})(?!\w)",
    re.IGNORECASE,
)


def period_behind(text: str, end: int) -> str:
    """Return the period that what ends at *end* is for, as in “10 € per month”; empty: none is told."""
    found = _PERIOD.match(text, end)
    return (found[1] or found[2]).lower() if found else ""


def compounds(text: str) -> dict[int, frozenset[tuple[str, Decimal]]]:
    """Return what “1 hour and 30 minutes” comes to, by where each of its two numbers begins."""
    found: dict[int, frozenset[tuple[str, Decimal]]] = {}
    for match in _COMPOUND.finditer(text):
        first, second = (amounts([Decimal(match[place])], match[place + 1].lower()) for place in (1, 3))
        one = dict(amounts([Decimal(1)], match[2].lower()))
        total = frozenset(
            (kind, (large + small).normalize())
            for kind, large in first
            for other, small in second
            if kind == other and small < one[kind]
        )
        found |= dict.fromkeys((match.start(1), match.start(3)), total)
    return found


def measure_behind(text: str, end: int) -> str:
    """Return the unit that stands behind the number that ends at *end*; empty: none of these."""
    found = _BEHIND.match(text, end)
    return found[1].lower() if found else ""


def amounts(readings: Iterable[Decimal], measure: str) -> frozenset[tuple[str, Decimal]]:
    """Return what a number of *measure* is in the smallest unit of its kind; empty without one."""
    return frozenset(
        (kind, (reading * factor).normalize())
        for reading in readings
        for kind, factor in _FACTORS.get(measure, ())
    )
