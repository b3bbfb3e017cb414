"""Offers: prices of cards in shops or paid by their owners, with their dates."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from submissions.domain.errors import ReportError
from submissions.domain.identity import products

COLUMNS = ("brand", "line", "part", "capacity_gb", "form", "shop", "currency", "amount", "date", "source")
# The number of days for which a price counts as current.
CURRENT_DAYS = 365
_REQUIRED = ("brand", "capacity_gb", "currency", "amount", "date", "source")
# Columns of published tables (api/v1/TABLE.md) -> those of offers.
_NAMES = {
    "model_number": "part",
    "command_or_workload": "shop",
    "unit": "currency",
    "value": "amount",
    "title_or_repo_path": "source",
}
_CURRENCY, _DATE = re.compile(r"[A-Z]{3}"), re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_MOST_GB, _MOST_AMOUNT = 200_000, 1e7


@dataclass(frozen=True, slots=True)
class Offer:
    """A price of a card.

    `seen_on`: the day of the price, the first day of its month if only the month is known, None if it is not known.
    """

    amount: float
    currency: str
    seen_on: date | None
    shop: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class ProductOffer:
    """An offer and the product that its title names."""

    brand: str
    line: str
    part: str
    capacity_gb: float
    form: str
    offer: Offer


def choose_offer(offers: Iterable[Offer]) -> Offer | None:
    """Return the median offer of the newest month in its most frequent currency; None without offers."""
    every = list(offers)
    known = [offer for offer in every if offer.seen_on] or every
    if not known:
        return None
    newest = max(_month(offer) for offer in known)
    latest = [offer for offer in known if _month(offer) == newest]
    counts = Counter(offer.currency for offer in latest)
    currency = min(counts, key=lambda name: (-counts[name], name))
    in_order = sorted((offer for offer in latest if offer.currency == currency), key=lambda one: one.amount)
    return in_order[(len(in_order) - 1) // 2]


def is_current(offer: Offer, today: date) -> bool:
    """Return whether an offer is younger than a year, and its day not in the future."""
    return offer.seen_on is not None and today - timedelta(days=CURRENT_DAYS) < offer.seen_on <= today


def is_past(offer: Offer, today: date) -> bool:
    """Return whether the day of an offer is known and not in the future."""
    return offer.seen_on is not None and offer.seen_on <= today


def _month(offer: Offer) -> tuple[int, int]:
    return (offer.seen_on.year, offer.seen_on.month) if offer.seen_on else (0, 0)


def read_offers(lines: Iterable[str]) -> list[ProductOffer]:
    """Return the offers in a CSV table with the columns of COLUMNS, or of a published table (api/v1/TABLE.md).

    Raise ReportError that names up to 20 wrong rows by their lines.
    """
    table = csv.DictReader(lines)
    table.fieldnames = [_NAMES.get(name, name) for name in table.fieldnames or ()]
    missing = set(COLUMNS) - set(table.fieldnames)
    if missing:
        raise ReportError(f"The table has no columns {', '.join(sorted(missing))}.", code="no_table")
    offers, errors = list[ProductOffer](), list[str]()
    for row in table:
        try:
            if None in row:
                raise ValueError("it has more cells than the first line")
            offers.append(_read_row({name: (row[name] or "").strip() for name in COLUMNS}))
        except ValueError as error:
            errors.append(f"line {table.line_num}: {error}")
    if errors:
        raise ReportError("; ".join(errors[:20]), code="wrong_rows")
    return offers


def _read_row(row: dict[str, str]) -> ProductOffer:
    for name in _REQUIRED:
        if not row[name]:
            raise ValueError(f"{name} is empty")
    if not _CURRENCY.fullmatch(row["currency"]):
        raise ValueError(f"currency must be three letters such as EUR, not {row['currency']!r}")
    size, amount = _read_number(row, "capacity_gb", _MOST_GB), _read_number(row, "amount", _MOST_AMOUNT)
    offer = Offer(amount, row["currency"], read_day(row["date"]), row["shop"], row["source"])
    return ProductOffer(row["brand"], row["line"], row["part"], size, row["form"], offer)


def _read_number(row: dict[str, str], name: str, most: float) -> float:
    try:
        number = float(row[name])
    except ValueError:
        raise ValueError(f"{name} must be a number, not {row[name]!r}") from None
    if not 0 < number <= most:
        raise ValueError(f"{name} is above 0 and at most {most:g}, not {row[name]}")
    return number


def read_day(text: str) -> date:
    """Return the day that is written as YYYY-MM-DD, or the first of YYYY-MM or YYYY. Raise ValueError."""
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(f"date must be YYYY-MM-DD, YYYY-MM or YYYY, not {text!r}")
    year, month, day = found.groups(default="1")
    return date(int(year), int(month), int(day))


def match_offers(offers: Iterable[ProductOffer], *, part: str, form: str) -> Iterator[Offer]:
    """Yield offers that agree with the part number and the form of a model, as far as both are known.

    All `offers` must have the name of the model.
    """
    for one in offers:
        parts_agree = not part or not one.part or products.match_parts(part, one.part)
        if parts_agree and (not form or not one.form or form == one.form):
            yield one.offer
