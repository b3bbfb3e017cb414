"""Store offers (prices of products), and the newest offer of each model in the columns of the model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.utils.timezone import localdate

from submissions.domain.privacy.permission import BAR
from submissions.domain.ranking.offers import (
    Offer,
    ProductOffer,
    choose_offer,
    is_current,
    is_past,
    match_offers,
    read_day,
)
from submissions.evidence import records
from submissions.models import CardModel
from submissions.models import Offer as StoredOffer
from submissions.models.offer import name_key
from submissions.sql import bulk

_IDENTITY = ("key", "part", "form", "shop", "currency", "seen_on")
_identity = attrgetter(*_IDENTITY)
COLUMNS = ("price", "currency", "price_count", "priced_on", "shop")


def store_offers(offers: Sequence[ProductOffer]) -> int:
    """Store offers, update the models that have the name of one, and return the number of these models.

    An offer of the same product, shop and day is replaced. Offers of future days are left out.
    """
    rows = [_row(offer) for offer in offers if is_past(offer.offer, localdate())]
    with transaction.atomic():
        StoredOffer.objects.bulk_create(
            {_identity(row): row for row in rows}.values(),
            update_conflicts=True,
            update_fields=["amount", "source"],
            unique_fields=_IDENTITY,
        )
        return _update_models({row.key for row in rows})


def _row(one: ProductOffer) -> StoredOffer:
    columns = asdict(one)
    offer = columns.pop("offer")
    return StoredOffer(key=name_key(one.brand, one.line, one.capacity_gb), **columns, **offer)


def _update_models(keys: set[str]) -> int:
    named = CardModel.objects.real().filter(capacity_gb__in={float(key.rsplit("|", 1)[1]) for key in keys})
    models = [model for model in named if name_key(*_name(model)) in keys]
    set_offers(records.load_records(models))
    bulk.update(models, COLUMNS)
    return len(models)


def set_offers(model_records: Sequence[records.Records]) -> None:
    """Set the columns of the newest offer in models without saving the models; one query."""
    stored = StoredOffer.objects.load_by_name(name_key(*_name(one.model)) for one in model_records)
    for one in model_records:
        model = one.model
        of_name = stored.get(name_key(*_name(model)), ())
        in_shops = list(match_offers(of_name, part=model.model_number, form=model.form))
        paid = _list_paid(one.prices)
        known = [*in_shops, *paid]
        # The price in a shop is more certain than the price that an owner states.
        chosen = choose_offer([offer for offer in in_shops if is_current(offer, localdate())] or known)
        model.price_count = len(known)
        model.price, model.currency = (chosen.amount, chosen.currency) if chosen else (None, "")
        model.priced_on, model.shop = (chosen.seen_on, chosen.shop) if chosen else (None, "")


def _name(model: CardModel) -> tuple[str, str, float | None]:
    return model.brand, model.line, model.capacity_gb


def _list_paid(labels: Iterable[Mapping[str, Any]]) -> list[Offer]:
    """List the prices that owners paid; a price without a possible day has no date, so it is never current."""
    return [
        Offer(
            label["price"],
            label.get("currency") or "",
            _read_past_day(label.get("bought_on") or ""),
            _name_shop(label.get("bought_at") or ""),
        )
        for label in labels
    ]


def _read_past_day(text: str) -> date | None:
    try:
        day = read_day(text)
    except ValueError:
        return None
    return day if day <= localdate() else None


def _name_shop(text: str) -> str:
    # A text with a removed private part names no shop.
    return "" if BAR in text else text
