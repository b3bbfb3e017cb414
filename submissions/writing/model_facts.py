"""Update facets, the columns of models by which visitors filter. Called by `scoring` inside its transaction."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from submissions.domain.identity import lookalikes, makers, products
from submissions.evidence.doubts import weigh_doubts
from submissions.evidence.records import CLASSES, CardFacts, Records
from submissions.models import CardModel, Variant, Word
from submissions.models.card import Facets
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import offers

# Without `varies`, which is updated where flags are stored; with `brand_look`, which an older release did not write.
_COLUMNS = [*(field.name for field in Facets._meta.get_fields() if field.name != "varies"), "brand_look"]
# Words that the search may suggest for a misspelt one: of the length of a name, and no register numbers.
_NAME = re.compile(r"(?!0x|[0-9a-f]{10}).{4,40}")


def refresh(model_records: Sequence[Records]) -> None:
    """Update the facets (columns for filters) of models; a few queries, and one per model with a bad card."""
    for of_model in model_records:
        model = of_model.model
        _set_words(model, of_model.variants)
        columns = _card_facets(of_model.cards.values()) | _best_classes(of_model)
        columns |= {"form": _agreed_form(of_model), "brand_look": lookalikes.look(model.brand)}
        found = products.find_by_model(*model.label, columns["form"])
        columns |= {"is_sold": products.find_whether_sold(found), "product_count": len(found)}
        columns |= _doubt_facets(of_model)
        for name, value in columns.items():
            setattr(model, name, value)
    offers.set_offers(model_records)
    models = [of_model.model for of_model in model_records]
    bulk.update(models, _COLUMNS)
    _store_words(models)


def delete_unused_words() -> None:
    """Delete the stored words (`Word`) that no model has any more.

    Caller must hold NAMES_LOCK exclusively, so that no card is filed meanwhile.
    """
    every = CardModel.objects.order_by().values_list("words", flat=True)
    used = {word for words in every.iterator() for word in words.split()}
    unused = set(Word.objects.values_list("text", flat=True)) - used
    Word.objects.filter(text__in=unused).delete()


def _store_words(models: Iterable[CardModel]) -> None:
    """Store new words of these models, sorted, because transactions that add the same word wait for each other."""
    words = {word for model in models for word in model.words.split() if _NAME.fullmatch(word)}
    new = words - set(_stored_words(words=list(words)))
    bulk.insert_missing([Word(text=word) for word in sorted(new)])


@PreparedQuery
def _stored_words() -> "QuerySet[Word, Any]":
    return Word.objects.filter(AnyOf("text", "words")).values_list("text", flat=True)


def _card_facets(cards: Iterable[CardFacts]) -> dict[str, Any]:
    cards = list(cards)
    return {
        "known_cards": sum(facts.all for facts in cards),
        "manufactured_first": min((facts.first for facts in cards if facts.first), default=""),
        "manufactured_last": max((facts.last for facts in cards), default=""),
    }


def _doubt_facets(of_model: Records) -> dict[str, Any]:
    doubts = weigh_doubts(of_model)
    return {
        "lost_data": doubts.excludes,
        "losers": doubts.losers,
        "suspicious_cards": doubts.suspicious_cards,
        "judging_people": doubts.people,
    }


def _best_classes(of_model: Records) -> dict[str, Any]:
    best: dict[str, Any] = {}
    for at, (name, letter) in enumerate(CLASSES.items()):
        printed = [int(mark[1:]) for mark in of_model.marks if mark.rstrip("0123456789") == letter]
        declared = [classes[at] for classes in of_model.classes]
        best[name] = max([*printed, *filter(None, declared)], default=None)
    modes = sorted({host.bus_mode for host in of_model.hosts.values()} - {""})
    return best | {"bus_modes": modes, "tells_health": bool(of_model.runs.tells_health.any())}


def _agreed_form(of_model: Records) -> str:
    model = of_model.model
    sold = products.find_by_name(model.brand, model.line, model.capacity_gb)
    forms = of_model.forms or {product.form for product in sold}
    return forms.pop() if len(forms) == 1 else ""


def _set_words(model: CardModel, variants: Iterable[Variant]) -> None:
    made_by = [
        makers.find_maker(variant.bus, variant.mid, variant.oid)
        for variant in variants
        if variant.mid is not None
    ]
    model.makers = sorted({maker.short_name for maker in made_by if maker.is_known})
    model.oems = sorted({f"0x{variant.oid:04x}" for variant in variants if variant.oid is not None})
    parts = [
        *(model.name, model.brand, model.line, model.model_number, *model.makers),
        *(makers.letters(maker) for maker in made_by),
        *(words for variant in variants for words in _register_words(variant)),
    ]
    if model.capacity_gb:
        parts.append(f"{model.capacity_gb:g}gb")
    model.words = " ".join(dict.fromkeys(filter(None, parts))).lower()


def _register_words(variant: Variant) -> list[str]:
    if variant.mid is None:
        return []
    name = variant.pnm or ""
    words = [name, f"0x{variant.mid:02x}"]
    if variant.oid is not None:
        revision = (variant.prv or "").replace(".", "")
        words += [
            f"0x{variant.oid:04x}",
            f"{variant.mid:02x}{variant.oid:04x}{name.encode().hex()}{revision}",
        ]
    return words
