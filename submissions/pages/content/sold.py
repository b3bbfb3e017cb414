"""What is sold under the name of a model, what its maker promises, who measured it, and what a Pi 5 makes of it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.identity.suspicions.quirks import Queueing
from submissions.models import CardModel, Run
from submissions.pages import wording

Figures = Mapping[str, Mapping[str, float]]

# What a promise of reading or writing is held against, the best first.
_READ = ("seq_read", "seq_read_cold", "fill_read", "seq_read_qd32", "seq_read_unqueued")
_WRITE = ("seq_write", "seq_write_synced", "fill_write", "seq_write_qd32", "seq_write_unqueued")


class Sold(NamedTuple):
    """`products`: rows of the table of products with its name. `read`, `write`: what was measured where no slot is in
    the way, in words; "" where it was not. `sources`: (slug, title) of who published. `queueing`: different answers of
    its cards."""

    products: tuple[Product, ...]
    read: str
    write: str
    sources: tuple[tuple[str, str], ...]
    queueing: tuple[Queueing, ...]


def of_model(model: CardModel, measured: Figures) -> Sold:
    """Of a model `with_variants`, and its figures where no slot is in the way; one query."""
    return Sold(
        products=_products(model),
        read=_fastest(measured, _READ),
        write=_fastest(measured, _WRITE),
        sources=tuple(Run.objects.sources_of(model)),
        queueing=tuple(dict.fromkeys(one for kind in model.variants.all() for one in kind.queueing)),
    )


def _products(model: CardModel) -> tuple[Product, ...]:
    """The one of its part number, else every one of its name and, where it is known, its form."""
    label = model.brand, model.line, model.model_number, model.capacity_gb
    one = products.of_label(*label)
    named = products.named(model.brand, model.line, model.capacity_gb)
    return (one,) if one else tuple(product for product in named if model.form in ("", product.form))


def _fastest(measured: Figures, names: Iterable[str]) -> str:
    found = next((measured[name] for name in names if name in measured), None)
    if found is None:
        return ""
    words = wording.amount(found["measured"], "B/s")
    return f"≥ {words}" if found.get("at_least") else words
