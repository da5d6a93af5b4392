"""Units of time, length, weight, volume and data, so that two days are 48 hours."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_TABLE: Final = """
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
length 1000000: km kilometre kilometres kilometer kilometers kilómetros
weight 1: mg milligram milligrams milligramm
weight 1000: g gram grams gramm gramme grammes
weight 1000000: kg kilo kilos kilogram kilograms kilogramm
weight 1000000000: t tonne tonnes tonnen
volume 1: ml millilitre millilitres milliliter milliliters
volume 1000: l litre litres liter liters
data 1: kb kilobyte kilobytes
data 1000: mb megabyte megabytes
data 1024: mb megabyte megabytes
data 1000000: gb gigabyte gigabytes
data 1048576: gb gigabyte gigabytes
data 1000000000: tb terabyte terabytes
"""
"""What one of a unit is in the smallest of its kind. A month is 30 days; a year is 12 months, 365 days or
52 weeks."""

_FACTORS: Final[dict[str, list[tuple[str, Decimal]]]] = {}
for _line in _TABLE.strip().splitlines():
    _kind, _factor, *_names = _line.replace(":", "").split()
    for _name in _names:
        _FACTORS.setdefault(_name, []).append((_kind, Decimal(_factor)))

NAMES: Final = "|".join(sorted(_FACTORS, key=len, reverse=True))
_BEHIND: Final = re.compile(rf"[\s\u00a0\u202f-]{{0,2}}(?:an? |eines? )?({NAMES})(?!\w)", re.IGNORECASE)
"""Behind a number: 5 days, 5-day, 5km, half a year."""


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
