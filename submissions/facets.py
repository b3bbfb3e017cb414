"""Keeps what a finder asks of a model equal to what its cards say. Called by `scoring` inside its transaction."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from django.db.models import Count, Max, Min, Q

from submissions import bulk
from submissions.domain import maker_search, makers
from submissions.models import Card, CardModel, Run, Variant, VariationFlag, Word
from submissions.models.facets import Facets

# Column of the facet -> the letter before its number on a card, A2.
_CLASSES = {"speed_class": "C", "uhs_speed_grade": "U", "video_speed_class": "V", "app_perf_class": "A"}
_FLAGS = (VariationFlag.Kind.VARIES, VariationFlag.Kind.GEOMETRY, VariationFlag.Kind.CHANGED)
_COLUMNS = [field.name for field in Facets._meta.get_fields()]
# A word in which one may err: no number of a register, nor what is too short or too long to be a name.
_NAME = re.compile(r"(?!0x|[0-9a-f]{10}).{4,40}")


def refresh(found: Mapping[int, CardModel]) -> None:
    """Work the facets of these models `with_silicon` out anew; six queries however many, seven with a new word."""
    cards, seen, prices = _cards(found), _seen(found), _prices(found)
    varying = set(
        VariationFlag.objects.filter(card_model__in=found, kind__in=_FLAGS).values_list(
            "card_model", flat=True
        )
    )
    for pk, model in found.items():
        model.varies = pk in varying
        _describe(model, model.variants.all())
        for name, value in (cards.get(pk, {}) | _classes(seen[pk]) | _price(prices[pk])).items():
            setattr(model, name, value)
    bulk.update(list(found.values()), _COLUMNS)
    _remember(found.values())


def forget() -> None:
    """Drop the words that no model has any more. Whoever calls lets nobody file a card meanwhile."""
    every = CardModel.objects.order_by().values_list("words", flat=True)
    had = {word for words in every.iterator() for word in words.split()}
    gone = set(Word.objects.values_list("text", flat=True)) - had
    Word.objects.filter(text__in=gone).delete()


def _remember(models: Iterable[CardModel]) -> None:
    """Words of these models, in one order for everybody: who adds the same one waits for the other."""
    words = {word for model in models for word in model.words.split() if _NAME.fullmatch(word)}
    new = words - set(Word.objects.filter(text__in=words).values_list("text", flat=True))
    if new:
        bulk.insert_missing([Word(text=word) for word in sorted(new)])


def _cards(models: Iterable[int]) -> dict[int, dict[str, Any]]:
    dated = Q(manufactured__gt="")
    counted = {
        "known_cards": Count("id"),
        "suspicious_cards": Count("id", filter=Q(verdict="suspicious")),
        "manufactured_first": Min("manufactured", filter=dated, default=""),
        "manufactured_last": Max("manufactured", filter=dated, default=""),
    }
    of_models = Card.objects.filter(variant__card_model__in=models).order_by().values("variant__card_model")
    rows = of_models.annotate(**counted).values_list("variant__card_model", *counted)
    return {model: dict(zip(counted, values, strict=True)) for model, *values in rows}


def _seen(models: Iterable[int]) -> dict[int, list[tuple[Any, ...]]]:
    """Bus mode, printed marks and declared classes of each run, equal ones once."""
    declared = [f"registers__ssr__{name}" for name in _CLASSES]
    rows = (
        Run.objects.filter(card__variant__card_model__in=models)
        .values_list("card__variant__card_model", "host__bus_mode", "label__marks", *declared)
        .distinct()
    )
    return _grouped(rows)


def _prices(models: Iterable[int]) -> dict[int, list[tuple[Any, ...]]]:
    told = Run.objects.filter(card__variant__card_model__in=models, label__price__gt=0)
    return _grouped(told.values_list("card__variant__card_model", "label__currency", "label__price"))


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    found = defaultdict(list)
    for model, *rest in rows:
        found[model].append(tuple(rest))
    return found


def _classes(seen: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """The best class that a register declares or the label carries."""
    best: dict[str, Any] = {name: None for name in _CLASSES}
    for _, marks, *declared in seen:
        for (name, letter), value in zip(_CLASSES.items(), declared, strict=True):
            printed = [int(mark[1:]) for mark in marks or () if mark.rstrip("0123456789") == letter]
            best[name] = max([*printed, *filter(None, [best[name], value])], default=None)
    return best | {"bus_modes": sorted({mode for mode, *_ in seen if mode})}


def _price(told: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """The median in the currency most told; of two the first in the alphabet."""
    counts = Counter(currency for currency, _ in told)
    if not counts:
        return {"price": None, "currency": "", "price_count": 0}
    currency = min(counts, key=lambda one: (-counts[one], one))
    price = median(price for unit, price in told if unit == currency)
    return {"price": price, "currency": currency, "price_count": counts[currency]}


def _describe(model: CardModel, variants: Iterable[Variant]) -> None:
    """Who made it, and every word by which it may be sought."""
    made_by = [makers.find_maker(one.bus, one.mid, one.oid) for one in variants if one.mid is not None]
    model.makers = sorted({maker.short_name for maker in made_by if maker.known})
    model.oems = sorted({f"0x{one.oid:04x}" for one in variants if one.oid is not None})
    parts = [
        *(model.name, model.brand, model.line, model.model_number, *model.makers),
        *(maker_search.letters(maker) for maker in made_by),
        *(words for one in variants for words in _register_words(one)),
    ]
    if model.capacity_gb:
        parts.append(f"{model.capacity_gb:g}gb")
    model.words = " ".join(dict.fromkeys(filter(None, parts))).lower()


def _register_words(variant: Variant) -> list[str]:
    """The product name, and the numbers as hex: alone, and in a row as an SD card's CID begins."""
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
