"""Billing helper of Pellwright Ledger: error codes, due dates, refunds and credits.

The numbers in this file are the ones that customers see. Whoever changes one changes the page of the handbook too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

ERRORS = {
    "BILL-4020": "The card number is wrong. Ask the customer to type it again; do not retry.",
    "BILL-4021": "The bank declined the card. Only the bank can say why; retry after one, three and seven days.",
    "BILL-4022": "The card has expired. Ask for a new card; retrying is useless.",
    "BILL-4023": "The card needs a confirmation by its owner. Send the confirmation link, valid for 24 hours.",
    "BILL-4040": "There is no invoice with this number in this property.",
    "BILL-4090": "A refund for this invoice is already on its way. Do not start a second one.",
    "BILL-4091": "The invoice is settled and cannot be changed. Issue a credit note instead.",
    "BILL-4220": "The currency is not euro. Prices and refunds are made in euros only.",
    "BILL-4221": "The tax number does not fit the country of the customer.",
    "BILL-4290": "More than five payment attempts in one hour. Wait for an hour.",
    "BILL-5030": "The payment provider cannot be reached. The payment is repeated after ten minutes.",
    "BILL-5040": "The payment provider did not answer in time. Check the state before repeating.",
}

REFUND_DAYS_MONTHLY = {"EMEA": 5, "Americas": 7, "Asia-Pacific": 9}
REFUND_DAYS_ANNUAL = 15
BANK_ACCOUNT_EXTRA_DAYS = 3
PAYMENT_TERMS = {"monthly": 14, "annual": 30, "enterprise": 45}
REMINDER_DAYS = (7, 21)
READ_ONLY_AFTER_DAYS = 35
LATE_FEE = Decimal("25.00")
UNUSED_MONTHS_FEE = Decimal("0.20")


class BillingError(Exception):
    """A payment or refund that was refused; carries its code, such as BILL-4021."""

    def __init__(self, code: str) -> None:
        super().__init__(f"{code}: {ERRORS[code]}")
        self.code = code


@dataclass(frozen=True)
class Invoice:
    """One invoice of one property, without tax, in euros."""

    number: str
    period: str
    amount: Decimal
    issued: date
    paid: bool = False
    refunded: bool = False


def due_date(invoice: Invoice) -> date:
    """Return the day on which an invoice is due: 14 days for monthly, 30 for annual, 45 for Enterprise invoices."""
    return invoice.issued + timedelta(days=PAYMENT_TERMS[invoice.period])


def next_reminder(invoice: Invoice, today: date) -> date | None:
    """Return the day of the next reminder, or None when both were sent or the invoice is paid.

    The first reminder goes out seven days after the due date, the second one after 21 days.
    """
    if invoice.paid:
        return None
    days = [due_date(invoice) + timedelta(days=wait) for wait in REMINDER_DAYS]
    return next((day for day in days if day >= today), None)


def is_read_only(invoice: Invoice, today: date) -> bool:
    """Tell whether an unpaid invoice has made the account read-only, which happens after 35 days."""
    return not invoice.paid and today > due_date(invoice) + timedelta(days=READ_ONLY_AFTER_DAYS)


def late_fee(invoice: Invoice, today: date) -> Decimal:
    """Return the fee for late payment: nothing before the second reminder, 25 euros after it."""
    second = due_date(invoice) + timedelta(days=REMINDER_DAYS[1])
    return LATE_FEE if not invoice.paid and today > second else Decimal(0)


def refund_days(period: str, region: str, *, to_bank_account: bool = False) -> int:
    """Return how many working days a refund takes from its approval.

    Monthly plans depend on the region. Annual plans take 15 working days everywhere.
    A refund to a bank account takes three working days longer, for monthly plans only.
    """
    if period == "annual":
        return REFUND_DAYS_ANNUAL
    return REFUND_DAYS_MONTHLY[region] + (BANK_ACCOUNT_EXTRA_DAYS if to_bank_account else 0)


def annual_refund(price: Decimal, unused_months: int) -> Decimal:
    """Return what is paid back when a hotel closes: the unused full months, less a fee of 20 per cent."""
    share = price * unused_months / 12
    return (share * (1 - UNUSED_MONTHS_FEE)).quantize(Decimal("0.01"), ROUND_HALF_UP)


def check_refund(invoice: Invoice, today: date) -> None:
    """Refuse a refund that may not be started.

    Raises BillingError with BILL-4090 when one is already on its way, and with BILL-4091 when the invoice is
    older than two years.
    """
    if invoice.refunded:
        raise BillingError("BILL-4090")
    if today - invoice.issued > timedelta(days=730):
        raise BillingError("BILL-4091")


def service_credit(plan: str, fee: Decimal, availability: Decimal) -> Decimal:
    """Return the credit for a month below the promised availability, in euros.

    Team: five per cent below 99.5. Business: ten per cent below 99.9, and 25 per cent below 99.0.
    Enterprise: 15 per cent below 99.95, and 40 per cent below 99.0. Starter: nothing.
    """
    steps = {
        "Team": [("99.5", "0.05")],
        "Business": [("99.0", "0.25"), ("99.9", "0.10")],
        "Enterprise": [("99.0", "0.40"), ("99.95", "0.15")],
    }
    for limit, rate in steps.get(plan, []):
        if availability < Decimal(limit):
            return (fee * Decimal(rate)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return Decimal(0)


def invoice_number(year: int, counter: int) -> str:
    """Return the number of an invoice, such as INV-2026-1001; the counter begins at 1001 every January."""
    return f"INV-{year}-{counter:04d}"
